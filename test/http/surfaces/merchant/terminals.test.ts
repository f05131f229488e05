import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { TerminalView } from "../../../../engine/terminals/terminals.ts";
import { settle } from "../../../engine/world.ts";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { NOW_MS, open, terminal, transaction } from "./world.ts";

const iso = (atMs: number) => new Date(atMs).toISOString();

const ONLINE: Partial<TerminalView> = {
  ...{ connectionStatus: "ONLINE", connected: true, sessions: 1, connectionType: "WEBSOCKET", connectedSinceMs: NOW_MS - 3_600_000 },
  ...{ lastActivityMs: NOW_MS - 1_000, server: "relay-1", device: { deviceModel: "A920", appVersion: "1.4", ipAddress: "192.0.2.7" } },
};

test("the list has who is there, with what it is and what it took last", async (t) => {
  const { get, said } = await open(t);
  const offline = { connectionStatus: "OFFLINE", lastSeenMs: NOW_MS - 90_001 } as const;
  said.terminals.set("SHOP-001", [terminal("T1", ONLINE, "front desk"), terminal("T2", offline), terminal("T3")]);
  said.rows.set("SHOP-001", [transaction()]);
  const answer = await get("/terminals");
  const none = { connectionType: null, connectedSince: null, lastSeen: null, model: null, appVersion: null, group: null, lastResult: null };
  assert.deepEqual(member(answer.body, "data", "items"), [
    {
      ...{ terminalId: "T1", connectionStatus: "ONLINE", connectionType: "WEBSOCKET", connectedSince: "2026-11-25T09:20:42.000Z" },
      ...{ lastSeen: "2026-11-25T10:20:00.000Z", model: "A920", appVersion: "1.4", group: "front desk" },
      lastResult: {
        ...{ uuid: "u-1", createdAt: iso(NOW_MS - 60_000), terminalId: "T1", method: "CARD", status: "OK", amountMinor: 1_050 },
        ...{
          currency: "EUR",
          brand: "VISA",
          last4: "1111",
          authCode: "123456",
          message: null,
          isPayment: true,
          refundState: "NONE",
          refundedMinor: 0,
          netMinor: 1_050,
        },
      },
    },
    { ...none, terminalId: "T2", connectionStatus: "OFFLINE", lastSeen: iso(NOW_MS - 90_001) },
    { ...none, terminalId: "T3", connectionStatus: "NEVER_CONNECTED" },
  ]);
  assertMatches(answer.body, { data: { resultsAway: false, asOf: iso(NOW_MS) } });
  assert.ok(!answer.text.includes("192.0.2.7"));
});

test("who has the list is told that nothing has changed, until the connection, the results or the list change", async (t) => {
  const { get, said, clock } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1", ONLINE)]);
  for (const path of ["/terminals", "/terminals/T1"]) {
    const first = await get(path);
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^"[A-Za-z0-9_-]{20,}"$/);
    clock.advance(5_000);
    said.terminals.set("SHOP-001", [terminal("T1", { ...ONLINE, lastActivityMs: NOW_MS + 4_000 })]);
    for (const tag of [etag, `"other", ${etag}`, `W/${etag}`]) {
      const again = await get(path, "key", { "if-none-match": tag });
      assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    }
    said.terminals.set("SHOP-001", [terminal("T1", { connectionStatus: "OFFLINE", lastSeenMs: NOW_MS })]);
    const offline = await get(path, "key", { "if-none-match": etag });
    assert.equal(offline.status, 200);
    said.rows.set("SHOP-001", [transaction()]);
    const paid = await get(path, "key", { "if-none-match": offline.headers.get("etag") ?? "" });
    assert.equal(paid.status, 200);
    assert.equal(new Set([etag, offline.headers.get("etag"), paid.headers.get("etag")]).size, 3);
    said.rows.clear();
    said.terminals.set("SHOP-001", [terminal("T1", ONLINE)]);
  }
});

test("without ClickHouse, or while it is slow, the terminals are told all the same", async (t) => {
  const { get, said, timeouts } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1", ONLINE)]);
  said.rows.set("SHOP-001", [transaction()]);
  said.fails = new RelayError("unavailable", "ClickHouse does not answer");
  assertMatches(await get("/terminals"), {
    status: 200,
    body: { data: { resultsAway: true, items: [{ terminalId: "T1", lastResult: null }] } },
  });
  assertMatches(await get("/terminals/T1"), { status: 200, body: { data: { lastResult: null } } });
  assert.deepEqual(timeouts, [], "no timer is left");
});

test("results that do not come in time are left out", async (t) => {
  const { get, said, timeouts, hold } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1", ONLINE)]);
  hold();
  const answer = get("/terminals");
  while (timeouts.length === 0) await settle();
  for (const work of timeouts) work();
  assertMatches(await answer, { status: 200, body: { data: { resultsAway: true, items: [{ terminalId: "T1", lastResult: null }] } } });
});

test("another merchant's terminal is as one that is not there", async (t) => {
  const { get, said } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1", ONLINE)]);
  const [others, nones] = [await get("/terminals/T1", "other key"), await get("/terminals/T9")];
  assert.deepEqual([others.status, others.body], [404, nones.body]);
  assertMatches(await get("/terminals", "other key"), { status: 200, body: { data: { items: [] } } });
});
