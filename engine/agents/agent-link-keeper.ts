import { NO_PART } from "../kernel/commit-part.ts";
import type { KeyedMutex } from "../kernel/keyed-mutex.ts";
import type { PortalLinkRecord } from "../portal-links/portal-link.ts";
import { ACCOUNT_ATTEMPTS_MAX, type PortalLinkKeeper } from "../portal-links/portal-link-keeper.ts";
import type { Transition } from "../workflow/workflow.ts";
import type { AgentCredentialEvent } from "./events.ts";
import type { AgentCredentialWorkflow } from "./workflow.ts";

export interface AgentLinkKeeperOptions {
  workflow: AgentCredentialWorkflow;
  /** By credential: the same one in which links are made. */
  mutex: KeyedMutex<string>;
}

/**
 * Keeps what the links of a credential have come to, in the commits that change those links: what ends unpaid is given back to its total, and what is paid after that counts again. So
 * neither is ever known without the other, whatever dies when.
 */
export function createAgentLinkKeeper({ workflow, mutex }: AgentLinkKeeperOptions): PortalLinkKeeper {
  return {
    attemptsMax: ACCOUNT_ATTEMPTS_MAX,
    applies: (step) => agentOf(step.record) !== null && eventOf(step) !== null,
    read: async (change) => {
      const [agentId, event] = [agentOf(change.record), eventOf(change)];
      if (agentId === null || event === null) return NO_PART;
      const stored = await workflow.store.load(agentId);
      // Credentials are kept longer than their links can be paid.
      if (stored === null) return NO_PART;
      const prepared = workflow.prepare(stored, event, null);
      const step = prepared instanceof Promise ? await prepared : prepared;
      if (step === "refused") throw new Error(`the credential ${agentId} does not take ${event.type}`);
      return { ...step.part, committed: step.committed };
    },
    inTurn: (record, work) => {
      const agentId = agentOf(record);
      return agentId === null ? work() : mutex.runExclusive(agentId, work);
    },
  };
}

function agentOf({ createdBy }: PortalLinkRecord): string | null {
  return createdBy.type === "agent" ? createdBy.agentId : null;
}

/** What a step of a link is to the credential that made it. What is given back after it was paid stays counted: it was sold. */
function eventOf({ record, before, atMs }: Transition<PortalLinkRecord>): AgentCredentialEvent | null {
  if (before === null || before.state === record.state) return null;
  const { amountMinor } = record.order;
  switch (record.state) {
    case "CANCELLED":
    case "EXPIRED":
      return { type: "link.unpaid", atMs, amountMinor };
    case "PAID":
      return before.state === "PENDING" ? null : { type: "link.paid_late", atMs, amountMinor };
    case "PENDING":
      return null;
  }
}
