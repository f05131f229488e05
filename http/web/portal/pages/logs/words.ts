import type { CallLogJson, WorkflowLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import type { BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";
import { type ListDeclaration, objectHref } from "../../list/declaration.ts";
import { webhooksHref } from "../webhooks/words.ts";

export type LogTab = "workflow" | "calls";

/** No id is longer than this. */
const ID_LENGTH_MAX = 100;

/** Both lists have the same filters, but only a call can have the outcome `failed`. */
export const WORKFLOW_LIST = listOf("/logs/workflow", ["done", "refused"]);
export const CALL_LIST = listOf("/logs/calls", ["done", "refused", "failed"]);

function listOf<const Words extends readonly string[]>(path: string, words: Words) {
  const id = { type: "text", maxLength: ID_LENGTH_MAX } as const;
  const [outcome, day] = [{ type: "word", words }, { type: "day" }] as const;
  return { page: "logs", path, filters: { objectId: id, requestId: id, outcome, from: day, to: day } } as const satisfies ListDeclaration;
}

const OUTCOME_KINDS: Readonly<Record<string, BadgeKind>> = { done: "good", refused: "warn", failed: "bad" };

export function outcomeKind(outcome: string): BadgeKind {
  return OUTCOME_KINDS[outcome] ?? "neutral";
}

export function outcomeText(outcome: string): string {
  const outcomes: Readonly<Record<string, string>> = text().logs.outcomes;
  return outcomes[outcome] ?? outcome;
}

/** Names the type of a step's object. */
export function objectTypeText(objectType: string): string {
  const types: Readonly<Record<string, string>> = text().logs.objectTypes;
  return types[objectType] ?? objectType;
}

export function targetText(target: string): string {
  const targets: Readonly<Record<string, string>> = text().logs.targets;
  return targets[target] ?? target;
}

/** Returns the portal's address of a step's object; null if there is none. */
export function stepHref({ objectType, objectId }: WorkflowLogJson): string | null {
  switch (objectType) {
    case "payment_link":
      return `/portal/payment-links/${encodeURIComponent(objectId)}`;
    case "subscription":
      return subscriptionHref(objectId);
    case "agent_credential":
      return objectHref("agents", objectId);
    case "link":
      return objectHref("transactions", objectId);
    case "webhook_endpoint":
      return webhooksHref("endpoints", { id: objectId });
    default:
      return null;
  }
}

function subscriptionHref(id: string): string {
  return `/portal/subscriptions/${encodeURIComponent(id)}`;
}

/**
 * Returns the portal's address of a call's object. Calls to the gateway and callbacks are about a
 * link, which is a transaction after it ends, or about a subscription's card.
 */
export function callHref({ target, objectId }: CallLogJson): string | null {
  if (target === "gateway" && objectId.startsWith("sub_")) return subscriptionHref(objectId);
  return target === "gateway" || target === "callback" ? objectHref("transactions", objectId) : null;
}
