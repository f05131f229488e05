import type { Address, Homes } from "../kernel/bus.ts";
import type { DeadlineRunner } from "../kernel/deadline-runner.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { createWorkflowDeadlines } from "../workflow/workflow-deadlines.ts";
import type { Collector } from "./collect.ts";
import { pendingOf, timeAtMs } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import { nextCycle, type SubscriptionParts, takeStep } from "./take-step.ts";
import type { subscriptionWorkflow } from "./workflow.ts";

/** A round is lost if the subscription changed concurrently. More lost rounds indicate a bug. */
const ROUNDS_MAX = 8;

/**
 * Limits the work on a subscription at a time: a check, a timed transition and a mail. The rest
 * fires again.
 */
const DUE_MAX = 4;

export interface SubscriptionDeadlinesOptions extends SubscriptionParts {
  definition: ReturnType<typeof subscriptionWorkflow>;
  collector: Collector;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/**
 * Processes the deadlines of this shard's subscriptions: cycles, steps, ends and checks of
 * payments.
 */
export function createSubscriptionDeadlines(options: SubscriptionDeadlinesOptions): DeadlineRunner {
  const { definition, workflow, policies, calendar, clock, isInactive, collector, homes, self, failed } = options;

  const { store } = workflow;

  /** Applies a timed transition. Returns false if the subscription does not accept it. */
  function step(id: string, type: "deadline.passed" | "mail.due"): Promise<boolean> {
    return retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null) return false;
      const { record } = stored;
      const atMs = clock.nowMs();
      const event =
        type === "mail.due"
          ? { type, atMs }
          : {
              ...{ type, atMs, isInactive: isInactive(record.merchantId), next: nextCycle(record, calendar) },
              terms: await policies.termsOf(record.merchantId),
            };
      const taken = await takeStep(stored, event, null, options);
      if (taken === CONFLICT) return CONFLICT;
      if (taken === "refused") return false;
      if (taken.asks) await collector.ask(taken.record);
      return true;
    });
  }

  async function fire(id: string): Promise<void> {
    for (let done = 0; done < DUE_MAX; done += 1) {
      const stored = await store.load(id);
      if (stored === null) return;
      const { record } = stored;
      const atMs = clock.nowMs();
      if (isLookDue(record, atMs)) await collector.look(record);
      else if ((timeAtMs(record) ?? Number.POSITIVE_INFINITY) <= atMs) {
        if (!(await step(id, "deadline.passed"))) return;
      } else if (record.mailOwed !== null && record.mailOwed.atMs <= atMs) {
        if (!(await step(id, "mail.due"))) return;
      } else return;
    }
  }

  return createWorkflowDeadlines(definition, { store, homes, self, clock, failed, fire });
}

/**
 * Before a subscription expires, its link is checked, because a payment may not have been reported.
 */
function isLookDue(record: SubscriptionRecord, atMs: number): boolean {
  const pending = pendingOf(record);
  if (pending === null) return false;
  if (pending.lookAtMs !== null && pending.lookAtMs <= atMs) return true;
  const timeMs = timeAtMs(record);
  return timeMs !== null && timeMs <= atMs && pending.lookedAtMs < timeMs;
}
