import type { Clock } from "../kernel/clock.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { type DisputeRecord, isAnswerable } from "./dispute.ts";
import { type DisputeNotices, type DisputeOperation, disputeChange, type Telling, tellRefused, tellStored } from "./dispute-change.ts";
import type { DisputeStore } from "./dispute-store.ts";
import type { DisputeEvent } from "./events.ts";
import { isInTime } from "./rules.ts";
import { stepDispute } from "./step-dispute.ts";

/** Each lost round is somebody else's change of the same dispute; more of them mean that something is wrong. */
export const ROUNDS_MAX = 8;

export interface StepperOptions extends Telling {
  store: Pick<DisputeStore, "load" | "commit">;
  notices: DisputeNotices;
  clock: Clock;
}

export type Stepped = { readonly type: "taken" | "refused"; readonly record: DisputeRecord };

/** Steps disputes and stores the steps, for all who have something to say of one. */
export interface DisputeStepper {
  /** One step from what was read; CONFLICT where that does not stand any more. */
  step(stored: Stored<DisputeRecord>, event: DisputeEvent, operation: DisputeOperation | null): Promise<Stepped | typeof CONFLICT>;
  /** The same from what stands; `eventOf` decides on it, null for nothing to do. Null where there is no such dispute. */
  apply(
    id: string,
    eventOf: (record: DisputeRecord, atMs: number) => DisputeEvent | null,
    operation: DisputeOperation | null,
  ): Promise<Stepped | null>;
  /** As it stands by the time: where its deadline has passed and nobody has said so yet, it says so first. */
  current(id: string): Promise<Stored<DisputeRecord> | null>;
}

export function createDisputeStepper({ store, notices, clock, ...telling }: StepperOptions): DisputeStepper {
  async function step(
    stored: Stored<DisputeRecord>,
    event: DisputeEvent,
    operation: DisputeOperation | null,
  ): Promise<Stepped | typeof CONFLICT> {
    const stepped = stepDispute(stored.record, event);
    if (!stepped.taken) {
      // A deadline that is none any more is nobody's wish.
      if (operation !== null) tellRefused(stored.record, event.type, event.atMs, operation, telling);
      return { type: "refused", record: stored.record };
    }
    const change = await disputeChange(stepped, stored, event.atMs, operation, { ...telling, notices });
    const version = await store.commit(change);
    if (version === null || version === "too_many") return CONFLICT;
    tellStored(change, stepped, event.type, operation, telling);
    return { type: "taken", record: change.record };
  }

  return {
    step,
    apply: (id, eventOf, operation) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await store.load(id);
        if (stored === null) return null;
        const event = eventOf(stored.record, clock.nowMs());
        return event === null ? { type: "refused", record: stored.record } : step(stored, event, operation);
      }),
    current: (id) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await store.load(id);
        if (stored === null) return null;
        const atMs = clock.nowMs();
        if (!isAnswerable(stored.record) || isInTime(stored.record, atMs)) return stored;
        await step(stored, { type: "deadline.passed", atMs }, null);
        return CONFLICT;
      }),
  };
}
