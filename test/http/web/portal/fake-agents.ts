import type { AgentCredentialJson, AgentCredentialWithTokenJson } from "../../../../http/surfaces/merchant/agent-credentials/schemas.ts";
import type { FakeAnswer, FakeHandler, FakeRequest } from "./fake-relay.ts";

type Details = NonNullable<AgentCredentialJson["details"]>;

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const NOT_REFUSED = { currency: 0, perLinkMax: 0, perDay: 0, total: 0, linksPerHour: 0 };

export function detailsOf(changes: Partial<Details> = {}): Details {
  return {
    usage: { totalMinor: 41_050, todayMinor: 1_050, linksInHour: 1, links: 9, refused: NOT_REFUSED },
    ipAllow: [],
    ...{ createdAt: "2026-11-20T10:00:00.000Z", createdBy: "anna.rossi@example.com", creator: "user" },
    ...{ revokedAt: null, revokedBy: null, lastUsedAt: "2026-11-26T09:12:44.000Z", calls: [] },
    ...changes,
  };
}

export function agentOf(changes: Partial<AgentCredentialJson> = {}): AgentCredentialJson {
  return {
    ...{ id: "ac_aaaaaaaaaaaaaaaaaaaaaa01", name: "Booking assistant", state: "ACTIVE", last4: "x7Qa" },
    scopes: ["links:create", "links:read", "links:cancel"],
    limits: { currency: "EUR", perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 500_000, linksPerHour: 20 },
    expiresAt: "2099-12-25T10:00:00.000Z",
    details: detailsOf(),
    ...changes,
  };
}

const idOf = (number: number) => `ac_aaaaaaaaaaaaaaaaaaaaaa${String(number).padStart(2, "0")}`;

/** A credential in every state, and what is shown in another way. */
export const AGENTS = {
  active: agentOf({
    details: detailsOf({
      usage: { totalMinor: 41_050, todayMinor: 47_500, linksInHour: 3, links: 9, refused: { ...NOT_REFUSED, perLinkMax: 2, perDay: 1 } },
      ipAllow: ["203.0.113.0/24", "2001:db8::7"],
      calls: [
        { at: "2026-11-26T09:12:44.000Z", tool: "create_payment_link", outcome: "done", argumentsDigest: DIGEST },
        { at: "2026-11-26T09:12:41.000Z", tool: "create_payment_link", outcome: "refused", argumentsDigest: DIGEST },
        { at: "2026-11-26T09:11:02.000Z", tool: "a_tool_of_a_later_version", outcome: "failed", argumentsDigest: DIGEST },
      ],
    }),
  }),
  exhausted: agentOf({
    ...{ id: idOf(2), name: "An assistant whose name is as long as a name may be, for phones", state: "EXHAUSTED" },
    details: detailsOf({ usage: { totalMinor: 500_000, todayMinor: 0, linksInHour: 0, links: 61, refused: { ...NOT_REFUSED, total: 4 } } }),
  }),
  looks: agentOf({
    ...{ id: idOf(3), name: "Reports", scopes: ["transactions:read", "analytics:read"], limits: null },
    details: detailsOf({ lastUsedAt: null, createdBy: "API key", creator: "key" }),
  }),
  soon: agentOf({ id: idOf(4), name: "Christmas orders", expiresAt: new Date(Date.now() + 36 * 3_600_000).toISOString() }),
  expired: agentOf({ id: idOf(5), name: "Summer orders", state: "EXPIRED", expiresAt: "2026-09-01T10:00:00.000Z" }),
  revoked: agentOf({
    ...{ id: idOf(6), name: "Lost laptop", state: "REVOKED" },
    details: detailsOf({ revokedAt: "2026-11-24T08:00:00.000Z", revokedBy: "Former user" }),
  }),
} as const;

export const AGENT_LIST: { items: AgentCredentialJson[]; next: null } = { items: Object.values(AGENTS), next: null };

export const TOKEN = "ak_merchant_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefg";
export const MADE: AgentCredentialWithTokenJson = { credential: AGENTS.active, token: TOKEN };

/** The answer to a credential's address, by the id in it. */
export function agentAt({ path }: FakeRequest): FakeAnswer {
  const credential = AGENT_LIST.items.find(({ id }) => path.split("/")[2] === id);
  return credential === undefined ? { status: 404, code: "not_found" } : { data: credential };
}

/** What the page of agents asks. */
export const AGENT_HANDLERS: Readonly<Record<string, FakeHandler>> = {
  "GET /agent-credentials": ({ query }) => {
    const state = query.get("state");
    const items = AGENT_LIST.items.filter((credential) => state === null || credential.state === state);
    return { data: { items, next: null } };
  },
  "GET /agent-credentials/*": agentAt,
};
