import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { FeedRow } from "../../../../engine/payments/feed-row.ts";
import { rowVersion } from "../../../../engine/payments/row-version.ts";
import { decodeFeedMessage, encodeFeedMessage, FEED_MESSAGE, keyInRow } from "../../../../storage/feed/kafka/kafka-message.ts";
import { endedRow, objectRow, START_MS, transactionRow } from "../feed-world.ts";

const WRITTEN = new URL("../../../../infra/docs/schemas/relay.transactions.v2.json", import.meta.url);

const OUTBOX_KEY = "o/1778050000000-w1-1";

const ids = { uuid: "u", terminalId: "T1" };
const times = { acceptedAtMs: START_MS, sentAtMs: null, finishedAtMs: START_MS + 1 };

const ROWS: FeedRow[] = [
  transactionRow({ uuid: "u" }),
  endedRow({ uuid: "u" }),
  {
    ...transactionRow({ uuid: "u", method: "SCAN" }),
    kind: null,
    transaction: {
      ...{ ...ids, createdAtMs: START_MS, method: "SCAN", status: "KO", amountCents: 0, currency: "EUR" },
      scan: { scannedValue: null, barcodeFormat: null, scanResult: "CANCELLED" },
      voucher: { any: ["thing", { at: 1 }] },
    },
  },
  {
    ...{ type: "life", version: rowVersion("expired", 3), ...ids, ...times, kind: "cancel", service: "CANCEL", amountCents: 0, sender: "" },
    ...{ state: "expired", channel: null, attempt: 0 },
  },
  { type: "conflict", id: "c", ...ids, postedBy: "T2", atMs: START_MS, raw: "{}" },
  objectRow(),
];

describe("the key of the message of a row that is text", () => {
  const inside = '"terminalId":"OTHER"';
  const row = transactionRow({ uuid: "u", terminalId: "T1" });
  const withMembers = (members: object) => ({ ...row, transaction: { ...row.transaction, ...members } });
  const cases: { what: string; row: unknown; terminalId: string | null }[] = [
    { what: "a result", row, terminalId: "T1" },
    { what: "a result with its command's end", row: endedRow({ uuid: "u" }), terminalId: "T1" },
    { what: "the words within a text", row: withMembers({ message: `{${inside}}` }), terminalId: "T1" },
    {
      what: "a member of the same name in what the terminal sent",
      row: withMembers({ voucher: JSON.parse(`{${inside}}`) }),
      terminalId: "T1",
    },
    { what: "a life", row: { type: "life", uuid: "u", terminalId: "T2" }, terminalId: "T2" },
    { what: "a thing of a merchant's", row: objectRow({ merchantId: "M1" }), terminalId: "M1" },
    { what: "what is no row", row: "text", terminalId: null },
  ];
  for (const { what, row: text, terminalId } of cases) {
    it(`is found: ${what}`, () => assert.equal(keyInRow(JSON.stringify(text)), terminalId));
  }

  it("is not looked for in half a row", () => {
    assert.equal(keyInRow(JSON.stringify(row).slice(0, -1)), null);
  });
});

describe("a message of relay.transactions", () => {
  it("carries each type of row as it is, with the version that the store gave it", () => {
    for (const row of ROWS) {
      const decoded = decodeFeedMessage(encodeFeedMessage(OUTBOX_KEY, JSON.stringify(row), 7));
      const expected = row.type === "conflict" ? row : { ...row, storeVersion: 7 };
      assert.deepEqual(decoded, { type: "row", outboxKey: OUTBOX_KEY, row: expected });
    }
  });

  it("of a former release, whose versions were revisions, ranks where its command's end does", () => {
    const version = rowVersion("done", 2);
    const former = { ...transactionRow({ uuid: "u" }), version: 2 };
    const decoded = decodeFeedMessage(Buffer.from(JSON.stringify({ schema: 1, outbox: OUTBOX_KEY, store: 7, row: former })));
    assert.deepEqual(decoded, { type: "row", outboxKey: OUTBOX_KEY, row: { ...former, version, storeVersion: 7 } });
  });

  it("is readable with members that this version does not know", () => {
    const row = { ...transactionRow({ uuid: "u" }), added: { later: true } };
    for (const schema of [1, 2]) assert.equal(decodeFeedMessage(Buffer.from(JSON.stringify({ schema, row, added: 1 }))).type, "row");
  });

  it("is unreadable, with a reason that quotes nothing, where it is not as the schema says", () => {
    const secret = "4111111111111111";
    const { life, ...row } = endedRow({ uuid: "u" });
    const messages = [
      null,
      secret,
      JSON.stringify(secret),
      JSON.stringify({ schema: secret, row }),
      ...[0, 1.5, 3].map((schema) => JSON.stringify({ schema, row })),
      JSON.stringify({ row }),
      JSON.stringify({ schema: 1, row: { ...row, type: secret } }),
      JSON.stringify({ schema: 2, row: { ...row, version: secret } }),
      JSON.stringify({ schema: 2, row: { ...row, transaction: { ...row.transaction, createdAtMs: 1.5 } } }),
      JSON.stringify({ schema: 2, row: { ...row, transaction: { ...row.transaction, terminalId: "" } } }),
      JSON.stringify({ schema: 2, row: { ...row, life: { ...life, state: secret } } }),
      JSON.stringify({ schema: 2, row: { ...row, life: { ...life, acceptedAtMs: null } } }),
      JSON.stringify({ schema: 2, row: { ...objectRow(), merchantId: "" } }),
      JSON.stringify({ schema: 2, row: { ...objectRow(), object: secret } }),
      JSON.stringify({ schema: 2, row: { ...objectRow(), amountMinor: secret } }),
    ];
    for (const message of messages) {
      const decoded = decodeFeedMessage(message === null ? null : Buffer.from(message));
      assert.ok(decoded.type === "unreadable" && !decoded.reason.includes(secret), message ?? "no value");
    }
  });

  it("names its outbox entry even where its row cannot be read, and nothing but an outbox entry", () => {
    const keyOf = (outbox: unknown) => decodeFeedMessage(Buffer.from(JSON.stringify({ schema: 3, outbox }))).outboxKey;
    assert.equal(keyOf(OUTBOX_KEY), OUTBOX_KEY);
    for (const other of ["c/uuid", "o/", "o/1-w", "op/1778050000000-w1-1", `${OUTBOX_KEY}\n`, 1, null, undefined])
      assert.equal(keyOf(other), null);
  });

  it("is as infra/docs/schemas has it in writing (UPDATE_GOLDEN=1 writes it anew)", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...FEED_MESSAGE };
    const text = JSON.stringify(schema, null, 2);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(WRITTEN, text);
    assert.deepEqual(JSON.parse(readFileSync(WRITTEN, "utf8")), JSON.parse(text));
  });
});
