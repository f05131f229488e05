import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import type { FeedRow } from "../../../engine/payments/feed-row.ts";
import { ranked } from "../../../engine/payments/row-version.ts";
import { fromStore, outboxKeyOf, readRow } from "../outbox.ts";

/**
 * The schema of messages in `relay.transactions`, from which
 * infra/docs/schemas/relay.transactions.v2.json is generated. Members may be added within a
 * version. A change that readers have to know about needs a new version. In version 1 the end of a
 * command always had a row of its own, apart from the row of its result.
 */
const { writes: SCHEMA_VERSION, reads: SCHEMAS_READ } = SCHEMAS.feedMessage;

const words = <W extends string>(...all: W[]) => Type.Union(all.map((word) => Type.Literal(word)));
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const timeMs = (description: string) => Type.Integer({ minimum: 0, description: `${description}; milliseconds since the epoch, UTC` });
const optional = { text: Type.Optional(Type.String()) };

const KIND = words("payment", "scan", "print", "administrative", "cancel");
const VERSION = Type.Integer({
  minimum: 1,
  description:
    "Among the rows with the same key, the one with the highest version counts. The version is the command's outcome (expired, unknown 1; cancelled 2; done 3) x 2^40 + a number that grows with each change",
});

const SHOP = Type.Optional(
  Type.String({
    minLength: 1,
    description:
      "The merchant that was configured when the relay accepted the command (without a command: when the result was posted). Absent if there was none, and in messages of versions that did not store it. transaction.merchantId may be what the terminal reported",
  }),
);

const TRANSACTION = Type.Object(
  {
    uuid: Type.String({ minLength: 1 }),
    terminalId: Type.String({ minLength: 1 }),
    createdAtMs: timeMs("When the relay stored the result; it never changes for a uuid"),
    method: words("CARD", "SATISPAY", "VOUCHER", "RECEIPT", "UNKNOWN", "SCAN", "PRINT", "PAYBYLINK"),
    status: words("OK", "KO"),
    amountCents: Type.Integer({ description: "Amount in minor units of the currency" }),
    currency: Type.String(),
    merchantId: optional.text,
    message: optional.text,
    auth: Type.Optional(Type.Object({ authCode: optional.text, stan: optional.text, actionCode: optional.text })),
    card: Type.Optional(Type.Object({ brand: optional.text, maskedPan: optional.text, entry: Type.Optional(words("MAN", "ICC", "NFC")) })),
    satispay: Type.Optional(
      Type.Object({
        paymentId: optional.text,
        status: optional.text,
        outcome: optional.text,
        store: optional.text,
        codeIdentifier: optional.text,
      }),
    ),
    provider: Type.Optional(Type.Object({ name: optional.text, model: optional.text, clientVersion: optional.text })),
    voucher: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "The message as the terminal sent it, with PANs masked" }),
    ),
    receipt: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "For any method: the receipt, or the slip in lines and merchantLines, as the terminal sent it, with PANs masked",
      }),
    ),
    scan: Type.Optional(
      Type.Object({
        scannedValue: nullable(Type.String()),
        barcodeFormat: nullable(Type.String()),
        scanResult: words("OK", "CANCELLED", "ERROR"),
      }),
    ),
    print: Type.Optional(Type.Object({ printResult: words("OK", "KO"), errorDescription: nullable(Type.String()) })),
  },
  { description: "The result in the form of the relay's own API" },
);

const ENDED_LIFE = {
  service: Type.String(),
  amountCents: Type.Integer(),
  state: words("done", "unknown", "expired", "cancelled"),
  acceptedAtMs: timeMs("When the command was accepted"),
  sentAtMs: nullable(timeMs("When the command was sent to the terminal; null if it was never sent")),
  finishedAtMs: timeMs("When the command ended"),
  channel: nullable(words("websocket", "poll")),
  attempt: Type.Integer({ minimum: 0 }),
};

const TRANSACTION_ROW = Type.Object(
  {
    type: Type.Literal("transaction"),
    version: VERSION,
    transaction: TRANSACTION,
    kind: nullable(KIND),
    sender: Type.String({ description: "Sender of the command; empty for a result without a command" }),
    unsolicited: Type.Boolean(),
    amountDiffers: Type.Boolean(),
    life: Type.Optional(
      Type.Object(ENDED_LIFE, {
        description:
          "The outcome of the command that this is the result of; it replaces a row of type life. Absent for a result without a command. Its uuid, terminal, version, kind, sender and shop are this row's, and its key is (transaction.terminalId, day of life.acceptedAtMs, transaction.uuid)",
      }),
    ),
    shop: SHOP,
  },
  { description: "A stored result; its key is (transaction.terminalId, day of transaction.createdAtMs, transaction.uuid)" },
);

const LIFE_ROW = Type.Object(
  {
    type: Type.Literal("life"),
    version: VERSION,
    uuid: Type.String({ minLength: 1 }),
    terminalId: Type.String({ minLength: 1 }),
    kind: KIND,
    sender: Type.String(),
    ...ENDED_LIFE,
    shop: SHOP,
  },
  { description: "A command that ended, if no row of a result contains its outcome; its key is (terminalId, day of acceptedAtMs, uuid)" },
);

const CONFLICT_ROW = Type.Object(
  {
    type: Type.Literal("conflict"),
    id: Type.String({ minLength: 1 }),
    uuid: Type.String({ minLength: 1 }),
    terminalId: Type.String({ minLength: 1 }),
    postedBy: Type.String(),
    atMs: timeMs("When the result was posted"),
    raw: Type.String({ description: "The posted result as JSON text, with PANs masked" }),
  },
  { description: "A second, different result for a uuid, which never overwrites the first; its key is (terminalId, day of atMs, id)" },
);

const OBJECT_ROW = Type.Object(
  {
    type: Type.Literal("object"),
    version: Type.Integer({
      minimum: 1,
      description:
        "Among the rows with the same key, the one with the highest version counts. The version is 2^42 once money has moved for good (otherwise 0) + a number that grows with each change",
    }),
    merchantId: Type.String({ minLength: 1 }),
    livemode: Type.Boolean({ description: "Whether the merchant takes real money" }),
    object: words("link", "refund", "dispute", "alert", "subscription", "charge"),
    id: Type.String({ minLength: 1 }),
    createdAtMs: timeMs("When the object was created; for a refund or a charge, when it was first requested. It never changes"),
    state: Type.String({ minLength: 1 }),
    category: Type.String(),
    reason: Type.String(),
    amountMinor: Type.Integer({ description: "Amount in minor units of the currency" }),
    currency: Type.String(),
    uuid: Type.String({ description: "The payment that the object is about; empty if there is none" }),
    parent: Type.String({ description: "The object that it belongs to; empty if there is none" }),
    attempt: Type.Integer({ minimum: 0 }),
    dueAtMs: nullable(timeMs("When it was due, or the deadline for a response")),
    activeAtMs: nullable(timeMs("When it first became active")),
    endedAtMs: nullable(timeMs("When it ended")),
    monthlyMinor: Type.Integer(),
  },
  {
    description:
      "A payment link, refund, dispute, alert, subscription or charge of a merchant in its present state; its key is (merchantId, object, day of createdAtMs, id). infra/docs/analytics.md explains the words of its members",
  },
);

const MEMBERS = {
  outbox: Type.Optional(Type.String({ description: "For the relay itself: the outbox entry of the row" })),
  store: Type.Optional(Type.Integer({ minimum: 0, description: "For the relay itself: the version that its store gave the row" })),
  row: Type.Union([TRANSACTION_ROW, LIFE_ROW, CONFLICT_ROW, OBJECT_ROW]),
};

export const FEED_MESSAGE = Type.Object(
  { schema: Type.Literal(SCHEMA_VERSION), ...MEMBERS },
  {
    $id: "relay.transactions.v2",
    title: "A message of the topic relay.transactions",
    description:
      "Keyed by terminal id; rows of type object are keyed by merchant id. Delivery is at least once: the same row may come again, and a later version of it replaces an earlier one.",
  },
);

const [OLDEST, NEWEST] = SCHEMAS_READ;

/** The topic retains messages of previous versions for its whole retention time. */
const CHECK = TypeCompiler.Compile(Type.Object({ schema: Type.Integer({ minimum: OLDEST, maximum: NEWEST }), ...MEMBERS }));

/**
 * Returns the value of a message; `rowText` is JSON of a FeedRow. The value contains the outbox
 * key, because a header in each message would cost as much again.
 */
export function encodeFeedMessage(outboxKey: string, rowText: string, storeVersion: number): Buffer {
  return Buffer.from(`{"schema":${SCHEMA_VERSION},"outbox":${JSON.stringify(outboxKey)},"store":${storeVersion},"row":${rowText}}`);
}

/**
 * A decoded message: its row, or the reason why it has none. Reasons quote nothing of the message.
 * The outbox key is null if it is not valid: anyone may have written the message, and it must not
 * delete other entries.
 */
export type DecodedMessage = { outboxKey: string | null } & ({ type: "row"; row: FeedRow } | { type: "unreadable"; reason: string });

export function decodeFeedMessage(value: Buffer | null): DecodedMessage {
  if (value === null) return { type: "unreadable", outboxKey: null, reason: "the message has no value" };
  let message: unknown;
  try {
    message = JSON.parse(value.toString());
  } catch {
    return { type: "unreadable", outboxKey: null, reason: "the message is not JSON" };
  }
  const outboxKey = typeof message === "object" && message !== null && "outbox" in message ? outboxKeyOf(message.outbox) : null;
  if (CHECK.Check(message)) {
    const row = ranked(rowOf(message.row));
    return { type: "row", outboxKey, row: message.store === undefined ? row : fromStore(row, message.store) };
  }
  const schema = typeof message === "object" && message !== null && "schema" in message ? message.schema : undefined;
  if (typeof schema !== "number" || schema < OLDEST || schema > NEWEST) {
    const found = typeof schema === "number" ? `schema ${schema}` : "no schema number";
    return { type: "unreadable", outboxKey, reason: `the message has ${found}; this version reads schema ${OLDEST} to ${NEWEST}` };
  }
  return {
    type: "unreadable",
    outboxKey,
    reason: `the message does not match the schema at ${CHECK.Errors(message).First()?.path ?? "/"}`,
  };
}

/** Returns the row of a message as unchecked JSON text, or null if there is none. */
export function rowTextOf(value: Buffer | null): string | null {
  try {
    const message: unknown = JSON.parse(value?.toString() ?? "null");
    return typeof message === "object" && message !== null && "row" in message ? JSON.stringify(message.row) : null;
  } catch {
    return null;
  }
}

/**
 * The checked shape is the shape of FeedRow. If the compiler finds a difference, change one of the
 * two.
 */
function rowOf(row: Static<typeof FEED_MESSAGE>["row"]): FeedRow {
  return row;
}

/**
 * Returns the terminal or, for an object of a merchant, the merchant. Kafka keeps rows with the
 * same key in order.
 */
function keyOf(row: FeedRow): string {
  if (row.type === "transaction") return row.transaction.terminalId;
  return row.type === "object" ? row.merchantId : row.terminalId;
}

const MEMBER = '"terminalId":"';

/**
 * Returns the key of the message for a row that is still text, or null if the text is not a row.
 * Quotes are escaped within strings, so a single occurrence of the terminal's member is the row's
 * own. The function parses the row only if the member occurs several times (within free-form
 * members) or not at all.
 */
export function keyInRow(text: string): string | null {
  const at = text.indexOf(MEMBER);
  if (at !== -1 && at === text.lastIndexOf(MEMBER) && text.startsWith('{"type":"') && text.endsWith("}")) {
    const start = at + MEMBER.length;
    const terminalId = text.slice(start, text.indexOf('"', start));
    if (!terminalId.includes("\\")) return terminalId;
  }
  const row = readRow(text);
  return row === null ? null : keyOf(row);
}
