import { checkAmount, checkRespondBy, invalid } from "../disputes/check-dispute.ts";
import type { DisputeHoldStore } from "../disputes/dispute-hold-store.ts";
import { DISPUTE_CATEGORIES } from "../disputes/words.ts";
import type { Clock } from "../kernel/clock.ts";
import { type CommitPart, NO_PART } from "../kernel/commit-part.ts";
import { RelayError } from "../kernel/errors.ts";
import { isSameUuid, isTerminalId, isUuid } from "../kernel/identifiers.ts";
import { maskPans } from "../kernel/mask.ts";
import { cursorOf, type Place, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { isInScope } from "../kernel/merchant-scope.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { ATTEMPTS_MAX } from "../workflow/run-workflow.ts";
import type { RequestContext, Step } from "../workflow/workflow.ts";
import { ALERT_RESPOND_MS, type AlertNotice, type AlertRecord, isRefunding, refundIdOf } from "./alert.ts";
import { alertIdOf, alertSummaries, alertsOfPayment, pageOfAlerts } from "./alert-queries.ts";
import type { AlertRefunder, AlertWorkflow } from "./alert-refunder.ts";
import { type AlertRule, checkedRules, hasRoomToday, matchingRule } from "./alert-rules.ts";
import type { AlertRulesStore } from "./alert-rules-store.ts";
import { ALERT_STATS_MAX, ALERTS_DUE_MAX, alertStats } from "./alert-stats.ts";
import type { AlertAnswered, AlertFed, AlertFeed, Alerts } from "./alerts.ts";
import { DRY_RUN_MAX, DRY_RUN_MS, dryRun } from "./dry-run.ts";
import type { AlertEffect, AlertEvent } from "./events.ts";
import { isInTime, newRefund, nextAtMs } from "./rules.ts";
import { ALERT_REASON_LENGTH_MAX, ALERT_SOURCES } from "./words.ts";
import { stepAlert } from "./workflow.ts";

type AlertStep = Step<AlertRecord, AlertEffect>;

export interface AlertsOptions {
  workflow: AlertWorkflow;
  refunder: AlertRefunder;
  clock: Clock;
  digest: Digest;
  rules: AlertRulesStore;
  holds: Pick<DisputeHoldStore, "check">;
  /** Returns YYYY-MM-DD in the installation's zone. */
  dayOf(atMs: number): string;
  failed(what: string, error: unknown): void;
}

export function createAlerts(options: AlertsOptions): { alerts: Alerts; feed: AlertFeed } {
  const { workflow, refunder, rules: ruleStore, holds, dayOf, failed, clock, digest } = options;
  const { store } = workflow;

  async function findOwned(owner: MerchantScope, id: string): Promise<Stored<AlertRecord> | null> {
    const stored = await store.load(id);
    // Ownership is checked before the alert is stepped.
    return stored !== null && isInScope(stored.record, owner) ? workflow.current(id) : null;
  }

  type Begun =
    | AlertAnswered<"begun">
    | AlertAnswered<"outcome_unknown" | "refunded" | "not_pending" | "under_dispute" | "no_payment" | "network_refunds">;

  const refund: Alerts["refund"] = async (owner, id, by, operation) => {
    const begun = await retryOnConflict<Begun | null>(ATTEMPTS_MAX, async () => {
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const { record: alert } = stored;
      const { merchantId, uuid, source, refund: before } = alert;
      if (alert.state === "REFUNDED") return { type: "refunded", alert };
      if (isRefunding(alert)) return { type: "outcome_unknown", alert };
      if (alert.state !== "PENDING") return { type: "not_pending", alert };
      if (source === "RDR") return { type: "network_refunds", alert };
      if (uuid === null) return { type: "no_payment", alert };
      const { isHeld, checks } = await holds.check({ merchantId, uuid });
      if (isHeld) return { type: "under_dispute", alert };
      const atMs = clock.nowMs();
      const attempt = (before?.attempt ?? 0) + 1;
      const requested = newRefund({ id: refundIdOf(id), by, requestId: operation.requestId, attempt }, atMs);
      const stepped = await workflow.step(stored, { type: "refund.requested", atMs, refund: requested }, operation, {
        checks,
        operations: [],
      });
      // The deadline passed during this request. The next attempt returns the current state.
      return stepped === CONFLICT || stepped.type === "refused" ? CONFLICT : { type: "begun", alert: stepped.record };
    });
    if (begun === null || begun.type !== "begun") return begun;
    const alert = await refunder.ask(begun.alert);
    if (alert.state === "REFUNDED") return { type: "refunded", alert };
    if (isRefunding(alert)) return { type: "outcome_unknown", alert };
    // The alert may have ended otherwise. Then this refund was refused, or was made in addition.
    return { type: alert.refund?.state === "done" ? "refunded" : "refused", alert };
  };

  const decline: Alerts["decline"] = async (owner, id, reason, by, operation) => {
    const words = reason === null ? null : checkedReason(reason);
    return retryOnConflict<AlertAnswered<"declined" | "not_pending" | "outcome_unknown"> | null>(ATTEMPTS_MAX, async () => {
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const { record: alert } = stored;
      if (alert.state === "DECLINED" && alert.end?.by === "merchant") return { type: "declined", alert };
      if (alert.state !== "PENDING") return { type: isRefunding(alert) ? "outcome_unknown" : "not_pending", alert };
      if (isRefunding(alert)) return { type: "outcome_unknown", alert };
      const stepped = await workflow.step(stored, { type: "declined", atMs: clock.nowMs(), reason: words, by }, operation);
      return stepped === CONFLICT || stepped.type === "refused" ? CONFLICT : { type: "declined", alert: stepped.record };
    });
  };

  const alerts: Alerts = {
    find: async (owner, id) => (await findOwned(owner, id))?.record ?? null,
    list: async (owner, { cursor, ...query }) => {
      const page = await pageOfAlerts(store, owner, { ...query, after: cursor === null ? null : placeOfCursor(cursor, CURSOR_ID) });
      return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
    },
    ofPayment: async (owner, uuid) => (await alertsOfPayment(store, owner.merchantId, uuid)).filter((record) => isInScope(record, owner)),
    stats: async (owner) => {
      const byDeadline = {
        limit: ALERTS_DUE_MAX,
        after: null,
        order: "due",
        fromMs: null,
        beforeMs: null,
        state: null,
        source: null,
      } as const;
      const [summaries, due] = await Promise.all([
        alertSummaries(store, owner, 0, ALERT_STATS_MAX),
        pageOfAlerts(store, owner, byDeadline),
      ]);
      return alertStats(summaries, due.items, { atMs: clock.nowMs(), complete: summaries.length < ALERT_STATS_MAX });
    },
    ...{ refund, decline },
    rules: async (owner) => {
      const { record, version } = await ruleStore.load(owner);
      return { rules: record, version };
    },
    saveRules: async (owner, given, version, by) => {
      const checked = checkedRules(given);
      const { merchantId, livemode } = owner;
      const rules = { ...checked, schema: 1, merchantId, livemode, updatedAtMs: clock.nowMs(), updatedBy: by } as const;
      const type = (await ruleStore.replace(rules, version)) ? "saved" : "changed";
      const now = await ruleStore.load(owner);
      return { type, rules: now.record, version: now.version };
    },
    dryRun: async (owner, given) => {
      const checked = checkedRules(given);
      const fromMs = clock.nowMs() - DRY_RUN_MS;
      const found: AlertRecord[] = [];
      let after: Place | null = null;
      do {
        const limit = Math.min(DRY_RUN_PAGE, DRY_RUN_MAX - found.length);
        const page = await pageOfAlerts(store, owner, { limit, after, order: "newest", fromMs, beforeMs: null, state: null, source: null });
        found.push(...page.items);
        after = page.next;
      } while (after !== null && found.length < DRY_RUN_MAX);
      return { fromMs, looked: found.length, items: dryRun(checked, found, dayOf), complete: after === null };
    },
  };

  /** Decides whether a rule refunds the alert, and what the commit then depends on. */
  async function decided(fresh: AlertRecord, atMs: number): Promise<{ step: AlertStep; part: CommitPart }> {
    const received = stepAlert(fresh, { type: "alert.received", atMs });
    const rules = await ruleStore.load(fresh);
    const rule = matchingRule(rules.record, fresh);
    const { merchantId, uuid } = fresh;
    if (rule === null || uuid === null || !isInTime(fresh, atMs)) return { step: received, part: NO_PART };
    const day = dayOf(atMs);
    const [{ isHeld, checks }, today] = await Promise.all([holds.check({ merchantId, uuid }), ruleStore.day(fresh, day)]);
    if (isHeld) return { step: withRuleHeld(received, "under_dispute"), part: NO_PART };
    if (!hasRoomToday(rules.record, today.record, fresh)) return { step: withRuleHeld(received, "daily_cap"), part: NO_PART };
    const countedPart = ruleStore.counted(fresh, day, { rules, day: today }, fresh);
    return { step: byRule(received, rule, atMs), part: { checks: [...checks, ...countedPart.checks], operations: countedPart.operations } };
  }

  const received: AlertFeed["received"] = async (party, notice, operation) => {
    const stored = await retryOnConflict<{ record: AlertRecord; isNew: boolean }>(ATTEMPTS_MAX, async () => {
      const id = alertIdOf(notice.source, notice.networkRef, digest);
      const existing = await store.load(id);
      if (existing !== null) {
        if (isInScope(existing.record, party) && isSameNotice(existing.record, notice)) return { record: existing.record, isNew: false };
        throw new RelayError("conflict", "This source has another alert with this reference");
      }
      const atMs = clock.nowMs();
      const checked = checkedNotice({ ...notice, respondByMs: notice.respondByMs ?? atMs + ALERT_RESPOND_MS }, atMs);
      const { merchantId, partnerId, livemode } = party;
      const fresh: Omit<AlertRecord, "nextAtMs"> = {
        ...checked,
        ...{ schema: 1, id, merchantId, partnerId, livemode, state: "PENDING", rule: null, ruleHeld: null, refund: null, end: null },
        ...{ createdAtMs: atMs, updatedAtMs: atMs, events: 0 },
      };
      const decision = await decided({ ...fresh, nextAtMs: nextAtMs(fresh) }, atMs);
      const created = await workflow.create(decision.step, { type: "alert.received", atMs }, operation, decision.part);
      return "record" in created ? { record: created.record, isNew: true } : CONFLICT;
    });
    const { record, isNew } = stored;
    // The source does not wait for the gateway. After a crash, a check resumes the refund.
    if (isNew && isRefunding(record)) refunder.ask(record).catch((error: unknown) => failed("alert.refund", error));
    return record;
  };

  /** `isAsReported` returns whether the alert already is as its source reports. */
  async function applyReport(
    id: string,
    eventOf: (atMs: number) => AlertEvent,
    isAsReported: (record: AlertRecord) => boolean,
    operation: RequestContext,
  ): Promise<AlertFed | null> {
    const stepped = await workflow.apply(id, (record, atMs) => (isAsReported(record) ? null : eventOf(atMs)), operation);
    if (stepped === null) return null;
    return { type: stepped.type === "accepted" || isAsReported(stepped.record) ? "done" : "refused", alert: stepped.record };
  }

  const feed: AlertFeed = {
    received,
    resolved: (source, networkRef, operation) =>
      applyReport(
        alertIdOf(source, networkRef, digest),
        (atMs) => ({ type: "network.resolved", atMs }),
        ({ state }) => state === "PREVENTED",
        operation,
      ),
    invalid: (source, networkRef, operation) =>
      applyReport(
        alertIdOf(source, networkRef, digest),
        (atMs) => ({ type: "network.invalid", atMs }),
        ({ end }) => end?.by === "invalid",
        operation,
      ),
    byId: async (id) => (await store.load(id))?.record ?? null,
  };

  return { alerts, feed };
}

const DRY_RUN_PAGE = 200;

function withRuleHeld(step: AlertStep, ruleHeld: AlertRecord["ruleHeld"]): AlertStep {
  return { ...step, record: { ...step.record, ruleHeld } };
}

function byRule(received: AlertStep, rule: AlertRule, atMs: number): AlertStep {
  const by = { type: "rule", ruleId: rule.id } as const;
  const refund = newRefund({ id: refundIdOf(received.record.id), by, requestId: null, attempt: 1 }, atMs);
  const matched = stepAlert(received.record, { type: "rule.matched", atMs, refund });
  return { ...matched, effects: [...received.effects, ...matched.effects] };
}

function isSameNotice(
  record: AlertRecord,
  { uuid, amountMinor, currency }: Pick<AlertNotice, "uuid" | "amountMinor" | "currency">,
): boolean {
  const isSamePayment = record.uuid === uuid || (record.uuid !== null && uuid !== null && isSameUuid(record.uuid, uuid));
  return isSamePayment && record.amountMinor === amountMinor && record.currency === currency;
}

const NETWORK_REF = /^[A-Za-z0-9._:-]{1,64}$/;
const METHOD = /^[A-Z][A-Z0-9_]{0,31}$/;

/** Throws RelayError `invalid_request` naming the member. */
function checkedNotice(given: AlertNotice, atMs: number): AlertNotice {
  const { source, networkRef, uuid, terminalId, method, category, amountMinor, currency, respondByMs } = given;
  if (!ALERT_SOURCES.includes(source)) throw invalid("source", `must be one of ${ALERT_SOURCES.join(", ")}`);
  if (!NETWORK_REF.test(networkRef)) throw invalid("networkRef", "must have 1 to 64 letters, digits or any of . _ : -");
  if (uuid !== null && !isUuid(uuid)) throw invalid("uuid", "must be the uuid of a transaction");
  if (terminalId !== null && !isTerminalId(terminalId)) throw invalid("terminalId", "must be the id of a terminal");
  if (method !== null && !METHOD.test(method)) throw invalid("method", "must be the name of a method such as CARD");
  if (!DISPUTE_CATEGORIES.includes(category)) throw invalid("category", `must be one of ${DISPUTE_CATEGORIES.join(", ")}`);
  checkAmount(amountMinor, currency);
  checkRespondBy(respondByMs, atMs);
  return { source, networkRef, uuid, terminalId, method, category, amountMinor, currency, respondByMs };
}

function checkedReason(reason: string): string | null {
  const words = reason.trim();
  if (words.length > ALERT_REASON_LENGTH_MAX) throw invalid("reason", `may have at most ${ALERT_REASON_LENGTH_MAX} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(words)) throw invalid("reason", "may have no control characters");
  return words === "" ? null : maskPans(words);
}

/** A list of disputes and alerts continues after either of them (cases/case-list.ts). */
const CURSOR_ID = /^(?:dp|al)_[a-z0-9]{24}$/;
