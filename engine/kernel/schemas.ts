/** The schema numbers of one kind of stored record or of message between nodes. */
export interface Schema {
  /**
   * The number that this version writes; 0 if it only reads the kind, which a later version will
   * write.
   */
  readonly writes: number;
  /** The numbers that this version reads, from the oldest to the newest. */
  readonly reads: readonly [oldest: number, newest: number];
  /** Prefixes of its keys in the store; none if it is not stored under a key. */
  readonly keys: readonly string[];
}

/** The schema of kinds that have had only one form. */
const first = (...keys: string[]): Schema => ({ writes: 1, reads: [1, 1], keys });

/**
 * The schema of records that had no number in 0.1.0, which counts as 1, and are otherwise equal.
 */
const numbered = (...keys: string[]): Schema => ({ writes: 2, reads: [1, 2], keys });

/**
 * The schema numbers of everything that another version may read: in the store, in the topic, and
 * in the streams between nodes. Only this table decides which number is written and which are read;
 * infra/docs/upgrading.md lists the differences.
 *
 * A changed form gets the next number here, and the previous ones are still read. Members that an
 * older version may ignore without harm need no number. A number that no release has written yet
 * may still change its form. The golden examples (test/golden/forms.ts) fail if a form was changed
 * but not its number, or if a number in `reads` cannot be read.
 *
 * Two versions can run together and replace each other if each reads the other's output. So a new
 * number is first only read (`reads: [1, 2]`, `writes: 1`), and written from the next release on. A
 * new kind begins with `writes: 0`. If that is not possible, all nodes have to be stopped for the
 * change. The nodes enforce this: `storage/schemas/agreement.ts` and
 * `storage/schemas/schema-mark.ts` prevent the start.
 */
export const SCHEMAS = {
  /**
   * The layout of entries in LevelDB (kv/embedded-layout.ts). 2 equals 1, but indicates that
   * versions before 0.2.0 cannot read the records.
   */
  layout: { writes: 2, reads: [1, 2], keys: [] },
  /** The layout of entries in Redis (kv/lua/commit.lua). */
  redisLayout: first(),
  /**
   * 3 adds the commands reserved for a terminal's own sessions, 2 uses tuples, and 1 uses objects
   * (engine/terminals/terminal-records.ts).
   */
  terminal: { writes: 3, reads: [1, 3], keys: ["t/"] },
  /**
   * 4 adds the requested currency of a payment. A version that reads only 1 to 3 would record the
   * result in euro if the terminal names no currency. 3 uses uuids in lower case, stores
   * unsolicited results under their terminals, and lives and results as tuples. 2 is a tuple and
   * the payload, and 1 is an object.
   */
  command: { writes: 4, reads: [1, 4], keys: ["c/"] },
  outstandingTerminal: first("q/"),
  attention: numbered("a/"),
  unreadableAnswer: first("an/"),
  presence: first("p/"),
  /**
   * Rows on their way to ClickHouse. The number is not part of the text, because a row's text is
   * sent to Kafka unchanged. In 2 a result's row contains the end of its command (`life`), which a
   * version that reads only 1 would omit. In 1 the end has a row of its own.
   */
  outboxRow: { writes: 2, reads: [1, 2], keys: ["o/"] },
  /**
   * A row of a merchant's object (engine/payments/object-row.ts) among the rows of `outboxRow` and
   * the messages of `feedMessage`. They have no separate number for it, since other rows do not
   * change. A version that does not know it would set it aside.
   */
  objectRow: first(),
  refusedRow: numbered("op/"),
  /**
   * A message of the topic `relay.transactions` (feed/kafka/kafka-message.ts). 2 changes like
   * `outboxRow`.
   */
  feedMessage: { writes: 2, reads: [1, 2], keys: [] },
  /** The holder of a lease and its progress (feed/leader-lease.ts). */
  feedTurn: numbered("feed/turn", "shop/turn", "objects/turn"),
  /** Since when the store's commands and results name the owning merchant (feed/shops-since.ts). */
  shopsSince: first("shop/since"),
  /**
   * The table with the rows of all objects that merchants had before rows were fed
   * (feed/object-backfill.ts).
   */
  objectsFilled: first("objects/filled"),
  feedGap: first("feed/gap"),
  subscriptionRule: numbered("w/"),
  deniedTerminal: numbered("d/"),
  /**
   * 2 adds the currency of a terminal's payments. A version that reads only 1 would send it
   * payments in any currency.
   */
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
  /** A merchant's colour and the facts of its logo; and the logos' files. */
  branding: first("branding/"),
  brandingLogo: first("branding-logo/"),
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
   * 2 adds the pending operations of a link (engine/links/link.ts). A version that reads only 1
   * would drop them at its next transition, and leave the link's intent unchanged.
   */
  link: { writes: 2, reads: [1, 2], keys: ["link/", "link-due/", "link-open/", "link-payment/", "link-tran/", "link-op/"] },
  intent: first("intent/", "intent-of/", "intent-charge/", "intent-charge-of/", "intent-refund/", "intent-refund-of/"),
  /**
   * Payment links of the portal, with indexes by time, by state, and by the digests of their
   * tokens, customers and references.
   */
  portalLink: first(
    ...["portal-link/", "portal-link-of/", "portal-link-state/", "portal-link-token/", "portal-link-customer/", "portal-link-reference/"],
    ...["portal-link-agent/", "due/portal-link/"],
  ),
  /**
   * Disputes of merchants, with indexes by time, state, due time, payment and the network's number.
   */
  dispute: first(...["dispute/", "dispute-of/", "dispute-state/", "dispute-due/", "dispute-payment/", "dispute-case/", "due/dispute/"]),
  /** The disputes that block refunds of a payment. */
  disputeHold: first("dispute-hold/"),
  /** The contents of dispute files, in pieces. */
  disputeFile: first("dispute-file/"),
  /**
   * Alerts that networks send before a dispute, with indexes by time, state, due time and payment.
   */
  alert: first("alert/", "alert-of/", "alert-state/", "alert-due/", "alert-payment/", "due/alert/"),
  /** A merchant's rules for refunding alerts automatically, and the refunds by them on a day. */
  alertRules: first("alert-rules/"),
  alertDay: first("alert-day/"),
  plan: first("plan/", "plan-of/"),
  /**
   * Subscriptions with indexes by time, by state, by plan, and by the digests of their tokens and
   * customers.
   */
  subscription: first(
    ...["subscription/", "subscription-of/", "subscription-state/", "subscription-plan/", "subscription-customer/", "subscription-token/"],
    "due/subscription/",
  ),
  subscriptionCharge: first("subscription-charge/"),
  dunningPolicy: first("dunning-policy/"),
  /**
   * Credentials of AI agents, with indexes by time, by the digests of their tokens, and by whether
   * they can be used.
   */
  agentCredential: first(
    ...["agent-credential/", "agent-credential-of/", "agent-credential-token/", "agent-credential-usable/", "due/agent-credential/"],
  ),
  agentUse: first("agent-use/"),
  /**
   * Exports of merchants' lists that are created in the background, by time, and a merchant's use
   * of their limits.
   */
  export: first("export/", "export-of/", "due/export/"),
  exportRoom: first("export-room/"),
  /** Actions of administrators on many terminals. */
  fleetAction: first("fleet-action/", "fleet-actions/", "due/fleet-action/"),
  /**
   * Closed days of merchants, their summaries, an index by partner, later corrections, and the day
   * that is closed next.
   */
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
  /** The version of the platform's API for a merchant that names none. */
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
  /**
   * Administrators' second factors, and their sessions, which are like those of people
   * (`portalSession`).
   */
  administratorFactors: first("administrator-factors/"),
  administratorSession: first("administrator-session/", "administrator-sessions-of/"),
  secretProof: first("g/secret-key"),
  receiptCleaner: first("g/receipt-cleaner"),
  /** People who sign in to the portal, and their ids by e-mail. */
  portalAccount: first("portal-account/", "portal-account-email/"),
  /**
   * Sessions of people by the digest of the token, the list of each person's sessions, and used
   * passkey challenges.
   */
  portalSession: first("portal-session/", "portal-sessions-of/", "portal-challenge/"),
  /** A store's identity, and the fact that it was restored (storage/kv/history-store.ts). */
  storeIdentity: first("history/store"),
  storeLoss: first("history/loss"),
  /** The numbers that were written to the store (storage/schemas/schema-mark.ts). */
  schemaMark: first("g/schemas"),
  /**
   * Entries in the streams between nodes (bus/cluster/envelope.ts), and all kinds of messages in
   * them.
   */
  streamMessage: { writes: 3, reads: [3, 3], keys: [] },
  /**
   * The data that a node publishes about itself (bus/cluster/membership.ts). 2 adds these numbers,
   * and has keys of its own.
   */
  membership: { writes: 2, reads: [2, 2], keys: [] },
} satisfies { readonly [kind: string]: Schema };

export type SchemaKind = keyof typeof SCHEMAS;

/** Kinds that exist only while their nodes run and are never stored. */
export const PASSING: readonly string[] = ["streamMessage", "membership"] satisfies readonly SchemaKind[];

/**
 * Throws if this version cannot read the number of `what`. A record without one has the first
 * number.
 */
export function assertReadable(kind: SchemaKind, what: string, schema: unknown = 1): void {
  const [oldest, newest] = SCHEMAS[kind].reads;
  if (typeof schema !== "number" || schema < oldest || schema > newest) {
    throw new Error(`${what} has schema ${typeof schema === "number" ? schema : "without a number"}, which this version cannot read`);
  }
}

/** Returns the JSON text of a record, with the number of its kind. */
export function recordText(kind: SchemaKind, record: object): string {
  // The number comes first, so that it is easy to see.
  return JSON.stringify(Object.assign({ schema: 0 }, record, { schema: SCHEMAS[kind].writes }));
}

/** Reads a record from its text. Throws if this version cannot read it. */
export function readRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record: R & { schema?: unknown } = JSON.parse(text);
  assertReadable(kind, what, record.schema);
  return record;
}

/**
 * Reads a record of a kind without a member `schema` in memory. Throws if this version cannot read
 * it.
 */
export function readBareRecord<R extends object>(kind: SchemaKind, what: string, text: string): R {
  const record = readRecord<R & { schema?: unknown }>(kind, what, text);
  delete record.schema;
  return record;
}
