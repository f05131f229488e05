import assert from "node:assert/strict";
import { connect } from "node:net";
import { assertOnlyForAdministrator } from "../../support/http/answers-to.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { formOf, MULTIPART, packageBytes, upload, uploadForm } from "../../support/people/package-upload.ts";
import { eventually } from "../../support/within.ts";
import { test, testEverywhere, testOnNodes } from "../layouts.ts";
import { appWorld, md5, numberMember } from "./app-world.ts";

/** What a cache on the way, or a terminal's, is told of a package: its bytes never change under one name. */
const FOREVER = "public, max-age=31536000, immutable";

/** Versions of the app and their packages: made, uploaded, downloaded and deleted. */
export function appPackages(relay: Relay): void {
  const { newCode, createVersion, createUploaded, show, pathOf, deploy, offered, check, deployment, packageFiles } = appWorld(relay, 1_000);

  test("a version is created, listed by version code, changed in part and deleted", async (t) => {
    const administrator = relay.administrator();
    const notes = { mandatory: true, releaseNotes: "Più veloce" };
    const [low, high] = [await createVersion(t, notes), await createVersion(t)];
    assertMatches(await show(low.id), {
      versionCode: low.versionCode,
      versionName: `v${low.versionCode}`,
      ...notes,
      active: true,
      apkUrl: null,
      md5: null,
      fileSize: null,
    });
    const listed = listOf(member((await administrator.get("/admin/app-versions")).body, "data")).map((version) =>
      member(version, "versionCode"),
    );
    assert.deepEqual(
      listed,
      [...listed].sort((one, other) => Number(other) - Number(one)),
    );
    assert.ok(listed.indexOf(high.versionCode) < listed.indexOf(low.versionCode), "not descending");
    const changed = await administrator.send(`/admin/app-versions/${low.id}`, {
      method: "PATCH",
      body: { versionName: "other", mandatory: false },
    });
    assertMatches(changed, {
      status: 200,
      body: { status: "ok", data: { versionName: "other", mandatory: false, releaseNotes: "Più veloce" } },
    });
    const deleted = await administrator.send(`/admin/app-versions/${low.id}`, { method: "DELETE" });
    assertMatches(deleted, { status: 200, body: { status: "ok", data: /deleted/ } });
    assert.equal((await administrator.send(`/admin/app-versions/${low.id}`, { method: "DELETE" })).status, 404);
    assert.equal((await administrator.send(`/admin/app-versions/${low.id}`, { method: "PATCH", body: {} })).status, 404);
  });

  test("a version code can be moved and used again, but not be there twice", async (t) => {
    const administrator = relay.administrator();
    const [one, other] = [await createVersion(t), await createVersion(t)];
    const twice = { versionCode: one.versionCode, versionName: "again" };
    assertMatches(await administrator.post("/admin/app-versions", twice), {
      status: 400,
      body: { status: "error", error: /there is a version/ },
    });
    const patch = (versionCode: number) =>
      administrator.send(`/admin/app-versions/${other.id}`, { method: "PATCH", body: { versionCode } });
    assertMatches(await patch(one.versionCode), { status: 400, body: { error: /there is a version/ } });
    assertMatches(await show(other.id), { versionCode: other.versionCode });
    assert.equal((await patch(other.versionCode + 1)).status, 200);
    await createVersion(t, { versionCode: other.versionCode });
  });

  testOnNodes("only one of many who create the same version code at once gets it", async (t) => {
    const request = { versionCode: newCode(), versionName: "race" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => relay.administrator().post("/admin/app-versions", request)));
    const made = answers.filter(({ status }) => status === 200);
    t.after(async () => {
      for (const { body } of made) {
        await relay.administrator().send(`/admin/app-versions/${numberMember(body, "data", "id")}`, { method: "DELETE" });
      }
    });
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400]);
  });

  test("bad versions, deployments and pushes are refused by name, and nothing is stored", async (t) => {
    const administrator = relay.administrator();
    const { id } = await createVersion(t);
    const before = await administrator.get("/admin/app-versions");
    const versions = "/admin/app-versions";
    const CASES: [method: "POST" | "PATCH", path: string, body: unknown, status: number, told: RegExp][] = [
      ["POST", versions, { versionName: "a" }, 400, /versionCode: is required/],
      ["POST", versions, { versionCode: 7 }, 400, /versionName: is required/],
      ["POST", versions, { versionCode: 0, versionName: "a" }, 400, /versionCode: must be/],
      ["POST", versions, { versionCode: -1, versionName: "a" }, 400, /versionCode: must be/],
      ["POST", versions, { versionCode: 1.5, versionName: "a" }, 400, /versionCode: must be/],
      ["POST", versions, { versionCode: "7", versionName: "a" }, 400, /versionCode: must be/],
      ["POST", versions, { versionCode: 2_147_483_648, versionName: "a" }, 400, /versionCode: must be/],
      ["POST", versions, { versionCode: 7, versionName: "" }, 400, /versionName: must be/],
      ["POST", versions, { versionCode: 7, versionName: "a", mandatory: "yes" }, 400, /mandatory: must be/],
      ["POST", versions, "{", 400, /not JSON/],
      ["PATCH", `${versions}/${id}`, { versionCode: 0 }, 400, /versionCode: must be/],
      ["PATCH", `${versions}/${id}`, { releaseNotes: 1 }, 400, /releaseNotes: must be/],
      ["PATCH", `${versions}/${id}/active`, {}, 400, /active: is required/],
      ["PATCH", `${versions}/${id}/active`, { active: "no" }, 400, /active: must be/],
      ["PATCH", `${versions}/999999/active`, { active: true }, 404, /no such version/],
      ["PATCH", `${versions}/x`, {}, 400, /versionId: must be/],
      ["POST", `${versions}/${id}/deploy-terminal`, {}, 400, /terminalId: is required/],
      ["POST", `${versions}/${id}/deploy-terminal`, { terminalId: "a b" }, 400, /terminalId: is not a terminal id/],
      ["POST", `${versions}/${id}/deploy-terminal`, { terminalId: "status" }, 400, /not a terminal id/],
      ["POST", `${versions}/${id}/deploy-merchant`, {}, 400, /merchantId: is required/],
      ["POST", `${versions}/${id}/deploy-merchant`, { merchantId: "" }, 400, /merchantId: must be/],
      ["POST", `${versions}/${id}/deploy-merchant`, { merchantId: "Café" }, 400, /merchantId: must be/],
      ["POST", `${versions}/${id}/deploy-global`, { rolloutPercent: 101 }, 400, /rolloutPercent: must be/],
      ["POST", `${versions}/${id}/deploy-global`, { pauseAtFailurePercent: 0 }, 400, /pauseAtFailurePercent: must be/],
      ["POST", `${versions}/999999/deploy-global`, undefined, 404, /no such version/],
      ["POST", `${versions}/999999/push-update`, undefined, 404, /no such version/],
      ["POST", `${versions}/${id}/push-update`, undefined, 409, /no package/],
      ["POST", `${versions}/${id}/push-update`, { terminalId: "../x" }, 400, /not a terminal id/],
      ["POST", "/admin/app-deployments/999999/pause", undefined, 404, /no such deployment/],
      ["POST", "/admin/app-deployments/999999/roll-back", undefined, 404, /no such deployment/],
    ];
    for (const [method, path, body, status, told] of CASES) {
      const answer = await administrator.send(path, { method, body });
      assertMatches(answer, { status, body: { status: "error", error: told, message: told } }, `${method} ${path} ${JSON.stringify(body)}`);
    }
    assert.deepEqual((await administrator.get("/admin/app-versions")).body, before.body);
    assert.deepEqual((await administrator.get(`/admin/app-versions/${id}/deployments`)).body, { status: "ok", data: [] });
  });

  test("nobody but the administrator manages versions", async (t) => {
    const { id } = await createVersion(t);
    const deploymentId = await deploy({ id }, "terminal", { terminalId: relay.terminalId() });
    const CALLS: [method: "GET" | "POST" | "PATCH" | "DELETE", path: string][] = [
      ["GET", "/admin/app-versions"],
      ["POST", "/admin/app-versions"],
      ["PATCH", `/admin/app-versions/${id}`],
      ["PATCH", `/admin/app-versions/${id}/active`],
      ["DELETE", `/admin/app-versions/${id}`],
      ["POST", `/admin/app-versions/${id}/upload-apk`],
      ["POST", `/admin/app-versions/${id}/push-update`],
      ["POST", `/admin/app-versions/${id}/deploy-terminal`],
      ["POST", `/admin/app-versions/${id}/deploy-merchant`],
      ["POST", `/admin/app-versions/${id}/deploy-global`],
      ["GET", `/admin/app-versions/${id}/deployments`],
      ["GET", `/admin/app-versions/${id}/install-logs`],
      ["GET", "/admin/app-deployments"],
      ["PATCH", `/admin/app-deployments/${deploymentId}`],
      ["POST", `/admin/app-deployments/${deploymentId}/pause`],
      ["POST", `/admin/app-deployments/${deploymentId}/resume`],
      ["POST", `/admin/app-deployments/${deploymentId}/roll-back`],
    ];
    await assertOnlyForAdministrator(
      relay,
      CALLS.map(([method, path]) => {
        if (path.endsWith("upload-apk")) return [method, path, formOf([]), { "content-type": MULTIPART }];
        return [method, path, method === "GET" || method === "DELETE" ? undefined : {}];
      }),
    );
    assertMatches(await deployment(deploymentId), { state: "draft" });
  });

  testEverywhere("a package is stored with its MD5 and size, and is downloaded as it was uploaded", async (t) => {
    const version = await createVersion(t);
    const bytes = packageBytes(3_000_001);
    const uploaded = await upload(relay.administrator(), version.id, bytes, "../../../etc/passwd");
    assertMatches(uploaded, { status: 200, body: { status: "ok", data: new RegExp(`3000001 bytes, MD5 ${md5(bytes)}`) } });
    const shown = await show(version.id);
    assertMatches(shown, { md5: md5(bytes), fileSize: bytes.byteLength });
    const url = textMember(shown, "apkUrl");
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/app\/download\/app-\d+-[0-9a-f-]{36}\.apk$/);
    const path = pathOf(url);
    const whole = await relay.nobody().get(path);
    assertMatches(whole, {
      status: 200,
      headers: {
        "content-length": "3000001",
        "content-type": "application/vnd.android.package-archive",
        etag: `"${md5(bytes)}"`,
        "accept-ranges": "bytes",
        "cache-control": FOREVER,
        "x-content-type-options": "nosniff",
        "content-disposition": /^attachment; filename="app-/,
      },
    });
    assert.ok(whole.bytes.equals(bytes), "other bytes than were uploaded");
    assert.equal((await relay.nobody().get(`/till${path}`)).status, 200);
    const head = await relay.nobody().send(path, { method: "HEAD" });
    assertMatches(head, { status: 200, text: "", headers: { "content-length": "3000001", etag: `"${md5(bytes)}"` } });
  });

  test("parts of a package, and a package that the caller has already", async (t) => {
    const { path, bytes } = await createUploaded(t);
    const etag = `"${md5(bytes)}"`;
    const nobody = relay.nobody();
    const RANGES: [range: string, from: number, to: number][] = [
      ["bytes=0-0", 0, 0],
      ["bytes=100-199", 100, 199],
      ["bytes=9000-", 9_000, 9_999],
      ["bytes=-10", 9_990, 9_999],
      ["bytes=9990-20000", 9_990, 9_999],
      ["bytes=-20000", 0, 9_999],
    ];
    for (const [range, from, to] of RANGES) {
      const part = await nobody.get(path, { range });
      assertMatches(part, {
        status: 206,
        headers: { "content-range": `bytes ${from}-${to}/10000`, "content-length": String(to - from + 1) },
      });
      assert.ok(part.bytes.equals(bytes.subarray(from, to + 1)), `other bytes for ${range}`);
    }
    for (const range of ["bytes=10000-", "bytes=20000-30000", "bytes=-0"]) {
      const outside = await nobody.get(path, { range });
      const headers = { "content-range": "bytes */10000", "cache-control": "no-store" };
      assertMatches(outside, { status: 416, headers, body: { status: "error" } }, range);
    }
    for (const range of ["bytes=0-1,5-6", "bytes=0-0,20000-", "bytes=5-2", "items=0-1", "bytes=a-b", "bytes"]) {
      const whole = await nobody.get(path, { range });
      assert.equal(whole.status, 200, range);
      assert.equal(whole.bytes.byteLength, 10_000, range);
    }
    assert.equal((await nobody.get(path, { range: "bytes=0-1", "if-range": etag })).status, 206);
    assert.equal((await nobody.get(path, { range: "bytes=0-1", "if-range": '"other"' })).status, 200);
    for (const had of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      assertMatches(
        await nobody.get(path, { "if-none-match": had }),
        { status: 304, text: "", headers: { etag, "cache-control": FOREVER } },
        had,
      );
    }
    assert.equal((await nobody.get(path, { "if-none-match": '"other"' })).status, 200);
  });

  test("nothing but packages can be downloaded", async (t) => {
    const { path } = await createUploaded(t);
    const folder = "/api/v1/app/download";
    const name = path.slice(folder.length + 1);
    const PATHS = [
      `${folder}/unknown.apk`,
      `${folder}/..%2f..%2fstate%2fCURRENT`,
      `${folder}/%2e%2e%2fstate`,
      `${folder}/..`,
      `${folder}/%2e%2e`,
      `${folder}/.upload-0123456789abcdef`,
      `${folder}/%2fetc%2fpasswd`,
      `${folder}/..%5c..%5cstate`,
      `${folder}/${name}%00`,
      `${folder}/%00${name}`,
      `${folder}/${name}%0d%0aX-Injected:%201`,
      `${folder}/%ff`,
      `${folder}/${"a".repeat(300)}`,
      `${folder}/${name}/..`,
      `${folder}/x/../${name}x`,
      `${folder}/`,
    ];
    for (const wrong of PATHS) {
      const answer = await rawGet(relay.nobody(), relay.node.port, wrong);
      assert.match(answer, /^HTTP\/1\.1 40[04] /, wrong);
      assert.ok(!/x-injected/i.test(answer), wrong);
    }
  });

  /** A request whose path no client library has tidied up. */
  function rawGet({ localAddress }: HttpClient, port: number, path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        if (text.includes("\r\n\r\n")) socket.destroy();
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
  }

  test("what is no package, or no form with one, is refused and leaves nothing", async (t) => {
    const version = await createVersion(t);
    const administrator = relay.administrator();
    const before = await packageFiles();
    const good = packageBytes(1_000);
    const CASES: [about: string, form: Buffer, contentType: string, status: number, told: RegExp][] = [
      ["text", formOf([{ name: "file", fileName: "a.apk", content: "hello" }]), MULTIPART, 400, /not an app package/],
      ["an empty file", formOf([{ name: "file", fileName: "a.apk", content: "" }]), MULTIPART, 400, /not an app package/],
      ["three bytes", formOf([{ name: "file", fileName: "a.apk", content: "PK\u0003" }]), MULTIPART, 400, /not an app package/],
      ["an empty ZIP file", formOf([{ name: "file", fileName: "a.apk", content: "PK\u0005\u0006" }]), MULTIPART, 400, /not an app package/],
      ["another member", formOf([{ name: "apk", fileName: "a.apk", content: good }]), MULTIPART, 400, /another name/],
      ["no member", formOf([{ name: "note", content: "a" }]), MULTIPART, 400, /file: is required/],
      ["a text member", formOf([{ name: "file", content: "PK\u0003\u0004" }]), MULTIPART, 400, /has to be a file/],
      [
        "two files",
        formOf([
          { name: "file", fileName: "a.apk", content: good },
          { name: "file", fileName: "b.apk", content: good },
        ]),
        MULTIPART,
        400,
        /one file/,
      ],
      ["no end", formOf([{ name: "file", fileName: "a.apk", content: good }], ""), MULTIPART, 400, /not a complete/],
      ["the bytes themselves", good, "application/vnd.android.package-archive", 415, /multipart/],
      ["JSON", Buffer.from("{}"), "application/json", 415, /multipart/],
      ["no boundary", formOf([]), "multipart/form-data", 400, /boundary/],
    ];
    for (const [about, form, contentType, status, told] of CASES) {
      const answer = await uploadForm(administrator, version.id, form, contentType);
      assertMatches(answer, { status, body: { status: "error", error: told } }, about);
    }
    const unknown = await upload(administrator, 999_999, good);
    assertMatches(unknown, { status: 404, body: { error: /no such version/ } });
    assertMatches(await show(version.id), { apkUrl: null, md5: null, fileSize: null });
    await eventually(async () => assert.deepEqual(await packageFiles(), before));
  });

  testOnNodes("an upload that breaks off leaves nothing, and the next one is taken", async (t) => {
    const version = await createVersion(t);
    const before = await packageFiles();
    const form = formOf([{ name: "file", fileName: "a.apk", content: packageBytes(2_000_000) }]);
    const socket = connect({ port: relay.node.port, host: "127.0.0.1", localAddress: relay.administrator().localAddress });
    socket.on("error", () => {});
    const authorization = `Basic ${Buffer.from("admin:admin").toString("base64")}`;
    socket.write(
      `POST /admin/app-versions/${version.id}/upload-apk HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${form.byteLength}\r\n\r\n`,
    );
    socket.write(form.subarray(0, 1_000_000));
    await eventually(async () => assert.equal((await packageFiles()).length, before.length + 1));
    // Meanwhile nobody else uploads this version.
    const other = await upload(relay.administrator(), version.id, packageBytes(100));
    assertMatches(other, { status: 409, body: { error: /Another upload/ } });
    socket.destroy();
    await eventually(async () => assert.deepEqual(await packageFiles(), before));
    assertMatches(await show(version.id), { apkUrl: null });
    await eventually(async () => assert.equal((await upload(relay.administrator(), version.id, packageBytes(100))).status, 200));
  });

  test("a new package takes the place of the one before, under another address", async (t) => {
    const version = await createUploaded(t);
    const terminalId = relay.terminalId();
    const bytes = packageBytes(500);
    assert.equal((await upload(relay.administrator(), version.id, bytes)).status, 200);
    assert.equal((await relay.nobody().get(version.path)).status, 404);
    await deploy(version, "terminal", { terminalId });
    const { body } = await check(terminalId);
    assertMatches(body, { data: { md5: md5(bytes), fileSize: 500 } });
    assert.ok((await relay.nobody().get(pathOf(textMember(body, "data", "apkUrl")))).bytes.equals(bytes));
  });

  test("the package of a deployed version is not replaced by an upload", async (t) => {
    const version = await createUploaded(t);
    const terminalId = relay.terminalId();
    await deploy(version, "terminal", { terminalId });
    const files = await packageFiles();
    assertMatches(await upload(relay.administrator(), version.id, packageBytes(1_000_000)), {
      status: 409,
      body: { status: "error", error: /is deployed.*higher versionCode/ },
    });
    assert.deepEqual(await packageFiles(), files);
    assertMatches((await check(terminalId)).body, { data: { md5: md5(version.bytes) } });
    assert.ok((await relay.nobody().get(version.path)).bytes.equals(version.bytes));
  });

  test("deleting a version ends its offers and takes its package along", async (t) => {
    const version = await createUploaded(t);
    const terminalId = relay.terminalId();
    const id = await deploy(version, "terminal", { terminalId });
    assert.equal(await offered(terminalId), version.versionCode);
    const files = await packageFiles();
    assert.equal((await relay.administrator().send(`/admin/app-versions/${version.id}`, { method: "DELETE" })).status, 200);
    assert.equal(await offered(terminalId), null);
    assert.equal((await relay.nobody().get(version.path)).status, 404);
    assert.equal((await packageFiles()).length, files.length - 1);
    const { body } = await relay.administrator().get("/admin/app-deployments?limit=500");
    assert.ok(!listOf(member(body, "data")).some((one) => member(one, "id") === id), "its deployment is still there");
  });
}
