import type { Caller } from "../../../../engine/access/caller.ts";
import type { AgentCredentialCreator, AgentCredentialRecord, AgentCredentialRevoker } from "../../../../engine/agents/agent-credential.ts";
import type { SeenAgentCredential } from "../../../../engine/agents/agent-credentials.ts";
import { madeOn } from "../../../../engine/agents/rules.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import type { ActorNames } from "../actor-context.ts";
import { actorNames } from "../actor-names.ts";
import type { AgentCredentialJson } from "./schemas.ts";
import type { AgentCredentialOperations } from "./surface.ts";

type Seen = Pick<AgentCredentialOperations, "users" | "localTime" | "clock">;

/** One credential, with its last calls. */
export async function agentCredentialJson(operations: Seen, caller: Caller, seen: SeenAgentCredential): Promise<AgentCredentialJson> {
  const [json] = await jsonOfAll(operations, caller, [seen], callsOf);
  if (json === undefined) throw new Error("one credential is one");
  return json;
}

/** Credentials of a page. */
export function agentCredentialList(
  operations: Seen,
  caller: Caller,
  credentials: readonly SeenAgentCredential[],
): Promise<AgentCredentialJson[]> {
  return jsonOfAll(operations, caller, credentials, () => []);
}

type Details = NonNullable<AgentCredentialJson["details"]>;

async function jsonOfAll(
  { users, localTime, clock }: Seen,
  caller: Caller,
  credentials: readonly SeenAgentCredential[],
  calls: (seen: SeenAgentCredential) => Details["calls"],
): Promise<AgentCredentialJson[]> {
  // A publishable key stands in pages that everybody reads: it sees no more than what the credentials are.
  if (caller.type === "merchantKey" && caller.merchant.kind !== "secret") return credentials.map(({ credential }) => summaryOf(credential));
  const actors = credentials.flatMap(({ credential: { createdBy, revokedBy } }) =>
    revokedBy === null || revokedBy.type === "rotation" ? [createdBy] : [createdBy, revokedBy],
  );
  const names = await actorNames<AgentCredentialCreator>(users, caller, actors);
  const today = localTime.dayOf(clock.nowMs());
  return credentials.map((seen) => ({
    ...summaryOf(seen.credential),
    details: { ...detailsOf(seen, today, names), calls: calls(seen) },
  }));
}

function summaryOf({ id, name, scopes, state, limits, last4, expiresAtMs }: AgentCredentialRecord): AgentCredentialJson {
  return {
    id,
    name,
    scopes: [...scopes],
    state,
    limits: scopes.includes("links:create") ? limits : null,
    last4,
    expiresAt: iso(expiresAtMs),
  };
}

function detailsOf(
  { credential, use, linksInHour }: SeenAgentCredential,
  today: string,
  names: ActorNames<AgentCredentialCreator>,
): Omit<Details, "calls"> {
  const { reserved, ipAllow, createdAtMs, createdBy, revokedAtMs, revokedBy } = credential;
  const { by, byType } = names(createdBy);
  const made = madeOn(reserved, today);
  return {
    usage: {
      ...{ totalMinor: reserved.totalMinor, todayMinor: made.minor, linksInHour, links: reserved.links },
      refused: use.refused,
    },
    ipAllow: [...ipAllow],
    ...{ createdAt: iso(createdAtMs), createdBy: by, creator: byType },
    ...{ revokedAt: isoOrNull(revokedAtMs), revokedBy: revokedBy === null ? null : revokerOf(revokedBy, names) },
    lastUsedAt: isoOrNull(use.lastUsedAtMs),
  };
}

function revokerOf(revoker: AgentCredentialRevoker, names: ActorNames<AgentCredentialCreator>): string {
  return revoker.type === "rotation" ? "Rotation of a leaked API key" : names(revoker).by;
}

function callsOf({ use: { calls } }: SeenAgentCredential): Details["calls"] {
  return calls.map(({ atMs, tool, outcome, argumentsDigest }) => ({ at: iso(atMs), tool, outcome, argumentsDigest }));
}

export const AGENT_CREDENTIAL_EXAMPLE: AgentCredentialJson = {
  id: "ac_7d0k2m9x7q1c8v5b3n6z0a2s",
  name: "Booking assistant",
  scopes: ["links:create", "links:read", "links:cancel"],
  state: "ACTIVE",
  limits: { currency: "EUR", perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 500_000, linksPerHour: 20 },
  last4: "x7Qa",
  expiresAt: "2026-12-25T10:00:00.000Z",
  details: {
    usage: {
      ...{ totalMinor: 41_050, todayMinor: 1_050, linksInHour: 1, links: 9 },
      refused: { currency: 0, perLinkMax: 2, perDay: 0, total: 0, linksPerHour: 0 },
    },
    ipAllow: ["203.0.113.0/24"],
    createdAt: "2026-11-25T10:00:00.000Z",
    createdBy: "anna@example.com",
    creator: "user",
    revokedAt: null,
    revokedBy: null,
    lastUsedAt: "2026-11-26T09:12:44.000Z",
    calls: [
      {
        at: "2026-11-26T09:12:44.000Z",
        tool: "create_payment_link",
        outcome: "done",
        argumentsDigest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      },
    ],
  },
};
