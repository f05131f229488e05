import type { AlertRecord } from "../alerts/alert.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { DisputeCategory, DisputeRecord } from "../disputes/dispute.ts";
import type { Disputes } from "../disputes/disputes.ts";
import type { Clock } from "../kernel/clock.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { createRecent } from "../kernel/recent.ts";

/** A dispute becomes a task this long before its deadline. */
const DUE_WITHIN_MS = 7 * 86_400_000;

/** The limit for each kind. An overview names only the most urgent. */
const TASKS_MAX = 10;

/** Calls within this time share one read. */
const RECENT_MS = 4_000;

/** `dispute_due`: must be answered within a week. `alert_pending`: must be refunded or declined. */
export type DisputeTaskKind = "dispute_due" | "alert_pending";

export interface DisputeTask {
  readonly kind: DisputeTaskKind;
  readonly id: string;
  /** When it was received. */
  readonly atMs: number;
  readonly dueAtMs: number;
  readonly amountMinor: number;
  readonly currency: string;
  /** The reason of the complaint. */
  readonly category: DisputeCategory;
}

/** The most urgent come first, some seconds old at most. Rejects with RelayError `unavailable`. */
export type DisputeTasks = (owner: MerchantScope) => Promise<readonly DisputeTask[]>;

export interface DisputeTasksOptions {
  disputes: Pick<Disputes, "list">;
  alerts: Pick<Alerts, "list">;
  clock: Clock;
}

export function createDisputeTasks({ disputes, alerts, clock }: DisputeTasksOptions): DisputeTasks {
  const recent = createRecent<readonly DisputeTask[]>(clock, RECENT_MS);

  async function readTasks(owner: MerchantScope): Promise<readonly DisputeTask[]> {
    const page = { limit: TASKS_MAX, cursor: null, order: "due", fromMs: null, beforeMs: null, state: null } as const;
    const dueBeforeMs = clock.nowMs() + DUE_WITHIN_MS;
    const [due, pending] = await Promise.all([
      disputes.list(owner, { ...page, dueBeforeMs, stage: null, category: null, terminalId: null, q: null }),
      alerts.list(owner, { ...page, source: null }),
    ]);
    const taskOf =
      (kind: DisputeTaskKind) =>
      ({ id, createdAtMs, respondByMs, amountMinor, currency, category }: DisputeRecord | AlertRecord): DisputeTask => {
        return { kind, id, atMs: createdAtMs, dueAtMs: respondByMs, amountMinor, currency, category };
      };
    const tasks = [...due.items.map(taskOf("dispute_due")), ...pending.items.map(taskOf("alert_pending"))];
    return tasks.sort((one, other) => one.dueAtMs - other.dueAtMs);
  }

  return ({ merchantId, livemode }) => recent(`${merchantId}/${livemode}`, () => readTasks({ merchantId, livemode }));
}
