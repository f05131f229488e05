import type { AlertRecord } from "../alerts/alert.ts";
import type { DisputeRecord } from "../disputes/dispute.ts";
import { type IntentRecord, statusOf } from "../intents/intent.ts";
import { uuidKey } from "../kernel/identifiers.ts";
import type { LinkRecord } from "../links/link.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import type { FedHit, FedSearch } from "../payments/fed-search.ts";
import type { PortalLinkRecord } from "../portal-links/portal-link.ts";
import type { SubscriptionRecord } from "../subscriptions/subscription.ts";
import type { CommandRecord } from "../terminals/terminal-record.ts";
import type { CommandView, Terminals } from "../terminals/terminals.ts";
import type { ZvtRouteRecord } from "../zvt/route-record.ts";
import { at, type Found, fedHits, latest, type SearchHit } from "./search-hit.ts";

/** `away`: ClickHouse was not asked or did not answer, so that what the store no longer has may be missing. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly clickhouse: "asked" | "away";
}

/** Everything that has a uuid or an id. Rejects with RelayError `unavailable` where the store cannot answer. */
export type Search = (text: string, gone?: AbortSignal) => Promise<SearchResult>;

/** Hits of one search. */
export const HITS_MAX = 50;

const TIMELINE_MAX = 100;

/** Partners whose own names of payments are looked for. */
const PARTNERS_MAX = 1_000;

const INTENT = /^(pi_[a-z0-9]{24})(?:\.\d{1,6})?$/;
/** Also by the id of an attempt at one of its payments, as operators are told of it. */
const SUBSCRIPTION = /^(?:sub-)?(sub_[a-z0-9]{24})(?:-\d{1,5}-\d{1,3})?$/;
const DISPUTE = /^dp_[a-z0-9]{24}$/;
const ALERT = /^al_[a-z0-9]{24}$/;
const PORTAL_LINK = /^(pl_[a-z0-9]{24})(?:\.\d{1,6})?$/;

export interface SearchOptions {
  terminals: Pick<Terminals, "command">;
  /** Results under a uuid that nobody asked for, of all terminals. */
  unsolicited(uuid: string): Promise<CommandRecord[]>;
  links: {
    byTxId(txId: string): Promise<LinkRecord | null>;
    byPaymentId(partnerId: number | null, paymentId: string): Promise<LinkRecord | null>;
  };
  intent(id: string): Promise<IntentRecord | null>;
  portalLink(id: string): Promise<PortalLinkRecord | null>;
  subscription(id: string): Promise<SubscriptionRecord | null>;
  dispute(id: string): Promise<DisputeRecord | null>;
  alert(id: string): Promise<AlertRecord | null>;
  /** What is kept of cash registers' payments. */
  registerRoutes(): Promise<{ routeId: string; record: ZvtRouteRecord }[]>;
  partnerIds(): readonly number[];
  attention: { kindsOf(terminalId: string, uuids: readonly string[]): Promise<AttentionKind[]> };
  fed: FedSearch;
}

export function createSearch(options: SearchOptions): Search {
  const { terminals, unsolicited, links, intent, portalLink, dispute, alert, subscription, registerRoutes, partnerIds, attention, fed } =
    options;

  async function linksOf(text: string): Promise<LinkRecord[]> {
    const byTxId = await links.byTxId(text);
    if (byTxId !== null) return [byTxId];
    const accounts = [null, ...partnerIds().slice(0, PARTNERS_MAX)];
    const found = await Promise.all(accounts.map((partnerId) => links.byPaymentId(partnerId, text)));
    return found.filter((link) => link !== null);
  }

  async function withAttention({ attentionAt, ...hit }: Found): Promise<SearchHit> {
    // Items about a dispute or an alert whose terminal is not known stand under none.
    const place = hit.terminalId ?? (hit.kind === "dispute" || hit.kind === "alert" ? "-" : null);
    const kinds = place === null ? [] : await attention.kindsOf(place, attentionAt);
    return { ...hit, timeline: hit.timeline.toSorted((one, other) => one.atMs - other.atMs).slice(0, TIMELINE_MAX), attention: kinds };
  }

  return async (text, gone) => {
    const intentId = INTENT.exec(text)?.[1];
    const portalLinkId = PORTAL_LINK.exec(text)?.[1];
    const subscriptionId = SUBSCRIPTION.exec(text)?.[1];
    // Begun first, since it takes longest; where it fails, the rest is still answered.
    const asked = fed({ uuids: [...new Set([text, uuidKey(text)])] }, gone).then(
      (rows) => ({ rows, clickhouse: "asked" as const }),
      () => ({ rows: [] as FedHit[], clickhouse: "away" as const }),
    );
    const [view, others, foundLinks, foundIntent, foundPortalLink, foundDispute, foundAlert, foundSubscription, routes] = await Promise.all(
      [
        terminals.command(text, 0),
        unsolicited(text),
        linksOf(text),
        intentId === undefined ? null : intent(intentId),
        portalLinkId === undefined ? null : portalLink(portalLinkId),
        DISPUTE.test(text) ? dispute(text) : null,
        ALERT.test(text) ? alert(text) : null,
        subscriptionId === undefined ? null : subscription(subscriptionId),
        registerRoutes(),
      ],
    );
    const stored = [
      ...(view === null ? [] : [commandHit(view)]),
      ...others.filter(({ terminalId }) => terminalId !== view?.terminalId).map(resultHit),
      ...foundLinks.map(linkHit),
      ...(foundIntent === null ? [] : [intentHit(foundIntent)]),
      ...(foundPortalLink === null ? [] : [portalLinkHit(foundPortalLink)]),
      ...(foundSubscription === null ? [] : [subscriptionHit(foundSubscription)]),
      ...(foundDispute === null ? [] : [disputeHit(foundDispute)]),
      ...(foundAlert === null ? [] : [alertHit(foundAlert)]),
      ...routes.flatMap((route) => registerHits(route, text)),
    ];
    const { rows, clickhouse } = await asked;
    const known = new Set(stored.map(placeOf));
    const later = fedHits(rows).filter((hit) => !known.has(placeOf(hit)));
    const hits = await Promise.all([...stored, ...later].slice(0, HITS_MAX).map(withAttention));
    return { hits, clickhouse };
  };
}

/** A command and its result, or a link, in the store and in ClickHouse. */
function placeOf({ kind, terminalId, id }: Found): string {
  return `${kind === "link" ? "link" : "uuid"} ${terminalId} ${uuidKey(id)}`;
}

function commandHit(view: CommandView): Found {
  const { uuid, terminalId, command, state, sentAtMs, finishedAtMs, channel, attempts, cancelRequested, transaction, amountDiffers } = view;
  const timeline = [
    ...at(command?.acceptedAtMs ?? null, "accepted", command === null ? null : command.service),
    ...at(sentAtMs, "sent", [channel, attempts > 1 ? `attempt ${attempts}` : null].filter((part) => part !== null).join(", ") || null),
    ...at(transaction?.createdAtMs ?? null, "result", transaction === null ? null : `${transaction.method} ${transaction.status}`),
    ...at(finishedAtMs, state, cancelRequested ? "cancel requested" : amountDiffers ? "amount differs" : null),
  ];
  return {
    kind: command === null ? "result" : "command",
    id: uuid,
    terminalId,
    merchantId: command?.shop ?? null,
    state: transaction?.status ?? state.toUpperCase(),
    amountMinor: transaction?.amountCents ?? command?.amountCents ?? null,
    currency: transaction?.currency ?? null,
    createdAtMs: command?.acceptedAtMs ?? transaction?.createdAtMs ?? null,
    updatedAtMs: latest(timeline),
    timeline,
    attentionAt: [uuid, uuidKey(uuid)],
  };
}

function resultHit({ uuid, terminalId, result }: CommandRecord): Found {
  const transaction = result?.transaction ?? null;
  const timeline = at(
    transaction?.createdAtMs ?? null,
    "result",
    transaction === null ? null : `${transaction.method} ${transaction.status}`,
  );
  return {
    kind: "result",
    id: uuid,
    terminalId,
    merchantId: null,
    state: transaction?.status ?? "UNKNOWN",
    amountMinor: transaction?.amountCents ?? null,
    currency: transaction?.currency ?? null,
    createdAtMs: latest(timeline),
    updatedAtMs: latest(timeline),
    timeline,
    attentionAt: [uuid, uuidKey(uuid)],
  };
}

function linkHit(link: LinkRecord): Found {
  const { order, state, overdue, revoked, outcome, followUps, verifiedAtMs, reversalOwed } = link;
  const timeline = [
    ...at(order.createdAtMs, "created", order.instrument),
    ...at(verifiedAtMs, "verified"),
    ...at(outcome?.atMs ?? null, state, outcome?.resultCode ?? null),
    ...followUps.flatMap(({ type, requestedAtMs, finishedAtMs, state: done, resultCode }) => [
      ...at(requestedAtMs, `${type} requested`),
      ...at(finishedAtMs, `${type} ${done}`, resultCode),
    ]),
    ...at(reversalOwed?.sinceMs ?? null, "reversal owed", reversalOwed?.state ?? null),
  ];
  return {
    kind: "link",
    id: order.txId,
    terminalId: order.terminalId,
    merchantId: order.shop ?? null,
    state: revoked === true ? "revoked" : overdue ? "overdue" : state,
    amountMinor: order.amountMinor,
    currency: order.currency,
    createdAtMs: order.createdAtMs,
    updatedAtMs: latest(timeline),
    timeline,
    attentionAt: [order.txId],
  };
}

function intentHit(record: IntentRecord): Found {
  const { id, merchantId, order, createdAtMs, attempts, cancellation } = record;
  const timeline = [
    ...at(createdAtMs, "created"),
    ...attempts.flatMap(({ txId, createdAtMs: begunAtMs, endedAtMs, state, resultCode, followUps }) => [
      ...at(begunAtMs, "attempt", txId),
      ...at(endedAtMs, `attempt ${state}`, resultCode),
      ...followUps.flatMap(({ type, requestedAtMs, finishedAtMs, state: done }) => [
        ...at(requestedAtMs, `${type} requested`),
        ...at(finishedAtMs, `${type} ${done}`),
      ]),
    ]),
    ...at(cancellation?.requestedAtMs ?? null, "cancel requested", cancellation?.reason ?? null),
    ...at(cancellation?.canceledAtMs ?? null, "canceled"),
  ];
  return {
    kind: "payment_intent",
    id,
    terminalId: null,
    merchantId,
    state: statusOf(record),
    amountMinor: order.amountMinor,
    currency: order.currency,
    createdAtMs,
    updatedAtMs: latest(timeline),
    timeline,
    attentionAt: [],
  };
}

function portalLinkHit(record: PortalLinkRecord): Found {
  const { id, merchantId, order, state, late, createdAtMs, updatedAtMs, attempts, paidAtMs, cancelledAtMs, mails } = record;
  const timeline = [
    ...at(createdAtMs, "created"),
    ...mails.flatMap(({ atMs }) => at(atMs, "mail")),
    ...attempts.flatMap(({ txId, createdAtMs: begunAtMs, endedAtMs, state: became, resultCode, refund }) => [
      ...at(begunAtMs, "attempt", txId),
      ...at(endedAtMs, `attempt ${became}`, refund === "none" ? resultCode : `refund ${refund}`),
    ]),
    ...at(cancelledAtMs, "cancelled"),
    ...at(paidAtMs, "paid", late ? "late" : null),
  ];
  return {
    kind: "payment_link",
    id,
    terminalId: null,
    merchantId,
    state,
    amountMinor: order.amountMinor,
    currency: order.currency,
    createdAtMs,
    updatedAtMs,
    timeline,
    attentionAt: [],
  };
}

/** With the attempts at its latest payment. */
function subscriptionHit(record: SubscriptionRecord): Found {
  const { id, merchantId, plan, state, createdAtMs, updatedAtMs, charge, cancelledAtMs, cancelledBy, pausedAtMs, pausedBy } = record;
  const timeline = [
    ...at(createdAtMs, "created"),
    ...(charge === null ? [] : at(charge.dueAtMs, "due", `cycle ${charge.cycle}`)),
    ...(charge?.attempts ?? []).flatMap(({ id: attemptId, askedAtMs, endedAtMs, state: became, code }) => [
      ...at(askedAtMs, "attempt", attemptId),
      ...at(endedAtMs, became === "done" ? "attempt paid" : "attempt failed", code),
    ]),
    ...at(charge?.paidAtMs ?? null, "paid", charge?.late === true ? "late" : null),
    ...at(pausedAtMs, "paused", pausedBy),
    ...at(cancelledAtMs, "cancelled", cancelledBy),
  ];
  return {
    kind: "subscription",
    id,
    terminalId: null,
    merchantId,
    state,
    amountMinor: plan.amountMinor,
    currency: plan.currency,
    createdAtMs,
    updatedAtMs,
    timeline,
    attentionAt: [],
  };
}

function disputeHit(record: DisputeRecord): Found {
  const { id, merchantId, terminalId, state, stage, amountMinor, currency, createdAtMs, updatedAtMs, submissions, outcome } = record;
  const timeline = [
    ...at(createdAtMs, "received", stage),
    ...submissions.flatMap(({ submittedAtMs, endedAtMs, state: became }) => [
      ...at(submittedAtMs, "response"),
      ...at(endedAtMs, `response ${became}`),
    ]),
    ...at(outcome?.atMs ?? null, outcome?.result.toLowerCase() ?? "", outcome?.by ?? null),
  ];
  const attentionAt = [id];
  return { kind: "dispute", id, terminalId, merchantId, state, amountMinor, currency, createdAtMs, updatedAtMs, timeline, attentionAt };
}

function alertHit(record: AlertRecord): Found {
  const { id, merchantId, terminalId, state, source, amountMinor, currency, createdAtMs, updatedAtMs, refund, end } = record;
  const timeline = [
    ...at(createdAtMs, "received", source),
    ...at(refund?.requestedAtMs ?? null, "refund requested", refund?.by.type ?? null),
    ...at(refund?.endedAtMs ?? null, `refund ${refund?.state ?? ""}`),
    ...at(end?.atMs ?? null, "ended", end?.by ?? null),
  ];
  const attentionAt = [id];
  return { kind: "alert", id, terminalId, merchantId, state, amountMinor, currency, createdAtMs, updatedAtMs, timeline, attentionAt };
}

function registerHits({ routeId, record: { open, lastOutcome } }: { routeId: string; record: ZvtRouteRecord }, text: string): Found[] {
  if (open !== null && uuidKey(open.uuid) === uuidKey(text)) {
    const { uuid, terminalId, amountCents, acceptedAtMs, disconnectedAtMs, endedAtMs, outcome, delivered } = open;
    const timeline = [
      ...at(acceptedAtMs, "accepted", routeId),
      ...at(disconnectedAtMs, "disconnected"),
      ...at(endedAtMs, outcome?.type ?? "ended", delivered ? "delivered" : "not delivered"),
    ];
    const state = outcome?.type ?? "open";
    const times = { createdAtMs: acceptedAtMs, updatedAtMs: latest(timeline) };
    return [registerHit(uuid, { terminalId, state, amountMinor: amountCents, ...times, timeline })];
  }
  if (lastOutcome === null || uuidKey(lastOutcome.uuid) !== uuidKey(text)) return [];
  const { uuid, amountCents, atMs, type } = lastOutcome;
  const timeline = at(atMs, type, routeId);
  return [registerHit(uuid, { terminalId: null, state: type, amountMinor: amountCents, createdAtMs: null, updatedAtMs: atMs, timeline })];
}

function registerHit(
  id: string,
  hit: Pick<Found, "terminalId" | "state" | "amountMinor" | "createdAtMs" | "updatedAtMs" | "timeline">,
): Found {
  // Its currency is a number of the register's protocol; the command of the same uuid has it as a word.
  return { kind: "register_payment", id, merchantId: null, currency: null, attentionAt: [id, uuidKey(id)], ...hit };
}
