import type { CallLogJson, WorkflowLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import type { BadgeKind } from "../../components/badge.tsx";
import { isDay } from "../../i18n/is-day.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import { transactionHref } from "../transactions/words.ts";
import { webhooksHref } from "../webhooks/words.ts";

/** The filters of both lists, as the address and the interface name them. */
export const FILTERS = ["objectId", "requestId", "outcome", "from", "to"] as const;

export type LogTab = "workflow" | "calls";

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed. */
export function queryOf(values: Readonly<Record<string, string>>, tab: LogTab): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    from: isDay,
    to: isDay,
    outcome: (value) => outcomesOf(tab).includes(value),
    objectId: isShort,
    requestId: isShort,
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? false));
}

/** A step is taken or not; only of a call it may not be known. */
export function outcomesOf(tab: LogTab): readonly string[] {
  return tab === "workflow" ? ["done", "refused"] : ["done", "refused", "failed"];
}

/** Longer than any id. */
export const ID_LENGTH_MAX = 100;

const isShort = (value: string) => value.length <= ID_LENGTH_MAX;

const OUTCOME_KINDS: Readonly<Record<string, BadgeKind>> = { done: "good", refused: "warn", failed: "bad" };

export function outcomeKind(outcome: string): BadgeKind {
  return OUTCOME_KINDS[outcome] ?? "neutral";
}

export function outcomeText(outcome: string): string {
  const outcomes: Readonly<Record<string, string>> = text().logs.outcomes;
  return outcomes[outcome] ?? outcome;
}

/** What the object of a step is, in words. */
export function objectTypeText(objectType: string): string {
  const types: Readonly<Record<string, string>> = text().logs.objectTypes;
  return types[objectType] ?? objectType;
}

export function targetText(target: string): string {
  const targets: Readonly<Record<string, string>> = text().logs.targets;
  return targets[target] ?? target;
}

/** Where the portal shows what a step is about; null where it does not. */
export function stepHref({ objectType, objectId }: WorkflowLogJson): string | null {
  switch (objectType) {
    case "payment_link":
      return `/portal/payment-links/${encodeURIComponent(objectId)}`;
    case "subscription":
      return subscriptionHref(objectId);
    case "agent_credential":
      return objectHref("agents", objectId);
    case "link":
      return transactionHref(objectId);
    case "webhook_endpoint":
      return webhooksHref("endpoints", { id: objectId });
    default:
      return null;
  }
}

function subscriptionHref(id: string): string {
  return `/portal/subscriptions/${encodeURIComponent(id)}`;
}

/** The same of a call: those to the gateway and callbacks are about a link, which is a transaction once it has ended, or about the card of a subscription. */
export function callHref({ target, objectId }: CallLogJson): string | null {
  if (target === "gateway" && objectId.startsWith("sub_")) return subscriptionHref(objectId);
  return target === "gateway" || target === "callback" ? transactionHref(objectId) : null;
}
