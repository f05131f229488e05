import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import type { Command } from "../../../engine/payments/command.ts";
import type { CommandLife, CommandRecord, QueuedEntry, SentEntry, TerminalRecord } from "../../../engine/terminals/terminal-record.ts";
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
  { request: text, cancels: text, byAny: fc.constant(true as const), shop: orNull(text) },
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
const commandOf = fc.tuple(lasting, optional).map(([always, sometimes]) => acceptedCommand("u-1", { ...always, ...sometimes }));
const record: fc.Arbitrary<CommandRecord> = fc
  .tuple(fc.nat(), orNull(commandOf), orNull(life), orNull(orNull(text)))
  .map(([revision, command, ended, raw]) =>
    commandRecord("u-1", { revision, command, life: ended, result: raw === null ? null : storedResult("u-1", raw) }),
  );

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

  it("know how a uuid was written whose key is in small letters", () => {
    const [small, capitals] = ["7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", "7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F11"];
    const one = commandRecord(capitals, { command: acceptedCommand(capitals, { payload: "{}" }) });
    const text = `[3,3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null],null,null,"${capitals}"]\n{}`;
    assert.equal(writeCommand(one), text);
    assert.deepEqual(readCommand(small, text), one);
    assert.equal(writeCommand(commandRecord(small)).includes(`null,"${small}"]`), false, "in small letters it says the same as its key");
  });

  it("say whose a command is: a merchant's, nobody's, or (from before this was kept) nothing", () => {
    const text = (members: Partial<Command>) =>
      writeCommand(commandRecord("u-1", { command: acceptedCommand("u-1", { payload: "{}", ...members }) }));
    const lying = (end: string) => `[3,3,"T1",["payment","PAYCC",1234,"CARD","partner:1",${START_MS},60000,null,null${end}],null,null]\n{}`;
    assert.equal(text({}), lying(""));
    assert.equal(text({ shop: null }), lying(",false,null"));
    assert.equal(text({ shop: null, byAny: true }), lying(",true,null"));
    assert.equal(text({ shop: "SHOP-001" }), lying(',false,"SHOP-001"'));
    assert.equal(readCommand("u-1", lying(",true")).command?.shop, undefined);
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
