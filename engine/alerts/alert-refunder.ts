import type { Clock } from "../kernel/clock.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AlertRecord, type AlertRefund, isRefunding } from "./alert.ts";
import { type AlertOperation, alertChange, type Telling, tellRefused, tellStored } from "./alert-change.ts";
import type { AlertRefunds, RefundOrder, RefundState } from "./alert-refunds.ts";
import type { AlertStore } from "./alert-store.ts";
import type { AlertEvent } from "./events.ts";
import { isCheckDue, isInTime, isOver } from "./rules.ts";
import { stepAlert } from "./step-alert.ts";

/** Each lost round is somebody else's change of the same alert; more of them mean that something is wrong. */
export const ROUNDS_MAX = 8;

export interface RefunderOptions extends Telling {
  store: Pick<AlertStore, "load" | "commit">;
  refunds: AlertRefunds;
  clock: Clock;
}

export type Stepped = { readonly type: "taken" | "refused"; readonly record: AlertRecord };

/** Steps alerts, and brings their refunds to an end: for requests and deadlines alike, so that both do the same. */
export interface AlertRefunder {
  /** One step from what was read; CONFLICT where that, or what `alongside` has to hold, does not stand any more. */
  step(
    stored: Stored<AlertRecord>,
    event: AlertEvent,
    operation: AlertOperation | null,
    alongside?: CommitPart,
  ): Promise<Stepped | typeof CONFLICT>;
  /** The same from what stands; `eventOf` decides on it, null for nothing to do. Null where there is no such alert. */
  apply(
    id: string,
    eventOf: (record: AlertRecord, atMs: number) => AlertEvent | null,
    operation: AlertOperation | null,
  ): Promise<Stepped | null>;
  /** As it stands by the time: where its deadline has passed and nobody has said so yet, it says so first. */
  current(id: string): Promise<Stored<AlertRecord> | null>;
  /** Asks for the refund that was just stored, by whoever has stored it and nobody else; answers with the alert as it stands then. */
  ask(record: AlertRecord): Promise<AlertRecord>;
  /** Finds out what became of a refund, where that is due. */
  check(id: string): Promise<void>;
}

export function createAlertRefunder({ store, refunds, clock, ...telling }: RefunderOptions): AlertRefunder {
  const step: AlertRefunder["step"] = async (stored, event, operation, alongside) => {
    const stepped = stepAlert(stored.record, event);
    if (!stepped.taken) {
      // A deadline that is none any more is nobody's wish.
      if (operation !== null) tellRefused(stored.record, event.type, event.atMs, operation, telling);
      return { type: "refused", record: stored.record };
    }
    const change = alertChange(stepped, stored, event.atMs, operation, telling, alongside);
    if ((await store.commit(change)) === null) return CONFLICT;
    tellStored(change, stepped, event.type, operation, telling);
    return { type: "taken", record: change.record };
  };

  const apply: AlertRefunder["apply"] = (id, eventOf, operation) =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null) return null;
      const event = eventOf(stored.record, clock.nowMs());
      return event === null ? { type: "refused", record: stored.record } : step(stored, event, operation);
    });

  const ask: AlertRefunder["ask"] = async (record) => {
    const order = orderOf(record);
    // Storing may have taken long: somebody else may have begun to look after it, or it is too late. A later look finds that nobody was asked.
    if (order === null || clock.nowMs() >= order.notAfterMs) return record;
    return settle(record, await refunds.refund(order));
  };

  /** `asked`: the alert as it was when it was asked; an answer is one to that attempt. */
  async function settle(asked: AlertRecord, state: RefundState): Promise<AlertRecord> {
    const settled = await apply(
      asked.id,
      (record, atMs) => (isRefunding(record) && record.refund?.attempt === asked.refund?.attempt ? endOf(state, atMs) : null),
      null,
    );
    return settled?.record ?? asked;
  }

  async function check(id: string): Promise<void> {
    const checked = await apply(id, (record, atMs) => (isCheckDue(record, atMs) ? { type: "refund.checked", atMs } : null), null);
    const order = checked?.type === "taken" ? orderOf(checked.record) : null;
    if (checked === null || order === null) return;
    const state = await refunds.verify(order);
    if (state.type !== "absent" && state.type !== "unfinished") {
      await settle(checked.record, state);
      return;
    }
    const resumed = await apply(
      id,
      (record, atMs) => {
        if (!isStill(record.refund, checked.record.refund)) return null;
        const isWanted = (record.state === "PENDING" || record.state === "AUTO_REFUND") && isInTime(record, atMs);
        if (isWanted) return { type: "refund.resumed", atMs };
        // What may be on its way is followed to its end, and not asked for any more.
        return state.type === "absent" ? { type: "refund.failed", atMs, detail: "not_begun" } : null;
      },
      null,
    );
    if (resumed?.type === "taken" && isRefunding(resumed.record)) await ask(resumed.record);
  }

  return {
    ...{ step, apply, ask, check },
    current: (id) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await store.load(id);
        if (stored === null) return null;
        const atMs = clock.nowMs();
        if (stored.record.state !== "PENDING" || !isOver(stored.record, atMs)) return stored;
        await step(stored, { type: "deadline.passed", atMs }, null);
        return CONFLICT;
      }),
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

/** Whether nobody has done anything about it since. */
function isStill(now: AlertRefund | null, seen: AlertRefund | null): boolean {
  if (now === null || seen === null || now.state !== "requested") return false;
  return now.attempt === seen.attempt && now.checks === seen.checks && now.nextAtMs === seen.nextAtMs;
}

/** Nothing of it begins once somebody else may look after it, nor after the alert's deadline. */
function orderOf({ merchantId, partnerId, livemode, uuid, refund, respondByMs, amountMinor, currency }: AlertRecord): RefundOrder | null {
  if (uuid === null || refund === null || refund.nextAtMs === null) return null;
  const { id, requestId, nextAtMs } = refund;
  // A rule has decided by the alert's amount, and the gateway gives back the whole of a payment or nothing.
  const limit = refund.by.type === "rule" ? { amountMinor, currency } : null;
  return { id, merchantId, partnerId, livemode, uuid, limit, requestId, notAfterMs: Math.min(nextAtMs, respondByMs) };
}
