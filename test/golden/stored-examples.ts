import assert from "node:assert/strict";
import type { MemberRecord, TeamRecord } from "../../engine/accounts/team.ts";
import type { PasswordResets } from "../../engine/accounts/password-reset.ts";
import { createPasswordResetStore } from "../../engine/accounts/password-reset-store.ts";
import { createTeamStore } from "../../engine/accounts/team-store.ts";
import type { AdministratorRecord } from "../../engine/access/administrator.ts";
import { createAdministratorStore } from "../../engine/access/administrator-store.ts";
import type { MachineTokenRecord } from "../../engine/access/machine-token.ts";
import { createMachineTokenStore } from "../../engine/access/machine-token-store.ts";
import { createDirectoryStore } from "../../engine/access/directory-store.ts";
import { createSignatureNonceStore } from "../../engine/access/signature-nonce-store.ts";
import type { SubscriptionRule } from "../../engine/access/terminal-rule.ts";
import { createUsualLoginStore } from "../../engine/access/usual-login-store.ts";
import type { AgentCredentialRecord } from "../../engine/agents/agent-credential.ts";
import { credentialByDigest, pageOfCredentials } from "../../engine/agents/agent-credential-queries.ts";
import { createUsableCredentialsStore } from "../../engine/agents/usable-credentials-store.ts";
import { AGENT_CREDENTIAL_WORKFLOW } from "../../engine/agents/workflow.ts";
import { type AddedUse, createAgentUseStore } from "../../engine/agents/agent-use-store.ts";
import type { AccountRecord } from "../../engine/accounts/account.ts";
import type { BrandingRecord } from "../../engine/branding/branding.ts";
import { createBrandingStore } from "../../engine/branding/branding-store.ts";
import { createAccountStore } from "../../engine/accounts/account-store.ts";
import type { SessionRecord } from "../../engine/accounts/session.ts";
import { challengeUsed, createSessionStore, createSessionStoreAt } from "../../engine/accounts/session-store.ts";
import { type AdministratorFactors, createAdministratorFactorsStore } from "../../engine/administrators/administrator-factors-store.ts";
import { ADMINISTRATOR_SESSIONS, type AdministratorSession } from "../../engine/administrators/administrator-session.ts";
import type { AppDeployment, InstallMark, TargetRecord } from "../../engine/apps/app-deployment.ts";
import { createAppStore } from "../../engine/apps/app-store.ts";
import type { AppVersion } from "../../engine/apps/app-version.ts";
import type { InstallLog } from "../../engine/apps/install-log.ts";
import { createCallbackStore } from "../../engine/callbacks/callback-store.ts";
import type { CallbackRecord } from "../../engine/callbacks/callback.ts";
import type { GatewayAccount } from "../../engine/gateway/gateway-account.ts";
import { type IdempotencyClaim, createIdempotencyStore } from "../../engine/idempotency/idempotency-store.ts";
import { createHistoryStore, type PendingLoss } from "../../storage/kv/history-store.ts";
import type { Kv, Operation } from "../../engine/kernel/kv.ts";
import type { IntentRecord } from "../../engine/intents/intent.ts";
import { createIntentIndexStore } from "../../engine/intents/intent-index-store.ts";
import { intentWorkflow } from "../../engine/intents/workflow.ts";
import type { AlertRecord } from "../../engine/alerts/alert.ts";
import type { AlertRules } from "../../engine/alerts/alert-rules.ts";
import { createAlertRulesStore } from "../../engine/alerts/alert-rules-store.ts";
import { alertSummaries, alertsOfPayment, pageOfAlerts } from "../../engine/alerts/alert-queries.ts";
import { ALERT_WORKFLOW } from "../../engine/alerts/workflow.ts";
import { NO_PART } from "../../engine/kernel/commit-part.ts";
import { createWorkflowStore } from "../../engine/workflow/workflow-store.ts";
import type { DisputeRecord } from "../../engine/disputes/dispute.ts";
import { createDisputeFileStore } from "../../engine/disputes/dispute-file-store.ts";
import { createDisputeHoldStore, createHoldGuard } from "../../engine/disputes/dispute-hold-store.ts";
import { disputeSummaries, disputesOfCase, disputesOfPayment, pageOfDisputes } from "../../engine/disputes/dispute-queries.ts";
import { DISPUTE_WORKFLOW } from "../../engine/disputes/workflow.ts";
import type { FleetAction } from "../../engine/fleet/action.ts";
import { createFleetActionStore } from "../../engine/fleet/action-store.ts";
import type { ExportRecord } from "../../engine/exports/export.ts";
import { createExportStore } from "../../engine/exports/export-store.ts";
import type { PortalLinkRecord } from "../../engine/portal-links/portal-link.ts";
import { createPortalLinkQueries, type PortalLinkPageQuery } from "../../engine/portal-links/portal-link-queries.ts";
import { portalLinkWorkflow } from "../../engine/portal-links/workflow.ts";
import type { ClosedDay } from "../../engine/reconciliation/reconciliation.ts";
import { type CorrectionsRecord, createReconciliationStore, TURN_ID } from "../../engine/reconciliation/reconciliation-store.ts";
import type { PlanRecord } from "../../engine/subscriptions/plan.ts";
import { createPlanStore } from "../../engine/subscriptions/plan-store.ts";
import { createDunningPolicyStore } from "../../engine/subscriptions/dunning-policy-store.ts";
import type { SubscriptionRecord } from "../../engine/subscriptions/subscription.ts";
import { createCycleChargeStore } from "../../engine/subscriptions/cycle-charge-store.ts";
import { createSubscriptionQueries, type SubscriptionPageQuery } from "../../engine/subscriptions/subscription-queries.ts";
import { subscriptionWorkflow } from "../../engine/subscriptions/workflow.ts";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import type { SecretBox } from "../../engine/kernel/secret-box.ts";
import type { Mail } from "../../engine/mails/mail.ts";
import { createMailStore, mailOperations, mailText } from "../../engine/mails/mail-store.ts";
import { createLinkStore } from "../../engine/links/link-store.ts";
import type { LinkRecord } from "../../engine/links/link.ts";
import type { AuditEntry } from "../../engine/operators/audit-entry.ts";
import { createAuditStore } from "../../engine/operators/audit-store.ts";
import { createResultCountStore } from "../../engine/operators/result-count-store.ts";
import { type TerminalLog, createTerminalLogStore } from "../../engine/operators/terminal-log-store.ts";
import { createCallCountStore } from "../../engine/partners/call-count-store.ts";
import { createMerchantStore } from "../../engine/partners/merchant-store.ts";
import type { MerchantOwner, MerchantRecord } from "../../engine/partners/merchant.ts";
import { createPartnerStore } from "../../engine/partners/partner-store.ts";
import type { PartnerRecord } from "../../engine/partners/partner.ts";
import { type AttentionItem, attentionOperation } from "../../engine/payments/attention.ts";
import type { Command } from "../../engine/payments/command.ts";
import type { FeedRow } from "../../engine/payments/feed-row.ts";
import { outboxOperation } from "../../engine/payments/outbox.ts";
import { createPresenceStore } from "../../engine/sessions/presence-store.ts";
import type { PresenceRecord } from "../../engine/sessions/presence.ts";
import type { CloudConfig } from "../../engine/settings/cloud-config.ts";
import type { ZvtOpen, ZvtRouteRecord } from "../../engine/zvt/route-record.ts";
import { createZvtRouteStore } from "../../engine/zvt/route-store.ts";
import type { StoredZvtConfig } from "../../engine/zvt/zvt-config.ts";
import type { ZvtReceipt } from "../../engine/zvt/zvt-payments.ts";
import type { TerminalGroup } from "../../engine/settings/terminal-groups.ts";
import { CLOUD_CONFIGS, createRecordStore, GATEWAY_ACCOUNTS, MERCHANT_OWNERS, type RecordKind, SERVICE_SETTINGS, TERMINAL_GROUPS } from "../../engine/tables/record-store.ts";
import { createTableVersions, tableVersionOperation } from "../../engine/tables/table-versions.ts";
import { createReceiptCleaner } from "../../engine/terminals/receipt-cleaner.ts";
import type { CommandRecord, QueuedEntry, SentEntry, TerminalRecord } from "../../engine/terminals/terminal-record.ts";
import { createTerminalStore } from "../../engine/terminals/terminal-store.ts";
import { createApiVersions } from "../../engine/webhooks/api-version-store.ts";
import type { WebhookDeliveryRecord } from "../../engine/webhooks/webhook-delivery.ts";
import { createWebhookDeliveryStore } from "../../engine/webhooks/webhook-delivery-store.ts";
import type { WebhookEndpointRecord } from "../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpointStore } from "../../engine/webhooks/webhook-endpoint-store.ts";
import type { WebhookEvent } from "../../engine/webhooks/webhook-event.ts";
import { createWebhookEventStore, eventOperations } from "../../engine/webhooks/webhook-event-store.ts";
import { createSecretBox } from "../../infra/node/boot/secret-box.ts";
import { prepareStoredSecrets } from "../../infra/node/process/stored-secrets.ts";
import { loadFeedGap, noteFeedGap } from "../../storage/feed/feed-gap.ts";
import { LeaderLease } from "../../storage/feed/leader-lease.ts";
import { loadObjectsFilled, noteObjectsFilled } from "../../storage/feed/objects-filled.ts";
import { loadShopsSince, noteFilled, noteShopsSince } from "../../storage/feed/shops-since.ts";
import { rowsSetAside, setAsideOperations } from "../../storage/feed/set-aside.ts";
import { outboxRows } from "../support/outbox.ts";

/** The time of the examples, in 2026, which is not a round number. */
export const AT_MS = 1_778_051_289_123;
/** A time for records that would otherwise expire before the example is read. */
const FAR_MS = 4_102_444_800_000;
const RETENTION_MS = 400 * 86_400_000;

const PORTAL_ACCOUNT: Whole<AccountRecord> = {
  schema: 1,
  accountId: "acc_1",
  email: "anna@example.com",
  passwordHash: "scrypt$16384$8$1$salt$key",
  totp: { sealedSecret: "sealed", lastStep: 59_268_376, enrolledAtMs: AT_MS },
  passkeys: [
    {
      credentialId: "credential-1",
      publicKey: "key-1",
      counter: 3,
      transports: ["internal"],
      name: "Phone",
      createdAtMs: AT_MS,
      lastUsedAtMs: AT_MS + 1_000,
    },
  ],
  recoveryCodes: ["digest-1"],
  locale: "it",
  theme: "dark",
  savedViews: [{ list: "transactions", name: "Declined", query: "status=KO" }],
  merchantIds: ["SHOP-001"],
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 1_000,
};

const BRANDING: Whole<BrandingRecord> = {
  ...{ schema: 1, merchantId: "M1", color: "#aa3300", updatedAtMs: AT_MS },
  logo: { id: "a".repeat(32), type: "image/png", width: 24, height: 16, bytes: 3 },
};

async function writeBranding(kv: Kv): Promise<void> {
  const store = createBrandingStore(kv);
  await store.replace(await store.load("M1"), BRANDING, { type: "image/png", contents: new Uint8Array([1, 2, 3]) });
}

const PORTAL_SESSION: Whole<SessionRecord> = {
  schema: 1,
  tokenSha256: "digest-1",
  sessionId: "ses_1",
  accountId: "acc_1",
  email: "anna@example.com",
  stage: "full",
  merchantId: "SHOP-001",
  createdAtMs: AT_MS,
  lastUsedAtMs: AT_MS,
  endsAtMs: AT_MS + 12 * 3_600_000,
  steppedUpUntilMs: AT_MS + 600_000,
  codesTried: 1,
  pendingTotp: "sealed",
  ipAddress: "192.0.2.1",
  userAgent: "Firefox",
};

const administratorSessions = (kv: Kv) => createSessionStoreAt<AdministratorSession>(kv, now, ADMINISTRATOR_SESSIONS);

const ADMINISTRATOR_SESSION: Whole<AdministratorSession> = {
  schema: 1,
  tokenSha256: "digest-1",
  sessionId: "ses_1",
  accountId: "adm_1",
  username: "anna",
  role: "operator",
  mark: "digest-2",
  stage: "full",
  createdAtMs: AT_MS,
  lastUsedAtMs: AT_MS,
  endsAtMs: AT_MS + 12 * 3_600_000,
  steppedUpUntilMs: AT_MS + 600_000,
  codesTried: 1,
  pendingTotp: "sealed",
  ipAddress: "192.0.2.1",
  userAgent: "Firefox",
};

const ADMINISTRATOR_FACTORS: Whole<AdministratorFactors> = {
  schema: 1,
  accountId: "adm_1",
  username: "anna",
  totp: PORTAL_ACCOUNT.totp,
  passkeys: PORTAL_ACCOUNT.passkeys,
  recoveryCodes: PORTAL_ACCOUNT.recoveryCodes,
  updatedAtMs: AT_MS,
};

/** An example of a kind: how this version writes it, and what it reads from it. */
export interface StoredExample {
  write(kv: Kv): Promise<unknown>;
  /** Absent if reading requires a secret. */
  read?(kv: Kv): Promise<unknown>;
}

/**
 * The type with all its optional members, so that an example without a new member does not compile.
 * Null and lists do not change.
 */
export type Whole<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [member in keyof T]-?: Whole<Exclude<T[member], undefined>> }
    : T;

const common = { kind: "payment", service: "PAYCC", sender: "partner:1", acceptedAtMs: AT_MS, expiresAtMs: AT_MS + 60_000 } as const;

const QUEUED: Whole<QueuedEntry> = {
  ...common,
  uuid: "queued-1",
  attempts: 1,
  refusedBy: { session: "s-1", untilMs: AT_MS + 5_000 },
  cancels: "sent-1",
  byAny: false,
};

const SENT: Whole<SentEntry> = {
  ...common,
  uuid: "sent-1",
  attempts: 1,
  sentAtMs: AT_MS + 1_000,
  channel: "websocket",
  unknownAtMs: AT_MS + 301_000,
  session: "s-1",
  redeliverable: true,
  held: false,
  refusedBy: null,
  awaitingAck: true,
  cancels: null,
  cancelRequested: true,
  byAny: false,
};

const TERMINAL: Whole<TerminalRecord> = {
  terminalId: "T1",
  queue: [QUEUED],
  sent: [SENT],
  latest: [{ sender: "partner:1", uuid: "sent-1", answered: false }],
};

const HELD: Whole<TerminalRecord> = {
  terminalId: "T2",
  queue: [],
  sent: [{ ...SENT, uuid: "held-1", session: null, held: true, refusedBy: { session: "s-2", untilMs: AT_MS + 9_000 } }],
  latest: [],
};

/** A record with a sender whom only rule ANY admitted. */
const BY_ANY: Whole<TerminalRecord> = {
  terminalId: "T3",
  queue: [{ ...QUEUED, byAny: true }],
  sent: [{ ...SENT, byAny: true }],
  latest: [],
};

export const ACCEPTED: Whole<Command> = {
  ...common,
  uuid: "paid-1",
  terminalId: "T1",
  amountCents: 1_234,
  method: "CARD",
  payload: '{"uuid":"paid-1","amount":1234}',
  request: "request-1",
  cancels: "other-1",
  // Only messages to the home have these two members.
  acceptBeforeMs: AT_MS + 5_000,
  onlyIdle: true,
  byAny: true,
  shop: "SHOP-001",
  currency: "CHF",
};

export const TRANSACTION: Whole<Required<CommandRecord>["result"] & object>["transaction"] = {
  uuid: "paid-1",
  createdAtMs: AT_MS + 3_000,
  method: "CARD",
  status: "OK",
  amountCents: 1_234,
  currency: "EUR",
  terminalId: "T1",
  merchantId: "M1",
  message: "approved",
  auth: { authCode: "123456", stan: "000001", actionCode: "000" },
  card: { brand: "VISA", maskedPan: "************1234", entry: "NFC" },
  satispay: { paymentId: "p-1", status: "ACCEPTED", outcome: "OK", store: "s-1", codeIdentifier: "c-1" },
  provider: { name: "P", model: "M", clientVersion: "1.0" },
  voucher: { code: "V1" },
  receipt: { lines: ["one"] },
  scan: { scannedValue: "8001", barcodeFormat: "EAN_13", scanResult: "OK" },
  print: { printResult: "OK", errorDescription: null },
};

const COMMAND: Whole<Omit<CommandRecord, "place">> = {
  revision: 2,
  uuid: "paid-1",
  terminalId: "T1",
  command: ACCEPTED,
  life: { state: "done", sentAtMs: AT_MS + 1_000, finishedAtMs: AT_MS + 3_000, channel: "poll", attempts: 1 },
  result: { transaction: TRANSACTION, toldMerchantId: "M2", raw: '{"result":"OK"}', postedBy: "T1", amountDiffers: false, shop: "SHOP-001" },
};

/** The key is in lower case, so the record has the form that its sender wrote. */
const IN_CAPITALS: Whole<Omit<CommandRecord, "place">> = { ...COMMAND, uuid: "7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F11" };

/**
 * `storeVersion` is not part of the text of a row. It is the version of the entry that contains the
 * row.
 */
type RowText<R> = R extends FeedRow ? Omit<R, "storeVersion"> : never;

export const ROWS: readonly Whole<RowText<FeedRow>>[] = [
  {
    type: "transaction",
    version: 2,
    transaction: TRANSACTION,
    kind: "payment",
    sender: "partner:1",
    unsolicited: false,
    amountDiffers: false,
    life: {
      service: "PAYCC",
      amountCents: 1_234,
      state: "done",
      acceptedAtMs: AT_MS,
      sentAtMs: AT_MS + 1_000,
      finishedAtMs: AT_MS + 3_000,
      channel: "poll",
      attempt: 1,
    },
    shop: "SHOP-001",
  },
  {
    type: "life",
    version: 2,
    uuid: "sent-1",
    terminalId: "T1",
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_234,
    sender: "partner:1",
    state: "unknown",
    acceptedAtMs: AT_MS,
    sentAtMs: AT_MS + 1_000,
    finishedAtMs: AT_MS + 301_000,
    channel: "poll",
    attempt: 1,
    shop: "SHOP-001",
  },
  { type: "conflict", id: "x-1", uuid: "paid-1", terminalId: "T1", postedBy: "T1", atMs: AT_MS + 4_000, raw: '{"result":"KO"}' },
  {
    type: "object",
    version: AT_MS + 60_000,
    merchantId: "SHOP-001",
    livemode: true,
    object: "charge",
    id: "sub_000000000000000000000001-2-1",
    createdAtMs: AT_MS + 1_000,
    state: "failed",
    category: "",
    reason: "overdue",
    amountMinor: 2_900,
    currency: "EUR",
    uuid: "pl_000000000000000000000001.1",
    parent: "sub_000000000000000000000001",
    attempt: 1,
    dueAtMs: AT_MS,
    activeAtMs: null,
    endedAtMs: AT_MS + 2_000,
    monthlyMinor: 0,
  },
];

const ATTENTION: Whole<AttentionItem> = { kind: "unknown", terminalId: "T1", uuid: "sent-1", atMs: AT_MS, detail: "Sent, and no result came", raw: "{}" };

export const PRESENCE: Whole<PresenceRecord> = {
  schema: 1,
  terminalId: "T1",
  lastSeenMs: AT_MS,
  device: { userAgent: "app/1", ipAddress: "192.0.2.7", fingerprint: "f1", family: "F", appVersion: "1.0", deviceModel: "M", commands: ["RESTART"] },
};

const RULE: Whole<SubscriptionRule> = { terminalId: "T1", ruleType: "LIST", ruleValue: "T1,T2", enabled: true, notes: "till" };

const CLOUD_CONFIG: Whole<CloudConfig> = {
  schema: 2,
  terminalId: "T1",
  merchantId: "M1",
  group: "north",
  family: "F",
  currency: "CHF",
  settings: { language: "it" },
  updatedAtMs: AT_MS,
};

const GROUP: Whole<TerminalGroup> = {
  schema: 1,
  name: "north",
  terminalIds: ["T1"],
  managerTerminalIds: ["T2"],
  enabled: true,
  notes: null,
  updatedAtMs: AT_MS,
};

const sealedAccount = { terminalId: "G1", merchantId: "GM1", sealedSecret: "sealed" };

const ACCOUNT: Whole<GatewayAccount> = {
  schema: 1,
  ...sealedAccount,
  former: [{ ...sealedAccount, untilMs: AT_MS + 1_000 }],
  updatedAtMs: AT_MS,
};

const ZVT: Whole<StoredZvtConfig> = {
  schema: 1,
  enabled: true,
  port: 40_007,
  timeoutSeconds: 60,
  maxConnections: 10,
  loggingLevel: "INFO",
  logRawBytes: false,
  routes: [
    {
      ...{ id: "till-1", terminalId: "T1", partnerUsername: "shop", service: "PAYCC", port: 40_008, clients: ["10.1.0.0/16"] },
      ...{ sealedPassword: "box1.key.place.bytes", tid: "12345678" },
    },
  ],
  bindHost: "10.1.0.1",
  allowedClients: ["10.1.0.0/16"],
  tls: "mutual",
  reattachSeconds: 60,
  disconnectGraceSeconds: 10,
  updatedAtMs: AT_MS,
};

const ZVT_OPEN: Whole<ZvtOpen> = {
  uuid: "paid-1",
  terminalId: "T1",
  amountCents: 1_234,
  currency: "0978",
  acceptedAtMs: AT_MS,
  receiptNo: 7,
  seq: 7,
  attached: { connection: "3", shard: "node-1#1/shard-0", writer: "shard-0-1", address: "10.1.2.3" },
  heard: true,
  disconnectedAtMs: AT_MS + 4_000,
  delivered: false,
  endedAtMs: AT_MS + 3_000,
  outcome: { type: "notPaid", code: 5, receipt: null },
  flagged: true,
};

const ZVT_RECEIPT: Whole<ZvtReceipt> = {
  ...{ resultCode: 0, amountCents: 1_234, trace: 1, atMs: AT_MS, entry: "NFC", maskedPan: "EEEEEEEEEEEE1234", tid: "12345678" },
  ...{ authCode: "123456", currency: "0978", receiptNo: 7, cardType: 10, cardName: "VISA", message: "approved" },
  slipLines: ["thank you"],
  merchantSlipLines: ["keep this"],
};

const ZVT_ROUTE: Whole<ZvtRouteRecord> = {
  schema: 1,
  epoch: "0123456789abcdef0123456789abcdef",
  seq: 7,
  open: ZVT_OPEN,
  lastReceipt: { uuid: "paid-1", receipt: ZVT_RECEIPT },
  lastOutcome: { uuid: "paid-1", atMs: AT_MS, amountCents: 1_234, type: "notPaid", code: 5 },
};

const MEMBER: Whole<MemberRecord> = {
  ...{ userId: "usr_0123456789abcdefghijkl", email: "anna@example.com", role: "OWNER", state: "ACTIVE", accountId: "acc_0123456789abcdefghijkl" },
  ...{ locale: "it", invitedAtMs: AT_MS, invitation: { tokenSha256: "digest-1", expiresAtMs: FAR_MS, by: "partner" }, joinedAtMs: AT_MS },
};

const TEAM: Whole<TeamRecord> = { schema: 1, merchantId: "M1", members: [MEMBER], updatedAtMs: AT_MS };

const RESETS: Whole<PasswordResets> = {
  schema: 1,
  accountId: "acc_0123456789abcdefghijkl",
  asked: [
    { atMs: FAR_MS - 1, tokenSha256: null },
    { atMs: FAR_MS, tokenSha256: "digest-1" },
  ],
};

const OWNER: Whole<MerchantOwner> = { schema: 1, partnerId: 1, inactive: true };

const MERCHANT: Whole<Omit<MerchantRecord, "services">> & Pick<MerchantRecord, "services"> = {
  schema: 1,
  merchantId: "M1",
  partnerId: 1,
  merchantName: "Shop",
  environment: "TEST",
  active: true,
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
  createdBy: "request-1",
  keys: { publishable: "digest-1", secret: "digest-2" },
  shownKeys: { publishable: "pk_merchant_1", secretPrefix: "sk_merchant_1", madeAtMs: AT_MS },
  openingHours: [{ weekday: 1, from: "08:30", to: "13:00" }],
  previousKeys: { publishable: "digest-3", secret: "digest-4" },
  pendingKeys: {
    keys: { publishable: "digest-5", secret: "digest-6" },
    shownKeys: { publishable: "pk_merchant_2", secretPrefix: "sk_merchant_2", madeAtMs: AT_MS },
    appliesAtMs: FAR_MS,
  },
  keysEnvironment: "TEST",
  otherKeys: {
    keys: { publishable: "digest-7", secret: "digest-8" },
    shownKeys: { publishable: "pk_merchant_3", secretPrefix: "sk_merchant_3", madeAtMs: AT_MS },
    previousKeys: { publishable: "digest-9", secret: "digest-10" },
    pendingKeys: {
      keys: { publishable: "digest-11", secret: "digest-12" },
      shownKeys: { publishable: "pk_merchant_4", secretPrefix: "sk_merchant_4", madeAtMs: AT_MS },
      appliesAtMs: FAR_MS,
    },
  },
  callsPerMinute: { permitted: 600, chosen: 200 },
  returnSchemes: ["myapp"],
  services: { PAYPAL: { enabled: true, configuration: { mode: "sandbox", members: { clientId: "c-1" }, updatedAtMs: AT_MS } } },
};

const MACHINE_TOKEN: Whole<MachineTokenRecord> = {
  ...{ schema: 1, name: "roll-outs", rights: ["read", "apps"], tokenSha256: "digest-1" },
  ...{ expiresAtMs: FAR_MS, createdAtMs: AT_MS, createdBy: "anna" },
};

const PARTNER: Whole<PartnerRecord> = {
  schema: 1,
  id: 1,
  username: "Shop",
  passwordHash: "hash",
  keySha256: "digest-1",
  previousKey: { sha256: "digest-2", untilMs: AT_MS + 1_000 },
  enabled: true,
  gateway: sealedAccount,
  testGateway: { ...sealedAccount, merchantId: "TESTMER1" },
  formerGateways: [{ ...sealedAccount, untilMs: AT_MS + 1_000 }],
  allowedOrigins: { shop: "https://shop.example" },
  terminals: { ruleType: "LIST", ruleValue: "T1" },
  adapter: { merchantId: "A1", sealedSecret: "sealed" },
  rates: { pay: 100, get: 200 },
  partnerApi: {
    partnerCode: "SHOP",
    name: "Shop",
    role: "ADMIN",
    allowedServices: ["PAYPAL"],
    maxMerchants: 10,
    ipWhitelist: ["192.0.2.0/24"],
    keySha256: "digest-3",
    previousKey: { sha256: "digest-4", untilMs: AT_MS + 1_000 },
    sealedSecret: "sealed",
  },
  sandbox: false,
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
  deletedAtMs: null,
};

const ADMINISTRATOR: Whole<AdministratorRecord> = {
  schema: 1,
  username: "Anna",
  role: "operator",
  enabled: true,
  password: { type: "slow", hash: "hash" },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
  passwordChangedAtMs: AT_MS,
};

async function writeAdministrators(kv: Kv): Promise<void> {
  const store = createAdministratorStore(kv);
  const generated: AdministratorRecord = { ...ADMINISTRATOR, username: "bert", role: "read-only", password: { type: "sha256", hex: "digest-1" } };
  for (const after of [ADMINISTRATOR, generated]) {
    assert.equal(await store.replace({ username: after.username, before: null, after, actor: null }), "replaced");
  }
}

const CLAIM: Whole<IdempotencyClaim> = {
  schema: 1,
  fingerprint: "digest-1",
  operationId: "operation-1",
  createdAtMs: AT_MS,
  lifetimeMs: 86_400_000,
  state: { type: "answered", text: "{}", sealed: false },
};

const AUDIT: Whole<AuditEntry> = {
  atMs: AT_MS,
  actor: "administrator",
  merchantId: "SHOP-1",
  username: "admin",
  role: "owner",
  ipAddress: "192.0.2.7",
  requestId: "r-1",
  action: "partner.create",
  subject: "1",
  members: ["username"],
  note: "why",
  outcome: { type: "refused", code: "conflict" },
};

const LOG: Whole<Omit<TerminalLog, "id">> = { receivedAtMs: AT_MS, device: { "x-model": "M" }, body: '{"level":"info"}' };

const LINK: Whole<LinkRecord> = {
  state: "success",
  order: {
    txId: "link-1",
    terminalId: "T1",
    partnerId: 1,
    merchantId: "GM1",
    shop: "SHOP-001",
    owner: "partner:1",
    amount: "12.34",
    amountMinor: 1_234,
    currency: "EUR",
    description: "Order 1",
    merchantReference: "reference-1",
    customerEmail: "someone@shop.example",
    instrument: "card",
    capture: "now",
    returnUrl: "https://shop.example/back",
    createdAtMs: AT_MS,
    expiresAtMs: AT_MS + 3_600_000,
    attachment: "{}",
  },
  inits: 1,
  paymentId: "payment-1",
  paymentUrl: "https://gateway.example/payment-1",
  nextAtMs: AT_MS + 60_000,
  verifiedAtMs: AT_MS + 30_000,
  notifications: 1,
  outcome: {
    resultCode: "000",
    description: "approved",
    atMs: AT_MS + 30_000,
    payment: {
      resultCode: "000",
      description: "approved",
      tranId: "tran-1",
      authCode: "123456",
      maskedPan: "************1234",
      cardBrand: "VISA",
      payerName: "Some",
      payerLastName: "One",
      amount: { amountMinor: 1_234, currency: "EUR" },
    },
  },
  late: false,
  overdue: false,
  followUps: [
    {
      id: "follow-up-1",
      type: "refund",
      amountMinor: 34,
      whole: false,
      state: "requested",
      requestedAtMs: AT_MS + 40_000,
      finishedAtMs: null,
      tranId: "tran-2",
      resultCode: "000",
      description: "refunded",
      flagged: true,
      repeated: true,
      refusal: { atMs: AT_MS + 41_000, resultCode: "001", description: "refused" },
      by: "key",
      begun: { times: 2, firstAtMs: AT_MS + 39_000 },
    },
  ],
  settled: true,
  revoked: true,
  reversalOwed: { sinceMs: AT_MS + 30_000, state: "owed", attempts: 1, nextAtMs: AT_MS + 60_000 },
};

const CALLBACK: Whole<CallbackRecord> = {
  schema: 1,
  id: "link-1.success.callback",
  url: "https://shop.example/callback",
  body: { merId: "A1", txId: "order-1", paymentId: "link-1" },
  state: "waiting",
  attempts: 1,
  createdAtMs: AT_MS,
  nextAtMs: AT_MS + 5_000,
  lastAttemptAtMs: AT_MS + 1_000,
  lastError: "503",
};

const WEBHOOK_EVENT: Whole<WebhookEvent> = {
  schema: 1,
  id: "evt_1",
  format: "platform",
  merchantId: "M1",
  partnerId: 1,
  livemode: true,
  type: "payment_intent.succeeded",
  createdAtMs: AT_MS,
  objectId: "pi_1",
  sequence: 3,
  data: { object: { id: "pi_1" }, previous_attributes: { amount: 5 } },
  request: { id: "req_1", idempotencyKey: "key-1" },
};

export const WEBHOOK_ENDPOINT: Whole<WebhookEndpointRecord> = {
  schema: 1,
  id: "we_1",
  owner: { type: "merchant", merchantId: "M1" },
  format: "platform",
  livemode: true,
  url: "https://shop.example/webhooks",
  events: ["payment_intent.succeeded"],
  apiVersion: "2026-10-28.endive",
  description: "the shop",
  metadata: { shop: "1" },
  status: "disabled",
  disabledReason: "gone",
  madeBy: { type: "key", keyId: "0123456789abcdef" },
  secrets: [
    { sealed: "sealed-2", untilMs: null, madeBy: "operation-2" },
    { sealed: "sealed-1", untilMs: AT_MS + 86_400_000, madeBy: "operation-1" },
  ],
  rolls: ["operation-2"],
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 1_000,
};

export const WEBHOOK_DELIVERY: Whole<WebhookDeliveryRecord> = {
  schema: 1,
  id: "evt_1.we_1",
  eventId: "evt_1",
  endpointId: "we_1",
  owner: "merchant",
  merchantId: "M1",
  partnerId: 1,
  livemode: true,
  eventType: "payment_intent.succeeded",
  objectId: "pi_1",
  sequence: 3,
  apiVersion: "2026-10-28.endive",
  pendingWebhooks: 2,
  state: "waiting",
  attemptsMade: 1,
  attempts: [{ atMs: AT_MS + 10, durationMs: 120, status: 500, answer: "no", error: "answered 500" }],
  createdAtMs: AT_MS,
  nextAtMs: AT_MS + 5_000,
};

/** Writes a dead delivery, and the number of dead ones since the last success. */
async function writeDead(kv: Kv): Promise<void> {
  const store = createWebhookDeliveryStore(kv);
  await store.create(WEBHOOK_DELIVERY);
  const stored = await store.load(WEBHOOK_DELIVERY.id);
  if (stored !== null) await store.dead(stored, { ...WEBHOOK_DELIVERY, state: "dead", nextAtMs: null }, WEBHOOK_EVENT);
}

const VERSION: Whole<AppVersion> = {
  id: 1,
  versionCode: 7,
  versionName: "1.7",
  mandatory: true,
  releaseNotes: "notes",
  active: true,
  createdAtMs: AT_MS,
  package: { fileName: "app-7.apk", md5: "digest-1", bytes: 1_024, storedAtMs: AT_MS },
  deleting: false,
};

const DEPLOYMENT: Whole<AppDeployment> = {
  schema: 1,
  id: 2,
  versionId: 1,
  target: { type: "terminal", terminalId: "T1" },
  state: "active",
  pausedBecause: "operator",
  resumesAs: "active",
  counts: { offered: 1, downloaded: 1, installed: 1, failed: 0 },
  countedBefore: { installed: 1, failed: 0 },
  rolloutPercent: 100,
  pauseAtFailurePercent: 10,
  pauseAfterReports: 10,
  staged: { rings: [{ groups: ["pilot"], percent: 10 }], started: 0, advanceAfterReports: 20 },
  startsByHand: false,
  stopped: false,
  createdAtMs: AT_MS,
  changedAtMs: AT_MS,
};

const TARGET: Whole<TargetRecord> = { target: { type: "terminal", terminalId: "T1" }, current: 2, draft: 3, history: [4], retired: [5] };
const MARK: Whole<InstallMark> = { offered: true, downloaded: true, outcome: "failed", reason: "no space" };
const INSTALL_LOG: Whole<Omit<InstallLog, "id">> = {
  receivedAtMs: AT_MS,
  terminalId: "T1",
  versionCode: 7,
  status: "completed",
  fromTerminal: true,
  body: "{}",
};

const INTENT: Whole<IntentRecord> = {
  schema: 1,
  id: "pi_000000000000000000000001",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  clientSecret: "pi_000000000000000000000001_secret_1",
  token: "0000000000000000000000011",
  order: {
    amountMinor: 1_234,
    currency: "EUR",
    captureMethod: "manual",
    confirmationMethod: "automatic",
    description: "Order 1",
    metadata: { order: "1" },
    receiptEmail: "someone@shop.example",
    returnUrl: "https://shop.example/back",
    shipping: { name: "Someone" },
    customer: "cus_1",
    statementDescriptor: "SHOP",
    statementDescriptorSuffix: "1",
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: true,
  },
  createdAtMs: AT_MS,
  attempts: [
    {
      txId: "pi_000000000000000000000001.1",
      chargeId: "ch_000000000000000000000001",
      state: "paid",
      amountMinor: 1_234,
      currency: "EUR",
      capture: "later",
      createdAtMs: AT_MS + 1_000,
      url: "https://gateway.example/payment-1",
      expiresAtMs: AT_MS + 3_600_000,
      endedAtMs: AT_MS + 30_000,
      resultCode: "000",
      resultDescription: "approved",
      settled: true,
      paid: {
        ...{ atMs: AT_MS + 30_000, amountMinor: 1_234, currency: "EUR" },
        ...{ authCode: "123456", cardBrand: "VISA", cardLast4: "1234" },
      },
      followUps: [
        {
          id: "re_000000000000000000000001",
          type: "refund",
          amountMinor: 1_234,
          state: "done",
          requestedAtMs: AT_MS + 40_000,
          finishedAtMs: AT_MS + 41_000,
          description: "refunded",
        },
      ],
      unwanted: true,
      ofCharge: { description: "Charge 1", metadata: { charge: "1" } },
    },
  ],
  cancellation: { reason: "abandoned", requestedAtMs: AT_MS + 20_000, canceledAtMs: AT_MS + 21_000, operationId: "operation-1" },
  refunds: [
    {
      id: "re_000000000000000000000001",
      chargeId: "ch_000000000000000000000001",
      reason: "requested_by_customer",
      metadata: { why: "broken" },
      createdAtMs: AT_MS + 40_000,
      told: true,
    },
  ],
  events: 7,
};

export const PORTAL_LINK: Whole<PortalLinkRecord> = {
  schema: 1,
  id: "pl_000000000000000000000001",
  token: "AbCdEfGhIjKlMnOpQrStUv",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  order: {
    amountMinor: 1_250,
    currency: "EUR",
    description: "Two nights",
    reference: "R-7",
    customerEmail: "ada@example.org",
    expiresAtMs: AT_MS + 7 * 86_400_000,
  },
  createdBy: { type: "user", userId: "usr_1" },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 60_000,
  state: "CANCELLED",
  late: false,
  attempts: [
    {
      txId: "pl_000000000000000000000001.1",
      state: "failed",
      createdAtMs: AT_MS + 1_000,
      url: "https://pay.example/1",
      expiresAtMs: AT_MS + 3_601_000,
      endedAtMs: AT_MS + 30_000,
      resultCode: "GW_10001",
      resultDescription: "declined",
      settled: true,
      paid: { atMs: AT_MS + 30_000, amountMinor: 1_250, currency: "EUR", cardLast4: "1111" },
      refund: "unknown",
    },
  ],
  paidAtMs: AT_MS + 30_000,
  cancelledAtMs: AT_MS + 60_000,
  cancelledBy: "operation-1",
  mails: [{ id: "plm_000000000000000000000001", atMs: AT_MS + 500 }],
  nextAtMs: AT_MS + 7 * 86_400_000,
  events: 1,
};

const PORTAL_LINK_OF_AGENT: Whole<PortalLinkRecord> = {
  ...PORTAL_LINK,
  ...{ id: "pl_000000000000000000000002", token: "BbCdEfGhIjKlMnOpQrStUv", attempts: [], mails: [] },
  createdBy: { type: "agent", agentId: "ac_000000000000000000000001" },
};

export const AGENT_CREDENTIAL: Whole<AgentCredentialRecord> = {
  schema: 1,
  id: "ac_000000000000000000000001",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  name: "Booking assistant",
  digest: "ab".repeat(32),
  last4: "x7Qa",
  scopes: ["links:create", "links:read"],
  limits: { currency: "EUR", perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 50_000, linksPerHour: 20 },
  ipAllow: ["203.0.113.0/24"],
  createdBy: { type: "user", userId: "usr_1" },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
  expiresAtMs: AT_MS + 30 * 86_400_000,
  state: "EXHAUSTED",
  reserved: { totalMinor: 50_000, day: "2026-11-25", dayMinor: 1_250, links: 7 },
  revokedAtMs: null,
  revokedBy: null,
  nextAtMs: AT_MS + 30 * 86_400_000,
  events: 1,
};

const AGENT_USE: AddedUse = {
  lastUsedAtMs: AT_MS,
  calls: [{ atMs: AT_MS, tool: "create_payment_link", outcome: "refused", argumentsDigest: "cd".repeat(32) }],
  refused: { currency: 0, perLinkMax: 1, perDay: 0, total: 2, linksPerHour: 0 },
};

export const DISPUTE: Whole<DisputeRecord> = {
  schema: 1,
  id: "dp_000000000000000000000001",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  network: "VISA",
  networkCaseId: "C-1",
  stage: "CHARGEBACK",
  uuid: "pl_000000000000000000000001.1",
  terminalId: "TML1",
  amountMinor: 1_250,
  currency: "EUR",
  reasonCode: "10.4",
  category: "FRAUD",
  respondByMs: AT_MS + 10 * 86_400_000,
  alertId: "al_000000000000000000000001",
  state: "EVIDENCE_REQUIRED",
  draft: { statement: "It was delivered", fields: { tracking: "1Z" } },
  files: [
    {
      id: "dpf_000000000000000000000001",
      state: "staged",
      name: "receipt.pdf",
      category: "RECEIPT",
      bytes: 1_000,
      type: "application/pdf",
      sha256: "sha-1",
      uploadedAtMs: AT_MS + 1_000,
      untilMs: AT_MS + 901_000,
    },
  ],
  submissions: [
    {
      id: "dps_000000000000000000000001",
      state: "asked",
      by: { type: "user", userId: "usr_1" },
      submittedAtMs: AT_MS + 2_000,
      respondByMs: AT_MS + 5 * 86_400_000,
      statement: "It was delivered",
      fields: { tracking: "1Z" },
      fileIds: ["dpf_000000000000000000000001"],
      checks: 1,
      nextAtMs: AT_MS + 60_000,
      endedAtMs: AT_MS + 61_000,
    },
  ],
  outcome: { result: "LOST", by: "network", atMs: AT_MS + 62_000 },
  reminders: [604_800_000],
  mailOwed: { leadMs: 604_800_000, atMs: AT_MS + 90_000 },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 60_000,
  nextAtMs: AT_MS + 60_000,
  events: 2,
};

export const ALERT: Whole<AlertRecord> = {
  schema: 1,
  id: "al_000000000000000000000001",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  source: "ETHOCA",
  networkRef: "R-1",
  uuid: "pl_000000000000000000000001.1",
  terminalId: "TML1",
  method: "PAYBYLINK",
  category: "FRAUD",
  amountMinor: 1_250,
  currency: "EUR",
  respondByMs: AT_MS + 86_400_000,
  state: "PENDING",
  rule: "small",
  ruleHeld: "daily_cap",
  refund: {
    id: "alert-al_000000000000000000000001",
    state: "refused",
    by: { type: "rule", ruleId: "small" },
    attempt: 1,
    requestedAtMs: AT_MS,
    requestId: "req_1",
    checks: 1,
    nextAtMs: AT_MS + 60_000,
    endedAtMs: AT_MS + 61_000,
    moved: false,
    detail: "not_refundable_here",
  },
  end: { by: "merchant", atMs: AT_MS + 62_000, reason: "was delivered" },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 61_000,
  nextAtMs: AT_MS + 86_400_000,
  events: 1,
};

const ALERT_RULES: Whole<AlertRules> = {
  schema: 1,
  merchantId: "merchant-1",
  livemode: true,
  enabled: true,
  currency: "EUR",
  rules: [{ id: "small", amountMaxMinor: 2_000, sources: ["ETHOCA"], categories: ["FRAUD"], methods: ["PAYBYLINK"] }],
  dailyCountMax: 10,
  dailyAmountMaxMinor: 20_000,
  updatedAtMs: AT_MS,
  updatedBy: { type: "user", userId: "usr_1" },
};

export const PLAN: Whole<PlanRecord> = {
  schema: 1,
  id: "plan_000000000000000000000001",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  terms: { name: "Gym", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 14 },
  active: true,
  used: true,
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
};

const DUNNING_TERMS = { retryDays: [1, 3], finalAction: "PAUSE", mails: true } as const;

export const SUBSCRIPTION: Whole<SubscriptionRecord> = {
  schema: 1,
  id: "sub_000000000000000000000001",
  token: "SbCdEfGhIjKlMnOpQrStUv",
  merchantId: "merchant-1",
  partnerId: 1,
  livemode: true,
  planId: PLAN.id,
  plan: PLAN.terms,
  customer: { name: "Ada", email: "ada@example.org", locale: "it" },
  collection: "CARD",
  methodId: "card_1",
  createdBy: { type: "user", userId: "usr_1" },
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS + 60_000,
  anchorDay: 31,
  anchorMonth: "2026-01",
  state: "PAST_DUE",
  cycle: 2,
  period: { fromMs: AT_MS, untilMs: AT_MS + 30 * 86_400_000 },
  charge: {
    cycle: 2,
    dueAtMs: AT_MS,
    period: { fromMs: AT_MS, untilMs: AT_MS + 30 * 86_400_000 },
    amountMinor: 2_900,
    currency: "EUR",
    state: "OPEN",
    failedAtMs: AT_MS + 2_000,
    paidAtMs: AT_MS + 3_000,
    late: false,
    attempts: [
      {
        id: "sub-sub_000000000000000000000001-2-1",
        n: 1,
        means: "LINK",
        state: "open",
        askedAtMs: AT_MS + 1_000,
        lookedAtMs: AT_MS + 2_000,
        looks: 1,
        lookAtMs: AT_MS + 60_000,
        endedAtMs: AT_MS + 2_000,
        code: "declined",
        description: "no",
        hard: true,
        link: { id: "pl_000000000000000000000001", token: "AbCdEfGhIjKlMnOpQrStUv" },
        closing: true,
        flagged: true,
        uuid: "pl_000000000000000000000001.1",
      },
    ],
  },
  dunning: { failedAtMs: AT_MS + 2_000, terms: DUNNING_TERMS, step: 1, stays: false },
  cancelsAtPeriodEnd: false,
  cancelledAtMs: AT_MS + 60_000,
  cancelledBy: "merchant",
  pausedAtMs: AT_MS + 60_000,
  pausedBy: "dunning",
  retriedAtMs: AT_MS + 30_000,
  operationId: "operation-1",
  mailOwed: { kind: "step", atMs: AT_MS + 90_000 },
  mails: 2,
  nextAtMs: AT_MS + 60_000,
  events: 3,
  activeAtMs: AT_MS + 3_000,
};

const MAIL: Mail = {
  id: "mail-1",
  kind: "invitation",
  to: "ada@example.org",
  subject: "You are invited",
  text: "Open https://relay.example.org/portal/invitation/token-1",
  merchantId: "SHOP-001",
};

export const EXPORT: ExportRecord = {
  ...{ schema: 1, id: "exp_000000000000000000000001", merchantId: "merchant-1", partnerId: 7, livemode: true },
  order: {
    ...{ list: "payment-links", filters: { from: "2026-05-01", state: "PAID" }, format: "XLSX", lang: "it" },
    ...{ columns: ["createdAt", "amount", "customerEmail"], personalData: true },
  },
  createdBy: { type: "user", userId: "usr_1" },
  ...{ createdAtMs: AT_MS, updatedAtMs: AT_MS + 2, state: "READY", attempts: 1, leaseOf: "", leaseUntilMs: null },
  ...{ startedAtMs: AT_MS + 1, endedAtMs: AT_MS + 2, failure: null, file: "export-00000000000000000000000000000001" },
  ...{ rows: 2, bytes: 123, expiresAtMs: AT_MS + 86_400_002, nextAtMs: AT_MS + 86_400_002 },
};

const FLEET_ACTION: FleetAction = {
  ...{ schema: 1, id: "fla_000000000000000000000001", createdBy: "paola", createdAtMs: AT_MS, state: "RUNNING" },
  order: { type: "SETTINGS", group: "pilot", settings: { idleText: "Welcome" } },
  tasks: [
    { terminalId: "T1", outcome: "REFUSED", refusal: "OFFLINE" },
    { terminalId: "T2", outcome: "PENDING", refusal: null },
  ],
  ...{ endedAtMs: null, nextAtMs: AT_MS + 1_000 },
};

const CLOSED_DAY: ClosedDay = {
  ...{ schema: 1, merchantId: "merchant-1", partnerId: 7, livemode: true, day: "2026-05-06", timeZone: "Europe/Rome" },
  ...{ fromMs: AT_MS, untilMs: AT_MS + 86_400_000, closedAtMs: AT_MS + 2 * 86_400_000 },
  figures: {
    payments: [{ terminalId: "T1", method: "CARD", status: "OK", currency: "EUR", count: 2, amountMinor: 2_100 }],
    links: [{ state: "PAID", currency: "EUR", count: 1, amountMinor: 1_050 }],
    refunds: [{ state: "done", currency: "EUR", count: 1, amountMinor: 1_050 }],
    unknown: { count: 1, items: [{ uuid: "uuid-1", terminalId: "T1" }] },
    conflicting: { count: 0, items: [] },
  },
};

const CORRECTIONS: CorrectionsRecord = {
  schema: 1,
  items: [
    {
      subject: { of: "unknown", uuid: "uuid-1", terminalId: "T1" },
      atMs: AT_MS + 3 * 86_400_000,
      before: { count: 1, amountMinor: 0 },
      after: { count: 0, amountMinor: 0 },
    },
  ],
  count: 1,
  latest: { ...CLOSED_DAY.figures, unknown: { count: 0, items: [] } },
};

/** Real sealing is random, and other tests check the form of a sealed text. */
const UNSEALED: SecretBox = { seal: (secret, context) => `${context}:${secret}`, open: (sealed, context) => sealed.slice(context.length + 1) };

const now = () => AT_MS;
const atNow = { nowMs: now, monotonicMs: now };

const terminalStore = (kv: Kv) => createTerminalStore({ kv, nowMs: now, retentionMs: RETENTION_MS, writer: "w" });
const linkStore = (kv: Kv) => createLinkStore({ kv, retentionMs: RETENTION_MS, writer: "w" });
const intentStore = (kv: Kv) => {
  const objects = { intent: () => ({}), charge: () => ({}), refund: () => ({}) };
  const store = createWorkflowStore(kv, intentWorkflow(objects), RETENTION_MS);
  return { store, indexes: createIntentIndexStore(kv, store) };
};
const asHex = (text: string) => Buffer.from(text).toString("hex");
const portalLinkStore = (kv: Kv) => {
  const digests = { digest: asHex, keyedDigest: asHex };
  const store = createWorkflowStore(kv, portalLinkWorkflow(digests), RETENTION_MS);
  return { store, queries: createPortalLinkQueries(store, digests) };
};
const agentCredentialStore = (kv: Kv) => createWorkflowStore(kv, AGENT_CREDENTIAL_WORKFLOW, RETENTION_MS);
const disputeStore = (kv: Kv) => createWorkflowStore(kv, DISPUTE_WORKFLOW, RETENTION_MS);
const disputeFileStore = (kv: Kv) => createDisputeFileStore({ kv, keptMs: RETENTION_MS });
const alertStore = (kv: Kv) => createWorkflowStore(kv, ALERT_WORKFLOW, RETENTION_MS);
const writeDispute = async (kv: Kv) => {
  const transition = { record: DISPUTE, before: null, atMs: AT_MS };
  const part = await createHoldGuard(kv, (one) => DISPUTE_WORKFLOW.expiresAtMs(one, RETENTION_MS)).read(transition);
  if ("refused" in part) throw new Error(part.refused);
  return disputeStore(kv).commit({ ...transition, version: 0, part });
};
const writeExport = (kv: Kv) =>
  createExportStore(kv).commit({
    ...{ after: EXPORT, before: null, version: 0 },
    room: { record: { schema: 1, underWay: ["exp_000000000000000000000002"], kept: 2, bytes: 123 }, version: 0 },
  });
const subscriptionStore = (kv: Kv) => {
  const digests = { digest: asHex, keyedDigest: asHex };
  const store = createWorkflowStore(kv, subscriptionWorkflow(digests, () => "TML1"), RETENTION_MS);
  return { store, queries: createSubscriptionQueries(store, digests) };
};
const writeSubscription = (kv: Kv) =>
  subscriptionStore(kv).store.commit({ record: SUBSCRIPTION, before: null, version: 0, part: NO_PART, atMs: AT_MS });
const appStore = (kv: Kv) => createAppStore({ kv, nowMs: now, writer: "w" });
const auditStore = (kv: Kv) => createAuditStore({ kv, writer: "w", failed: () => undefined });
const put = (kv: Kv, ...operations: Operation[]) => kv.commit({ checks: [], operations });

const noChange = { decidedBy: null, terminal: null, claims: [], commands: [], rows: [], attention: [], settled: [], atMs: AT_MS };

async function writeTerminals(kv: Kv): Promise<void> {
  for (const record of [TERMINAL, HELD, BY_ANY]) {
    const terminal = { record, version: 0, workBefore: "idle" } as const;
    await terminalStore(kv).commit({ ...noChange, terminalId: record.terminalId, terminal });
  }
}

const writeCommand = (kv: Kv) => terminalStore(kv).commit({ ...noChange, terminalId: "T1", claims: [COMMAND, IN_CAPITALS] });
const writeRows = (kv: Kv) => put(kv, ...ROWS.map((row, index) => outboxOperation(row, AT_MS, `w-${index}`)));

async function writeMerchant(kv: Kv): Promise<void> {
  await createMerchantStore(kv).commit({
    merchant: { record: MERCHANT, version: 0 },
    before: null,
    count: { record: { active: 1, stored: 2 }, version: 0 },
    secrets: { service: "PAYPAL", sealed: "sealed" },
    madeKeys: { operationId: "request-1", sealed: "sealed", expiresAtMs: FAR_MS },
  });
}

const writeLink = (kv: Kv) =>
  linkStore(kv).commit({ record: LINK, before: null, version: 0, rows: [], attention: [], settled: [], atMs: AT_MS });

async function writeApp(kv: Kv): Promise<void> {
  const store = appStore(kv);
  await store.nextId();
  await store.commit({
    version: { record: VERSION, version: 0, codeBefore: null },
    deployments: [{ record: DEPLOYMENT, version: 0 }],
    targets: [{ record: TARGET, version: 0 }],
    marks: [{ record: MARK, version: 0, deploymentId: 2, terminalId: "T1" }],
    changesTable: true,
  });
  await store.appendInstallLog(INSTALL_LOG);
  await store.lockUpload(1);
}

function recordExample(kind: RecordKind, key: string, record: { readonly schema: number }): StoredExample {
  const store = (kv: Kv) => createRecordStore(kv, kind);
  return {
    write: (kv) => store(kv).save(key, record),
    read: async (kv) => {
      const parts = await Promise.all(Array.from({ length: kind.partitions }, (_, part) => store(kv).load(part)));
      return parts.flatMap((part) => [...part]).map(([name, { record: found }]) => [name, found]);
    },
  };
}

const CLEANED = 501;

const LOSS: PendingLoss = { lostVersion: AT_MS, aboveVersion: AT_MS + 5, certain: true, acknowledged: false, foundAtMs: AT_MS + 10 };

/** The examples by kind. Only production code of the stores writes and reads here. */
export const STORED_EXAMPLES = {
  terminal: {
    write: writeTerminals,
    read: async (kv) => {
      const stored = await Promise.all(["T1", "T2", "T3"].map((id) => terminalStore(kv).loadTerminal(id)));
      return stored.flatMap((one) => (one === null ? [] : [one.record]));
    },
  },
  command: { write: writeCommand, read: async (kv) => (await terminalStore(kv).loadCommand("paid-1"))?.record },
  outstandingTerminal: { write: writeTerminals, read: (kv) => terminalStore(kv).pageOutstanding("", 10) },
  attention: {
    write: (kv) => put(kv, attentionOperation(ATTENTION)),
    read: (kv) => terminalStore(kv).pageAttention("", 10),
  },
  unreadableAnswer: {
    write: (kv) => terminalStore(kv).keepUnreadable({ ...ATTENTION, kind: "unreadable" }, ["sent-1"]),
    read: (kv) => terminalStore(kv).unreadableAnswerAtMs("sent-1"),
  },
  presence: { write: (kv) => createPresenceStore(kv).save([PRESENCE]), read: (kv) => createPresenceStore(kv).load("T1") },
  outboxRow: {
    write: writeRows,
    read: async (kv) => {
      const rows: unknown[] = [];
      for await (const { row } of outboxRows(kv)) rows.push(row);
      return rows;
    },
  },
  refusedRow: {
    write: (kv) => put(kv, ...setAsideOperations({ key: `o/${AT_MS}-w-1`, value: '{"type":"life"}' }, "it cannot be read", AT_MS)),
    read: async (kv) => {
      const rows: unknown[] = [];
      for await (const { row } of rowsSetAside(kv)) rows.push(row);
      return rows;
    },
  },
  feedTurn: {
    write: async (kv) => {
      const lease = new LeaderLease(kv, atNow);
      await lease.acquire();
      await lease.release(`o/${AT_MS}-w-1`);
      const filling = new LeaderLease(kv, atNow, "backfill");
      await filling.acquire();
      await filling.release("00000000-0000-4000-8000-000000000001/7/T1");
      const objects = new LeaderLease(kv, atNow, "objects");
      await objects.acquire();
      await objects.release("00000000-0000-4000-8000-000000000001 portal-link/pl_000000000000000000000001");
    },
    read: (kv) => new LeaderLease(kv, atNow).acquire(),
  },
  shopsSince: {
    write: async (kv) => {
      await noteShopsSince(kv, () => AT_MS);
      const noted = await loadShopsSince(kv);
      if (noted !== null) await noteFilled(kv, noted, "00000000-0000-4000-8000-000000000001");
    },
    read: (kv) => loadShopsSince(kv),
  },
  feedGap: { write: (kv) => noteFeedGap(kv, AT_MS), read: (kv) => loadFeedGap(kv) },
  objectsFilled: {
    write: (kv) => noteObjectsFilled(kv, null, "00000000-0000-4000-8000-000000000001"),
    read: (kv) => loadObjectsFilled(kv),
  },
  subscriptionRule: { write: (kv) => createDirectoryStore(kv).saveRule(RULE), read: (kv) => createDirectoryStore(kv).load() },
  deniedTerminal: { write: (kv) => createDirectoryStore(kv).setDenied("T1", true), read: (kv) => createDirectoryStore(kv).load() },
  cloudConfig: recordExample(CLOUD_CONFIGS, "T1", CLOUD_CONFIG),
  terminalGroup: recordExample(TERMINAL_GROUPS, "north", GROUP),
  gatewayAccount: recordExample(GATEWAY_ACCOUNTS, "installation", ACCOUNT),
  serviceSettings: recordExample(SERVICE_SETTINGS, "zvt", ZVT),
  merchantOwner: recordExample(MERCHANT_OWNERS, "M1", OWNER),
  merchant: {
    write: writeMerchant,
    read: (kv) => createMerchantStore(kv).page(1, { after: "", limit: 10, status: "ACTIVE" }),
  },
  merchantKey: { write: writeMerchant, read: async (kv) => (await createMerchantStore(kv).byKey("digest-1"))?.merchantId ?? null },
  merchantCount: { write: writeMerchant, read: async (kv) => (await createMerchantStore(kv).count(1)).record },
  merchantSecret: { write: writeMerchant, read: (kv) => createMerchantStore(kv).sealedSecrets("M1", "PAYPAL") },
  merchantMadeKeys: { write: writeMerchant, read: (kv) => createMerchantStore(kv).madeKeys("M1", "request-1") },
  branding: { write: writeBranding, read: async (kv) => (await createBrandingStore(kv).load("M1")).record },
  brandingLogo: { write: writeBranding, read: (kv) => createBrandingStore(kv).logo("a".repeat(32)) },
  machineToken: {
    write: (kv) => createMachineTokenStore(kv).create(MACHINE_TOKEN, { checks: [], operations: [] }),
    read: async (kv) => (await createMachineTokenStore(kv).find("Roll-Outs"))?.record,
  },
  namedAdministrator: {
    write: writeAdministrators,
    read: async (kv) => [...(await createAdministratorStore(kv).load(0))].map(([name, { record }]) => [name, record]),
  },
  partner: {
    write: (kv) => createPartnerStore(kv).create((id) => ({ ...PARTNER, id })),
    read: async (kv) => (await createPartnerStore(kv).find(1))?.record,
  },
  callCount: { write: (kv) => createCallCountStore(kv).add(1, 7), read: (kv) => createCallCountStore(kv).load(1) },
  idempotencyClaim: {
    write: (kv) => createIdempotencyStore(kv).save("scope-1", CLAIM, 0),
    read: async (kv) => (await createIdempotencyStore(kv).load("scope-1"))?.record,
  },
  audit: { write: (kv) => auditStore(kv).record(AUDIT), read: (kv) => auditStore(kv).page({ before: "", limit: 10 }) },
  terminalLog: {
    write: (kv) => createTerminalLogStore(kv, "w").append("T1", LOG),
    read: (kv) => createTerminalLogStore(kv, "w").page("T1", 10),
  },
  resultCount: {
    write: (kv) => createResultCountStore(kv, now).save("2026-05-06", "node/shard-0", { CARD: { OK: 2, KO: 1 } }),
    read: (kv) => createResultCountStore(kv, now).total("2026-05-06"),
  },
  signatureStamp: {
    write: (kv) => createSignatureNonceStore(kv, now).take("digest-1", 1_000),
    read: (kv) => createSignatureNonceStore(kv, now).take("digest-1", 1_000),
  },
  portalAccount: {
    write: (kv) => createAccountStore(kv).commit({ account: { record: PORTAL_ACCOUNT, version: 0 }, before: null }),
    read: async (kv) => {
      const store = createAccountStore(kv);
      return [(await store.load(PORTAL_ACCOUNT.accountId))?.record, (await store.byEmail(PORTAL_ACCOUNT.email))?.record];
    },
  },
  portalSession: {
    write: (kv) =>
      createSessionStore(kv, now).begin(PORTAL_SESSION, { replaces: null, also: [challengeUsed("digest-2", AT_MS + 300_000)] }),
    read: async (kv) => {
      const store = createSessionStore(kv, now);
      return [(await store.find(PORTAL_SESSION.tokenSha256))?.record, await store.ofAccount(PORTAL_SESSION.accountId)];
    },
  },
  administratorFactors: {
    write: async (kv) => {
      const store = createAdministratorFactorsStore(kv);
      return store.commit(await store.load("adm_1", "anna"), ADMINISTRATOR_FACTORS, []);
    },
    read: async (kv) => (await createAdministratorFactorsStore(kv).load("adm_1", "anna")).record,
  },
  administratorSession: {
    write: (kv) => administratorSessions(kv).begin(ADMINISTRATOR_SESSION, { replaces: null }),
    read: async (kv) => {
      const store = administratorSessions(kv);
      return [(await store.find(ADMINISTRATOR_SESSION.tokenSha256))?.record, await store.ofAccount(ADMINISTRATOR_SESSION.accountId)];
    },
  },
  usualLogin: {
    write: (kv) => createUsualLoginStore(kv, now).remember("digest-1", "digest-2"),
    read: async (kv) => [...(await createUsualLoginStore(kv, now).at("digest-1"))],
  },
  tableStamp: {
    write: (kv) => put(kv, tableVersionOperation("apps")),
    read: async (kv) => (await createTableVersions(kv).load(["apps"])).map((version) => version > 0),
  },
  link: {
    write: writeLink,
    read: async (kv) => {
      const links = linkStore(kv);
      const found = await Promise.all([links.load("link-1"), links.findByPaymentId(1, "payment-1"), links.findByTranId(1, "tran-2")]);
      return found.map((one) => one?.record);
    },
  },
  zvtRoute: {
    write: (kv) => createZvtRouteStore({ kv }).commit({ routeId: "till-1", record: ZVT_ROUTE, version: 0 }),
    read: async (kv) => (await createZvtRouteStore({ kv }).load("till-1"))?.record,
  },
  team: {
    write: (kv) => createTeamStore(kv).commit(null, TEAM),
    read: async (kv) => (await createTeamStore(kv).load("M1"))?.record,
  },
  teamInvitation: {
    write: (kv) => createTeamStore(kv).commit(null, TEAM),
    read: async (kv) => (await createTeamStore(kv).byInvitation("digest-1"))?.record.merchantId,
  },
  passwordReset: {
    write: async (kv) => {
      const store = createPasswordResetStore(kv);
      await store.commit(await store.load(RESETS.accountId), RESETS);
    },
    read: async (kv) => (await createPasswordResetStore(kv).byToken("digest-1"))?.record,
  },
  mail: {
    write: (kv) => put(kv, ...mailOperations(MAIL, { box: UNSEALED, atMs: AT_MS, expiresAtMs: AT_MS + 3_600_000 })),
    read: async (kv) => [
      (await createMailStore(kv).load("mail-1"))?.record,
      (await createMailStore(kv).page(null, 10)).map((record) => mailText(UNSEALED, record)),
      await createMailStore(kv).pageDue(duePartitionOf("mail-1"), null, AT_MS + 1, 10),
      await createMailStore(kv).queued("invitation"),
    ],
  },
  intent: {
    write: (kv) => intentStore(kv).store.commit({ record: INTENT, before: null, version: 0, part: NO_PART, atMs: AT_MS }),
    read: async (kv) => {
      const { store, indexes } = intentStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      const query = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };
      return [
        (await store.load(INTENT.id))?.record,
        (await indexes.ofCharge("ch_000000000000000000000001"))?.id,
        (await indexes.ofRefund("re_000000000000000000000001"))?.id,
        (await indexes.page(list, query, null)).items.length,
        (await indexes.pageCharges(list, query, null)).items.map(({ attempt }) => attempt.chargeId),
        (await indexes.pageRefunds(list, query, null)).items.map(({ refund }) => refund.id),
      ];
    },
  },
  portalLink: {
    write: async (kv) => {
      for (const record of [PORTAL_LINK, PORTAL_LINK_OF_AGENT]) {
        await portalLinkStore(kv).store.commit({ record, before: null, version: 0, part: NO_PART, atMs: AT_MS });
      }
    },
    read: async (kv) => {
      const { store, queries } = portalLinkStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      const all = { limit: 10, after: null, fromMs: null, beforeMs: null, state: null, customerEmail: null, reference: null };
      const idsOf = async (query: Partial<PortalLinkPageQuery>) =>
        (await queries.page(list, { ...all, ...query })).items.map(({ id }) => id);
      return [
        (await store.load(PORTAL_LINK.id))?.record,
        (await queries.byToken(PORTAL_LINK.token))?.record.id,
        await idsOf({}),
        await idsOf({ state: "CANCELLED" }),
        await idsOf({ customerEmail: "ada@example.org" }),
        await idsOf({ reference: "R-7" }),
        await idsOf({ agentId: AGENT_CREDENTIAL.id }),
        await store.pageDue(duePartitionOf(PORTAL_LINK.id), null, AT_MS + 8 * 86_400_000, 10),
      ];
    },
  },
  dispute: {
    write: writeDispute,
    read: async (kv) => {
      const store = disputeStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      const all = { limit: 10, after: null, fromMs: null, beforeMs: null, dueBeforeMs: null, state: null, stage: null, category: null, terminalId: null };
      return [
        (await store.load(DISPUTE.id))?.record,
        (await pageOfDisputes(store, list, { ...all, order: "newest" })).items.map(({ id }) => id),
        (await pageOfDisputes(store, list, { ...all, order: "due" })).items.map(({ id }) => id),
        (await pageOfDisputes(store, list, { ...all, order: "newest", state: "EVIDENCE_REQUIRED" })).items.map(({ id }) => id),
        (await disputesOfPayment(store, "merchant-1", "pl_000000000000000000000001.1")).map(({ id }) => id),
        (await disputesOfCase(store, list, "C-1")).map(({ id }) => id),
        await disputeSummaries(store, list, 0, 10),
        await store.pageDue(duePartitionOf(DISPUTE.id), null, AT_MS + 86_400_000, 10),
      ];
    },
  },
  disputeHold: {
    write: writeDispute,
    read: (kv) => createDisputeHoldStore(kv).isUnderDispute({ merchantId: "merchant-1", uuid: "pl_000000000000000000000001.1" }),
  },
  disputeFile: {
    write: (kv) => disputeFileStore(kv).put(DISPUTE.id, "dpf_000000000000000000000001", new Uint8Array(Buffer.from("%PDF-1.7")), AT_MS),
    read: async (kv) => Buffer.from((await disputeFileStore(kv).piece(DISPUTE.id, "dpf_000000000000000000000001", 0)) ?? []).toString(),
  },
  alert: {
    write: (kv) => alertStore(kv).commit({ record: ALERT, before: null, version: 0, part: NO_PART, atMs: AT_MS }),
    read: async (kv) => {
      const store = alertStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      const all = { limit: 10, after: null, fromMs: null, beforeMs: null, state: null, source: null };
      return [
        (await store.load(ALERT.id))?.record,
        (await pageOfAlerts(store, list, { ...all, order: "newest" })).items.map(({ id }) => id),
        (await pageOfAlerts(store, list, { ...all, order: "due" })).items.map(({ id }) => id),
        (await pageOfAlerts(store, list, { ...all, order: "newest", state: "PENDING" })).items.map(({ id }) => id),
        (await alertsOfPayment(store, "merchant-1", "pl_000000000000000000000001.1")).map(({ id }) => id),
        await alertSummaries(store, list, 0, 10),
        await store.pageDue(duePartitionOf(ALERT.id), null, AT_MS + 2 * 86_400_000, 10),
      ];
    },
  },
  alertRules: {
    write: (kv) => createAlertRulesStore(kv).replace(ALERT_RULES, 0),
    read: async (kv) => (await createAlertRulesStore(kv).load({ merchantId: "merchant-1", livemode: true })).record,
  },
  alertDay: {
    write: async (kv) => {
      const store = createAlertRulesStore(kv);
      const rules = await store.load(ALERT);
      const day = await store.day(ALERT, "2026-05-06");
      await kv.commit(store.counted(ALERT, "2026-05-06", { rules, day }, ALERT));
    },
    read: async (kv) => (await createAlertRulesStore(kv).day({ merchantId: "merchant-1", livemode: true }, "2026-05-06")).record,
  },
  plan: {
    write: (kv) => createPlanStore(kv).create(PLAN),
    read: (kv) => createPlanStore(kv).all({ merchantId: "merchant-1", livemode: true }),
  },
  subscription: {
    write: writeSubscription,
    read: async (kv) => {
      const { store, queries } = subscriptionStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      const all = { limit: 10, after: null, fromMs: null, beforeMs: null, state: null, planId: null, customerEmail: null };
      const idsOf = async (query: Partial<SubscriptionPageQuery>) =>
        (await queries.page(list, { ...all, ...query })).items.map(({ id }) => id);
      return [
        (await store.load(SUBSCRIPTION.id))?.record,
        (await queries.byToken(SUBSCRIPTION.token))?.record.id,
        await idsOf({}),
        await idsOf({ state: "PAST_DUE" }),
        await idsOf({ planId: PLAN.id }),
        await idsOf({ customerEmail: "ada@example.org" }),
        await store.pageDue(duePartitionOf(SUBSCRIPTION.id), null, AT_MS + 8 * 86_400_000, 10),
      ];
    },
  },
  subscriptionCharge: { write: writeSubscription, read: (kv) => createCycleChargeStore(kv).charges(SUBSCRIPTION.id, null, 10) },
  dunningPolicy: {
    write: (kv) => createDunningPolicyStore(kv).set({ schema: 1, merchantId: "merchant-1", terms: DUNNING_TERMS, updatedAtMs: AT_MS }),
    read: (kv) => createDunningPolicyStore(kv).termsOf("merchant-1"),
  },
  agentCredential: {
    write: async (kv) => {
      const part = createUsableCredentialsStore(kv).part(AGENT_CREDENTIAL, 0, [AGENT_CREDENTIAL.id]);
      await agentCredentialStore(kv).commit({ record: AGENT_CREDENTIAL, before: null, version: 0, part, atMs: AT_MS });
    },
    read: async (kv) => {
      const store = agentCredentialStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      return [
        (await store.load(AGENT_CREDENTIAL.id))?.record,
        (await credentialByDigest(store, AGENT_CREDENTIAL.digest))?.record.id,
        (await pageOfCredentials(store, list, { limit: 10, after: null, state: "EXHAUSTED" })).items.map(({ id }) => id),
        (await createUsableCredentialsStore(kv).load(list)).ids,
        await store.pageDue(duePartitionOf(AGENT_CREDENTIAL.id), null, AT_MS + 31 * 86_400_000, 10),
      ];
    },
  },
  agentUse: {
    write: (kv) => createAgentUseStore({ kv, keptMs: RETENTION_MS }).add(AGENT_CREDENTIAL.id, AGENT_USE),
    read: (kv) => createAgentUseStore({ kv, keptMs: RETENTION_MS }).ofAll([AGENT_CREDENTIAL.id]),
  },
  export: {
    write: writeExport,
    read: async (kv) => {
      const store = createExportStore(kv);
      const list = { merchantId: "merchant-1", livemode: true };
      return [
        (await store.load(EXPORT.id))?.record,
        (await store.page(list, { limit: 10, after: null, matches: () => true })).items.map(({ id }) => id),
        [...(await store.files())],
        await store.pageDue(duePartitionOf(EXPORT.id), null, AT_MS + 2 * 86_400_000, 10),
      ];
    },
  },
  exportRoom: {
    write: writeExport,
    read: async (kv) => (await createExportStore(kv).room({ merchantId: "merchant-1", livemode: true })).record,
  },
  fleetAction: {
    write: (kv) => createFleetActionStore(kv).commit(FLEET_ACTION, null),
    read: async (kv) => {
      const store = createFleetActionStore(kv);
      const { id } = FLEET_ACTION;
      return [
        (await store.load(id))?.record,
        await store.page(10, null),
        await store.anyDue(),
        await store.pageDue(duePartitionOf(id), null, AT_MS + 2_000, 10),
      ];
    },
  },
  reconciledDay: {
    write: (kv) => createReconciliationStore(kv).close(CLOSED_DAY),
    read: async (kv) => {
      const store = createReconciliationStore(kv);
      const all = { limit: 10, before: null, from: null, to: null };
      return [
        await store.load("merchant-1", "2026-05-06"),
        await store.summaries("merchant-1", all),
        await store.merchantsOf(7, "2026-05-06", null, 10),
      ];
    },
  },
  reconciliationCorrections: {
    write: (kv) => createReconciliationStore(kv).correct(CLOSED_DAY, CORRECTIONS, 0),
    read: async (kv) => (await createReconciliationStore(kv).corrections("merchant-1", "2026-05-06"))?.record,
  },
  reconciliationTurn: {
    write: (kv) =>
      createReconciliationStore(kv).setTurn(
        { schema: 1, firstDay: "2026-05-01", day: "2026-05-06", merchantId: "merchant-1", nextAtMs: AT_MS },
        null,
      ),
    read: async (kv) => {
      const store = createReconciliationStore(kv);
      return [(await store.turn())?.record, await store.pageDue(duePartitionOf(TURN_ID), null, AT_MS + 1, 10)];
    },
  },
  callback: {
    write: async (kv) => {
      const store = createCallbackStore(kv);
      await store.replace({ record: CALLBACK, version: 0 }, CALLBACK);
      await store.replace({ record: CALLBACK, version: 0 }, { ...CALLBACK, id: "link-2.success.callback", state: "dead" });
    },
    read: async (kv) => [
      ...(await createCallbackStore(kv).due(AT_MS + 60_000, 10)).map(({ record }) => record),
      ...(await createCallbackStore(kv).page("dead", null, 10)),
    ],
  },
  webhookEvent: {
    write: (kv) => kv.commit({ checks: [], operations: eventOperations([WEBHOOK_EVENT]) }),
    read: async (kv) => [await createWebhookEventStore(kv).load("evt_1"), (await createWebhookEventStore(kv).outbox(10)).map(({ record }) => record)],
  },
  webhookEndpoint: {
    write: (kv) => createWebhookEndpointStore(kv).create(WEBHOOK_ENDPOINT),
    read: (kv) => createWebhookEndpointStore(kv).ofOwner(WEBHOOK_ENDPOINT.owner, null, 10),
  },
  webhookHealth: { write: writeDead, read: async (kv) => (await createWebhookDeliveryStore(kv).context(WEBHOOK_DELIVERY)).health },
  webhookDelivery: {
    write: async (kv) => {
      await writeDead(kv);
      await createWebhookDeliveryStore(kv).create({ ...WEBHOOK_DELIVERY, id: "evt_2.we_1", eventId: "evt_2" });
    },
    read: async (kv) => {
      const store = createWebhookDeliveryStore(kv);
      return [await store.page("dead", null, 10), (await store.waitingFor("we_1", 10)).map(({ record }) => record)];
    },
  },
  apiVersion: {
    write: (kv) => createApiVersions(kv).choose("M1", "2026-10-28.endive"),
    read: (kv) => createApiVersions(kv).versionOf("M1"),
  },
  appVersion: { write: writeApp, read: async (kv) => [(await appStore(kv).version(1))?.record, await appStore(kv).nextId()] },
  appDeployment: { write: writeApp, read: async (kv) => (await appStore(kv).load()).deployments },
  appTarget: { write: writeApp, read: async (kv) => (await appStore(kv).load()).targets },
  appMark: { write: writeApp, read: async (kv) => (await appStore(kv).marks(2, ["T1"])).map(({ record }) => record) },
  installLog: { write: writeApp, read: (kv) => appStore(kv).installLogs(7, 10) },
  appUpload: { write: writeApp, read: (kv) => appStore(kv).lockUpload(1) },
  secretProof: { write: (kv) => prepareStoredSecrets(kv, createSecretBox({ current: "00".repeat(32), old: null })) },
  storeIdentity: {
    write: (kv) => createHistoryStore(kv).identify("4711"),
    read: (kv) => createHistoryStore(kv).identity(),
  },
  storeLoss: {
    write: (kv) => createHistoryStore(kv).recordLoss(LOSS),
    read: (kv) => createHistoryStore(kv).loss(),
  },
  receiptCleaner: {
    write: async (kv) => {
      await put(
        kv,
        ...Array.from({ length: CLEANED }, (_, n) => ({ type: "put", key: `c/${String(n).padStart(4, "0")}`, value: '[2,1,"T1",null,null,null]' }) as const),
      );
      let atMs = 0;
      const monotonicMs = () => (atMs += 1);
      await createReceiptCleaner({ kv, monotonicMs, retentionMs: RETENTION_MS, failed: () => undefined }).clean(AT_MS, 0);
    },
  },
} satisfies { readonly [kind: string]: StoredExample };

/** Replaces texts that differ each time. */
export function withoutRandom(text: string): string {
  return text.replaceAll(/"storeId":"[0-9a-f]{32}"/g, '"storeId":"<random>"').replaceAll(/box1\.[A-Za-z0-9_.-]+/g, "<sealed>").replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>");
}
