import { NO_PART } from "../kernel/commit-part.ts";
import type { KeyedMutex } from "../kernel/keyed-mutex.ts";
import type { PortalLinkRecord } from "../portal-links/portal-link.ts";
import { ACCOUNT_ATTEMPTS_MAX, type PortalLinkKeeper } from "../portal-links/portal-link-keeper.ts";
import type { Transition } from "../workflow/workflow.ts";
import type { AgentCredentialEvent } from "./events.ts";
import type { AgentCredentialWorkflow } from "./workflow.ts";

export interface AgentLinkKeeperOptions {
  workflow: AgentCredentialWorkflow;
  /** By credential. Links are made under the same mutex. */
  mutex: KeyedMutex<string>;
}

/**
 * An unpaid link makes room again, and a late payment counts again. The same commit changes the
 * link, so both agree after any crash.
 */
export function createAgentLinkKeeper({ workflow, mutex }: AgentLinkKeeperOptions): PortalLinkKeeper {
  return {
    attemptsMax: ACCOUNT_ATTEMPTS_MAX,
    applies: (step) => agentOf(step.record) !== null && eventOf(step) !== null,
    read: async (change) => {
      const [agentId, event] = [agentOf(change.record), eventOf(change)];
      if (agentId === null || event === null) return NO_PART;
      const stored = await workflow.store.load(agentId);
      // Credentials are stored longer than their links can be paid.
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

/** A refunded link stays counted, because it was sold. */
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
