import type { Clock } from "../kernel/clock.ts";

/** How new this shard's view of the cluster's members is. */
export interface MembersView {
  /** When the members that are known here were asked for, monotonic. Always just now where there is one node only. */
  askedAt(): number;
  /** Resolves once members are known here that were asked for at `at` or later. Rejects where nobody can say who they are. */
  since(at: number): Promise<void>;
}

/** `look` resolves once the members have been asked for anew, and what has changed of them is known here; null for a node by itself. */
export function createMembersView(look: (() => Promise<unknown>) | null, { monotonicMs }: Clock): MembersView {
  let askedAt = Number.NEGATIVE_INFINITY;
  /** One for all who want to know at the same time. */
  let underWay: Promise<void> | null = null;

  async function ask(by: () => Promise<unknown>): Promise<void> {
    const startedAt = monotonicMs();
    await by();
    askedAt = startedAt;
  }

  return {
    askedAt: () => (look === null ? monotonicMs() : askedAt),
    since: async (at) => {
      while (look !== null && askedAt < at) {
        underWay ??= ask(look).finally(() => {
          underWay = null;
        });
        await underWay;
      }
    },
  };
}
