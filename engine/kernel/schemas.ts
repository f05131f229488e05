/** One form of what is stored, or told from node to node. */
export interface Schema {
  /** The number that this version writes; 0 where it only reads the kind, for a later version that will write it. */
  readonly writes: number;
  /** The numbers that it reads, from the oldest to the newest. */
  readonly reads: readonly [oldest: number, newest: number];
  /** What the keys of the store begin with; none where it does not stand there under a key. */
  readonly keys: readonly string[];
}

/** Of what has had one form only. */
const first = (...keys: string[]): Schema => ({ writes: 1, reads: [1, 1], keys });

/** Of records that told no number in 0.1.0, which is 1, and are the same with it. */
const numbered = (...keys: string[]): Schema => ({ writes: 2, reads: [1, 2], keys });

/**
 * The numbers of everything that another version may meet: in the store, in the topic, in the streams between nodes. This table is the only place that
 * says which number is written and which are read; what differs from one number to the next, infra/docs/upgrading.md says.
 *
 * Who changes how something is written gives it the next number here, and keeps reading the ones before; members that an older version may leave unread
 * without doing harm need none. A number that no release has written yet may still change its form. The golden examples (test/golden/forms.ts) fail where
 * the form was changed and the number was not, or where a number that is said to be read is not.
 *
 * Two versions run beside each other, and one can be put in the place of the other, while each reads what the other writes: so a new number is first
 * released as one that is read (`reads: [1, 2]`, `writes: 1`), and written from the next release on. A new kind begins with `writes: 0`. Where that is
 * not possible, the change needs a stop of all nodes, which the nodes then see to themselves: `storage/schemas/agreement.ts` and `storage/schemas/schema-mark.ts` refuse the
 * start.
 */
export const SCHEMAS = {
  /** How entries lie in LevelDB (kv/embedded-layout.ts). 2 is 1, and says that versions before 0.2.0 cannot read the records. */
  layout: { writes: 2, reads: [1, 2], keys: [] },
  /** How entries lie in Redis (kv/lua/commit.lua). */
  redisLayout: first(),
  /** 3: what is held for a terminal's own sessions. 2: tuples. 1: objects (engine/terminals/terminal-records.ts). */
  terminal: { writes: 3, reads: [1, 3], keys: ["t/"] },
  /** 3: under uuids in small letters, and of results that nobody asked for under their terminals. 2: a tuple and the payload. 1: an object. */
  command: { writes: 3, reads: [1, 3], keys: ["c/"] },
  outstandingTerminal: first("q/"),
  attention: numbered("a/"),
  unreadableAnswer: first("an/"),
  presence: first("p/"),
  /** Rows on their way to ClickHouse. The number is not written out: a row's text goes on to Kafka as it is. */
  outboxRow: first("o/"),
  refusedRow: numbered("op/"),
  /** A message of the topic `relay.transactions` (feed/kafka-message.ts). */
  feedMessage: first(),
  feedTurn: numbered("feed/turn"),
  subscriptionRule: numbered("w/"),
  deniedTerminal: numbered("d/"),
  cloudConfig: first("h/"),
  terminalGroup: first("j/"),
  gatewayAccount: first("ga/"),
  serviceSettings: first("gs/"),
  merchant: first("merchant/", "merchant-of/"),
  merchantKey: numbered("merchant-key/"),
  merchantCount: numbered("merchant-count/"),
  merchantOwner: first("merchant-owner/"),
  merchantSecret: first("merchant-secret/"),
  partner: first("nr/", "nu/", "g/partner-counter"),
  callCount: first("partner-calls/"),
  idempotencyClaim: first("i/"),
  audit: numbered("u/"),
  terminalLog: numbered("l/"),
  resultCount: numbered("y/"),
  signatureStamp: first("signature/"),
  tableStamp: first("stamp/"),
  link: first("link/", "link-due/", "link-payment/", "link-tran/", "link-op/"),
  callback: first("callback/", "callback-due/", "callback-dead/"),
  appVersion: numbered("app/version/", "app/code/", "app/last-id"),
  appDeployment: first("app/deployment/"),
  appTarget: numbered("app/target/"),
  appMark: numbered("app/mark/"),
  installLog: numbered("app/log/"),
  appUpload: first("app/upload/"),
  appInstallation: first("app/installation"),
  administrator: first("g/administrator"),
  secretProof: first("g/secret-key"),
  receiptCleaner: first("g/receipt-cleaner"),
  /** What a store knows of itself, and that it was restored (storage/kv/history-store.ts). */
  storeIdentity: first("history/store"),
  storeLoss: first("history/loss"),
  /** Which numbers the store has seen (storage/schemas/schema-mark.ts). */
  schemaMark: first("g/schemas"),
  /** What nodes write to each other's streams (bus/cluster/envelope.ts), and all kinds of messages in it. */
  streamMessage: { writes: 3, reads: [3, 3], keys: [] },
  /** What a node tells of itself to the others (bus/cluster/membership.ts). 2: with these numbers, and under keys of its own. */
  membership: { writes: 2, reads: [2, 2], keys: [] },
} satisfies { readonly [kind: string]: Schema };

export type SchemaKind = keyof typeof SCHEMAS;

/** What is gone with the nodes that wrote it: no store has seen it. */
export const PASSING: readonly string[] = ["streamMessage", "membership"] satisfies readonly SchemaKind[];

/** Throws where this version cannot read the number that `what` has; a record without one is of the first. */
export function assertReadable(kind: SchemaKind, what: string, schema: unknown = 1): void {
  const [oldest, newest] = SCHEMAS[kind].reads;
  if (typeof schema !== "number" || schema < oldest || schema > newest) {
    throw new Error(`${what} has schema ${typeof schema === "number" ? schema : "of no number"}, which this version cannot read`);
  }
}

/** The text of a record that is stored as JSON, with the number of its kind. */
export function recordText(kind: SchemaKind, record: object): string {
  // First, where it can be seen.
  return JSON.stringify(Object.assign({ schema: 0 }, record, { schema: SCHEMAS[kind].writes }));
}

/** A record out of its text. Throws where this version cannot read it. */
export function readRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record: R & { schema?: unknown } = JSON.parse(text);
  assertReadable(kind, what, record.schema);
  return record;
}

/** The same of a kind whose records have no member `schema` in memory. */
export function readBareRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record = readRecord<R & { schema?: unknown }>(kind, what, text);
  delete record.schema;
  return record;
}
