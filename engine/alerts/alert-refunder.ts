import type { Clock } from "../kernel/clock.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import { type AlertRecord, type AlertRefund, isRefunding } from "./alert.ts";
import type { AlertRefunds, RefundOrder, RefundState } from "./alert-refunds.ts";
import type { AlertEffect, AlertEvent } from "./events.ts";
import { isCheckDue, isInTime } from "./rules.ts";

export type AlertWorkflow = Workflow<AlertRecord, AlertEvent, AlertEffect>;

export interface RefunderOptions {
  workflow: AlertWorkflow;
  refunds: AlertRefunds;
  clock: Clock;
}

export interface AlertRefunder {
  /** Sends the refund that the caller has just stored. No other caller may send it. */
  ask(record: AlertRecord): Promise<AlertRecord>;
  /** Finds out the outcome of a refund, then lets the alert's deadline pass. */
  due(id: string): Promise<void>;
}

export function createAlertRefunder({ workflow, refunds, clock }: RefunderOptions): AlertRefunder {
  const ask: AlertRefunder["ask"] = async (record) => {
    const order = orderOf(record);
    // Storing may have taken long. By now another shard may track the refund, or it is too late. A
    // later check finds that the gateway was not asked.
    if (order === null || clock.nowMs() >= order.notAfterMs) return record;
    return settle(record, await refunds.refund(order));
  };

  /** The outcome belongs only to the attempt for which the gateway was asked. */
  async function settle(requested: AlertRecord, state: RefundState): Promise<AlertRecord> {
    const settled = await workflow.apply(
      requested.id,
      (record, atMs) => (isRefunding(record) && record.refund?.attempt === requested.refund?.attempt ? endOf(state, atMs) : null),
      null,
    );
    return settled?.record ?? requested;
  }

  async function check(id: string): Promise<void> {
    const checked = await workflow.apply(id, (record, atMs) => (isCheckDue(record, atMs) ? { type: "refund.checked", atMs } : null), null);
    const order = checked?.type === "accepted" ? orderOf(checked.record) : null;
    if (checked === null || order === null) return;
    const state = await refunds.verify(order);
    if (state.type !== "absent" && state.type !== "unfinished") {
      await settle(checked.record, state);
      return;
    }
    const resumed = await workflow.apply(
      id,
      (record, atMs) => {
        if (!isUnchanged(record.refund, checked.record.refund)) return null;
        const isWanted = (record.state === "PENDING" || record.state === "AUTO_REFUND") && isInTime(record, atMs);
        if (isWanted) return { type: "refund.resumed", atMs };
        // A refund that may be under way is followed to its end and not requested again.
        return state.type === "absent" ? { type: "refund.failed", atMs, detail: "not_begun" } : null;
      },
      null,
    );
    if (resumed?.type === "accepted" && isRefunding(resumed.record)) await ask(resumed.record);
  }

  return {
    ask,
    due: async (id) => {
      await check(id);
      // The deadline may have waited for a refund that has just ended.
      await workflow.current(id);
    },
  };
}

function endOf(state: RefundState, atMs: number): AlertEvent | null {
  switch (state.type) {
    case "done":
      return { type: "refund.done", atMs, moved: true };
    case "already_refunded":
      return { type: "refund.done", atMs, moved: false };
    case "refused":
      return { type: "refund.failed", atMs, detail: state.reason };
    case "absent":
    case "unfinished":
    case "unknown":
      return null;
  }
}

function isUnchanged(now: AlertRefund | null, seen: AlertRefund | null): boolean {
  if (now === null || seen === null || now.state !== "requested") return false;
  return now.attempt === seen.attempt && now.checks === seen.checks && now.nextAtMs === seen.nextAtMs;
}

/** No part of the refund begins once another shard may track it, nor after the deadline. */
function orderOf({ merchantId, partnerId, livemode, uuid, refund, respondByMs, amountMinor, currency }: AlertRecord): RefundOrder | null {
  if (uuid === null || refund === null || refund.nextAtMs === null) return null;
  const { id, requestId, nextAtMs } = refund;
  // A rule decides by the alert's amount, but the gateway can only refund the whole payment.
  const limit = refund.by.type === "rule" ? { amountMinor, currency } : null;
  return { id, merchantId, partnerId, livemode, uuid, limit, requestId, notAfterMs: Math.min(nextAtMs, respondByMs) };
}
