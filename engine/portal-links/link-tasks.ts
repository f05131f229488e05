import type { Clock } from "../kernel/clock.ts";
import { createRecent } from "../kernel/recent.ts";
import { isPaidTwice, type PortalLinkRecord } from "./portal-link.ts";

/** A merchant that has not refunded a late payment for so long has decided to keep it. */
export const LATE_TASK_MS = 30 * 86_400_000;

/** An overview names only the newest links of a merchant. */
const LINKS_MAX = 20;

/** Calls within this time share one read. */
const RECENT_MS = 4_000;

/**
 * `link_paid_twice`: one payment must be refunded. `link_late`: the merchant delivers or refunds.
 * `link_refund_unknown`: the outcome of a refund is unknown.
 */
export type PortalLinkTaskKind = "link_paid_twice" | "link_late" | "link_refund_unknown";

export interface PortalLinkTask {
  readonly kind: PortalLinkTaskKind;
  readonly id: string;
  /** When it was paid. */
  readonly atMs: number;
  readonly amountMinor: number;
  readonly currency: string;
  /** The text for the customer. */
  readonly description: string;
}

export function taskKindsOf(record: Pick<PortalLinkRecord, "attempts" | "late">): PortalLinkTaskKind[] {
  const paid = record.attempts.filter(({ state }) => state === "paid");
  const kinds: PortalLinkTaskKind[] = [];
  if (isPaidTwice(record)) kinds.push("link_paid_twice");
  else if (record.late && paid.some(({ refund }) => refund === "none")) kinds.push("link_late");
  if (paid.some(({ refund }) => refund === "unknown")) kinds.push("link_refund_unknown");
  return kinds;
}

/** Null: there are no tasks. Tasks that only an action ends exist until `keptUntilMs`. */
export function tasksUntilMs(record: Pick<PortalLinkRecord, "attempts" | "late" | "paidAtMs">, keptUntilMs: number): number | null {
  const kinds = taskKindsOf(record);
  if (kinds.length === 0) return null;
  return kinds.every((kind) => kind === "link_late") ? (record.paidAtMs ?? 0) + LATE_TASK_MS : keptUntilMs;
}

/** Returns tasks newest first, some seconds old at most. Rejects with RelayError `unavailable`. */
export type PortalLinkTasks = (list: Pick<PortalLinkRecord, "merchantId" | "livemode">) => Promise<readonly PortalLinkTask[]>;

export interface PortalLinkTasksOptions {
  store: { withTasks(list: Parameters<PortalLinkTasks>[0], limit: number): Promise<readonly PortalLinkRecord[]> };
  clock: Clock;
}

export function createPortalLinkTasks({ store, clock }: PortalLinkTasksOptions): PortalLinkTasks {
  const recent = createRecent<readonly PortalLinkTask[]>(clock, RECENT_MS);

  async function readTasks(list: Parameters<PortalLinkTasks>[0]): Promise<readonly PortalLinkTask[]> {
    const links = await store.withTasks(list, LINKS_MAX);
    const tasks = links.flatMap((link) => {
      const { amountMinor, currency, description } = link.order;
      return taskKindsOf(link).map((kind) => ({ kind, id: link.id, atMs: lastPaidAtMs(link), amountMinor, currency, description }));
    });
    return tasks.sort((one, other) => other.atMs - one.atMs);
  }

  return ({ merchantId, livemode }) => recent(`${merchantId}/${livemode}`, () => readTasks({ merchantId, livemode }));
}

function lastPaidAtMs({ attempts, createdAtMs }: PortalLinkRecord): number {
  return Math.max(createdAtMs, ...attempts.map(({ paid }) => paid?.atMs ?? 0));
}
