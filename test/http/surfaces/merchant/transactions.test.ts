import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { LinkRecord } from "../../../../engine/links/link.ts";
import type { Command } from "../../../../engine/payments/command.ts";
import type { CommandView } from "../../../../engine/terminals/terminals.ts";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { NOW_MS, open, transaction } from "./world.ts";

const AWAY = new RelayError("unavailable", "ClickHouse does not answer", { retryAfterSeconds: 5 });
const EUROPE = 3_600_000;

test("a page has what the port says, and the next cursor goes back to where it ended", async (t) => {
  const { get, said, asked } = await open(t);
  said.rows.set("SHOP-001", [transaction({ message: "Approved" }), transaction({ uuid: "u-2", method: "SATISPAY", card: {}, auth: {} })]);
  said.next = { createdAtMs: NOW_MS, uuid: "u-2", terminalId: "T1" };
  const first = await get("/transactions");
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(member(first.body, "data", "items"), [
    {
      ...{
        uuid: "u-1",
        createdAt: new Date(NOW_MS - 60_000).toISOString(),
        terminalId: "T1",
        method: "CARD",
        status: "OK",
        amountMinor: 1_050,
      },
      ...{ isPayment: true, refundState: "NONE", refundedMinor: 0, netMinor: 1_050 },
      ...{ currency: "EUR", brand: "VISA", last4: "1111", authCode: "123456", message: "Approved" },
    },
    {
      ...{
        uuid: "u-2",
        createdAt: new Date(NOW_MS - 60_000).toISOString(),
        terminalId: "T1",
        method: "SATISPAY",
        status: "OK",
        amountMinor: 1_050,
      },
      ...{ isPayment: true, refundState: "NONE", refundedMinor: 0, netMinor: 1_050 },
      ...{ currency: "EUR", brand: null, last4: null, authCode: null, message: null },
    },
  ]);
  const cursor = String(member(first.body, "data", "next"));
  assert.match(cursor, /^[A-Za-z0-9_-]+$/);
  said.next = null;
  assertMatches(await get(`/transactions?limit=7&cursor=${cursor}`), { status: 200, body: { data: { next: null } } });
  assert.deepEqual(asked, [
    { merchantId: "SHOP-001", filter: {}, after: null, limit: 50, order: "newest" },
    { merchantId: "SHOP-001", filter: {}, after: { createdAtMs: NOW_MS, uuid: "u-2", terminalId: "T1" }, limit: 7, order: "newest" },
  ]);
});

test("what was given back of a payment stands with it, in the list, in one and on its receipt; its status stays", async (t) => {
  const { get, said, asked } = await open(t);
  const link = { method: "PAYBYLINK", amountCents: 2_000 } as const;
  said.rows.set("SHOP-001", [
    transaction({ ...link, uuid: "whole" }, { refundedMinor: 2_000 }),
    transaction({ ...link, uuid: "part" }, { refundedMinor: 500 }),
    transaction({ ...link, uuid: "declined", status: "KO" }),
    transaction({ uuid: "check", amountCents: 0 }, { isPayment: false }),
  ]);
  const expected = [
    { uuid: "whole", status: "OK", isPayment: true, refundState: "REFUNDED", refundedMinor: 2_000, netMinor: 0 },
    { uuid: "part", status: "OK", isPayment: true, refundState: "PARTLY_REFUNDED", refundedMinor: 500, netMinor: 1_500 },
    { uuid: "declined", status: "KO", isPayment: true, refundState: "NONE", refundedMinor: 0, netMinor: 0 },
    { uuid: "check", status: "OK", isPayment: false, refundState: "NONE", refundedMinor: 0, netMinor: 0 },
  ];
  assertMatches((await get("/transactions")).body, { data: { items: expected } });
  for (const one of expected) assertMatches((await get(`/transactions/${one.uuid}`)).body, { data: one });
  const lines = member((await get("/transactions/part/receipt")).body, "data", "lines");
  assert.ok(JSON.stringify(lines).includes('{"label":"refunded","value":"5.00 EUR"}'));
  for (const query of ["refundState=ANY", "isPayment=false&refundState=NONE", "isPayment=true"]) {
    assert.equal((await get(`/transactions?${query}`)).status, 200);
  }
  assert.deepEqual(
    asked.slice(1).map(({ filter }) => filter),
    [{ refundState: "ANY" }, { refundState: "NONE", results: "others" }, {}],
  );
  for (const query of ["refundState=refunded", "isPayment=perhaps"]) assert.equal((await get(`/transactions?${query}`)).status, 400, query);
});

test("a cursor that was damaged anywhere is refused", async (t) => {
  const { get, said, asked } = await open(t);
  said.rows.set("SHOP-001", [transaction()]);
  said.next = { createdAtMs: NOW_MS, uuid: "u-2", terminalId: "T1" };
  const cursor = String(member((await get("/transactions")).body, "data", "next"));
  for (const damaged of [cursor.slice(1), cursor.slice(0, -1), `${cursor}=`, `${cursor}AA`, cursor.replace(/./, "_")]) {
    assertMatches(await get(`/transactions?cursor=${damaged}`), { status: 400, body: { code: "invalid_request", error: /cursor/ } });
  }
  assert.equal(asked.length, 1);
});

test("days are those of the installation's zone, also where clocks change", async (t) => {
  const { get, asked } = await open(t);
  assert.equal((await get("/transactions?from=2026-10-25&to=2026-10-25&status=KO&method=CARD&terminalId=T1")).status, 200);
  assert.equal((await get("/transactions?amountMin=5&amountMax=5&currency=EUR&last4=0042&authCode=A1&q=abcd&to=2026-03-29")).status, 200);
  const fromMs = Date.parse("2026-10-24T22:00:00Z");
  assert.deepEqual(
    asked.map(({ filter }) => filter),
    [
      { fromMs, untilMs: fromMs + 25 * EUROPE, status: "KO", method: "CARD", terminalId: "T1" },
      {
        untilMs: Date.parse("2026-03-29T22:00:00Z"),
        amountMin: 5,
        amountMax: 5,
        currency: "EUR",
        last4: "0042",
        authCode: "A1",
        q: "abcd",
      },
    ],
  );
});

test("ranges that end before they begin are refused", async (t) => {
  const { get } = await open(t);
  for (const path of ["/transactions", "/transactions.csv"]) {
    assertMatches(await get(`${path}?from=2026-11-02&to=2026-11-01`), { status: 400, body: { error: /from/ } });
    assertMatches(await get(`${path}?amountMin=2&amountMax=1`), { status: 400, body: { error: /amountMin/ } });
  }
});

test("each panel that needs ClickHouse says that it is away", async (t) => {
  const { get, said, places } = await open(t);
  said.fails = AWAY;
  for (const path of ["/transactions", "/transactions/u-1", "/transactions/u-1/receipt", "/transactions.csv"]) {
    const answer = await get(path);
    assertMatches(answer, { status: 503, body: { status: "error", code: "unavailable", error: /ClickHouse/ } });
    assert.equal(answer.headers.get("retry-after"), "5", path);
  }
  assert.deepEqual([...places], [["SHOP-001", 0]], "a download that failed holds no place");
});

test("another merchant's transaction is as one that is not there, by detail and receipt", async (t) => {
  const { get, said } = await open(t);
  said.rows.set("SHOP-001", [transaction()]);
  for (const path of ["/transactions/u-1", "/transactions/u-1/receipt"]) {
    assert.equal((await get(path)).status, 200);
    const [others, nones] = [await get(path, "other key"), await get(path.replace("u-1", "u-9"))];
    assert.deepEqual([others.status, others.body], [404, nones.body]);
  }
});

function life(change: Partial<CommandView>, command: Partial<Command>): CommandView {
  const whole: Command = {
    ...{ uuid: "u-1", terminalId: "T1", kind: "payment", service: "PAYCC", amountCents: 1_050, method: "CARD", sender: "partner:1" },
    ...{ acceptedAtMs: NOW_MS - 70_000, expiresAtMs: NOW_MS, payload: "", shop: "SHOP-001" },
    ...command,
  };
  return {
    ...{ uuid: "u-1", terminalId: "T1", command: whole, state: "done", sentAtMs: NOW_MS - 69_000, finishedAtMs: NOW_MS - 60_000 },
    ...{ channel: "poll", attempts: 1, cancelRequested: false, transaction: null, amountDiffers: false },
    ...change,
  };
}

const iso = (atMs: number) => new Date(atMs).toISOString();
const RESULT = { what: "result", at: iso(NOW_MS - 60_000), amountMinor: 1_050, state: "OK" };

test("the detail has the life of its command, while that is kept and the merchant's", async (t) => {
  const { get, said } = await open(t);
  said.rows.set("SHOP-001", [transaction({ satispay: { paymentId: "p-1" } }, { amountDiffers: true })]);
  const timeline = async () => member((await get("/transactions/u-1")).body, "data", "timeline");
  assert.deepEqual(await timeline(), [RESULT]);
  said.lives.set("u-1", life({}, { shop: "SHOP-002" }));
  assert.deepEqual(await timeline(), [RESULT]);
  said.lives.set("u-1", life({ terminalId: "T2" }, { terminalId: "T2" }));
  assert.deepEqual(await timeline(), [RESULT]);
  said.lives.set("u-1", life({}, {}));
  assert.deepEqual(await timeline(), [
    { what: "accepted", at: iso(NOW_MS - 70_000), amountMinor: 1_050, state: null },
    { what: "sent", at: iso(NOW_MS - 69_000), amountMinor: null, state: null },
    RESULT,
  ]);
  assertMatches((await get("/transactions/u-1")).body, {
    data: {
      ...{ maskedPan: "************1111", entry: "NFC", stan: "000123", actionCode: "000", amountDiffers: true, unsolicited: false },
      ...{ satispay: { paymentId: "p-1", status: null }, hasReceipt: false, refund: { possible: false, reason: "not_refundable_here" } },
    },
  });
});

function link(change: Partial<LinkRecord>, order: Partial<LinkRecord["order"]> = {}): LinkRecord {
  return {
    order: {
      ...{ txId: "u-1", terminalId: "T1", partnerId: 1, owner: "partner:1", amount: "10.50", amountMinor: 1_050, currency: "EUR" },
      ...{
        description: null,
        merchantReference: null,
        customerEmail: "buyer@example.com",
        instrument: "card",
        capture: "now",
        returnUrl: null,
      },
      ...{ createdAtMs: NOW_MS - 100_000, expiresAtMs: NOW_MS, attachment: null, shop: "SHOP-001" },
      ...order,
    },
    ...{ state: "success", inits: 1, paymentId: "p", paymentUrl: null, nextAtMs: null, verifiedAtMs: null, notifications: 0 },
    ...{
      outcome: { resultCode: "IGFS_000", description: "OK", atMs: NOW_MS - 60_000, payment: null },
      late: false,
      overdue: false,
      followUps: [],
    },
    ...change,
  };
}

test("the detail of a link has what was done with it, and nothing of who buys", async (t) => {
  const { get, said } = await open(t);
  said.rows.set("SHOP-001", [transaction({ method: "PAYBYLINK" })]);
  const data = async () => member((await get("/transactions/u-1")).body, "data");
  assertMatches(await data(), { timeline: [RESULT], refund: { possible: false, reason: "not_kept" } });
  said.links.set("u-1", link({}, { shop: "SHOP-002" }));
  assertMatches(await data(), { timeline: [RESULT] });
  said.links.set("u-1", link({}));
  assertMatches(await data(), { refund: { possible: true, reason: null } });
  const followUp = {
    ...{ id: "f", amountMinor: 1_050, whole: true, requestedAtMs: NOW_MS - 1_000, finishedAtMs: null, tranId: null, resultCode: null },
    ...{ description: null },
  } as const;
  const followUps = [
    { ...followUp, type: "refund", state: "refused" },
    { ...followUp, type: "refund", state: "requested" },
  ] as const;
  said.links.set("u-1", link({ followUps }));
  const answer = await get("/transactions/u-1");
  assertMatches(answer.body, {
    data: {
      timeline: [
        { what: "accepted", amountMinor: 1_050 },
        RESULT,
        { what: "refund", at: iso(NOW_MS - 1_000), amountMinor: 1_050, state: "refused" },
        { what: "refund", state: "unknown" },
      ],
      refund: { possible: false, reason: "outcome_unknown" },
    },
  });
  assert.ok(!answer.text.includes("buyer@example.com"));
  said.links.set("u-1", link({ followUps: [{ ...followUp, type: "reversal", state: "done" }] }));
  assertMatches(await data(), { refund: { reason: "already_refunded" } });
  said.links.set("u-1", link({ state: "failed" }));
  assertMatches(await data(), { refund: { reason: "not_paid" }, timeline: [{ what: "accepted" }, { what: "result", state: "KO" }] });
});

test("a receipt has what was paid in the order of print, and the terminal's own text for those who may see personal data", async (t) => {
  const { get, said } = await open(t);
  const receipt = { text: "ROSSI MARIO\nEUR 1050" };
  said.rows.set("SHOP-001", [
    transaction({ receipt, currency: "JPY", message: "" }),
    transaction({ uuid: "u-2", receipt: { lines: ["a", 1, "b"], merchantLines: ["ROSSI"] } }),
    transaction({ uuid: "u-3", receipt: { number: "0001" } }),
  ]);
  const answer = await get("/transactions/u-1/receipt", "FINANCE");
  assert.deepEqual(member(answer.body, "data"), {
    ...{ merchantName: "The shop SHOP-001", terminalId: "T1", createdAt: iso(NOW_MS - 60_000) },
    lines: [
      { label: "method", value: "CARD" },
      { label: "status", value: "OK" },
      { label: "amount", value: "1050 JPY" },
      { label: "card", value: "VISA ************1111" },
      { label: "entry", value: "NFC" },
      { label: "authCode", value: "123456" },
      { label: "stan", value: "000123" },
      { label: "actionCode", value: "000" },
      { label: "uuid", value: "u-1" },
    ],
    ...{ text: "ROSSI MARIO\nEUR 1050", merchantText: null },
  });
  assertMatches((await get("/transactions/u-2/receipt")).body, { data: { text: "a\nb", merchantText: "ROSSI" } });
  for (const [who, maySee] of [
    ["OWNER", true],
    ["key", true],
    ["VIEWER", false],
    ["DEVELOPER", false],
  ] as const) {
    assertMatches((await get("/transactions/u-1/receipt", who)).body, { data: { text: maySee ? /ROSSI/ : null } });
    assertMatches((await get("/transactions/u-2/receipt", who)).body, { data: { merchantText: maySee ? "ROSSI" : null } });
    assertMatches((await get("/transactions/u-1", who)).body, { data: { hasReceipt: maySee } });
    assertMatches((await get("/transactions/u-3", who)).body, { data: { hasReceipt: false } });
  }
});

test("passes the order on, and refuses a cursor of another order", async (t) => {
  const { get, said, asked } = await open(t);
  said.next = { createdAtMs: NOW_MS, uuid: "u-1", terminalId: "T1", amountMinor: 1_050 };
  const cursors = new Map<string, string>();
  for (const sort of ["newest", "oldest", "largest", "smallest"]) {
    cursors.set(sort, String(member((await get(`/transactions?sort=${sort}`)).body, "data", "next")));
    assert.equal(asked.at(-1)?.order, sort);
  }
  assert.equal((await get("/transactions")).status, 200);
  assert.equal(asked.at(-1)?.order, "newest");
  for (const [sort, cursor] of cursors) {
    for (const other of cursors.keys()) {
      const { status } = await get(`/transactions?sort=${other}&cursor=${cursor}`);
      assert.equal(status, sort === other ? 200 : 400, `${sort} as ${other}`);
    }
  }
  const key = { createdAtMs: NOW_MS, uuid: "u-1", terminalId: "T1" };
  await get(`/transactions?sort=largest&cursor=${cursors.get("largest")}`);
  assert.deepEqual(asked.at(-1)?.after, { ...key, amountMinor: 1_050 });
  await get(`/transactions?sort=oldest&cursor=${cursors.get("oldest")}`);
  assert.deepEqual(asked.at(-1)?.after, key);
  const withoutAmount = Buffer.from(`${NOW_MS}/u-1/T1/largest/`).toString("base64url");
  assertMatches(await get(`/transactions?sort=largest&cursor=${withoutAmount}`), { status: 400, body: { code: "invalid_request" } });
  assertMatches(await get("/transactions?sort=status"), { status: 400, body: { code: "invalid_request" } });
});
