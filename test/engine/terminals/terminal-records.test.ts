import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import type { Command } from "../../../engine/payments/command.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type {
  CommandLife,
  CommandRecord,
  QueuedEntry,
  SentEntry,
  StoredResult,
  TerminalRecord,
} from "../../../engine/terminals/terminal-record.ts";
import { readCommand, readTerminal, writeCommand, writeTerminal } from "../../../engine/terminals/terminal-records.ts";
import { START_MS } from "../../storage/feed/feed-world.ts";
import { acceptedCommand, commandRecord, storedResult } from "./store-world.ts";

/** Identifiers are plain; everything else a caller, a device or an administrator may have written. */
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", '"', "\\", "\n", '],"', "\u2028", "\u007f", "é"));
const ms = fc.integer({ min: 0, max: 4_102_444_800_000 });
const kind = fc.constantFrom("payment" as const, "scan" as const, "print" as const, "administrative" as const, "cancel" as const);
const channel = fc.constantFrom("websocket" as const, "poll" as const);
const method = fc.constantFrom("CARD" as const, "SATISPAY" as const, "VOUCHER" as const, "RECEIPT" as const);
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const common = {
  uuid: text,
  kind,
  service: text,
  sender: text,
  acceptedAtMs: ms,
  expiresAtMs: ms,
  attempts: fc.nat(9),
  byAny: fc.boolean(),
};
const queued: fc.Arbitrary<QueuedEntry> = fc.record(
  { ...common, refusedBy: orNull(fc.record({ session: text, untilMs: ms }, { noNullPrototype: true })), cancels: orNull(text) },
  { noNullPrototype: true },
);
const sent: fc.Arbitrary<SentEntry> = fc
  .record(
    {
      ...common,
      sentAtMs: ms,
      channel,
      unknownAtMs: ms,
      session: orNull(text),
      redeliverable: fc.boolean(),
      awaitingAck: fc.boolean(),
      cancels: orNull(text),
      cancelRequested: fc.boolean(),
      held: fc.boolean(),
      refusedBy: orNull(fc.record({ session: text, untilMs: ms }, { noNullPrototype: true })),
    },
    { noNullPrototype: true },
  )
  // Only what is held is refused and stays sent.
  .map((entry) => (entry.held ? entry : { ...entry, refusedBy: null }));
const latest = fc.record({ sender: text, uuid: text, answered: fc.boolean() }, { noNullPrototype: true });
const terminal: fc.Arbitrary<TerminalRecord> = fc.record(
  {
    terminalId: fc.constant("T1"),
    queue: fc.array(queued, { maxLength: 3 }),
    sent: fc.array(sent, { maxLength: 3 }),
    latest: fc.array(latest, { maxLength: 3 }),
  },
  { noNullPrototype: true },
);

const lasting: fc.Arbitrary<Partial<Command>> = fc.record(
  {
    kind,
    service: text,
    amountCents: fc.maxSafeNat(),
    method,
    sender: text,
    acceptedAtMs: ms,
    expiresAtMs: ms,
    payload: fc.oneof(
      fc.json(),
      text.map((line) => `${line}\n${line}`),
    ),
  },
  { noNullPrototype: true },
);
const optional: fc.Arbitrary<Partial<Command>> = fc.record(
  { request: text, cancels: text, byAny: fc.constant(true as const), shop: orNull(text), currency: text },
  { requiredKeys: [], noNullPrototype: true },
);
const life: fc.Arbitrary<CommandLife> = fc.record(
  {
    state: fc.constantFrom("done" as const, "unknown" as const, "expired" as const, "cancelled" as const),
    sentAtMs: orNull(ms),
    finishedAtMs: ms,
    channel: orNull(channel),
    attempts: fc.nat(9),
  },
  { noNullPrototype: true },
);
const free = fc.dictionary(
  text.filter((name) => name !== "__proto__"),
  // JSON has no zero below zero.
  fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
  { maxKeys: 3, noNullPrototype: true },
);
/** Of every form that a terminal's posting may have; nearly all are of the record's uuid and terminal. */
const transaction: fc.Arbitrary<Transaction> = fc.record(
  {
    uuid: fc.constantFrom("u-1", "U-1"),
    createdAtMs: ms,
    method,
    status: fc.constantFrom("OK" as const, "KO" as const),
    amountCents: fc.maxSafeNat(),
    currency: text,
    terminalId: fc.constantFrom("T1", 'T"2'),
    merchantId: text,
    message: text,
    auth: fc.record({ authCode: text, stan: text }, { requiredKeys: [], noNullPrototype: true }),
    card: fc.record({ brand: text, maskedPan: text, entry: fc.constant("NFC" as const) }, { requiredKeys: [], noNullPrototype: true }),
    voucher: free,
    scan: fc.record(
      { scannedValue: orNull(text), barcodeFormat: orNull(text), scanResult: fc.constant("OK" as const) },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ["uuid", "createdAtMs", "method", "status", "amountCents", "currency"], noNullPrototype: true },
);
const result: fc.Arbitrary<StoredResult> = fc.record(
  {
    transaction,
    raw: orNull(fc.oneof(fc.json(), text)),
    postedBy: fc.oneof(fc.constant("T1"), text),
    amountDiffers: fc.boolean(),
    toldMerchantId: orNull(text),
    shop: text,
  },
  { requiredKeys: ["transaction", "raw", "postedBy", "amountDiffers"], noNullPrototype: true },
);
const commandOf = fc.tuple(lasting, optional).map(([always, sometimes]) => acceptedCommand("u-1", { ...always, ...sometimes }));
const record: fc.Arbitrary<CommandRecord> = fc
  .tuple(fc.nat(), orNull(commandOf), orNull(life), orNull(result))
  .map(([revision, command, ended, posted]) => commandRecord("u-1", { revision, command, life: ended, result: posted }));

describe("records of terminals and commands", () => {
  it("are read as they were written", () => {
    fc.assert(fc.property(terminal, (one) => assert.deepEqual(readTerminal("T1", writeTerminal(one)), one)));
    fc.assert(fc.property(record, (one) => assert.deepEqual(readCommand("u-1", writeCommand(one)), one)));
  });

  it("lie as it is written down, so that a later version can read them", () => {
    const { uuid, kind, service, sender, acceptedAtMs, expiresAtMs } = acceptedCommand("u-1");
    const entry = { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, attempts: 0, refusedBy: null, cancels: null, byAny: false };
    assert.equal(
      writeTerminal({ terminalId: "T1", queue: [entry], sent: [], latest: [{ sender, uuid, answered: false }] }),
      `[${SCHEMAS.terminal.writes},[["u-1","payment","PAYCC","partner:1",${START_MS},60000,0,null,null]],[],[["partner:1","u-1",false]]]`,
    );
    assert.equal(
      writeTerminal({ terminalId: "T1", queue: [{ ...entry, byAny: true }], sent: [], latest: [] }),
      `[${SCHEMAS.terminal.writes},[["u-1","payment","PAYCC","partner:1",${START_MS},60000,0,null,null,true]],[],[]]`,
    );
    assert.equal(
      writeCommand(commandRecord("u-1", { command: acceptedCommand("u-1", { request: "r-1" }) })),
      `[${SCHEMAS.command.writes},3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,"r-1",null],null,null]\n{"uuid":"u-1","amount":1234}`,
    );
  });

  it("of a command that ended lie so, too, with what was posted as it is", () => {
    const command = acceptedCommand("u-1", { payload: "" });
    const ended = { state: "done", sentAtMs: START_MS + 5, finishedAtMs: START_MS + 2_000, channel: "poll", attempts: 1 } as const;
    const { uuid, ...members } = { uuid: "u-1", method: "CARD", status: "OK", amountCents: 1_234, currency: "EUR" } as const;
    const transaction: Transaction = { uuid, createdAtMs: START_MS + 2_000, ...members, terminalId: "T1", auth: { authCode: "1" } };
    const raw = '{"uuid":"u-1","result":"OK"}';
    const posted = { transaction, raw, postedBy: "T1", amountDiffers: false };
    const head = `[${SCHEMAS.command.writes},3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null],["done",5,2000,"poll",1]`;
    const lying = `${head},[0,"CARD","OK",1234,"EUR",{"auth":{"authCode":"1"}},null,false,${raw.length}]]\n${raw}`;
    assert.equal(writeCommand(commandRecord("u-1", { command, life: ended, result: posted })), lying);
    const unasked = commandRecord("u-1", {
      command: null,
      life: ended,
      result: { ...posted, postedBy: "partner:1", toldMerchantId: null, shop: "SHOP-001" },
    });
    assert.equal(
      writeCommand(unasked),
      `[${SCHEMAS.command.writes},3,"T1",null,["done",${START_MS + 5},${START_MS + 2_000},"poll",1],[0,"CARD","OK",1234,"EUR",{"auth":{"authCode":"1"}},"partner:1",false,${raw.length},{"toldMerchantId":null,"shop":"SHOP-001"}]]\n${raw}`,
    );
  });

  it("of lives and results that lie as objects, as in schema 2, are read too", () => {
    const command = acceptedCommand("u-1", { payload: '{"a":1}' });
    const one = commandRecord("u-1", {
      command,
      life: { state: "done", sentAtMs: null, finishedAtMs: START_MS + 1, channel: null, attempts: 0 },
      result: storedResult("u-1", "{}"),
    });
    const head = `"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null],`;
    assert.deepEqual(readCommand("u-1", `[2,3,${head}${JSON.stringify(one.life)},${JSON.stringify(one.result)}]\n{"a":1}`), one);
  });

  it("know how a uuid was written whose key is in small letters", () => {
    const [small, capitals] = ["7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", "7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F11"];
    const one = commandRecord(capitals, { command: acceptedCommand(capitals, { payload: "{}" }) });
    const text = `[${SCHEMAS.command.writes},3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null],null,null,"${capitals}"]\n{}`;
    assert.equal(writeCommand(one), text);
    assert.deepEqual(readCommand(small, text), one);
    assert.equal(writeCommand(commandRecord(small)).includes(`null,"${small}"]`), false, "in small letters it says the same as its key");
  });

  it("say whose a command is: a merchant's, nobody's, or (from before this was kept) nothing", () => {
    const text = (members: Partial<Command>) =>
      writeCommand(commandRecord("u-1", { command: acceptedCommand("u-1", { payload: "{}", ...members }) }));
    const lying = (end: string) =>
      `[${SCHEMAS.command.writes},3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null${end}],null,null]\n{}`;
    assert.equal(text({}), lying(""));
    assert.equal(text({ shop: null }), lying(",false,null"));
    assert.equal(text({ shop: null, byAny: true }), lying(",true,null"));
    assert.equal(text({ shop: "SHOP-001" }), lying(',false,"SHOP-001"'));
    assert.equal(readCommand("u-1", lying(",true")).command?.shop, undefined);
  });

  it("say which currency a payment was asked for in, whoever it belongs to", () => {
    const text = (members: Partial<Command>) =>
      writeCommand(commandRecord("u-1", { command: acceptedCommand("u-1", { payload: "{}", currency: "CHF", ...members }) }));
    const ending = (record: string) => /,null,null(.*)\],null,null\]\n/.exec(record)?.[1];
    assert.equal(ending(text({ shop: "SHOP-001" })), ',false,"SHOP-001","CHF"');
    assert.equal(ending(text({ shop: null, byAny: true })), ',true,null,"CHF"');
    assert.equal(ending(text({})), ',false,false,"CHF"');
    assert.deepEqual(readCommand("u-1", text({})).command, acceptedCommand("u-1", { payload: "{}", currency: "CHF" }));
    assert.equal(readCommand("u-1", text({ shop: null })).command?.shop, null);
  });

  it("of schema 1 are read too", () => {
    const one = commandRecord("u-1", { result: storedResult("u-1", "{}") });
    assert.deepEqual(readCommand("u-1", JSON.stringify({ schema: 1, ...one })), one);
    const terminal = { terminalId: "T1", queue: [], sent: [], latest: [{ sender: "partner:1", uuid: "u-1", answered: true }] };
    assert.deepEqual(readTerminal("T1", JSON.stringify({ schema: 1, ...terminal })), terminal);
  });

  it("of a later schema are refused", () => {
    assert.throws(() => readTerminal("T1", '{"schema":2}'), /which this version cannot read/);
    assert.throws(() => readCommand("u-1", '{"schema":2}'), /which this version cannot read/);
    assert.throws(() => readTerminal("T1", `[${SCHEMAS.terminal.writes + 1}]`), /which this version cannot read/);
    assert.throws(() => readCommand("u-1", `[${SCHEMAS.command.writes + 1}]`), /which this version cannot read/);
  });
});
