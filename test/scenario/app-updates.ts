import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { assertOnlyForAdministrator } from "../support/answers-to.ts";
import type { Answer, HttpClient } from "../support/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../support/matches.ts";
import { formOf, MULTIPART, packageBytes, upload, uploadForm } from "../support/package-upload.ts";
import type { Relay } from "../support/relay.ts";
import { eventually } from "../support/within.ts";

const NOBODY = "T-of-nobody";
const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");

export function appUpdates(relay: Relay): void {
  let codes = 1_000;

  interface TestVersion {
    id: number;
    versionCode: number;
    bytes: Buffer;
    /** Path and query of the address that the administrator is shown. */
    path: string;
  }

  function numberMember(value: unknown, ...path: string[]): number {
    const found = member(value, ...path);
    assert.ok(typeof found === "number", `${path.join(".")} is not a number in ${JSON.stringify(value)}`);
    return found;
  }

  /** A version without a package; deleted after the test, so that no other test sees its deployments. */
  async function createVersion(t: TestContext, members: { [member: string]: unknown } = {}): Promise<{ id: number; versionCode: number }> {
    codes += 10;
    const versionCode = codes;
    const created = await relay.administrator().post("/admin/app-versions", { versionCode, versionName: `v${versionCode}`, ...members });
    assert.equal(created.status, 200, created.text);
    const id = numberMember(created.body, "data", "id");
    t.after(async () => {
      await relay.administrator().send(`/admin/app-versions/${id}`, { method: "DELETE" });
    });
    return { id, versionCode: numberMember(created.body, "data", "versionCode") };
  }

  async function createUploaded(t: TestContext, members: { [member: string]: unknown } = {}): Promise<TestVersion> {
    const version = await createVersion(t, members);
    const bytes = packageBytes(10_000);
    const uploaded = await upload(relay.administrator(), version.id, bytes);
    assert.equal(uploaded.status, 200, uploaded.text);
    const shown = await show(version.id);
    return { ...version, bytes, path: pathOf(textMember(shown, "apkUrl")) };
  }

  async function show(id: number): Promise<unknown> {
    const { body } = await relay.administrator().get("/admin/app-versions");
    const found = listOf(member(body, "data")).find((version) => member(version, "id") === id);
    assert.notEqual(found, undefined, `version ${id} is not listed`);
    return found;
  }

  function pathOf(url: string): string {
    const { pathname, search } = new URL(url);
    return pathname + search;
  }

  async function deploy(version: { id: number }, where: "terminal" | "merchant" | "global", body?: unknown): Promise<number> {
    const answer = await relay.administrator().post(`/admin/app-versions/${version.id}/deploy-${where}`, body);
    assert.equal(answer.status, 200, answer.text);
    assertMatches(answer.body, { status: "ok", data: { versionId: version.id, target: where } });
    return numberMember(answer.body, "data", "id");
  }

  /** What a terminal is offered: the version code, or null for 204. */
  async function offered(terminalId: string, current?: number): Promise<number | null> {
    const answer = await check(terminalId, current);
    if (answer.status === 204) {
      assert.equal(answer.text, "");
      return null;
    }
    assert.equal(answer.status, 200, answer.text);
    return numberMember(answer.body, "data", "versionCode");
  }

  function check(terminalId: string, current?: number): Promise<Answer> {
    const query = current === undefined ? "" : `&currentVersionCode=${current}`;
    return relay.nobody().get(`/api/v1/app/version?terminalId=${terminalId}${query}`);
  }

  async function deployment(id: number): Promise<unknown> {
    const { body } = await relay.administrator().get("/admin/app-deployments?limit=500");
    const found = listOf(member(body, "data")).find((one) => member(one, "id") === id);
    assert.notEqual(found, undefined, `deployment ${id} is not listed`);
    return found;
  }

  function report(terminalId: string, versionCode: number, status: string, more: object = {}): Promise<Answer> {
    return relay.nobody().post("/api/v1/app/install-log", { terminalId, versionCode, status, ...more });
  }

  /** Every file of packages that there is, wherever the nodes keep them. */
  async function packageFiles(): Promise<string[]> {
    const folders = relay.packageDirectories();
    const found = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
    return found.flat().filter((name) => name.includes(".apk") || name.includes(".upload"));
  }

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

  test("only one of many who create the same version code at once gets it", async (t) => {
    codes += 10;
    const request = { versionCode: codes, versionName: "race" };
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
      ["POST", `${versions}/${id}/deploy-terminal`, { terminalId: "a b" }, 400, /terminalId: must be/],
      ["POST", `${versions}/${id}/deploy-terminal`, { terminalId: "status" }, 400, /not a terminal id/],
      ["POST", `${versions}/${id}/deploy-merchant`, {}, 400, /merchantId: is required/],
      ["POST", `${versions}/${id}/deploy-merchant`, { merchantId: "" }, 400, /merchantId: must be/],
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

  test("a package is stored with its MD5 and size, and is downloaded as it was uploaded", async (t) => {
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
      assertMatches(outside, { status: 416, headers: { "content-range": "bytes */10000" }, body: { status: "error" } }, range);
    }
    for (const range of ["bytes=0-1,5-6", "items=0-1", "bytes=a-b", "bytes"]) {
      const whole = await nobody.get(path, { range });
      assert.equal(whole.status, 200, range);
      assert.equal(whole.bytes.byteLength, 10_000, range);
    }
    assert.equal((await nobody.get(path, { range: "bytes=0-1", "if-range": etag })).status, 206);
    assert.equal((await nobody.get(path, { range: "bytes=0-1", "if-range": '"other"' })).status, 200);
    for (const had of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      assertMatches(await nobody.get(path, { "if-none-match": had }), { status: 304, text: "", headers: { etag } }, had);
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
      socket.write(`GET ${path} HTTP/1.1\r\nHost: relay\r\n\r\n`);
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

  test("an upload that breaks off leaves nothing, and the next one is taken", async (t) => {
    const version = await createVersion(t);
    const before = await packageFiles();
    const form = formOf([{ name: "file", fileName: "a.apk", content: packageBytes(2_000_000) }]);
    const socket = connect({ port: relay.node.port, host: "127.0.0.1", localAddress: relay.administrator().localAddress });
    socket.on("error", () => {});
    const authorization = `Basic ${Buffer.from("admin:admin").toString("base64")}`;
    socket.write(
      `POST /admin/app-versions/${version.id}/upload-apk HTTP/1.1\r\nHost: relay\r\nAuthorization: ${authorization}\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${form.byteLength}\r\n\r\n`,
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
    await deploy(version, "terminal", { terminalId });
    const bytes = packageBytes(500);
    assert.equal((await upload(relay.administrator(), version.id, bytes)).status, 200);
    assert.equal((await relay.nobody().get(version.path)).status, 404);
    const { body } = await check(terminalId);
    assertMatches(body, { data: { md5: md5(bytes), fileSize: 500 } });
    assert.ok((await relay.nobody().get(pathOf(textMember(body, "data", "apkUrl")))).bytes.equals(bytes));
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

  test("a terminal is offered what is newer than its own, never the same or an older one", async (t) => {
    const version = await createUploaded(t, { mandatory: true, releaseNotes: "notes" });
    const terminalId = relay.terminalId();
    await deploy(version, "terminal", { terminalId });
    const answer = await check(terminalId, version.versionCode - 1);
    const { id, versionCode } = version;
    const apkUrl = new RegExp(`^http://127\\.0\\.0\\.1:\\d+${version.path.replaceAll(".", "\\.")}\\?terminalId=${terminalId}$`);
    assertMatches(answer, {
      status: 200,
      body: {
        status: "ok",
        data: {
          id,
          versionCode,
          versionName: `v${versionCode}`,
          mandatory: true,
          releaseNotes: "notes",
          apkUrl,
          md5: md5(version.bytes),
          fileSize: 10_000,
          deployment: "terminal",
        },
      },
    });
    assert.equal(await offered(terminalId), versionCode);
    assert.equal(await offered(terminalId, versionCode), null);
    assert.equal(await offered(terminalId, versionCode + 1), null);
    assert.equal(await offered(relay.terminalId()), null);
    assert.equal((await relay.nobody().get(`/till/api/v1/app/version?terminalId=${terminalId}`)).status, 200);
  });

  test("a check names a terminal and a whole number", async () => {
    const nobody = relay.nobody();
    const QUERIES: [query: string, told: RegExp][] = [
      ["", /terminalId: is required/],
      ["?terminalId=", /terminalId/],
      ["?terminalId=a%20b", /terminalId/],
      ["?terminalId=T1&currentVersionCode=x", /currentVersionCode/],
      ["?terminalId=T1&currentVersionCode=1.5", /currentVersionCode/],
      ["?terminalId=T1&currentVersionCode=99999999999", /currentVersionCode/],
    ];
    for (const [query, told] of QUERIES) {
      assertMatches(await nobody.get(`/api/v1/app/version${query}`), { status: 400, body: { status: "error", error: told } }, query);
    }
  });

  test("a terminal's own deployment goes before the global one, which may be older", async (t) => {
    const [older, newer] = [await createUploaded(t), await createUploaded(t)];
    const [pinned, free] = [relay.terminalId(), relay.terminalId()];
    await deploy(newer, "global");
    await deploy(older, "terminal", { terminalId: pinned });
    assert.equal(await offered(pinned), older.versionCode);
    assert.equal(await offered(free), newer.versionCode);
    assert.equal(await offered(pinned, older.versionCode), null);
  });

  test("a merchant's deployment reaches the terminals that their cloud configurations give it, and goes before the global one", async (t) => {
    const [forMerchant, forAll] = [await createUploaded(t), await createUploaded(t)];
    const [terminalId, other] = [relay.terminalId(), relay.terminalId()];
    const merchantId = `SHOP-${terminalId}`;
    const saved = await relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId });
    assert.equal(saved.status, 200, saved.text);
    await deploy(forAll, "global");
    await deploy(forMerchant, "merchant", { merchantId });
    assert.equal(await offered(terminalId), forMerchant.versionCode);
    assertMatches((await check(terminalId)).body, { data: { deployment: "merchant" } });
    assert.equal(await offered(other), forAll.versionCode);
    await deploy(forAll, "terminal", { terminalId });
    assert.equal(await offered(terminalId), forAll.versionCode);
  });

  test("a withdrawn version is not offered, and what comes after it in precedence is", async (t) => {
    const [one, other] = [await createUploaded(t), await createUploaded(t)];
    const terminalId = relay.terminalId();
    const id = await deploy(other, "terminal", { terminalId });
    const switched = (active: boolean) =>
      relay.administrator().send(`/admin/app-versions/${other.id}/active`, { method: "PATCH", body: { active } });
    assertMatches(await switched(false), { status: 200, body: { status: "ok", data: /not active/ } });
    assert.equal(await offered(terminalId), null);
    assertMatches(await deployment(id), { state: "disabled" });
    assertMatches(await show(other.id), { active: false });
    await deploy(one, "global");
    assert.equal(await offered(terminalId), one.versionCode);
    const refused = await relay.administrator().post(`/admin/app-versions/${other.id}/deploy-global`);
    assertMatches(refused, { status: 409, body: { error: /not active/ } });
    assert.equal((await relay.administrator().post(`/admin/app-versions/${other.id}/push-update`)).status, 409);
    assert.equal((await switched(true)).status, 200);
    assert.equal(await offered(terminalId), other.versionCode);
    assertMatches(await deployment(id), { state: "active" });
  });

  test("a deployment waits for its version's package, and what stood before is offered until then", async (t) => {
    const before = await createUploaded(t);
    const version = await createVersion(t);
    const terminalId = relay.terminalId();
    const first = await deploy(before, "terminal", { terminalId });
    const second = await deploy(version, "terminal", { terminalId });
    assertMatches(await deployment(second), { state: "draft" });
    assert.equal(await offered(terminalId), before.versionCode);
    assert.equal((await upload(relay.administrator(), version.id, packageBytes(100))).status, 200);
    assert.equal(await offered(terminalId), version.versionCode);
    assertMatches(await deployment(first), { state: "superseded" });
    assertMatches(await deployment(second), { state: "active" });
  });

  test("a paused deployment holds its terminals, a roll-back offers the version before", async (t) => {
    const [older, newer] = [await createUploaded(t), await createUploaded(t)];
    const administrator = relay.administrator();
    const terminalId = relay.terminalId();
    const first = await deploy(older, "terminal", { terminalId });
    const second = await deploy(newer, "terminal", { terminalId });
    const step = (id: number, what: string) => administrator.post(`/admin/app-deployments/${id}/${what}`);
    assertMatches(await step(second, "pause"), { status: 200, body: { data: { state: "paused", pausedBecause: "operator" } } });
    assert.equal(await offered(terminalId), null);
    assertMatches(await step(second, "pause"), { status: 409, body: { error: /paused/ } });
    assertMatches(await step(second, "resume"), { status: 200, body: { data: { state: "active" } } });
    assert.equal(await offered(terminalId), newer.versionCode);
    assertMatches(await step(first, "roll-back"), { status: 409 });
    assertMatches(await step(second, "roll-back"), { status: 200, body: { data: { id: first, state: "active", versionId: older.id } } });
    assert.equal(await offered(terminalId), older.versionCode);
    assert.equal(await offered(terminalId, newer.versionCode), null);
    assertMatches(await deployment(second), { state: "superseded" });
    assertMatches(await step(first, "roll-back"), { status: 409, body: { error: /no earlier/ } });
    assertMatches(await step(second, "resume"), { status: 409 });
  });

  test("a staged rollout reaches the same share of terminals at each check, and the others keep what stood before", async (t) => {
    const [older, newer] = [await createUploaded(t), await createUploaded(t)];
    await deploy(older, "global");
    const id = await deploy(newer, "global", { rolloutPercent: 30 });
    const terminals = Array.from({ length: 200 }, (_, index) => `STAGE-${index}`);
    const caller = () => Promise.all(terminals.map((terminalId) => offered(terminalId)));
    const [first, again] = [await caller(), await caller()];
    assert.deepEqual(again, first);
    const reached = first.filter((code) => code === newer.versionCode).length;
    assert.ok(reached > 30 && reached < 90, `${reached} of 200 at 30 percent`);
    assert.equal(first.filter((code) => code === older.versionCode).length, 200 - reached);
    const wider = await relay.administrator().send(`/admin/app-deployments/${id}`, { method: "PATCH", body: { rolloutPercent: 60 } });
    assertMatches(wider, { status: 200, body: { data: { rolloutPercent: 60, pauseAtFailurePercent: null } } });
    const later = await caller();
    for (const [index, code] of first.entries()) {
      if (code === newer.versionCode) assert.equal(later[index], newer.versionCode, "a terminal has left the rollout");
    }
    assert.ok(later.filter((code) => code === newer.versionCode).length > reached, "the rollout did not widen");
  });

  test("each terminal is counted once as offered, downloaded, installed or failed", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global");
    const [one, other, third] = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    for (const terminalId of [one, other, third, one, other, one]) await offered(terminalId);
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 0, installed: 0, failed: 0 } }));
    // In one piece, in two, and only half of it.
    await relay.nobody().get(`${version.path}?terminalId=${one}`);
    await relay.nobody().get(`${version.path}?terminalId=${other}`, { range: "bytes=0-4999" });
    await relay.nobody().get(version.path, { range: "bytes=5000-", "x-terminal-id": other });
    await relay.nobody().get(`${version.path}?terminalId=${third}`, { range: "bytes=0-4999" });
    await relay.nobody().get(`${version.path}?terminalId=${one}`);
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2 } }));
    assertMatches(await report(one, version.versionCode, "completed"), { status: 200, body: { status: "ok", data: /stored/ } });
    await report(one, version.versionCode, "COMPLETED");
    await report(one, version.versionCode, "failed");
    await report(other, version.versionCode, "failed");
    assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2, installed: 1, failed: 1 } });
    await report(other, version.versionCode, "completed");
    assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2, installed: 2, failed: 0 } });
  });

  test("a fleet that asks all at once is counted exactly", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global");
    const terminals = Array.from({ length: 150 }, (_, index) => `FLEET-${index}`);
    await Promise.all([...terminals, ...terminals].map((terminalId) => offered(terminalId)));
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 150 } }));
    await Promise.all(
      terminals.map((terminalId, index) => report(terminalId, version.versionCode, index % 3 === 0 ? "failed" : "completed")),
    );
    assertMatches(await deployment(id), { counts: { offered: 150, downloaded: 0, installed: 100, failed: 50 } });
  });

  test("too many failures pause a deployment that says so, until an operator resumes it", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global", { pauseAtFailurePercent: 60, pauseAfterReports: 4 });
    const terminals = Array.from({ length: 8 }, () => relay.terminalId());
    const tell = (index: number, status: string) => report(terminals[index] ?? "", version.versionCode, status);
    await tell(0, "failed");
    await tell(1, "failed");
    await tell(2, "completed");
    assertMatches(await deployment(id), { state: "active" });
    await tell(3, "completed");
    assertMatches(await deployment(id), { state: "active", counts: { installed: 2, failed: 2 } });
    await tell(4, "failed");
    assertMatches(await deployment(id), { state: "paused", pausedBecause: "failures", counts: { installed: 2, failed: 3 } });
    await eventually(async () => assert.equal(await offered(relay.terminalId()), null));
    assert.equal((await relay.administrator().post(`/admin/app-deployments/${id}/resume`)).status, 200);
    await tell(5, "failed");
    assertMatches(await deployment(id), { state: "active", counts: { failed: 4 } });
    assert.equal(await offered(relay.terminalId()), version.versionCode);
  });

  test("reports of installs are checked, kept with card numbers masked, and shown to the administrator", async (t) => {
    const version = await createUploaded(t);
    const pan = "4539578763621486";
    const terminalId = relay.terminalId();
    await report(terminalId, version.versionCode, "failed", { message: `card ${pan}`, detail: { pan } });
    const logs = await relay.administrator().get(`/admin/app-versions/${version.id}/install-logs`);
    assertMatches(logs.body, {
      data: [
        {
          terminalId,
          versionCode: version.versionCode,
          status: "failed",
          report: { status: "failed", detail: { pan: "453957******1486" } },
        },
      ],
    });
    assert.ok(!logs.text.includes(pan), "a card number is shown");
    const good = { terminalId, versionCode: version.versionCode, status: "completed" };
    const CASES: [body: unknown, status: number, told: RegExp][] = [
      [{ ...good, terminalId: undefined }, 400, /terminalId: is required/],
      [{ ...good, terminalId: "a/b" }, 400, /terminalId/],
      [{ ...good, versionCode: undefined }, 400, /versionCode: is required/],
      [{ ...good, versionCode: 0 }, 400, /versionCode: must be/],
      [{ ...good, versionCode: "1" }, 400, /versionCode: must be/],
      [{ ...good, status: undefined }, 400, /status: is required/],
      [{ ...good, status: "maybe" }, 400, /status: must be completed or failed/],
      ["nonsense", 400, /not JSON/],
      [{ ...good, message: "x".repeat(5_000) }, 413, /at most/],
    ];
    for (const [body, status, told] of CASES) {
      assertMatches(await relay.nobody().post("/api/v1/app/install-log", body), { status, body: { error: told } }, JSON.stringify(body));
    }
    assert.equal((await report(terminalId, 2_000_000_000, "completed")).status, 200);
    const after = await relay.administrator().get(`/admin/app-versions/${version.id}/install-logs`);
    assert.deepEqual(after.body, logs.body);
  });

  test("reports and checks of one address are limited", async () => {
    const nobody = relay.nobody();
    const good = { terminalId: NOBODY, versionCode: 2_000_000_001, status: "completed" };
    const reports = await Promise.all(Array.from({ length: 60 }, () => nobody.post("/api/v1/app/install-log", good)));
    assert.ok(
      reports.some(({ status }) => status === 429),
      "no report was refused",
    );
    const checks = await Promise.all(Array.from({ length: 150 }, () => nobody.get(`/api/v1/app/version?terminalId=${NOBODY}`)));
    assert.ok(
      checks.some(({ status }) => status === 429),
      "no check was refused",
    );
  });

  test("a push goes to every session of one terminal, or of all, and says how many got it", async (t) => {
    const version = await createUploaded(t, { mandatory: true });
    const [one, other] = [relay.terminalId(), relay.terminalId()];
    const sessions = [await relay.online(one), await relay.online(one), await relay.online(other)];
    const push = (body?: unknown) => relay.administrator().post(`/admin/app-versions/${version.id}/push-update`, body);
    const toOne = await push({ terminalId: one });
    assertMatches(toOne, {
      status: 200,
      body: { status: "ok", data: { recipients: 2, terminalId: one, versionCode: version.versionCode, service: "FORCE_UPDATE" } },
    });
    const expected = (terminalId: string) => ({
      uuid: textMember(toOne.body, "data", "uuid"),
      service: "FORCE_UPDATE",
      amount: 0,
      terminalId,
      versionCode: version.versionCode,
      versionName: `v${version.versionCode}`,
      mandatory: true,
      md5: md5(version.bytes),
      fileSize: 10_000,
    });
    for (const session of sessions.slice(0, 2)) {
      const { command } = await session.commands.next();
      const { apkUrl, ...members } = command;
      assert.deepEqual(members, expected(one));
      assert.ok((await relay.nobody().get(pathOf(String(apkUrl)))).bytes.equals(version.bytes), "another package");
    }
    for (const body of [undefined, {}, { terminalId: null }]) {
      const toAll = await push(body);
      assertMatches(toAll, { status: 200, body: { data: { terminalId: null } } });
      assert.ok(numberMember(toAll.body, "data", "recipients") >= 3, toAll.text);
      for (const [index, terminalId] of [one, one, other].entries()) {
        assertMatches((await sessions[index]?.commands.next())?.command, {
          service: "FORCE_UPDATE",
          terminalId,
          apkUrl: new RegExp(`=${terminalId}$`),
        });
      }
    }
    assert.deepEqual(sessions[2]?.commands.waiting, []);
    assertMatches((await push({ terminalId: relay.terminalId() })).body, { data: { recipients: 0 } });
    assert.equal((await relay.fleet().poll(one)).status, 204);
  });

  test("versions, deployments, counts and packages are there after a restart", async (t) => {
    const version = await createUploaded(t);
    const terminalId = relay.terminalId();
    const id = await deploy(version, "terminal", { terminalId });
    await report(terminalId, version.versionCode, "completed");
    await relay.restart();
    assert.equal(await offered(terminalId), version.versionCode);
    assertMatches(await deployment(id), { state: "active", counts: { installed: 1 } });
    assert.ok((await relay.nobody().get(version.path)).bytes.equals(version.bytes), "another package");
  });

  test("what administrators do to versions is in the audit log", async (t) => {
    const version = await createUploaded(t);
    await deploy(version, "terminal", { terminalId: relay.terminalId() });
    const { body } = await relay.administrator().get("/admin/audit?limit=100");
    const actions = listOf(member(body, "data")).map((entry) => member(entry, "action"));
    for (const action of ["app-version.create", "app-version.upload", "app-deployment.create"]) {
      assert.ok(actions.includes(action), `${action} is not in the log`);
    }
  });
}
