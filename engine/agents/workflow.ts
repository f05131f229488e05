import { listPrefix } from "../kernel/merchant-index-store.ts";
import { compile } from "../kernel/statechart.ts";
import { PORTAL_LINK_HOURS_MAX } from "../portal-links/words.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import { stepRecords, type WorkflowDefinition, webhook } from "../workflow/workflow.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import type { AgentCredentialEffect, AgentCredentialEvent } from "./events.ts";
import { agentCredentialMachine } from "./machine.ts";

export type AgentCredentialWorkflow = Workflow<AgentCredentialRecord, AgentCredentialEvent, AgentCredentialEffect>;

export type AgentCredentialOutcome = "created" | "exhausted" | "active_again" | "expired" | "revoked";

const HOUR_MS = 3_600_000;

const OUTCOMES = { ACTIVE: "active_again", EXHAUSTED: "exhausted", EXPIRED: "expired", REVOKED: "revoked" } as const;

const runMachine = compile(agentCredentialMachine, ["tell"]);

export const stepAgentCredential = stepRecords(runMachine);

/**
 * Credentials of agents are stored as `agent-credential/<id>`, and the list of usable ones apart
 * (usable-credentials-store.ts). Links report their own changes, so only changes of a credential's
 * state are reported.
 */
export const AGENT_CREDENTIAL_WORKFLOW: WorkflowDefinition<
  AgentCredentialRecord,
  AgentCredentialEvent,
  AgentCredentialEffect,
  AgentCredentialOutcome
> = {
  ...{ kind: "agentCredential", label: "a credential of an agent", objectType: "agent_credential" },
  ...{ idPattern: /^ac_[a-z0-9]{24}$/, keyPrefix: "agent-credential/" },
  step: stepAgentCredential,
  overdue: () => null,
  touch: "latest",
  // Links of other threads and other credentials of the merchant cause conflicts.
  attemptsMax: 64,
  reports: "state changes",
  // A link of the credential may be paid until then, even late.
  expiresAtMs: ({ record, atMs }, retentionMs) => Math.max(atMs, record.expiresAtMs) + PORTAL_LINK_HOURS_MAX * HOUR_MS + retentionMs,
  indexes: [
    { prefix: "agent-credential-token/", path: ({ digest }) => digest, exact: true },
    { prefix: "agent-credential-of/", path: (credential) => listPrefix("", credential), atMs: ({ createdAtMs }) => createdAtMs },
  ],
  // The expiry changes only when a credential ends, or by a later clock.
  renewIndexes: ({ before, record }) => record.state !== before?.state,
  deadlines: {
    ...{ name: "agent-credential", freePerSecond: 100 },
    bounds: { heldMax: 20_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 2_000 },
  },
  terminalOf: () => "-",
  effects: { tell: webhook(({ params }) => params.news) },
  reportRows: () => [],
  outcomesOf: ({ before, record }) => [before === null ? "created" : OUTCOMES[record.state]],
};
