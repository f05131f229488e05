import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { AGENT_CREDENTIAL_EXAMPLE, agentCredentialList } from "./agent-credential-json.ts";
import { AGENT_CREDENTIAL_FILTERS, AgentCredentialPage } from "./schemas.ts";
import { agentCredentials } from "./surface.ts";

const { details = undefined, ...SUMMARY } = AGENT_CREDENTIAL_EXAMPLE;

export const listAgentCredentials = agentCredentials.endpoint({
  name: "listAgentCredentials",
  method: "GET",
  path: `${MERCHANT_BASE}/agent-credentials`,
  summary: "List credentials of AI agents",
  description:
    "Newest first, including ended credentials. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`.",
  auth: "merchantUserOrAnyKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...AGENT_CREDENTIAL_FILTERS, ...PAGE_QUERY }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(AgentCredentialPage),
      example: {
        status: "ok",
        data: { items: [{ ...SUMMARY, ...(details === undefined ? {} : { details: { ...details, calls: [] } }) }], next: null },
      },
    },
    ...agentCredentials.errors(400, 401, 429, 503),
  },
  handle: async (operations, { caller, query }) => {
    const { state = null, limit, cursor = null } = query;
    const { items, next } = await operations.agentCredentials.list(merchantOwnerOf(caller), { limit, cursor, state });
    return { status: 200, body: ok({ items: await agentCredentialList(operations, caller, items), next }) };
  },
});
