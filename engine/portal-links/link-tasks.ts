import type { Clock } from "../kernel/clock.ts";
import { createRecent } from "../kernel/recent.ts";
import { isPaidTwice, type PortalLinkRecord } from "./portal-link.ts";

/** Whoever has kept a payment that came late for so long has decided to keep it. */
export const LATE_TASK_MS = 30 * 86_400_000;

/** Links that are looked at for one merchant: an overview names the newest, no list of all. */
const LINKS_MAX = 20;

/** Those who look at once share one look. */
const RECENT_MS = 4_000;

/**
 * What a merchant has to look at of a link. `link_paid_twice`: one of the payments has to be given back. `link_late`: paid after it was shown as cancelled or expired; it is
 * delivered, or given back. `link_refund_unknown`: a refund was sent, and the gateway has not said what became of it.
 */
export type PortalLinkTaskKind = "link_paid_twice" | "link_late" | "link_refund_unknown";

export interface PortalLinkTask {
  readonly kind: PortalLinkTaskKind;
  readonly id: string;
  /** When it was paid. */
  readonly atMs: number;
}

export function taskKindsOf(record: Pick<PortalLinkRecord, "attempts" | "late">): PortalLinkTaskKind[] {
  const paid = record.attempts.filter(({ state }) => state === "paid");
  const kinds: PortalLinkTaskKind[] = [];
  if (isPaidTwice(record)) kinds.push("link_paid_twice");
  else if (record.late && paid.some(({ refund }) => refund === "none")) kinds.push("link_late");
  if (paid.some(({ refund }) => refund === "unknown")) kinds.push("link_refund_unknown");
  return kinds;
}

/** Until when they stand; null where there are none. Those that only somebody's doing ends stand as long as the link is kept (`keptUntilMs`). */
export function tasksUntilMs(record: Pick<PortalLinkRecord, "attempts" | "late" | "paidAtMs">, keptUntilMs: number): number | null {
  const kinds = taskKindsOf(record);
  if (kinds.length === 0) return null;
  return kinds.every((kind) => kind === "link_late") ? (record.paidAtMs ?? 0) + LATE_TASK_MS : keptUntilMs;
}

/** The tasks of a merchant's newest links that have some, newest first, as they were within the last seconds. Rejects with RelayError `unavailable`. */
export type PortalLinkTasks = (list: Pick<PortalLinkRecord, "merchantId" | "livemode">) => Promise<readonly PortalLinkTask[]>;

export interface PortalLinkTasksOptions {
  /** Of the store of portal links. */
  store: { withTasks(list: Parameters<PortalLinkTasks>[0], limit: number): Promise<readonly PortalLinkRecord[]> };
  clock: Clock;
}

export function createPortalLinkTasks({ store, clock }: PortalLinkTasksOptions): PortalLinkTasks {
  const recent = createRecent<readonly PortalLinkTask[]>(clock, RECENT_MS);

  async function look(list: Parameters<PortalLinkTasks>[0]): Promise<readonly PortalLinkTask[]> {
    const links = await store.withTasks(list, LINKS_MAX);
    const tasks = links.flatMap((link) => taskKindsOf(link).map((kind) => ({ kind, id: link.id, atMs: lastPaidAtMs(link) })));
    return tasks.sort((one, other) => other.atMs - one.atMs);
  }

  return ({ merchantId, livemode }) => recent(`${merchantId}/${livemode}`, () => look({ merchantId, livemode }));
}

function lastPaidAtMs({ attempts, createdAtMs }: PortalLinkRecord): number {
  return Math.max(createdAtMs, ...attempts.map(({ paid }) => paid?.atMs ?? 0));
}
