import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const NO_CONTENT = { status: "ok", data: null, error: null, message: "no_content" };
const MINUTE_MS = 60_000;

export function livesAndPresence(relay: Relay): void {
  testOnNodes("a command that nobody fetched expires after 60 seconds and is never handed out", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    const accepted = (await partner.life(uuid)).body;
    assertMatches(accepted, { status: "ok", data: { state: "queued", attempt: 0, result: null, cancelRequested: false } });
    const [acceptedAt, expiresAt] = ["acceptedAt", "expiresAt"].map((name) => Date.parse(textMember(accepted, "data", name)));
    assert.equal(Number(expiresAt) - Number(acceptedAt), MINUTE_MS);
    const waiting = partner.uuid(uuid, 30);
    relay.advance(MINUTE_MS);
    assert.equal((await relay.fleet().poll(terminalId)).status, 204);
    await relay.lifeBecomes(uuid, { state: "expired", sentAt: undefined, finishedAt: /Z$/ });
    assert.deepEqual((await waiting).body, NO_CONTENT);
    assert.deepEqual((await partner.status(terminalId)).body, NO_CONTENT);
    const again = await relay.partner().pay(terminalId, { uuid });
    assertMatches(again, { status: 400, headers: { "relay-command-state": "expired" } });
    const terminal = await relay.online(terminalId);
    await partner.pay(terminalId, { uuid: relay.uuid(), amount: 2 });
    assertMatches((await terminal.commands.next()).command, { amount: 2 });
  });

  test("a command fetched in its last second is sent, and does not expire", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    relay.advance(MINUTE_MS - 5_000);
    assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
    relay.advance(MINUTE_MS);
    await relay.partner().pay(terminalId, { uuid: relay.uuid() });
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent" } });
  });

  test("a payment without a result is unknown after 5 minutes, and a late result wins", async () => {
    const [terminalId, uuid, partner, fleet] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.fleet()];
    await partner.pay(terminalId, { uuid });
    await fleet.take(terminalId);
    relay.advance(4 * MINUTE_MS);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent" } });
    relay.advance(MINUTE_MS);
    await relay.lifeBecomes(uuid, { state: "unknown", result: null });
    assert.deepEqual((await partner.uuid(uuid)).body, NO_CONTENT);
    assertMatches(await relay.attention(terminalId), [{ kind: "unknown", uuid }]);
    const waiting = partner.uuid(uuid, 30);
    assertMatches((await fleet.receipt(terminalId, { uuid, result: "OK" })).body, { data: "Result recorded" });
    assertMatches((await waiting).body, { status: "ok", data: { status: "OK" } });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK" } });
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("a scan without a result is unknown after a minute, and is not an operator's matter", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.post(`/api/v1/${terminalId}/scan`, { uuid });
    await relay.fleet().take(terminalId);
    relay.advance(MINUTE_MS);
    await relay.lifeBecomes(uuid, { state: "unknown" });
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("a result for an expired command wins, and operators see that it came late", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    relay.advance(MINUTE_MS);
    await relay.lifeBecomes(uuid, { state: "expired" });
    await relay.fleet().receipt(terminalId, { uuid, result: "OK" });
    assertMatches((await partner.uuid(uuid)).body, { data: { uuid, status: "OK" } });
    assertMatches(await relay.attention(terminalId), [{ kind: "late", uuid }]);
  });

  test("a terminal that never connected says so", async () => {
    const terminalId = relay.terminalId();
    const answer = await relay.partner().connection(terminalId);
    assert.deepEqual(answer.body, {
      status: "ok",
      data: {
        terminalId,
        connectionStatus: "NEVER_CONNECTED",
        connected: false,
        sessions: 0,
        message: "This terminal has never connected",
      },
    });
    assertMatches((await relay.partner().status(terminalId)).body, { status: "error", message: "Transaction not found" });
  });

  testOnNodes("a session that pinged within 2 minutes is ONLINE by WEBSOCKET; silence makes it OFFLINE, a ping ONLINE again", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    const terminal = await relay.online(terminalId);
    const online = {
      terminalId,
      connectionStatus: "ONLINE",
      connected: true,
      sessions: 1,
      connectionType: "WEBSOCKET",
      server: relay.server,
      lastSeen: undefined,
    };
    await relay.connectionBecomes(terminalId, { ...online, lastActivity: /Z$/, connectedSince: /Z$/ });
    relay.advance(2 * MINUTE_MS - 10_000);
    await relay.connectionBecomes(terminalId, online);
    relay.advance(10_000);
    const offline = { connectionStatus: "OFFLINE", connected: false, lastSeen: /Z$/, server: undefined, connectionType: undefined };
    await relay.connectionBecomes(terminalId, offline);
    // Nothing is pushed to a stale session; it gets what waits when it is heard again.
    assertMatches((await partner.pay(terminalId, { uuid })).body, { message: "Payment request waits for the terminal" });
    await terminal.ping(terminalId);
    assertMatches((await terminal.commands.next()).command, { uuid });
    await relay.connectionBecomes(terminalId, online);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent", channel: "websocket" } });
  });

  testOnNodes("a terminal that polls is ONLINE by POLLING for 2 minutes after its last poll", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    await fleet.poll(terminalId);
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE", connected: true, sessions: 0, connectionType: "POLLING" });
    const lastActivityMs = async () => Date.parse(textMember((await fleet.connection(terminalId)).body, "data", "lastActivity"));
    const firstMs = await lastActivityMs();
    relay.advance(MINUTE_MS);
    await fleet.poll(terminalId);
    // The clock may move only once the home knows of this poll too: one that is still on its way would count from after the move.
    await eventually(async () => assert.ok((await lastActivityMs()) >= firstMs + MINUTE_MS));
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE" });
    relay.advance(2 * MINUTE_MS);
    await relay.connectionBecomes(terminalId, { connectionStatus: "OFFLINE", lastSeen: /Z$/ });
  });

  test("a body that is not there has no content type", async () => {
    const path = `/api/v1/${relay.terminalId()}/disconnect`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    assertMatches(await relay.fleet().send(path, { method: "POST", headers, body: "" }), { status: 200 });
    assertMatches(await relay.fleet().send(path, { method: "POST", headers, body: "a=b" }), { status: 415 });
  });

  testOnNodes("disconnect makes a terminal OFFLINE at once, until its next frame or poll", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const terminal = await relay.online(terminalId);
    const answer = await fleet.post(`/api/v1/${terminalId}/disconnect`);
    assert.deepEqual(answer.body, { status: "ok", data: { terminalID: terminalId, connectionStatus: "OFFLINE" } });
    assertMatches((await fleet.connection(terminalId)).body, { data: { connectionStatus: "OFFLINE" } });
    relay.advance(1_000);
    await terminal.ping(terminalId);
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE", connectionType: "WEBSOCKET" });

    const polling = relay.terminalId();
    await fleet.poll(polling);
    await fleet.post(`/api/v1/${polling}/disconnect`, {});
    await relay.connectionBecomes(polling, { connectionStatus: "OFFLINE" });
    await fleet.poll(polling);
    await relay.connectionBecomes(polling, { connectionStatus: "ONLINE", connectionType: "POLLING" });
  });

  testOnNodes("a session that ended leaves the terminal OFFLINE, and several are counted", async () => {
    const terminalId = relay.terminalId();
    const sessions = [await relay.online(terminalId), await relay.online(terminalId), await relay.online(terminalId)];
    await relay.connectionBecomes(terminalId, { sessions: 3 });
    for (const session of sessions.slice(1)) await session.client.deactivate();
    await relay.connectionBecomes(terminalId, { sessions: 1, connectionStatus: "ONLINE" });
    await sessions[0]?.vanish();
    await relay.connectionBecomes(terminalId, { sessions: 0, connectionStatus: "OFFLINE", lastSeen: /Z$/ });
  });

  test("asking with ping changes no presence", async () => {
    const [terminalId, nobody] = [relay.terminalId(), relay.nobody()];
    for (const path of [`/api/status/ping/${terminalId}`, `/api/status/ping-pos/${terminalId}`]) {
      const { status, body } = await nobody.get(path);
      assert.equal(status, 200);
      assertMatches(body, { status: "ok", data: { terminalId, online: false, connectionStatus: "NEVER_CONNECTED", serverTime: /Z$/ } });
    }
    await relay.online(terminalId);
    assertMatches((await nobody.get(`/api/status/ping/${terminalId}`)).body, { data: { online: true, connectionStatus: "ONLINE" } });
  });

  test("get records the device, and administrators read it", async () => {
    const [terminalId, fleet, administrator] = [relay.terminalId(), relay.fleet(), relay.administrator()];
    await fleet.poll(terminalId, { "user-agent": "pos-app/3.1", "x-device-model": "A920", "x-app-version": "3.1.0" });
    const device = { userAgent: "pos-app/3.1", ipAddress: fleet.localAddress, deviceModel: "A920", appVersion: "3.1.0" };
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE" });
    const shown = await administrator.get(`/admin/terminals/${terminalId}`);
    assertMatches(shown.body, { status: "ok", data: { terminalId, denied: false, device: { ...device, fingerprint: /^[0-9a-f]{32}$/ } } });
    await fleet.poll(terminalId, { "x-device-fingerprint": "serial-77" });
    const fingerprint = async () =>
      textMember((await administrator.get(`/admin/terminals/${terminalId}`)).body, "data", "device", "fingerprint");
    await eventually(async () => assert.equal(await fingerprint(), "serial-77"));
  });

  test("a terminal that says much of itself still gets its payments, and operators read the beginning", async () => {
    const [terminalId, uuid, administrator] = [relay.terminalId(), relay.uuid(), relay.administrator()];
    await relay.partner().pay(terminalId, { uuid });
    const headers = { "user-agent": `till/${"x".repeat(2_000)}`, "x-device-model": "y".repeat(300) };
    assertMatches(await relay.fleet().take(terminalId, headers), { status: 200, body: { uuid } });
    const device = { userAgent: `till/${"x".repeat(251)}`, deviceModel: "y".repeat(256) };
    await eventually(async () => assertMatches((await administrator.get(`/admin/terminals/${terminalId}`)).body, { data: { device } }));
  });

  test("a model written in UTF-8 is shown as it is, and one in ISO 8859-1 too", async () => {
    const [terminalId, administrator] = [relay.terminalId(), relay.administrator()];
    for (const encoding of ["utf8", "latin1"] as const) {
      const model = `Modèl ${encoding}`;
      await relay.fleet().poll(terminalId, { "x-device-model": Buffer.from(model, encoding).toString("latin1") });
      const path = `/admin/terminals/${terminalId}`;
      await eventually(async () => assertMatches((await administrator.get(path)).body, { data: { device: { deviceModel: model } } }));
    }
  });

  test("card numbers in what a device says of itself are masked, and its own serial number is not", async () => {
    const [polling, connected, administrator] = [relay.terminalId(), relay.terminalId(), relay.administrator()];
    const [pan, imei, masked] = ["4111111111111111", "490154203237518", "411111******1111"];
    await relay.fleet().poll(polling, {
      "user-agent": `POS ${pan}`,
      "x-device-model": `A920 ${pan}`,
      "x-app-version": pan,
      "x-device-fingerprint": imei,
    });
    await relay.online(connected, {}, { connectHeaders: { "device-model": `A920 ${pan}`, "app-version": imei } });
    const device = { userAgent: `POS ${masked}`, deviceModel: `A920 ${masked}`, appVersion: masked, fingerprint: imei };
    const shown = async (terminalId: string) => (await administrator.get(`/admin/terminals/${terminalId}`)).body;
    await eventually(async () => assertMatches(await shown(polling), { data: { device } }));
    assertMatches(await shown(connected), { data: { device: { deviceModel: `A920 ${masked}`, appVersion: imei } } });
  });

  testOnNodes("what was stored is there after a restart: results, queues, lives, last seen, devices, credentials", async () => {
    const [partner, fleet, administrator] = [relay.partner(), relay.fleet(), relay.administrator()];
    const [queued, sent, done, overdue] = [relay.terminalId(), relay.terminalId(), relay.terminalId(), relay.terminalId()];
    const uuids = { queued: relay.uuid(), sent: relay.uuid(), done: relay.uuid(), overdue: relay.uuid() };
    await partner.pay(overdue, { uuid: uuids.overdue });
    relay.advance(MINUTE_MS - 3_000);
    await partner.pay(queued, { uuid: uuids.queued, amount: 7 });
    await partner.pay(sent, { uuid: uuids.sent });
    const taken = await fleet.take(sent, { "user-agent": "pos-app/9" });
    await partner.pay(done, { uuid: uuids.done });
    await fleet.take(done);
    await fleet.receipt(done, { uuid: uuids.done, result: "OK" });
    const lives = await Promise.all([uuids.sent, uuids.done].map((uuid) => partner.life(uuid)));
    await relay.connectionBecomes(sent, { connectionStatus: "ONLINE" });
    const seen = textMember((await administrator.connection(sent)).body, "data", "lastActivity");

    await relay.restart();
    relay.advance(3_000);
    assert.deepEqual((await partner.life(uuids.sent)).body, lives[0]?.body);
    assert.deepEqual((await partner.life(uuids.done)).body, lives[1]?.body);
    const offline = (await administrator.connection(sent)).body;
    assertMatches(offline, { data: { connectionStatus: "OFFLINE", lastSeen: /Z$/ } });
    // Several polls may have been sent before one was handed the command; the last of them counts.
    const lastSeenMs = Date.parse(textMember(offline, "data", "lastSeen"));
    assert.ok(lastSeenMs >= Date.parse(seen) - 5 && lastSeenMs <= Date.parse(textMember(taken.body, "serverTime")) + 5);
    assertMatches((await administrator.get(`/admin/terminals/${sent}`)).body, { data: { device: { userAgent: "pos-app/9" } } });
    assertMatches((await partner.uuid(uuids.done)).body, { data: { status: "OK" } });
    assertMatches((await fleet.take(queued)).body, { uuid: uuids.queued, amount: 7 });
    await relay.lifeBecomes(uuids.overdue, { state: "expired" });
    assertMatches((await partner.pay(queued, { uuid: uuids.done })).headers, { "relay-command-state": "done" });
    assertMatches((await fleet.receipt(sent, { uuid: uuids.sent, result: "OK" })).body, { data: "Result recorded" });
    assertMatches((await partner.status(sent)).body, { data: { uuid: uuids.sent, status: "OK" } });
  });
}
