import type { Clock } from "../kernel/clock.ts";
import { hashOf } from "../kernel/hash.ts";
import type { PlaceBounds } from "../kernel/shared-places.ts";
import { createDeliverySender, type DeliverySender } from "../webhooks/delivery-sender.ts";
import { type CallbackRecord, claimedCallback, failedCallback } from "./callback.ts";
import type { CallbackStore } from "./callback-store.ts";

/** Posts callbacks to addresses that clients gave. */
export interface CallbackTarget {
  /** One attempt. Does not reject for what the address does; the reason holds nothing secret. */
  post(url: string, body: string): Promise<CallbackOutcome>;
}

/** `httpStatus` is for logs; absent where there was no answer. */
export type CallbackOutcome =
  | { readonly type: "delivered"; readonly httpStatus?: number }
  | { readonly type: "failed"; readonly reason: string; readonly httpStatus?: number };

/** Read at once: more than can be under way, so that those of a client that does not answer do not hide the others. */
const PAGE = 500;
/** Under way at once, in all, of one account of the gateway, and to one host: a client that is slow costs only itself. */
export const CALLBACKS_UNDER_WAY: PlaceBounds = { all: 64, each: 32 };
const PER_HOST_MAX = 8;

export interface CallbackSenderOptions {
  store: CallbackStore;
  target: CallbackTarget;
  clock: Clock;
  told(event: { type: "delivered" | "failed" | "dead"; id: string; attempts: number; reason: string | null }): void;
  /** An attempt, whatever came of it; for its merchant's log. */
  attempted?(what: { record: CallbackRecord; outcome: CallbackOutcome; atMs: number; ms: number }): void;
  failed(what: string, error: unknown): void;
}

/** The adapter's callbacks as a kind of delivery: unsigned, over sixteen hours, and gone once they are delivered. */
export function createCallbackSender({ store, target, clock, told, attempted, failed }: CallbackSenderOptions): DeliverySender {
  return createDeliverySender<CallbackRecord>({
    kind: {
      name: "callbacks",
      underWay: CALLBACKS_UNDER_WAY,
      laneMax: PER_HOST_MAX,
      due: async ({ untilMs }) => {
        const found = await store.due(untilMs, PAGE);
        return { found, next: null, left: found.length === PAGE, oldestMs: found[0]?.record.nextAtMs ?? null };
      },
      idOf: ({ id }) => id,
      laneOf: ({ url }) => (URL.canParse(url) ? new URL(url).host : ""),
      holderOf: ({ body }) => body.merId,
      queueOf: () => null,
      claim: (stored, atMs) => store.replace(stored, claimedCallback(stored.record, atMs)),
      attempt: async (claimed) => {
        const { record } = claimed;
        const [atMs, begunMs] = [clock.nowMs(), clock.monotonicMs()];
        const outcome = await target.post(record.url, JSON.stringify(record.body));
        attempted?.({ record, outcome, atMs, ms: clock.monotonicMs() - begunMs });
        if (outcome.type === "delivered") {
          await store.remove(claimed);
          told({ type: "delivered", id: record.id, attempts: record.attempts, reason: null });
          return "delivered";
        }
        const after = failedCallback(record, outcome.reason, clock.nowMs(), (hashOf(record.id) % 1_000) / 1_000);
        await store.replace(claimed, after);
        told({ type: after.state === "dead" ? "dead" : "failed", id: record.id, attempts: record.attempts, reason: outcome.reason });
        return "failed";
      },
    },
    clock,
    failed,
  });
}
