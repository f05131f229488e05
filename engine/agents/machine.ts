import { assign, setup } from "xstate";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import type { AgentCredentialEvent, AgentCredentialNews } from "./events.ts";
import { hasRoom, isTimeOver, isUsedUp, withLink, withoutUnpaid, withPaidLate } from "./rules.ts";

/**
 * The machine of an agent's credential (drawn in infra/docs/machines/agent-credential.md). It is
 * pure: events carry the time and the day, and effects are data. The commit that changes a link
 * stores the step about it (agent-link-keeper.ts).
 */
const setUp = setup({
  types: {} as { context: AgentCredentialRecord; input: AgentCredentialRecord; events: AgentCredentialEvent; tags: "ended" },
  guards: {
    fits: ({ context, event }) => event.type === "link.made" && !isTimeOver(context, event.atMs) && hasRoom(context, event),
    fillsUp: ({ context, event }) =>
      event.type === "link.made" &&
      !isTimeOver(context, event.atMs) &&
      hasRoom(context, event) &&
      isUsedUp(context, withLink(context, event)),
    makesRoom: ({ context, event }) => event.type === "link.unpaid" && !isUsedUp(context, withoutUnpaid(context, event)),
    takesTheRest: ({ context, event }) => event.type === "link.paid_late" && isUsedUp(context, withPaidLate(context, event)),
    isOver: ({ context, event: { atMs } }) => isTimeOver(context, atMs),
  },
  actions: {
    tell: (_, _params: { news: AgentCredentialNews }) => {},
    reserve: assign(({ context, event }) => (event.type === "link.made" ? { reserved: withLink(context, event) } : {})),
    release: assign(({ context, event }) => (event.type === "link.unpaid" ? { reserved: withoutUnpaid(context, event) } : {})),
    countLate: assign(({ context, event }) => (event.type === "link.paid_late" ? { reserved: withPaidLate(context, event) } : {})),
    revoke: assign(({ event }) =>
      event.type === "revoke.requested" ? { revokedAtMs: event.atMs, revokedBy: event.by, nextAtMs: null } : {},
    ),
    expire: assign(() => ({ nextAtMs: null })),
  },
});

const exhausted = { type: "tell", params: { news: "agent_credential.exhausted" } } as const;

/** Links of a credential that has ended still count until they end. */
const counted = { "link.unpaid": { actions: "release" }, "link.paid_late": { actions: "countLate" } } as const;
const ends = {
  "revoke.requested": { target: "REVOKED", actions: "revoke" },
  "deadline.passed": { guard: "isOver", target: "EXPIRED", actions: "expire" },
} as const;

export const agentCredentialMachine = setUp.createMachine({
  id: "agentCredential",
  context: ({ input }) => input,
  initial: "ACTIVE",
  states: {
    ACTIVE: {
      description: "It can be used.",
      on: {
        ...ends,
        "link.made": [
          { guard: "fillsUp", target: "EXHAUSTED", actions: ["reserve", exhausted] },
          { guard: "fits", actions: "reserve" },
        ],
        "link.unpaid": { actions: "release" },
        "link.paid_late": [{ guard: "takesTheRest", target: "EXHAUSTED", actions: ["countLate", exhausted] }, { actions: "countLate" }],
      },
    },
    EXHAUSTED: {
      description: "Its links have come to all that they may. It makes no more until one of them ends unpaid, and reads all the same.",
      on: {
        ...ends,
        "link.unpaid": [{ guard: "makesRoom", target: "ACTIVE", actions: "release" }, { actions: "release" }],
        "link.paid_late": { actions: "countLate" },
      },
    },
    EXPIRED: { tags: "ended", description: "Its time is over: its token opens nothing. Its links go on.", on: counted },
    REVOKED: { tags: "ended", description: "By its merchant: its token opens nothing. Its links go on.", on: counted },
  },
});
