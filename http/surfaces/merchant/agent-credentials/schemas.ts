import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import { AGENT_SCOPES } from "../../../../engine/access/words.ts";
import {
  type AgentCall,
  type AgentCredentialCreator,
  type AgentCredentialRecord,
  type AgentCredentialRevoker,
  NO_AGENT_USE,
} from "../../../../engine/agents/agent-credential.ts";
import type { SeenAgentCredential } from "../../../../engine/agents/agent-credentials.ts";
import { madeOn } from "../../../../engine/agents/rules.ts";
import {
  AGENT_ADDRESSES_MAX,
  AGENT_CALL_OUTCOMES,
  AGENT_DAYS_DEFAULT,
  AGENT_DAYS_MAX,
  AGENT_LINKS_PER_HOUR_DEFAULT,
  AGENT_LINKS_PER_HOUR_MAX,
  AGENT_NAME_LENGTH_MAX,
  AGENT_STATES,
} from "../../../../engine/agents/words.ts";
import { AMOUNT_MINOR_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { resourceOf, webhookObject } from "../../../endpoint/resource.ts";
import { words } from "../../parts/schemas.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { filtersOf } from "../list-filters.ts";
import { AGENT_LIST } from "./list.ts";

/** The resource of credentials, and the JSON of requests. Pages take their types from it. */

export const AgentScopeWord = words(AGENT_SCOPES, {
  title: "AgentScope",
  description:
    "links:create: create payment links within the limits. links:read and links:cancel: read and cancel links that this credential created. transactions:read and analytics:read: read the merchant's transactions and figures, masked.",
});
export const AgentStateWord = words(AGENT_STATES, {
  title: "AgentCredentialState",
  description:
    "ACTIVE: the credential can be used. EXHAUSTED: its links have reached `totalMinor`; it cannot create links until one of them ends unpaid, but it can read. EXPIRED: its time is over. REVOKED: the merchant revoked it.",
});
export const AgentCallOutcomeWord = words(AGENT_CALL_OUTCOMES, {
  title: "AgentCallOutcome",
  description: "refused: rejected because of its scopes, its limits or the arguments. failed: the relay could not execute it.",
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
          perLinkMaxMinor: Type.Integer({ ...AMOUNT, description: "The highest amount of one link, in minor units." }),
          perDayMinor: Type.Integer({
            ...AMOUNT,
            description:
              "The highest sum of the links of one day; days are those of the installation's time zone. A link that ends unpaid still counts on that day.",
          }),
          totalMinor: Type.Integer({
            ...AMOUNT,
            description: "The highest sum of all links together. A link that ends unpaid no longer counts.",
          }),
          linksPerHour: Type.Optional(
            Type.Integer({ minimum: 1, maximum: AGENT_LINKS_PER_HOUR_MAX, default: AGENT_LINKS_PER_HOUR_DEFAULT }),
          ),
        },
        { title: "AgentLimitsRequest", description: "Required with the scope links:create." },
      ),
    ),
    ipAllow: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: AGENT_ADDRESSES_MAX,
        description:
          "Addresses and networks (10.0.0.0/8, 2001:db8::/32) from which the credential may be used; from anywhere if absent or empty.",
      }),
    ),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: AGENT_DAYS_MAX, default: AGENT_DAYS_DEFAULT })),
  },
  { title: "AgentCredentialRequest" },
);

export interface AgentCredentialContext extends ActorContext<AgentCredentialCreator> {
  /** The day in the installation's time zone. */
  readonly today: string;
}

type Shown = ReturnType<typeof shownOf>;

/** Returns the record from which the members of a credential are read. */
export const shownOf = ({ credential, use, linksInHour }: SeenAgentCredential) => ({ ...credential, use, linksInHour });

const r = resourceOf<Shown, AgentCredentialContext>();
const usage = r.resource({
  title: "AgentUsage",
  members: {
    totalMinor: r
      .integer("Sum of the links that are paid or can be paid; at most `limits.totalMinor`, except for links that are paid late.")
      .from(({ reserved }) => reserved.totalMinor),
    todayMinor: r.integer("Sum of the links created today.").from(({ reserved }, { today }) => madeOn(reserved, today).minor),
    linksInHour: r.integer("Number of links created in the last 60 minutes."),
    links: r.integer("Number of links that the credential created.").from(({ reserved }) => reserved.links),
    refused: r
      .value(
        Type.Object(
          {
            currency: Type.Integer(),
            perLinkMax: Type.Integer(),
            perDay: Type.Integer(),
            total: Type.Integer(),
            linksPerHour: Type.Integer(),
          },
          { description: "Number of links that were rejected, by limit." },
        ),
      )
      .from(({ use }) => use.refused),
  },
  views: { webhook: [["totalMinor", "links"]] },
});

const c = resourceOf<AgentCall, AgentCredentialContext>();
const call = c.resource({
  title: "AgentCall",
  members: {
    at: c.time("when."),
    tool: c.text(),
    outcome: c.value(AgentCallOutcomeWord),
    argumentsDigest: c.text("SHA-256 (hex) of the arguments, which the relay does not store."),
  },
});

const WHO =
  "Display name of the actor: the user's e-mail address (masked for roles that do not see personal data), `Former user`, or `API key`.";
const details = r.resource({
  title: "AgentCredentialDetails",
  description: "Absent with a publishable key, which anyone may have.",
  members: {
    usage: r.nested(usage).from((record) => record),
    ipAllow: r.value(Type.Array(Type.String())),
    createdAt: r.time("when the credential was created."),
    createdBy: r
      .text(WHO)
      .from(({ createdBy }, { names }) => names(createdBy, true).by)
      .personal((_, { createdBy }, { names }) => names(createdBy, false).by),
    creator: r
      .value(
        words(["user", "former_user", "key"], {
          description: "The kind of the actor: a user of the merchant, a former user, or an API key.",
        }),
      )
      .from(({ createdBy }, { names }) => names(createdBy).byType),
    revokedAt: r.time("when the credential was revoked.").orNull(),
    revokedBy: r
      .text(WHO)
      .orNull()
      .from(({ revokedBy }, { names }) => revokerOf(revokedBy, names, true))
      .personal((_, { revokedBy }, { names }) => revokerOf(revokedBy, names, false)),
    lastUsedAt: r
      .time("when the credential was last used, accurate to about a second.")
      .orNull()
      .from(({ use }) => use.lastUsedAtMs),
    calls: r.list(call, "The latest calls, newest first. Empty in lists.").from(({ use }) => use.calls),
  },
});

function revokerOf(revoker: AgentCredentialRevoker | null, names: AgentCredentialContext["names"], maySee: boolean): string | null {
  if (revoker === null) return null;
  return revoker.type === "rotation" ? "Rotation of a leaked API key" : names(revoker, maySee).by;
}

/** Anyone can read a publishable key, so it shows only which credentials exist. */
export const seesDetails = (caller: Caller) => caller.type !== "merchantKey" || caller.merchant.kind === "secret";

const EXAMPLE: Shown = {
  ...{ schema: 1, id: "ac_7d0k2m9x7q1c8v5b3n6z0a2s", merchantId: "SHOP-001", partnerId: 1, livemode: true, name: "Booking assistant" },
  ...{ digest: "", last4: "x7Qa", scopes: ["links:create", "links:read", "links:cancel"], ipAllow: ["203.0.113.0/24"], state: "ACTIVE" },
  limits: { currency: "EUR", perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 500_000, linksPerHour: 20 },
  ...{ createdBy: { type: "key" }, createdAtMs: Date.parse("2026-11-25T10:00:00.000Z"), updatedAtMs: 0, revokedAtMs: null },
  ...{ expiresAtMs: Date.parse("2026-12-25T10:00:00.000Z"), revokedBy: null, nextAtMs: null, events: 0, linksInHour: 1 },
  reserved: { totalMinor: 41_050, day: "2026-11-26", dayMinor: 1_050, links: 9 },
  use: {
    ...{ schema: 1, lastUsedAtMs: Date.parse("2026-11-26T09:12:44.000Z") },
    calls: [
      {
        ...{ atMs: Date.parse("2026-11-26T09:12:44.000Z"), tool: "create_payment_link", outcome: "done" },
        argumentsDigest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      },
    ],
    refused: { currency: 0, perLinkMax: 2, perDay: 0, total: 0, linksPerHour: 0 },
  },
};
const CONTEXT = { ...EXAMPLE_CONTEXT, today: "2026-11-26" };

/**
 * Shown by the list, the response of each change, GET /agent-credentials/{id} and
 * `agent_credential.*`.
 */
export const agentCredential = r.resource({
  title: "AgentCredential",
  members: {
    id: r.text(),
    name: r.text(),
    scopes: r.value(Type.Array(AgentScopeWord)),
    state: r.value(AgentStateWord),
    limits: r
      .value(
        Type.Object(
          {
            currency: Type.String(),
            perLinkMaxMinor: Type.Integer(),
            perDayMinor: Type.Integer(),
            totalMinor: Type.Integer(),
            linksPerHour: Type.Integer(),
          },
          { title: "AgentLimits" },
        ),
      )
      .orNull()
      .from(({ scopes, limits }) => (scopes.includes("links:create") ? limits : null)),
    last4: r.text("The last four characters of its token."),
    expiresAt: r.time("until when the credential can be used."),
    details: r
      .nested(details)
      .orAbsent()
      .from((record, { caller }) => (seesDetails(caller) ? record : undefined)),
    // Only events have the following members.
    usage: r.nested(usage).from((record) => record),
    createdAt: r.time("when the credential was created."),
  },
  views: {
    full: [["id", "name", "scopes", "state", "limits", "last4", "expiresAt", "details"]],
    webhook: [["name", "state", "scopes", "limits", "last4", "usage", "createdAt", "expiresAt"]],
  },
  example: { record: EXAMPLE, context: CONTEXT },
});

/** Returns an item of a list, which has no calls. */
export const withoutCalls = (shown: Shown): Shown => ({ ...shown, use: { ...shown.use, calls: [] } });
export const LIST_EXAMPLE = agentCredential.json(withoutCalls(EXAMPLE), CONTEXT);

/** Events have the limits of every credential, even if it creates no links. */
export const agentCredentialObject = (credential: AgentCredentialRecord) => ({
  ...webhookObject("agent_credential", agentCredential, shownOf({ credential, use: NO_AGENT_USE, linksInHour: 0 })),
  limits: credential.limits,
});

/** The response of POST /agent-credentials. */
export const AgentCredentialWithToken = Type.Object(
  {
    credential: agentCredential.schema,
    token: Type.String({ description: "`ak_merchant_...`; it is not shown again." }),
  },
  { title: "AgentCredentialWithToken" },
);

/** The response of POST /agent-credentials/revoke-all. */
export const RevokedAgentCredentials = Type.Object({ revoked: Type.Integer() }, { title: "RevokedAgentCredentials" });

/** The filters of GET /agent-credentials, without PAGE_QUERY. */
export const AGENT_CREDENTIAL_FILTERS = filtersOf(AGENT_LIST, { state: AgentStateWord });

export type AgentScopeJson = Static<typeof AgentScopeWord>;
export type AgentStateJson = Static<typeof AgentStateWord>;
export type AgentCredentialJson = Static<typeof agentCredential.schema>;
export type AgentCredentialWithTokenJson = Static<typeof AgentCredentialWithToken>;
export type CreateAgentCredentialJson = Static<typeof CreateAgentCredential>;
export type RevokedAgentCredentialsJson = Static<typeof RevokedAgentCredentials>;
