import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallEntry, WorkflowEntry } from "../../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Logged } from "../../../../engine/operators/merchant-logs.ts";
import { member } from "../../../support/http/matches.ts";
import { NOW_MS, open } from "./world.ts";

const ID = `${NOW_MS}-shard-0-1a2b3c4d-000000001`;

const STEP: Logged<WorkflowEntry> = {
  ...{ id: ID, atMs: NOW_MS, objectType: "link", objectId: "link-1", event: "verify.answered", from: "watching", to: "success" },
  ...{ requestId: null, outcome: "done" },
};

const CALL: Logged<CallEntry> = {
  ...{ id: ID, atMs: NOW_MS, objectId: "evt_1", target: "webhook", operation: "payment_link.paid", host: "shop.example:8443" },
  ...{ httpStatus: 503, outcome: "failed", detail: "answered 503", ms: 84, requestId: "r-1" },
};

test("the logs have what is kept of a merchant, with times as the interface writes them", async (t) => {
  const { get, said } = await open(t);
  said.workflow.set("SHOP-001", [STEP]);
  said.calls.set("SHOP-001", [CALL]);
  const at = new Date(NOW_MS).toISOString();
  const { atMs: _ofStep, ...step } = STEP;
  const { atMs: _ofCall, ...call } = CALL;
  assert.deepEqual((await get("/logs/workflow", "DEVELOPER")).body, { status: "ok", data: { items: [{ ...step, at }], next: null } });
  assert.deepEqual((await get("/logs/calls", "DEVELOPER")).body, { status: "ok", data: { items: [{ ...call, at }], next: null } });
});

for (const path of ["/logs/workflow", "/logs/calls"]) {
  test(`${path} is for those who integrate, and for people`, async (t) => {
    const { get } = await open(t);
    for (const role of ["OWNER", "ADMIN", "DEVELOPER"] as const) assert.equal((await get(path, role)).status, 200, role);
    for (const role of ["FINANCE", "VIEWER"] as const) {
      const { status, body } = await get(path, role);
      assert.deepEqual([status, member(body, "code")], [403, "role"], role);
    }
    for (const who of ["key", "publishable", "nobody"] as const) assert.equal((await get(path, who)).status, 401, who);
  });

  test(`${path} asks for what its query says, of the caller's merchant`, async (t) => {
    const { get, askedLogs, said } = await open(t);
    said.nextEntry = ID;
    const first = await get(`${path}?from=2026-11-01&to=2026-11-25&objectId=link-1&requestId=r-1&outcome=refused&limit=7`, "OWNER");
    const cursor = String(member(first.body, "data", "next"));
    said.nextEntry = null;
    const second = await get(`${path}?cursor=${cursor}`, "OWNER");
    assert.equal(member(second.body, "data", "next"), null);
    assert.deepEqual(askedLogs, [
      {
        merchantId: "SHOP-001",
        filter: {
          // Midnights in Rome.
          ...{ fromMs: Date.parse("2026-10-31T23:00:00Z"), untilMs: Date.parse("2026-11-25T23:00:00Z") },
          ...{ objectId: "link-1", requestId: "r-1", outcome: "refused" },
        },
        ...{ after: null, limit: 7 },
      },
      { merchantId: "SHOP-001", filter: {}, after: ID, limit: 50 },
    ]);
  });

  const WRONG = [
    "from=2026-11-25&to=2026-11-24",
    "from=2026-02-30",
    "from=yesterday",
    "outcome=other",
    "limit=0",
    "limit=201",
    "objectId=",
    `objectId=${"a".repeat(101)}`,
    "cursor=",
    "cursor=abc",
    `cursor=${Buffer.from("1763700000000").toString("base64url")}`,
    `cursor=${Buffer.from(`${ID}'`).toString("base64url")}`,
    `cursor=${Buffer.from(ID).toString("base64")}=`,
  ];
  for (const query of WRONG) {
    test(`${path} refuses ${query.slice(0, 40)}`, async (t) => {
      const { get, askedLogs } = await open(t);
      const { status, body } = await get(`${path}?${query}`, "OWNER");
      assert.deepEqual([status, member(body, "code")], [400, "invalid_request"]);
      assert.deepEqual(askedLogs, []);
    });
  }

  test(`${path} says so where ClickHouse does not answer`, async (t) => {
    const { get, said } = await open(t);
    said.fails = new RelayError("unavailable", "The logs cannot be read now: ClickHouse does not answer.", { retryAfterSeconds: 5 });
    const { status, body, headers } = await get(path, "OWNER");
    assert.deepEqual([status, member(body, "code"), headers.get("retry-after")], [503, "unavailable", "5"]);
    assert.match(String(member(body, "message")), /ClickHouse does not answer/);
  });
}
