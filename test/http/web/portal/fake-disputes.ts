import assert from "node:assert/strict";
import {
  type AlertJson,
  type AlertRulesDryRunJson,
  type AlertRulesJson,
  alert,
} from "../../../../http/surfaces/merchant/alerts/schemas.ts";
import {
  type DisputeItemJson,
  type DisputeJson,
  type DisputeStatsJson,
  dispute,
  disputeItem,
  type EvidenceFileJson,
} from "../../../../http/surfaces/merchant/disputes/schemas.ts";
import type { FakeAnswer, FakeHandler, FakeRequest } from "./fake-relay.ts";

const DAY_MS = 86_400_000;

/**
 * Returns a time in this number of days. Deadlines must be in the future whenever the tests run.
 */
export function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS + 60_000).toISOString();
}

const EXAMPLE = dispute.example;

export function fileOf(changes: Partial<EvidenceFileJson> = {}): EvidenceFileJson {
  const [file] = EXAMPLE.files;
  assert(file !== undefined);
  return { ...file, name: "receipt-of-the-table-for-two.pdf", category: "RECEIPT", bytes: 412_300, ...changes };
}

export function disputeOf(changes: Partial<DisputeJson> = {}): DisputeJson {
  const open = { draft: { statement: null, fields: {} }, files: [], respondBy: inDays(9), amountMinor: 4_990 };
  const id = "dp_aaaaaaaaaaaaaaaaaaaaaa01";
  const uuid = "5b0f0f0e-1111-4222-8333-000000000001";
  return { ...EXAMPLE, ...open, id, uuid, createdAt: "2026-11-23T08:00:00.000Z", updatedAt: "2026-11-23T08:00:00.000Z", ...changes };
}

const SUBMITTED = fileOf({ submitted: true });

export const RESPONSE: DisputeJson["responses"][number] = {
  id: "dps_aaaaaaaaaaaaaaaaaaaaaa01",
  state: "taken",
  by: "anna.rossi@example.com",
  byType: "user",
  submittedAt: "2026-11-24T11:00:00.000Z",
  statement: "The two tickets were handed over at the door on Saturday.\nThe customer signed for them.",
  fields: { orderNumber: "ORDER-7", deliveryDate: "21 November 2026" },
  fileIds: [SUBMITTED.id],
  endedAt: "2026-11-24T11:00:05.000Z",
};

const answered = () => ({ answerable: false, files: [SUBMITTED], responses: [RESPONSE] });

/** A dispute in every state. */
export const DISPUTES = {
  open: disputeOf(),
  prepared: disputeOf({
    ...{
      id: "dp_aaaaaaaaaaaaaaaaaaaaaa02",
      status: "EVIDENCE_REQUIRED",
      stage: "PRE_ARBITRATION",
      category: "FRAUD",
      respondBy: inDays(0.5),
    },
    ...{ draft: { statement: "The card was there: chip and PIN.", fields: { customerName: "Chiara Conti", pageSeen: "yes" } } },
    ...{ files: [fileOf(), fileOf({ id: "dpf_aaaaaaaaaaaaaaaaaaaaaa02", name: "visits.csv", category: "SERVICE", bytes: 900 })] },
    alertId: "al_aaaaaaaaaaaaaaaaaaaaaa05",
  }),
  over: disputeOf({ id: "dp_aaaaaaaaaaaaaaaaaaaaaa03", respondBy: inDays(-1), category: "OTHER", uuid: null, terminalId: null }),
  review: disputeOf({ id: "dp_aaaaaaaaaaaaaaaaaaaaaa04", status: "UNDER_REVIEW", ...answered() }),
  won: disputeOf({
    ...{ id: "dp_aaaaaaaaaaaaaaaaaaaaaa05", status: "WON", ...answered(), holdsRefunds: false },
    ...{ responses: [{ ...RESPONSE, id: "dps_aaaaaaaaaaaaaaaaaaaaaa00", state: "refused" }, RESPONSE] },
    outcome: { result: "WON", by: "network", at: "2026-11-25T09:00:00.000Z" },
  }),
  lost: disputeOf({
    ...{ id: "dp_aaaaaaaaaaaaaaaaaaaaaa06", status: "LOST", ...answered(), category: "DUPLICATE" },
    outcome: { result: "LOST", by: "network", at: "2026-11-25T09:00:00.000Z" },
  }),
  accepted: disputeOf({
    ...{ id: "dp_aaaaaaaaaaaaaaaaaaaaaa07", status: "LOST", answerable: false, category: "CANCELLED_RECURRING", stage: "INQUIRY" },
    outcome: { result: "LOST", by: "accepted", at: "2026-11-25T09:00:00.000Z" },
  }),
  expired: disputeOf({ id: "dp_aaaaaaaaaaaaaaaaaaaaaa08", status: "EXPIRED", answerable: false, respondBy: inDays(-2), files: [fileOf()] }),
} as const;

/** Returns the item of the list for a dispute. Its members are those of the example. */
export function itemOf(found: DisputeJson): DisputeItemJson {
  const members = Object.keys(disputeItem.example).filter((name) => Object.hasOwn(found, name));
  return { ...disputeItem.example, ...Object.fromEntries(members.map((name) => [name, Reflect.get(found, name)])) };
}

export function alertOf(changes: Partial<AlertJson> = {}): AlertJson {
  const pending = { uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa02.1", terminalId: "CARD-1", amountMinor: 4_990, respondBy: inDays(0.8) };
  return { ...alert.example, ...pending, id: "al_aaaaaaaaaaaaaaaaaaaaaa01", ...changes };
}

export const REFUND: NonNullable<AlertJson["refund"]> = {
  state: "requested",
  by: "anna.rossi@example.com",
  byType: "user",
  requestedAt: "2026-11-25T11:00:00.000Z",
  endedAt: null,
  moved: false,
  detail: null,
};

const BY_RULE = { ...REFUND, by: "small-amounts", byType: "rule" } as const;

/** An alert in every state, and in every situation that needs a decision. */
export const ALERTS = {
  pending: alertOf(),
  capped: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa02", ruleHeld: "daily_cap" }),
  held: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa03", ruleHeld: "under_dispute" }),
  refused: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa04", uuid: "5b0f0f0e-1111-4222-8333-000000000001", method: "CARD", terminalId: "SIM00001" },
    refund: { ...REFUND, state: "refused", endedAt: "2026-11-25T11:00:01.000Z", detail: "not_refundable_here" },
  }),
  refunding: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa05", refund: REFUND, answerable: false }),
  unknownPayment: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa06", uuid: null, method: null, terminalId: null, source: "CDRN" }),
  network: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa07", source: "RDR" }),
  auto: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa08", state: "AUTO_REFUND", rule: "small-amounts", refund: BY_RULE, answerable: false }),
  refunded: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa09", state: "REFUNDED", rule: "small-amounts", answerable: false },
    refund: { ...BY_RULE, state: "done", endedAt: "2026-11-25T11:00:01.000Z", moved: true },
  }),
  declined: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa10", state: "DECLINED", answerable: false },
    end: { by: "merchant", at: "2026-11-25T11:00:00.000Z", reason: "The customer has the goods" },
  }),
  expired: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa11", state: "DECLINED", answerable: false, respondBy: inDays(-1) },
    end: { by: "deadline", at: "2026-11-25T11:00:00.000Z", reason: null },
  }),
  invalid: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa12", state: "DECLINED", answerable: false },
    end: { by: "invalid", at: "2026-11-25T11:00:00.000Z", reason: null },
  }),
  prevented: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa13", state: "PREVENTED", source: "RDR", answerable: false },
    end: { by: "network", at: "2026-11-25T11:00:00.000Z", reason: null },
  }),
  twice: alertOf({
    ...{ id: "al_aaaaaaaaaaaaaaaaaaaaaa14", state: "PREVENTED", answerable: false },
    end: { by: "network", at: "2026-11-25T11:00:00.000Z", reason: null },
    refund: { ...REFUND, state: "done", moved: true },
  }),
} as const;

/** Returns the item of the list of disputes for an alert. */
export function alertItemOf(found: AlertJson): DisputeItemJson {
  const { id, source, networkRef, category, uuid, terminalId, amountMinor, currency, respondBy, createdAt, updatedAt } = found;
  return {
    ...{ kind: "alert", id, status: "ALERT", stage: null, category, network: source, networkCaseId: networkRef, reasonCode: null },
    ...{ uuid, terminalId, amountMinor, currency, respondBy, alertId: null, createdAt, updatedAt },
  };
}

const ITEMS: readonly DisputeItemJson[] = [
  alertItemOf(ALERTS.pending),
  ...[...Object.values(DISPUTES)].sort((one, other) => Date.parse(one.respondBy) - Date.parse(other.respondBy)).map(itemOf),
];

const isToAnswer = ({ status }: DisputeItemJson) => status === "ALERT" || status === "OPEN" || status === "EVIDENCE_REQUIRED";

/** Returns the list filtered as the relay does it. */
export function disputesAt({ query }: FakeRequest): FakeAnswer {
  const [status, category] = [query.get("status"), query.get("category")];
  const items = ITEMS.filter(
    (item) =>
      (status === null || item.status === status) &&
      (category === null || item.category === category) &&
      (!query.has("dueWithinDays") || (isToAnswer(item) && Date.parse(item.respondBy) > Date.now())) &&
      (query.get("includeAlerts") !== "false" || item.kind === "dispute"),
  );
  return { data: { items, next: null } };
}

const foundIn =
  <T extends { id: string }>(all: Readonly<Record<string, T>>) =>
  ({ path }: FakeRequest): FakeAnswer => {
    const found = Object.values(all).find(({ id }) => path.split("/")[2] === id);
    return found === undefined ? { status: 404, code: "not_found" } : { data: found };
  };

export const STATS: DisputeStatsJson = {
  counts: { OPEN: 2, EVIDENCE_REQUIRED: 1, UNDER_REVIEW: 1, WON: 1, LOST: 2, EXPIRED: 1 },
  amounts: [
    { status: "OPEN", currency: "EUR", amountMinor: 9_980 },
    { status: "EVIDENCE_REQUIRED", currency: "EUR", amountMinor: 4_990 },
    { status: "UNDER_REVIEW", currency: "EUR", amountMinor: 4_990 },
  ],
  dueSoon: 1,
  winRate: 0.25,
  escalated: 1,
  month: {
    month: "2026-11",
    count: 8,
    cardPayments: 2_450,
    rate: 8 / 2_450,
    amounts: [{ currency: "EUR", amountMinor: 39_920, cardVolumeMinor: 7_350_000, rate: 39_920 / 7_350_000 }],
  },
  complete: true,
  alerts: {
    counts: { PENDING: 7, AUTO_REFUND: 1, REFUNDED: 1, DECLINED: 3, PREVENTED: 2 },
    amounts: [
      { state: "PENDING", currency: "EUR", amountMinor: 34_930 },
      { state: "REFUNDED", currency: "EUR", amountMinor: 4_990 },
    ],
    preventionRate: 0.6,
    dueSoon: 2,
    complete: true,
  },
};

export const NO_STATS: DisputeStatsJson = {
  ...STATS,
  ...{ counts: {}, amounts: [], dueSoon: 0, winRate: null, escalated: 0 },
  month: { month: "2026-11", count: 0, cardPayments: null, rate: null, amounts: [] },
  alerts: { counts: {}, amounts: [], preventionRate: null, dueSoon: 0, complete: true },
};

export const RULES: AlertRulesJson = {
  enabled: true,
  currency: "EUR",
  rules: [
    { id: "small-amounts", amountMaxMinor: 2_000, sources: ["ETHOCA", "CDRN"], categories: null, methods: ["PAYBYLINK"] },
    { id: "never-received", amountMaxMinor: 4_500, sources: null, categories: ["NOT_RECEIVED", "DUPLICATE"], methods: null },
  ],
  dailyCountMax: 10,
  dailyAmountMaxMinor: 15_000,
  version: 7,
  updatedAt: "2026-11-20T09:00:00.000Z",
  updatedBy: "anna.rossi@example.com",
};

export const NO_RULES: AlertRulesJson = { ...RULES, enabled: false, rules: [], version: 0, updatedAt: null, updatedBy: null };

export const DRY_RUN: AlertRulesDryRunJson = {
  from: "2026-08-27T09:00:00.000Z",
  looked: 14,
  refunded: 2,
  refundedMinor: 3_980,
  capped: 1,
  items: [
    { alert: alertOf({ amountMinor: 1_990 }), rule: "small-amounts", capped: false },
    {
      alert: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa15", amountMinor: 1_990, category: "NOT_RECEIVED" }),
      rule: "never-received",
      capped: false,
    },
    { alert: alertOf({ id: "al_aaaaaaaaaaaaaaaaaaaaaa16", amountMinor: 1_500 }), rule: "small-amounts", capped: true },
  ],
  complete: true,
};

/** The responses to the requests of the pages of disputes and alerts. */
export const DISPUTE_HANDLERS: Readonly<Record<string, FakeHandler>> = {
  "GET /disputes/stats": () => ({ data: STATS }),
  "GET /disputes": disputesAt,
  "GET /disputes/*": foundIn(DISPUTES),
  "GET /alerts": ({ query }) => {
    const items = Object.values(ALERTS).filter(({ state }) => !query.has("state") || query.get("state") === state);
    return { data: { items, next: null } };
  },
  "GET /alerts/*": foundIn(ALERTS),
  "GET /alert-rules": () => ({ data: RULES }),
};
