import { maskPans, maskSchemePans } from "../kernel/mask.ts";
import { compile } from "../kernel/statechart.ts";
import type { LinkEffect, LinkEvent, LinkStep } from "./events.ts";
import { followUpAnswered, followUpRequested, followUpsVerified } from "./follow-ups.ts";
import type { LinkOrder, LinkRecord } from "./link.ts";
import { linkMachine, stateOfLink } from "./machine.ts";
import { endedReversal, reversalFound } from "./rules.ts";

export interface LinkStepResult {
  record: LinkRecord;
  effects: readonly LinkEffect[];
  /** False where the event left everything as it was: there is nothing to store. */
  changed: boolean;
}

/** What of the link's machine is an effect. */
export const LINK_EFFECTS = [
  "verify",
  "reverse",
  "ended",
  "flagLate",
  "flagAmount",
  "flagOverdue",
  "flagReversal",
  "settleOverdue",
] as const;

const stepMachine = compile(linkMachine, LINK_EFFECTS);

/** Steps a link by its machine (machine.ts), and those of its follow-ups that the event concerns each by its own (follow-up-machine.ts). */
export function stepLink(record: LinkRecord, event: LinkEvent): LinkStepResult {
  const { link, effects } = withReversal(carryOut(record, event), event.atMs);
  const changed = link !== record;
  return { record: changed ? asStored(link) : record, effects, changed };
}

/** What a step says of the captures, reversals and refunds may end what the relay owes. */
function withReversal(step: LinkStep, atMs: number): LinkStep {
  const found = reversalFound(step.link);
  if (found === null) return step;
  // Operators see how it ended, too.
  return { link: endedReversal(step.link, found, atMs), effects: [...step.effects, { type: "flagReversal", params: {} }] };
}

function carryOut(link: LinkRecord, event: LinkEvent): LinkStep {
  switch (event.type) {
    case "followUp.requested":
      return followUpRequested(link, event);
    case "followUp.answered":
    case "followUp.refused":
      return followUpAnswered(link, event);
    case "verify.answered":
    case "verify.failed":
      // Of a paid link only what followed is left to find out.
      if (link.state === "success") return followUpsVerified(link, event);
  }
  const { context, effects } = stepMachine(stateOfLink(link), link, event);
  return { link: context, effects };
}

/** Its members in the order in which they are stored. */
function asStored(link: LinkRecord): LinkRecord {
  return {
    state: link.state,
    order: link.state === "created" ? link.order : masked(link.order),
    inits: link.inits,
    paymentId: link.paymentId,
    paymentUrl: link.paymentUrl,
    nextAtMs: link.nextAtMs,
    verifiedAtMs: link.verifiedAtMs,
    notifications: link.notifications,
    outcome: link.outcome,
    late: link.late,
    overdue: link.overdue,
    followUps: link.followUps,
    ...(link.settled === true ? { settled: true as const } : {}),
    ...(link.revoked === true ? { revoked: true as const } : {}),
    ...(link.reversalOwed === undefined ? {} : { reversalOwed: link.reversalOwed }),
  };
}

/** Once the gateway has these texts as they came (or will not get them any more), they are kept without card numbers. */
function masked(order: LinkOrder): LinkOrder {
  return {
    ...order,
    description: order.description === null ? null : maskPans(order.description),
    merchantReference: order.merchantReference === null ? null : maskSchemePans(order.merchantReference),
    customerEmail: order.customerEmail === null ? null : maskSchemePans(order.customerEmail),
    returnUrl: order.returnUrl === null ? null : maskSchemePans(order.returnUrl),
  };
}
