import type { AlertRecord, AlertRefund, AlertState } from "../../../engine/alerts/alert.ts";
import type { AlertEvent } from "../../../engine/alerts/events.ts";
import { newRefund, nextAtMs } from "../../../engine/alerts/rules.ts";

export const CREATED_MS = 1_700_000_000_000;
export const NOW_MS = CREATED_MS + 120_000;
export const RESPOND_BY_MS = CREATED_MS + 86_400_000;
export const ID = `al_${"0".repeat(23)}1`;

/** It was requested two minutes ago, so a check of its outcome is due now. */
export function refund(changes: Partial<AlertRefund> = {}): AlertRefund {
  return { ...newRefund({ id: `alert-${ID}`, by: { type: "key" }, requestId: null, attempt: 1 }, CREATED_MS), ...changes };
}

export function alert(state: AlertState, changes: Partial<AlertRecord> = {}): AlertRecord {
  const record: AlertRecord = {
    ...{ schema: 1, id: ID, merchantId: "M1", partnerId: 1, livemode: false, state, source: "ETHOCA", networkRef: "R-1" },
    ...{ uuid: "pl_1.1", terminalId: "TML1", method: "PAYBYLINK", category: "FRAUD", amountMinor: 1_234, currency: "EUR" },
    ...{ respondByMs: RESPOND_BY_MS, rule: null, ruleHeld: null, refund: null, end: null },
    ...{ createdAtMs: CREATED_MS, updatedAtMs: CREATED_MS, nextAtMs: null, events: 1 },
    ...changes,
  };
  return { ...record, nextAtMs: nextAtMs(record) };
}

/** One event of each type. */
export const EVENTS = {
  "alert.received": { type: "alert.received", atMs: NOW_MS },
  "rule.matched": { type: "rule.matched", atMs: NOW_MS, refund: refund({ by: { type: "rule", ruleId: "small" } }) },
  "refund.requested": { type: "refund.requested", atMs: NOW_MS, refund: refund() },
  "refund.checked": { type: "refund.checked", atMs: NOW_MS },
  "refund.resumed": { type: "refund.resumed", atMs: NOW_MS },
  "refund.done": { type: "refund.done", atMs: NOW_MS, moved: true },
  "refund.failed": { type: "refund.failed", atMs: NOW_MS, detail: "no" },
  declined: { type: "declined", atMs: NOW_MS, reason: "was delivered", by: { type: "key" } },
  "deadline.passed": { type: "deadline.passed", atMs: RESPOND_BY_MS },
  "network.resolved": { type: "network.resolved", atMs: NOW_MS },
  "network.invalid": { type: "network.invalid", atMs: NOW_MS },
} as const satisfies Record<string, AlertEvent>;
