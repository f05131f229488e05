import { compile } from "../kernel/statechart.ts";
import type { PortalLinkEffect, PortalLinkEvent } from "./events.ts";
import { portalLinkMachine } from "./machine.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

export interface PortalLinkStep {
  record: PortalLinkRecord;
  effects: readonly PortalLinkEffect[];
  /** False where the event means nothing as the link stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the machine of portal links is an effect. */
export const PORTAL_LINK_EFFECTS = ["tell", "mailPaid", "flagLate", "flagTwice", "settleTwice"] as const;

const stepMachine = compile(portalLinkMachine, PORTAL_LINK_EFFECTS);

/** Steps a portal link by its machine (machine.ts). */
export function stepPortalLink(record: PortalLinkRecord, event: PortalLinkEvent): PortalLinkStep {
  const { state, context, effects } = stepMachine(record.state, record, event);
  const taken = context !== record || effects.length > 0;
  return { record: taken ? { ...context, state } : record, effects, taken };
}
