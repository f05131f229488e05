import { uuidKey } from "../kernel/identifiers.ts";
import { createIntegerText } from "../kernel/integer-text.ts";
import { assertReadable, SCHEMAS } from "../kernel/schemas.ts";
import type { Channel, Command, CommandKind } from "../payments/command.ts";
import type { Transaction, TransactionMethod, TransactionStatus } from "../payments/transaction.ts";
import type { CommandLife, CommandRecord, LatestEntry, QueuedEntry, SentEntry, StoredResult, TerminalRecord } from "./terminal-record.ts";

/**
 * How terminals and commands are written. Both are rewritten with each step of a terminal, so members stand in a fixed order instead of
 * under their names, and times that follow from others as their distance: half the bytes, and a third of the time, of the same as objects.
 *
 * - `t/<terminalId>`: `[<schema>,<queue>,<sent>,<latest>]`, lists of the tuples below.
 * - `c/<uuid>`: `[<schema>,<revision>,<terminalId>,<command or null>,<life or null>,<result or null>]`, behind these the uuid where the key has it in other
 *   letters than its sender; then a line break, what was posted and the command's payload, both as they are, where there is one.
 *
 * Schema 1 was the records as JSON objects, with `"schema":1`; it is still read. Terminals of schema 2 know nothing of what is held: who reads them only
 * would hand that to anyone.
 */
const TERMINAL = SCHEMAS.terminal.writes;
const COMMAND = SCHEMAS.command.writes;

type CommonTuple = [
  uuid: string,
  kind: CommandKind,
  service: string,
  sender: string,
  acceptedAtMs: number,
  lifetimeMs: number,
  attempts: number,
];

type QueuedTuple = [
  ...CommonTuple,
  refusedBy: QueuedEntry["refusedBy"],
  cancels: string | null,
  /** Only where it is true. */
  byAny?: boolean,
];

type SentTuple = [
  ...CommonTuple,
  sentAtMs: number,
  channel: Channel,
  unknownAfterMs: number,
  session: string | null,
  redeliverable: boolean,
  awaitingAck: boolean,
  cancels: string | null,
  cancelRequested: boolean,
  /** Only of what is held, and before what follows. */
  held?: boolean,
  refusedBy?: SentEntry["refusedBy"],
  /** Only where it is true. */
  byAny?: boolean,
];

type LatestTuple = [sender: string, uuid: string, answered: boolean];

type TerminalTuple = [schema: number, queue: QueuedTuple[], sent: SentTuple[], latest: LatestTuple[]];

type CommandTuple = [
  kind: CommandKind,
  service: string,
  amountCents: number,
  method: TransactionMethod,
  sender: string,
  acceptedAtMs: number,
  lifetimeMs: number,
  request: string | null,
  cancels: string | null,
  /** Only where it is true, and before what follows. */
  byAny?: boolean,
  /** Absent in what was accepted before it was kept; false in the place of that before what follows. */
  shop?: string | null | false,
  /** Only where one was named. */
  currency?: string,
];

type LifeTuple = [
  state: CommandLife["state"],
  /** From acceptance on, as the end; without a command from 1970 on. */
  sentAfterMs: number | null,
  finishedAfterMs: number,
  channel: Channel | null,
  attempts: number,
];

type ResultTuple = [
  /** From the end of the command's life on; without one from 1970 on. */
  createdAfterMs: number,
  method: TransactionMethod,
  status: TransactionStatus,
  amountCents: number,
  currency: string,
  others: OtherMembers,
  /** Null: the terminal of the record. */
  postedBy: string | null,
  amountDiffers: boolean,
  /** Characters of what was posted, which stands behind the line break; null where it is not kept. */
  rawLength: number | null,
  /** Only where there is any of it. */
  more?: UnusualResult,
];

/** Members of a transaction that have no place of their own in the tuple. */
type OtherMembers = Omit<Transaction, "uuid" | "createdAtMs" | "method" | "status" | "amountCents" | "currency" | "terminalId">;

/** What few results have. */
interface UnusualResult extends Pick<StoredResult, "toldMerchantId" | "shop"> {
  /** Where they are not the record's; a `terminalId` of null: the transaction has none. */
  uuid?: string;
  terminalId?: string | null;
}

type CommandRecordTuple = [
  schema: number,
  revision: number,
  terminalId: string,
  command: CommandTuple | null,
  /** Schema 2 has objects here. */
  life: LifeTuple | CommandLife | null,
  result: ResultTuple | StoredResult | null,
  /** Only of one that is written otherwise than its key. */
  uuid?: string,
];

/** Of a command that has neither ended nor a result. */
const OUTSTANDING = ",null,null";

/** What may lie under a key: of this schema, of the one before, or of a version that this one knows nothing of. */
type Old<R> = R & { schema: number };

const timeText = createIntegerText();

export function writeTerminal({ queue, sent, latest }: TerminalRecord): string {
  return `[${TERMINAL},[${listed(queue, writeQueued)}],[${listed(sent, writeSent)}],[${listed(latest, writeLatest)}]]`;
}

/** Throws where `text` is of a schema that this version cannot read. */
export function readTerminal(terminalId: string, text: string): TerminalRecord {
  const parsed: TerminalTuple | Old<TerminalRecord> = JSON.parse(text);
  if (!Array.isArray(parsed)) {
    assertFirst(parsed.schema);
    const { queue, sent, latest } = parsed;
    return {
      terminalId,
      queue: queue.map((entry) => ({ ...entry, byAny: false })),
      sent: sent.map((entry) => ({ ...entry, held: false, refusedBy: null, byAny: false })),
      latest,
    };
  }
  const [schema, queue, sent, latest] = parsed;
  assertReadable("terminal", "a terminal's record", schema);
  return { terminalId, queue: queue.map(readQueued), sent: sent.map(readSent), latest: latest.map(readLatest) };
}

export function writeCommand(record: CommandRecord): string {
  const { revision, uuid, terminalId, command, life, result } = record;
  const head = `[${COMMAND},${revision},"${escaped(terminalId)}"`;
  const acceptedAtMs = command?.acceptedAtMs ?? 0;
  const ended = life === null && result === null ? OUTSTANDING : `,${writeLife(life, acceptedAtMs)},${writeResult(result, record)}`;
  const end = uuidKey(uuid) === uuid ? `${ended}]` : `${ended},"${uuid}"]`;
  const raw = result?.raw ?? "";
  if (command === null) return raw === "" ? `${head},null${end}` : `${head},null${end}\n${raw}`;
  const { kind, service, amountCents, method, sender, expiresAtMs, payload, request = null, cancels = null } = command;
  return `${head},["${kind}","${escaped(service)}",${amountCents},"${method}","${escaped(sender)}",${timeText(acceptedAtMs)},${expiresAtMs - acceptedAtMs},${optional(request)},${optional(cancels)}${commandEnd(command)}${end}\n${raw}${payload}`;
}

function writeLife(life: CommandLife | null, acceptedAtMs: number): string {
  if (life === null) return "null";
  const { state, sentAtMs, finishedAtMs, channel, attempts } = life;
  return `["${state}",${sentAtMs === null ? "null" : timeText(sentAtMs - acceptedAtMs)},${timeText(finishedAtMs - acceptedAtMs)},${optional(channel)},${attempts}]`;
}

function readLife([state, sentAfterMs, finishedAfterMs, channel, attempts]: LifeTuple, acceptedAtMs: number): CommandLife {
  const sentAtMs = sentAfterMs === null ? null : acceptedAtMs + sentAfterMs;
  return { state, sentAtMs, finishedAtMs: acceptedAtMs + finishedAfterMs, channel, attempts };
}

function writeResult(result: StoredResult | null, record: CommandRecord): string {
  if (result === null) return "null";
  const { transaction, raw, postedBy, amountDiffers } = result;
  const { createdAtMs, method, status, amountCents, currency } = transaction;
  const createdAfterMs = createdAtMs - (record.life?.finishedAtMs ?? 0);
  const poster = postedBy === record.terminalId ? null : postedBy;
  return `[${timeText(createdAfterMs)},"${method}","${status}",${amountCents},"${escaped(currency)}",${writeOthers(transaction)},${optional(poster)},${amountDiffers},${raw === null ? "null" : raw.length}${unusualEnd(result, record)}`;
}

/** Written out, and not what is left of the transaction, which takes several times as long. */
function writeOthers({ merchantId, message, auth, card, satispay, provider, voucher, receipt, scan, print }: Transaction): string {
  // All of them, or the compiler refuses it; what is undefined is left out.
  const others: { [Member in keyof Required<OtherMembers>]: Transaction[Member] } = {
    merchantId,
    message,
    auth,
    card,
    satispay,
    provider,
    voucher,
    receipt,
    scan,
    print,
  };
  return JSON.stringify(others);
}

function unusualEnd({ transaction, toldMerchantId, shop }: StoredResult, { uuid, terminalId }: CommandRecord): string {
  const isOwn = transaction.uuid === uuid && transaction.terminalId === terminalId;
  if (isOwn && toldMerchantId === undefined && shop === undefined) return "]";
  const more: UnusualResult = {};
  if (transaction.uuid !== uuid) more.uuid = transaction.uuid;
  if (transaction.terminalId !== terminalId) more.terminalId = transaction.terminalId ?? null;
  if (toldMerchantId !== undefined) more.toldMerchantId = toldMerchantId;
  if (shop !== undefined) more.shop = shop;
  return `,${JSON.stringify(more)}]`;
}

/** `behind`: what stands behind the line break. */
function readResult(tuple: ResultTuple, record: Pick<CommandRecord, "uuid" | "terminalId" | "life">, behind: string): StoredResult {
  const [createdAfterMs, method, status, amountCents, currency, others, postedBy, amountDiffers, rawLength, more = {}] = tuple;
  const { uuid = record.uuid, terminalId = record.terminalId, ...unusual } = more;
  const createdAtMs = (record.life?.finishedAtMs ?? 0) + createdAfterMs;
  return {
    transaction: { uuid, createdAtMs, method, status, amountCents, currency, ...(terminalId === null ? {} : { terminalId }), ...others },
    ...unusual,
    raw: rawLength === null ? null : behind.slice(0, rawLength),
    postedBy: postedBy ?? record.terminalId,
    amountDiffers,
  };
}

function commandEnd({ byAny, shop, currency }: Command): string {
  if (currency !== undefined) return `,${byAny === true},${shop === undefined ? false : optional(shop)},"${escaped(currency)}"]`;
  if (shop === undefined) return byAny === true ? BY_ANY_END : "]";
  if (shop === null) return byAny === true ? NOBODYS_BY_ANY : NOBODYS;
  return `,${byAny === true},"${escaped(shop)}"]`;
}

/** `key`: the uuid as the key has it. Throws where `text` is of a schema that this version cannot read. */
export function readCommand(key: string, text: string): CommandRecord {
  // JSON text holds no line break, so the first one ends it.
  const end = text.indexOf("\n");
  const parsed: CommandRecordTuple | Old<CommandRecord> = JSON.parse(end === -1 ? text : text.slice(0, end));
  if (!Array.isArray(parsed)) {
    assertFirst(parsed.schema);
    const { revision, terminalId, command, life, result } = parsed;
    return { revision, uuid: key, terminalId, command, life, result };
  }
  const [schema, revision, terminalId, tuple, lifeTuple, resultTuple, uuid = key] = parsed;
  assertReadable("command", "a command's record", schema);
  const behind = end === -1 ? "" : text.slice(end + 1);
  const rawLength = Array.isArray(resultTuple) ? (resultTuple[8] ?? 0) : 0;
  const command = tuple === null ? null : readAccepted(uuid, terminalId, tuple, behind.slice(rawLength));
  const life = Array.isArray(lifeTuple) ? readLife(lifeTuple, command?.acceptedAtMs ?? 0) : lifeTuple;
  const result = Array.isArray(resultTuple) ? readResult(resultTuple, { uuid, terminalId, life }, behind) : resultTuple;
  return { revision, uuid, terminalId, command, life, result };
}

function readAccepted(uuid: string, terminalId: string, tuple: CommandTuple, payload: string): Command {
  const [kind, service, amountCents, method, sender, acceptedAtMs, lifetimeMs, request, cancels, byAny, shop, currency] = tuple;
  const expiresAtMs = acceptedAtMs + lifetimeMs;
  const command: Command = { uuid, terminalId, kind, service, amountCents, method, sender, acceptedAtMs, expiresAtMs, payload };
  if (request !== null) command.request = request;
  if (cancels !== null) command.cancels = cancels;
  if (byAny === true) command.byAny = true;
  if (shop !== undefined && shop !== false) command.shop = shop;
  if (currency !== undefined) command.currency = currency;
  return command;
}

// What most entries end in is written as one piece, and quotes stand in the templates: each value that is put in costs a string for what there is so far.

/** Ends a tuple of a sender whom only rule ANY admitted. */
const BY_ANY_END = ",true]";

/** Of a command that is no merchant's. */
const NOBODYS = ",false,null]";
const NOBODYS_BY_ANY = ",true,null]";

/** Of a command that waits: never sent, refused by nobody, no CANCEL. */
const UNTRIED = ",0,null,null]";
const UNTRIED_BY_ANY = ",0,null,null,true]";

function writeQueued({ uuid, kind, service, sender, acceptedAtMs, expiresAtMs, attempts, refusedBy, cancels, byAny }: QueuedEntry): string {
  const untried = attempts === 0 && refusedBy === null && cancels === null;
  const end = untried ? (byAny ? UNTRIED_BY_ANY : UNTRIED) : triedEnd(attempts, refusedBy, cancels, byAny);
  return `["${escaped(uuid)}","${kind}","${escaped(service)}","${escaped(sender)}",${timeText(acceptedAtMs)},${expiresAtMs - acceptedAtMs}${end}`;
}

function triedEnd(attempts: number, refusedBy: QueuedEntry["refusedBy"], cancels: string | null, byAny: boolean): string {
  return `,${attempts},${refusedBy === null ? "null" : JSON.stringify(refusedBy)},${optional(cancels)}${byAny ? BY_ANY_END : "]"}`;
}

function readQueued(tuple: QueuedTuple): QueuedEntry {
  const [uuid, kind, service, sender, acceptedAtMs, lifetimeMs, attempts, refusedBy, cancels, byAny = false] = tuple;
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs: acceptedAtMs + lifetimeMs, attempts, refusedBy, cancels, byAny };
}

/** Of a command that was sent: not to be sent or acknowledged again, not held, no CANCEL, and none asked for. */
const LEFT = ",false,false,null,false]";
const LEFT_BY_ANY = ",false,false,null,false,false,null,true]";

function writeSent(entry: SentEntry): string {
  const { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, attempts, sentAtMs, channel, unknownAtMs } = entry;
  const { session, redeliverable, awaitingAck, cancels, cancelRequested, held, byAny } = entry;
  const left = !redeliverable && !awaitingAck && cancels === null && !cancelRequested && !held;
  const end = left
    ? byAny
      ? LEFT_BY_ANY
      : LEFT
    : `,${redeliverable},${awaitingAck},${optional(cancels)},${cancelRequested}${heldEnd(entry)}`;
  return `["${escaped(uuid)}","${kind}","${escaped(service)}","${escaped(sender)}",${timeText(acceptedAtMs)},${expiresAtMs - acceptedAtMs},${attempts},${timeText(sentAtMs)},"${channel}",${unknownAtMs - sentAtMs},${optional(session)}${end}`;
}

function heldEnd({ held, refusedBy, byAny }: SentEntry): string {
  if (byAny) return `,${held},${refusedBy === null ? "null" : JSON.stringify(refusedBy)}${BY_ANY_END}`;
  if (!held) return "]";
  return refusedBy === null ? ",true]" : `,true,${JSON.stringify(refusedBy)}]`;
}

function readSent(tuple: SentTuple): SentEntry {
  const [uuid, kind, service, sender, acceptedAtMs, lifetimeMs, attempts, sentAtMs, channel, unknownAfterMs, ...rest] = tuple;
  const [session, redeliverable, awaitingAck, cancels, cancelRequested, held = false, refusedBy = null, byAny = false] = rest;
  return {
    uuid,
    kind,
    service,
    sender,
    acceptedAtMs,
    expiresAtMs: acceptedAtMs + lifetimeMs,
    attempts,
    sentAtMs,
    channel,
    unknownAtMs: sentAtMs + unknownAfterMs,
    session,
    redeliverable,
    held,
    refusedBy,
    awaitingAck,
    cancels,
    cancelRequested,
    byAny,
  };
}

function writeLatest({ sender, uuid, answered }: LatestEntry): string {
  return `["${escaped(sender)}","${escaped(uuid)}",${answered}]`;
}

function readLatest([sender, uuid, answered]: LatestTuple): LatestEntry {
  return { sender, uuid, answered };
}

function listed<T>(items: readonly T[], write: (item: T) => string): string {
  let text = "";
  for (const item of items) text = text === "" ? write(item) : `${text},${write(item)}`;
  return text;
}

function optional(text: string | null): string {
  return text === null ? "null" : `"${escaped(text)}"`;
}

/** Anything but printable ASCII without the quote and the backslash. */
const ESCAPED = /[^ !#-[\]-~]/;

/** What stands between the quotes of a string's JSON text. Nearly all are identifiers, and need no escaping. */
function escaped(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** The first schema alone was objects. */
function assertFirst(schema: number): void {
  if (schema !== 1) throw new Error(`a record has schema ${schema}, which this version cannot read`);
}
