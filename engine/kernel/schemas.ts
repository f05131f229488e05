/** The schema numbers of one kind of stored record or message between nodes. */
export interface Schema {
  /** The number that this version writes; 0 if it only reads the kind, which a later version will write. */
  readonly writes: number;
  /** The numbers that it reads, from the oldest to the newest. */
  readonly reads: readonly [oldest: number, newest: number];
  /** Prefixes of its keys in the store; none if it is not stored under a key. */
  readonly keys: readonly string[];
}

/** For kinds that have had one form only. */
const first = (...keys: string[]): Schema => ({ writes: 1, reads: [1, 1], keys });

/** For records that had no number in 0.1.0, which counts as 1, and are otherwise the same. */
const numbered = (...keys: string[]): Schema => ({ writes: 2, reads: [1, 2], keys });

/**
 * The schema numbers of everything that another version may read: in the store, in the topic, in the streams between nodes. Only this table
 * says which number is written and which are read; infra/docs/upgrading.md lists the differences.
 *
 * A changed form gets the next number here, and the previous ones are still read; members that an older version may ignore without harm
 * need no number. A number that no release has written yet may still change its form. The golden examples (test/golden/forms.ts) fail if a
 * form was changed and its number was not, or if a number in `reads` cannot be read.
 *
 * Two versions can run together, and replace each other, if each reads what the other writes. So a new number is first only read (`reads:
 * [1, 2]`, `writes: 1`), and written from the next release on. A new kind begins with `writes: 0`. If that is not possible, all nodes have
 * to be stopped for the change; the nodes enforce this: `storage/schemas/agreement.ts` and `storage/schemas/schema-mark.ts` refuse the
 * start.
 */
export const SCHEMAS = {
  /**
   * The layout of entries in LevelDB (kv/embedded-layout.ts). 2 is the same as 1; it says that versions before 0.2.0 cannot read the
   * records.
   */
  layout: { writes: 2, reads: [1, 2], keys: [] },
  /** The layout of entries in Redis (kv/lua/commit.lua). */
  redisLayout: first(),
  /** 3: with the commands held for a terminal's own sessions. 2: tuples. 1: objects (engine/terminals/terminal-records.ts). */
  terminal: { writes: 3, reads: [1, 3], keys: ["t/"] },
  /**
   * 4: with the currency that a payment was asked for in: a version that reads only 1 to 3 would record its result in euro where the terminal names none. 3: under
   * uuids in lower case; unsolicited results under their terminals; lives and results as tuples. 2: a tuple and the payload. 1: an object.
   */
  command: { writes: 4, reads: [1, 4], keys: ["c/"] },
  outstandingTerminal: first("q/"),
  attention: numbered("a/"),
  unreadableAnswer: first("an/"),
  presence: first("p/"),
  /**
   * Rows on their way to ClickHouse. The number is not part of the text, because a row's text is sent to Kafka unchanged. 2: a result's row tells how its
   * command ended (`life`), which a version that reads only 1 would leave out. 1: that has a row of its own.
   */
  outboxRow: { writes: 2, reads: [1, 2], keys: ["o/"] },
  /**
   * A row of a merchant's thing (engine/payments/object-row.ts) among those of `outboxRow` and in the messages of `feedMessage`, which have no number of their own for it: what other rows
   * are stays as it is. A version that does not know it would set it aside.
   */
  objectRow: first(),
  refusedRow: numbered("op/"),
  /** A message of the topic `relay.transactions` (feed/kafka/kafka-message.ts). 2: as `outboxRow`. */
  feedMessage: { writes: 2, reads: [1, 2], keys: [] },
  /** Who has a lease, and how far it has come (feed/leader-lease.ts). */
  feedTurn: numbered("feed/turn", "shop/turn", "objects/turn"),
  /** Since when the store's commands and results say whose they are (feed/shops-since.ts). */
  shopsSince: first("shop/since"),
  /** Which table has the rows of all things of merchants that were there before they were fed (feed/object-backfill.ts). */
  objectsFilled: first("objects/filled"),
  subscriptionRule: numbered("w/"),
  deniedTerminal: numbered("d/"),
  /** 2: with the currency that a terminal takes payments in: a version that reads only 1 would send it payments in any. */
  cloudConfig: { writes: 2, reads: [1, 2], keys: ["h/"] },
  terminalGroup: first("j/"),
  gatewayAccount: first("ga/"),
  serviceSettings: first("gs/"),
  merchant: first("merchant/", "merchant-of/"),
  merchantKey: numbered("merchant-key/"),
  merchantCount: numbered("merchant-count/"),
  merchantOwner: first("merchant-owner/"),
  merchantSecret: first("merchant-secret/"),
  merchantMadeKeys: first("merchant-made-keys/"),
  partner: first("nr/", "nu/", "g/partner-counter"),
  callCount: first("partner-calls/"),
  idempotencyClaim: first("i/"),
  audit: numbered("u/", "um/"),
  terminalLog: numbered("l/"),
  resultCount: numbered("y/"),
  signatureStamp: first("signature/"),
  usualLogin: first("usual-login/"),
  tableStamp: first("stamp/"),
  /**
   * 2: with what the relay owes of it (engine/links/link.ts): a version that reads only 1 would drop that with its next step, and leave the
   * intent that the link is an attempt at as it was.
   */
  link: { writes: 2, reads: [1, 2], keys: ["link/", "link-due/", "link-payment/", "link-tran/", "link-op/"] },
  intent: first("intent/", "intent-of/", "intent-charge/", "intent-charge-of/", "intent-refund/", "intent-refund-of/"),
  /** Payment links of the portal; by time, by state, and by the digests of their tokens, customers and references. */
  portalLink: first(
    ...["portal-link/", "portal-link-of/", "portal-link-state/", "portal-link-token/", "portal-link-customer/", "portal-link-reference/"],
    ...["portal-link-agent/", "due/portal-link/"],
  ),
  /** Disputes of merchants; by time, state, due time, payment and the network's number. */
  dispute: first(...["dispute/", "dispute-of/", "dispute-state/", "dispute-due/", "dispute-payment/", "dispute-case/", "due/dispute/"]),
  /** Because of which disputes nothing of a payment may be given back. */
  disputeHold: first("dispute-hold/"),
  /** Contents of files of disputes, in pieces. */
  disputeFile: first("dispute-file/"),
  /** Alerts of networks before a dispute; by time, state, due time and payment. */
  alert: first("alert/", "alert-of/", "alert-state/", "alert-due/", "alert-payment/", "due/alert/"),
  /** Which alerts a merchant has refunded by themselves, and how many were on a day. */
  alertRules: first("alert-rules/"),
  alertDay: first("alert-day/"),
  plan: first("plan/", "plan-of/"),
  /** By time, by state, by plan, and by the digests of their tokens and customers. */
  subscription: first(
    ...["subscription/", "subscription-of/", "subscription-state/", "subscription-plan/", "subscription-customer/", "subscription-token/"],
    "due/subscription/",
  ),
  subscriptionCharge: first("subscription-charge/"),
  dunningPolicy: first("dunning-policy/"),
  /** Credentials of AI agents; by time, by the digests of their tokens, and which can be used. */
  agentCredential: first(
    ...["agent-credential/", "agent-credential-of/", "agent-credential-token/", "agent-credential-usable/", "due/agent-credential/"],
  ),
  agentUse: first("agent-use/"),
  /** Files of merchants' lists that are made in the background; by time. And what a merchant's take. */
  export: first("export/", "export-of/", "due/export/"),
  exportRoom: first("export-room/"),
  /** Days of merchants as they were closed, their summaries, and by partner; what has changed since; and which day is closed next. */
  reconciledDay: first("reconciliation/", "reconciliation-of/", "reconciliation-partner/"),
  reconciliationCorrections: first("reconciliation-corrections/"),
  reconciliationTurn: first("reconciliation-turn", "due/reconciliation/"),
  zvtRoute: first("zvt-route/"),
  team: first("team/"),
  teamInvitation: first("team-invitation/"),
  passwordReset: first("password-reset/", "password-reset-token/"),
  mail: first("mail/", "due/mail/", "mail-at/", "mail-queued/", "mail-of/"),
  callback: first("callback/", "callback-due/", "callback-dead/"),
  webhookEvent: first("webhook-event/", "webhook-event-of/", "webhook-outbox/"),
  webhookEndpoint: first("webhook-endpoint/", "webhook-endpoint-of/", "webhook-endpoint-count/"),
  webhookHealth: first("webhook-health/"),
  webhookDelivery: first("webhook-delivery/", "webhook-delivery-of/", "webhook-due/", "webhook-pending/", "webhook-state/"),
  /** Which version of the platform's API a merchant has where it names none. */
  apiVersion: first("api-version/"),
  appVersion: numbered("app/version/", "app/code/", "app/last-id"),
  appDeployment: first("app/deployment/"),
  appTarget: numbered("app/target/"),
  appMark: numbered("app/mark/"),
  installLog: numbered("app/log/"),
  appUpload: first("app/upload/"),
  appInstallation: first("app/installation"),
  administrator: first("g/administrator"),
  namedAdministrator: first("administrator/"),
  machineToken: first("machine-token/"),
  /** Their second factors, and their sessions as those of people (`portalSession`). */
  administratorFactors: first("administrator-factors/"),
  administratorSession: first("administrator-session/", "administrator-sessions-of/"),
  secretProof: first("g/secret-key"),
  receiptCleaner: first("g/receipt-cleaner"),
  /** People who sign in to the portal; by e-mail their id. */
  portalAccount: first("portal-account/", "portal-account-email/"),
  /** Their sessions by the digest of the token, the list of each person's, and the passkey challenges that were used. */
  portalSession: first("portal-session/", "portal-sessions-of/", "portal-challenge/"),
  /** A store's identity, and that it was restored (storage/kv/history-store.ts). */
  storeIdentity: first("history/store"),
  storeLoss: first("history/loss"),
  /** The numbers that were written to the store (storage/schemas/schema-mark.ts). */
  schemaMark: first("g/schemas"),
  /** Entries in the streams between nodes (bus/cluster/envelope.ts), and all kinds of messages in them. */
  streamMessage: { writes: 3, reads: [3, 3], keys: [] },
  /** What a node publishes about itself (bus/cluster/membership.ts). 2: with these numbers, and under keys of its own. */
  membership: { writes: 2, reads: [2, 2], keys: [] },
} satisfies { readonly [kind: string]: Schema };

export type SchemaKind = keyof typeof SCHEMAS;

/** Kinds that exist only while their nodes run, and are never stored. */
export const PASSING: readonly string[] = ["streamMessage", "membership"] satisfies readonly SchemaKind[];

/** Throws where this version cannot read the number that `what` has; a record without one is of the first. */
export function assertReadable(kind: SchemaKind, what: string, schema: unknown = 1): void {
  const [oldest, newest] = SCHEMAS[kind].reads;
  if (typeof schema !== "number" || schema < oldest || schema > newest) {
    throw new Error(`${what} has schema ${typeof schema === "number" ? schema : "of no number"}, which this version cannot read`);
  }
}

/** The JSON text of a record, with the number of its kind. */
export function recordText(kind: SchemaKind, record: object): string {
  // First, so that it is easy to see.
  return JSON.stringify(Object.assign({ schema: 0 }, record, { schema: SCHEMAS[kind].writes }));
}

/** Reads a record from its text. Throws if this version cannot read it. */
export function readRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record: R & { schema?: unknown } = JSON.parse(text);
  assertReadable(kind, what, record.schema);
  return record;
}

/** The same for a kind whose records have no member `schema` in memory. */
export function readBareRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record = readRecord<R & { schema?: unknown }>(kind, what, text);
  delete record.schema;
  return record;
}
