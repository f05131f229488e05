import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { AuditEntry } from "../../../../engine/operators/audit-entry.ts";
import { audited } from "../../../../http/endpoint/audited.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { surface } from "../../../../http/endpoint/surface.ts";
import { assertMatches, listOf, member } from "../../../support/http/matches.ts";
import { OWNER } from "../../auth/portal-people.ts";
import { envelope } from "../../server/world.ts";
import { NOW_MS, open } from "./world.ts";

function entry(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ atMs: NOW_MS, actor: "merchant:SHOP-001", merchantId: "SHOP-001", username: "mara@shop.example", ipAddress: "192.0.2.7" },
    ...{ requestId: "r-1", action: "user.change", subject: "usr_1", members: ["role"], outcome: { type: "done" } },
    ...change,
  };
}

test("the log has who did it: a person, the merchant's key, and of others only what they are", async (t) => {
  const { get, logged } = await open(t);
  await logged(entry());
  await logged(entry({ atMs: NOW_MS + 1, username: "SHOP-001", outcome: { type: "refused", code: "invalid_request" } }));
  await logged(entry({ atMs: NOW_MS + 2, actor: "administrator", username: "anna", role: "owner", subject: "carla@shop.example" }));
  await logged(entry({ atMs: NOW_MS + 3, actor: "partner-api:7", username: "ACME" }));
  await logged(entry({ atMs: NOW_MS + 4, actor: "merchant:SHOP-002", merchantId: "SHOP-002", username: "other@example.com" }));
  const seenBy = async (role: "OWNER" | "VIEWER") =>
    listOf(member((await get("/audit", role)).body, "data", "items")).map((item) => [
      member(item, "actor"),
      member(item, "ipAddress"),
      member(item, "subject"),
    ]);
  assert.deepEqual(await seenBy("OWNER"), [
    ["Partner", null, "usr_1"],
    ["Administrator", null, "carla@shop.example"],
    ["API key", "192.0.2.7", "usr_1"],
    ["mara@shop.example", "192.0.2.7", "usr_1"],
  ]);
  assert.deepEqual(await seenBy("VIEWER"), [
    ["Partner", null, "usr_1"],
    ["Administrator", null, "c***@shop.example"],
    ["API key", null, "usr_1"],
    ["m***@shop.example", null, "usr_1"],
  ]);
  const answer = await get("/audit?outcome=refused", "OWNER");
  assert.deepEqual(member(answer.body, "data", "next"), null);
  assertMatches(listOf(member(answer.body, "data", "items")), [
    {
      at: new Date(NOW_MS + 1).toISOString(),
      action: "user.change",
      members: ["role"],
      outcome: "refused",
      code: "invalid_request",
      requestId: "r-1",
    },
  ]);
});

test("filters and cursors narrow and go on", async (t) => {
  const { get, logged } = await open(t);
  for (let index = 0; index < 5; index += 1) {
    await logged(entry({ atMs: NOW_MS + index * 86_400_000, requestId: `r-${index}`, subject: index === 2 ? "usr_2" : "usr_1" }));
  }
  const requests = async (query: string) => {
    const { body } = await get(`/audit${query}`, "OWNER");
    return { found: listOf(member(body, "data", "items")).map((item) => member(item, "requestId")), next: member(body, "data", "next") };
  };
  assert.deepEqual((await requests("?objectId=usr_2")).found, ["r-2"]);
  assert.deepEqual((await requests("?requestId=r-4")).found, ["r-4"]);
  assert.deepEqual((await requests("?from=2026-11-26&to=2026-11-27")).found, ["r-2", "r-1"]);
  const first = await requests("?limit=3");
  assert.deepEqual(first.found, ["r-4", "r-3", "r-2"]);
  assert.deepEqual(await requests(`?limit=3&cursor=${first.next}`), { found: ["r-1", "r-0"], next: null });
  for (const cursor of [`${first.next}x`, String(first.next).slice(1), Buffer.from("../u/1").toString("base64url")]) {
    assertMatches(await get(`/audit?cursor=${cursor}`, "OWNER"), { status: 400, body: { error: /cursor/ } });
  }
  assertMatches(await get("/audit?from=2026-11-27&to=2026-11-26", "OWNER"), { status: 400, body: { error: /from/ } });
});

const CALLERS: [string, Caller, string, string | undefined][] = [
  ["a person", { type: "merchantUser", user: OWNER }, "SHOP-009", "SHOP-001"],
  [
    "a merchant's key",
    {
      type: "merchantKey",
      merchant: {
        merchantId: "SHOP-001",
        partnerId: 7,
        livemode: false,
        kind: "secret",
        keyId: "key-1",
        requestsPerMinute: 1,
        services: [],
      },
    },
    "SHOP-009",
    "SHOP-001",
  ],
  ["an administrator at a merchant", { type: "administrator", username: "anna", role: "owner" }, "SHOP-009", "SHOP-009"],
  ["an administrator at what can be no merchant", { type: "administrator", username: "anna", role: "owner" }, "SHOP/../001", undefined],
];
for (const [what, caller, merchantId, expected] of CALLERS) {
  test(`an entry is of the merchant that calls, else of the one in the path: ${what}`, async () => {
    const kept: AuditEntry[] = [];
    const log = {
      record: async (one: AuditEntry) => {
        kept.push(one);
        return "id";
      },
      settle: async () => {},
      page: async () => [],
      pageOfMerchant: async () => [],
    };
    const change = surface<object>()({ name: "example", tags: [], envelope }).endpoint({
      ...{ name: "change", method: "POST", path: "/merchants/{merchantId}", summary: "Change", auth: "admin", role: "owner", stepUp: true },
      params: Type.Object({ merchantId: Type.String() }),
      audit: { action: "merchant.change" },
      responses: { 204: { description: "Done." } },
      handle: () => ({ status: 204 }),
    });
    const [bound] = audited(bind([change], {}), log, { nowMs: () => NOW_MS, monotonicMs: () => 0 });
    await bound?.run({
      ...{
        params: { merchantId },
        query: {},
        headers: {},
        body: undefined,
        bodySent: undefined,
        bodyText: "",
        caller,
        idempotencyKey: null,
        operationId: "",
      },
      upload: { read: async () => {}, name: () => null },
      request: { id: "r-1", ipAddress: "192.0.2.7", pageOrigin: "", gone: new AbortController().signal },
    });
    assert.deepEqual(
      kept.map((one) => one.merchantId),
      [expected],
    );
  });
}
