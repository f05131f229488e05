import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createPacer } from "../kernel/pacer.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { portalLinkChange, type Telling, tellStored } from "./portal-link-change.ts";
import { commitKept } from "./portal-link-keeper.ts";
import type { PortalLinkStore } from "./portal-link-store.ts";
import { stepPortalLink } from "./step-portal-link.ts";

/** Links that expire within one second before the rest of them is spread over the seconds after it: an expiry is a commit and no call to anybody. */
const FREE_PER_SECOND = 100;

const BOUNDS = { heldMax: 20_000, atOnceMax: 64, catchUpMs: 5_000, slackMs: 2_000 };

/** Each lost round is somebody else's change of the same link; more of them mean that something is wrong. */
const ROUNDS_MAX = 8;

export interface PortalLinkDeadlinesOptions extends Telling {
  store: PortalLinkStore;
  clock: Clock;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/** The deadlines of portal links whose home this shard is: the moments from which they can no longer be paid. */
export function createPortalLinkDeadlines({ store, clock, homes, self, failed, ...telling }: PortalLinkDeadlinesOptions): DeadlineRunner {
  const expire = (id: string): Promise<void> =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null) return undefined;
      const event = { type: "deadline.passed", atMs: clock.nowMs() } as const;
      const step = stepPortalLink(stored.record, event);
      if (!step.taken) return undefined;
      const change = await commitKept(portalLinkChange(step, stored, event.atMs, null, telling), store, telling.keeper);
      if (change === null) return CONFLICT;
      tellStored(change, event.type, null, telling);
      return undefined;
    });

  return createDeadlineRunner({
    ...{ name: "portal-link", index: store, homes, self, clock, failed },
    placeOf: (partition) => `portal-links/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
    fire: expire,
  });
}
