import type { Address, Homes } from "../kernel/bus.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createPacer } from "../kernel/pacer.ts";
import { createAlertRefunder, type RefunderOptions } from "./alert-refunder.ts";
import type { AlertStore } from "./alert-store.ts";

/** Alerts that are looked at within one second before the rest is spread: a look is a few commits, and at most two calls. */
const FREE_PER_SECOND = 50;

const BOUNDS = { heldMax: 20_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 1_000 };

export interface AlertDeadlinesOptions extends Omit<RefunderOptions, "store"> {
  store: AlertStore;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/** What becomes of alerts by themselves, on the shard whose home they are: their deadlines pass, and refunds whose outcome is not known are followed to their end. */
export function createAlertDeadlines({ homes, self, failed, ...options }: AlertDeadlinesOptions): DeadlineRunner {
  const { store, clock } = options;
  const refunder = createAlertRefunder(options);
  return createDeadlineRunner({
    ...{ name: "alert", index: store, homes, self, clock, failed },
    placeOf: (partition) => `alerts/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
    fire: async (id) => {
      await refunder.check(id);
      // Also where a refund has ended just now that it had to wait for.
      await refunder.current(id);
    },
  });
}
