import type { DisputeTask } from "../../../engine/cases/case-tasks.ts";
import type { PortalLinkTask } from "../../../engine/portal-links/link-tasks.ts";
import type { MerchantAttentionItem } from "../../../engine/settings/merchant-attention.ts";
import type { OfflineTask } from "../../../engine/settings/offline-tasks.ts";
import type { SubscriptionTask } from "../../../engine/subscriptions/subscription-tasks.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import type { OverviewJson } from "./overview-schemas.ts";

type TaskJson = OverviewJson["tasks"][number];

export interface FoundTasks {
  /** The most urgent come first. */
  readonly cases: readonly DisputeTask[];
  readonly offline: readonly OfflineTask[];
  readonly payments: readonly MerchantAttentionItem[];
  readonly links: readonly PortalLinkTask[];
  readonly pastDue: readonly SubscriptionTask[];
}

const NOTHING = {
  ...{ amountMinor: null, currency: null, category: null, code: null, message: null, terminalId: null, about: null },
} as const satisfies Partial<TaskJson>;

/**
 * Returns cases by their deadline, then terminals that are offline, then payments, links and
 * subscriptions, newest first.
 */
export function tasksJson({ cases, offline, payments, links, pastDue }: FoundTasks): TaskJson[] {
  const others: (TaskJson & { at: string })[] = [
    ...payments.map(({ kind, uuid, atMs, terminalId, amountMinor, currency }) => ({
      ...{ ...NOTHING, kind, subject: uuid, at: iso(atMs), dueAt: null, terminalId, amountMinor, currency },
    })),
    ...links.map(({ kind, id, atMs, amountMinor, currency, description: about }) => ({
      ...{ ...NOTHING, kind, subject: id, at: iso(atMs), dueAt: null, amountMinor, currency, about },
    })),
    ...pastDue.map(({ kind, id, atMs, dueAtMs, amountMinor, currency, planName: about, code, description: message }) => ({
      ...{ ...NOTHING, kind, subject: id, at: iso(atMs), dueAt: isoOrNull(dueAtMs), amountMinor, currency, about, code, message },
    })),
  ];
  return [
    ...cases.map(({ kind, id, atMs, dueAtMs, amountMinor, currency, category }) => ({
      ...{ ...NOTHING, kind, subject: id, at: iso(atMs), dueAt: iso(dueAtMs), amountMinor, currency, category },
    })),
    ...offline.map(({ kind, terminalId, atMs }) => ({ ...NOTHING, kind, subject: terminalId, at: iso(atMs), dueAt: null, terminalId })),
    ...others.sort((one, other) => Date.parse(other.at) - Date.parse(one.at)),
  ];
}
