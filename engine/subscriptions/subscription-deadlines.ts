import type { Address, Homes } from "../kernel/bus.ts";
import type { DeadlineRunner } from "../kernel/deadline-runner.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { createWorkflowDeadlines } from "../workflow/workflow-deadlines.ts";
import type { Collector } from "./collect.ts";
import { pendingOf, timeAtMs } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import { nextCycle, type SubscriptionParts, takeStep } from "./take-step.ts";
import type { subscriptionWorkflow } from "./workflow.ts";

/** Each lost round is somebody else's change of the same subscription; more of them mean that something is wrong. */
const ROUNDS_MAX = 8;

/** What is due of one subscription at once: a look, a step by time and a mail; the rest is fired again. */
const DUE_MAX = 4;

export interface SubscriptionDeadlinesOptions extends SubscriptionParts {
  definition: ReturnType<typeof subscriptionWorkflow>;
  collector: Collector;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/** The deadlines of subscriptions whose home this shard is: cycles, steps, ends, and looks at payments. */
export function createSubscriptionDeadlines(options: SubscriptionDeadlinesOptions): DeadlineRunner {
  const { definition, workflow, policies, calendar, clock, isInactive, collector, homes, self, failed } = options;

  const { store } = workflow;

  /** A step by time. False where the subscription does not take it. */
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

/** Before something ends by time, its link is looked at: it may have been paid without anybody telling. */
function isLookDue(record: SubscriptionRecord, atMs: number): boolean {
  const pending = pendingOf(record);
  if (pending === null) return false;
  if (pending.lookAtMs !== null && pending.lookAtMs <= atMs) return true;
  const timeMs = timeAtMs(record);
  return timeMs !== null && timeMs <= atMs && pending.lookedAtMs < timeMs;
}
