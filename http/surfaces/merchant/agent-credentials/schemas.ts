import { type Static, Type } from "@sinclair/typebox";
import { AGENT_SCOPES } from "../../../../engine/access/agent-grant.ts";
import {
  AGENT_ADDRESSES_MAX,
  AGENT_CALL_OUTCOMES,
  AGENT_DAYS_DEFAULT,
  AGENT_DAYS_MAX,
  AGENT_LINKS_PER_HOUR_DEFAULT,
  AGENT_LINKS_PER_HOUR_MAX,
  AGENT_NAME_LENGTH_MAX,
  AGENT_STATES,
} from "../../../../engine/agents/agent-credential.ts";
import { AMOUNT_MINOR_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { words } from "../../parts/schemas.ts";
import { listOf, nullable, time } from "../schema-parts.ts";

/** The JSON of agents' credentials, once: endpoints declare it, the portal's pages take their types from it. */

export const AgentScopeWord = words(AGENT_SCOPES, {
  title: "AgentScope",
  description:
    "links:create makes payment links within the limits. links:read reads, and links:cancel cancels, links that this credential made. transactions:read and analytics:read read what the merchant has, masked.",
});
export const AgentStateWord = words(AGENT_STATES, {
  title: "AgentCredentialState",
  description:
    "ACTIVE: it can be used. EXHAUSTED: its links have come to `totalMinor`; it makes no more until one of them ends unpaid, and reads all the same. EXPIRED: its time is over. REVOKED: by the merchant.",
});
export const AgentCallOutcomeWord = words(AGENT_CALL_OUTCOMES, {
  title: "AgentCallOutcome",
  description: "refused: by its scopes or limits, or because of what was asked. failed: for a reason that lies with the relay.",
});

const AMOUNT = { minimum: 1, maximum: AMOUNT_MINOR_MAX };

/** POST /agent-credentials. */
export const CreateAgentCredential = Type.Object(
  {
    name: Type.String({
      ...NO_CONTROL_CHARACTERS,
      minLength: 1,
      maxLength: AGENT_NAME_LENGTH_MAX,
      errorMessage: `must have 1 to ${AGENT_NAME_LENGTH_MAX} characters, and no control characters`,
      description: "Your own.",
    }),
    scopes: Type.Array(AgentScopeWord, { minItems: 1, maxItems: AGENT_SCOPES.length, uniqueItems: true }),
    limits: Type.Optional(
      Type.Object(
        {
          currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", default: "EUR" })),
          perLinkMaxMinor: Type.Integer({ ...AMOUNT, description: "What one link may come to, in minor units." }),
          perDayMinor: Type.Integer({
            ...AMOUNT,
            description:
              "What the links of one day come to at most; days are those of the installation's time zone. What ends unpaid does not come back on that day.",
          }),
          totalMinor: Type.Integer({ ...AMOUNT, description: "What all links together come to at most. What ends unpaid comes back." }),
          linksPerHour: Type.Optional(
            Type.Integer({ minimum: 1, maximum: AGENT_LINKS_PER_HOUR_MAX, default: AGENT_LINKS_PER_HOUR_DEFAULT }),
          ),
        },
        { title: "AgentLimitsRequest", description: "Needed with the scope links:create." },
      ),
    ),
    ipAllow: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: AGENT_ADDRESSES_MAX,
        description: "Addresses and networks (10.0.0.0/8, 2001:db8::/32) from which it may be used; from anywhere if absent or empty.",
      }),
    ),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: AGENT_DAYS_MAX, default: AGENT_DAYS_DEFAULT })),
  },
  { title: "AgentCredentialRequest" },
);

export const AgentLimitsShown = Type.Object(
  {
    currency: Type.String(),
    perLinkMaxMinor: Type.Integer(),
    perDayMinor: Type.Integer(),
    totalMinor: Type.Integer(),
    linksPerHour: Type.Integer(),
  },
  { title: "AgentLimits" },
);

const AgentUsage = Type.Object(
  {
    totalMinor: Type.Integer({
      description: "Of links that are paid or can be; at most `limits.totalMinor` but for links that are paid late.",
    }),
    todayMinor: Type.Integer({ description: "Of links that were made today." }),
    linksInHour: Type.Integer({ description: "Links of the last 60 minutes." }),
    links: Type.Integer({ description: "Links that it has made." }),
    refused: Type.Object(
      {
        currency: Type.Integer(),
        perLinkMax: Type.Integer(),
        perDay: Type.Integer(),
        total: Type.Integer(),
        linksPerHour: Type.Integer(),
      },
      { description: "Links that were refused, by the limit." },
    ),
  },
  { title: "AgentUsage" },
);

const AgentCall = Type.Object(
  {
    at: time("when."),
    tool: Type.String(),
    outcome: AgentCallOutcomeWord,
    argumentsDigest: Type.String({ description: "SHA-256 (hex) of the arguments, which are not kept." }),
  },
  { title: "AgentCall" },
);

const Creator = words(["user", "former_user", "key"], {
  description: "What the name beside it is: a user of the merchant, one who is none any more, or an API key.",
});
const WHO = "For people to read: the user's e-mail address (masked for roles that do not see personal data), `Former user`, or `API key`.";

/** GET /agent-credentials, GET /agent-credentials/{id}, and the answer of every change. */
export const AgentCredential = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(AgentScopeWord),
    state: AgentStateWord,
    limits: nullable(AgentLimitsShown),
    last4: Type.String({ description: "The last four characters of its token." }),
    expiresAt: time("until when it can be used."),
    details: Type.Optional(
      Type.Object(
        {
          usage: AgentUsage,
          ipAllow: Type.Array(Type.String()),
          createdAt: time("when it was made."),
          createdBy: Type.String({ description: WHO }),
          creator: Creator,
          revokedAt: nullable(time("when it was revoked.")),
          revokedBy: nullable(Type.String({ description: WHO })),
          lastUsedAt: nullable(time("when it was used last, to a second or so.")),
          calls: Type.Array(AgentCall, { description: "The last ones, newest first. Empty in lists." }),
        },
        { title: "AgentCredentialDetails", description: "Absent for a publishable key, which everybody may have." },
      ),
    ),
  },
  { title: "AgentCredential" },
);

/** The answer of POST /agent-credentials. */
export const AgentCredentialWithToken = Type.Object(
  {
    credential: AgentCredential,
    token: Type.String({ description: "`ak_merchant_...`; not shown again." }),
  },
  { title: "AgentCredentialWithToken" },
);

/** The answer of POST /agent-credentials/revoke-all. */
export const RevokedAgentCredentials = Type.Object({ revoked: Type.Integer() }, { title: "RevokedAgentCredentials" });

export const AgentCredentialPage = listOf(AgentCredential);

/** Filters of GET /agent-credentials, beside PAGE_QUERY. */
export const AGENT_CREDENTIAL_FILTERS = { state: Type.Optional(AgentStateWord) };

export type AgentScopeJson = Static<typeof AgentScopeWord>;
export type AgentStateJson = Static<typeof AgentStateWord>;
export type AgentCredentialJson = Static<typeof AgentCredential>;
export type AgentCredentialPageJson = Static<typeof AgentCredentialPage>;
export type AgentCredentialWithTokenJson = Static<typeof AgentCredentialWithToken>;
export type CreateAgentCredentialJson = Static<typeof CreateAgentCredential>;
export type RevokedAgentCredentialsJson = Static<typeof RevokedAgentCredentials>;
