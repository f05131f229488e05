import assert from "node:assert/strict";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { packageBytes, upload } from "../../support/people/package-upload.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";
import { appWorld, md5, numberMember } from "./app-world.ts";

const NOBODY = "T-of-nobody";

/** What terminals are offered, by deployments and rollouts, and what they tell of it. */
export function appUpdates(relay: Relay): void {
  const { createVersion, createUploaded, show, pathOf, deploy, offered, check, deployment, report } = appWorld(relay, 100_000);

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
    const { merchantId } = await newMerchant(relay, `SHOP-${terminalId}`);
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
    // Ignored, an administrator would take the version for withdrawn.
    for (const [path, member, where] of [
      [
        `/admin/app-versions/${other.id}`,
        "active",
        /^active: is not changed here; use PATCH \/admin\/app-versions\/\{versionId\}\/active$/,
      ],
      [`/admin/app-deployments/${id}`, "active", /^active: is not changed here; use POST .*\/pause/],
      [`/admin/app-deployments/${id}`, "state", /^state: is not changed here; use POST .*\/pause/],
    ] as const) {
      const answer = await relay.administrator().send(path, { method: "PATCH", body: { mandatory: true, [member]: false } });
      assertMatches(answer, { status: 400, body: { status: "error", error: where } });
    }
    assertMatches(await show(other.id), { active: true, mandatory: false });
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

  testOnNodes("a paused deployment holds its terminals, a roll-back offers the version before", async (t) => {
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

  testOnNodes("each terminal is counted once as offered, downloaded, installed or failed", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global");
    const [one, other, third] = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    for (const terminalId of [one, other, third, one, other, one]) await offered(terminalId);
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 0, installed: 0, failed: 0 } }));
    // In one piece, in two, and only half of it.
    await relay.fleet().get(`${version.path}?terminalId=${one}`);
    await relay.fleet().get(`${version.path}?terminalId=${other}`, { range: "bytes=0-4999" });
    await relay.fleet().get(version.path, { range: "bytes=5000-", "x-terminal-id": other });
    await relay.fleet().get(`${version.path}?terminalId=${third}`, { range: "bytes=0-4999" });
    await relay.fleet().get(`${version.path}?terminalId=${one}`);
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2 } }));
    assertMatches(await report(one, version.versionCode, "completed"), { status: 200, body: { status: "ok", data: /stored/ } });
    await report(one, version.versionCode, "COMPLETED");
    await report(one, version.versionCode, "failed");
    await report(other, version.versionCode, "failed");
    assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2, installed: 1, failed: 1 } });
    await report(other, version.versionCode, "completed");
    assertMatches(await deployment(id), { counts: { offered: 3, downloaded: 2, installed: 2, failed: 0 } });
  });

  testOnNodes("a fleet that asks all at once is counted exactly", async (t) => {
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
    const CASES: [body: unknown, status: number, told: RegExp][] = [
      ["nonsense", 400, /not JSON/],
      [[1], 400, /body/],
      [{ message: "x".repeat(17_000) }, 413, /at most/],
    ];
    for (const [body, status, told] of CASES) {
      assertMatches(await relay.nobody().post("/api/v1/app/install-log", body), { status, body: { error: told } }, JSON.stringify(body));
    }
  });

  test("any object is kept as a report, and what is unknown in it is shown as unknown", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global");
    const { versionCode } = version;
    const [one, other] = [relay.terminalId(), relay.terminalId()];
    const login = await relay.terminal(one);
    const post = (body: object, headers: { [name: string]: string } = {}) => login.post("/api/v1/app/install-log", body, headers);
    const listed = async (of: string | number, marked: string) => {
      const { body } = await relay.administrator().get(`/admin/app-versions/${of}/install-logs?limit=500`);
      return listOf(member(body, "data")).find((log) => member(log, "report", "mark") === marked);
    };
    const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
    const CASES: [mark: string, body: object, of: string | number, shown: object][] = [
      ["empty", {}, "unknown", { terminalId: one, versionCode: 0, status: null, fromTerminal: true }],
      ["no version", { terminalId: one, status: "failed" }, "unknown", { terminalId: one, versionCode: 0, status: "failed" }],
      ["made up", { terminalId: one, versionCode: 2_000_000_000, status: "failed" }, "unknown", { versionCode: 0, status: "failed" }],
      ["no terminal id", { terminalId: "a/b", versionCode, status: "failed" }, version.id, { terminalId: one, status: "failed" }],
      ["started", { versionCode, status: "started" }, version.id, { versionCode, status: null, fromTerminal: true }],
      ["other", { terminalId: other, versionCode, status: "failed" }, version.id, { terminalId: other, fromTerminal: false }],
      ["deep", { versionCode, status: "downloading", deep }, version.id, { status: null }],
      [
        "text",
        { terminal_id: one, version_code: `${versionCode}`, success: true },
        version.id,
        { status: "completed", fromTerminal: true },
      ],
    ];
    for (const [mark, body, of, shown] of CASES) {
      const answer = await post({ mark, ...body });
      assertMatches(answer, { status: 200, body: { status: "ok", data: "Install report stored" } }, mark);
      assertMatches(await listed(of, mark), shown, mark);
    }
    assertMatches(await deployment(id), { counts: { installed: 1, failed: 0 } });
    await relay.fleet().post("/api/v1/app/install-log", { mark: "header", versionCode, result: "KO" }, { "x-terminal-id": other });
    assertMatches(await listed(version.id, "header"), { terminalId: other, status: "failed", fromTerminal: true });
    assertMatches(await deployment(id), { counts: { installed: 1, failed: 1 } });
  });

  test("strangers pause nothing; a terminal without a login counts from the address of its last poll or session", async (t) => {
    const version = await createUploaded(t);
    const id = await deploy(version, "global", { pauseAtFailurePercent: 50, pauseAfterReports: 2 });
    const told = { versionCode: version.versionCode, status: "failed" };
    const stranger = relay.nobody();
    const fail = (from: HttpClient, terminalId: string, headers: { [name: string]: string } = {}) =>
      from.post("/api/v1/app/install-log", { terminalId, ...told }, headers);
    const [polling, connected, third] = [relay.terminalId(), relay.terminalId(), relay.terminalId()];
    for (let index = 0; index < 8; index += 1) {
      assert.equal((await fail(stranger, `MADE-UP-${index}`)).status, 200);
      assert.equal((await stranger.get(`/api/v1/app/version?terminalId=MADE-UP-${index}`)).status, 200);
      await stranger.get(`${version.path}?terminalId=MADE-UP-${index}`);
    }
    // A till polls from one address; its app reports from there without a login.
    const till = relay.fleet();
    const withoutLogin = { authorization: "" };
    await till.poll(polling);
    await relay.online(connected);
    for (const terminalId of [polling, connected]) {
      assert.equal((await fail(stranger, terminalId)).status, 200);
      assert.equal((await fail(stranger, terminalId, { authorization: basic(terminalId, "wrong") })).status, 200);
    }
    await fail(await relay.terminal(third), polling);
    assertMatches(await deployment(id), { state: "active", counts: { offered: 0, downloaded: 0, installed: 0, failed: 0 } });
    assert.equal((await till.get(`/api/v1/app/version?terminalId=${polling}`, withoutLogin)).status, 200);
    await till.get(`${version.path}?terminalId=${polling}`, withoutLogin);
    await fail(till, polling, withoutLogin);
    await fail(till, polling, withoutLogin);
    await eventually(async () => assertMatches(await deployment(id), { counts: { offered: 1, downloaded: 1, installed: 0, failed: 1 } }));
    assertMatches(await deployment(id), { state: "active" });
    await fail(await relay.terminal(connected), connected);
    assertMatches(await deployment(id), { state: "paused", pausedBecause: "failures", counts: { failed: 2 } });
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

  testOnNodes("a push goes to every session of one terminal, or of all, and says how many got it", async (t) => {
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
