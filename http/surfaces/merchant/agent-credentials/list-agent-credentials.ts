import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { AGENT_CREDENTIAL_FILTERS, agentCredential, LIST_EXAMPLE, shownOf, withoutCalls } from "./schemas.ts";
import { agentCredentialContext, agentCredentials } from "./surface.ts";

export const listAgentCredentials = listEndpoint(agentCredentials, {
  name: "listAgentCredentials",
  path: "/agent-credentials",
  summary: "List credentials of AI agents",
  description:
    "Newest first, including ended credentials. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`.",
  auth: "merchantUserOrAnyKey",
  query: Type.Object({ ...AGENT_CREDENTIAL_FILTERS, ...PAGE_QUERY }),
  item: { ...agentCredential, example: LIST_EXAMPLE },
  page: async ({ agentCredentials: ofMerchant }, owner, { state = null, limit, cursor = null }) => {
    const { items, next } = await ofMerchant.list(owner, { limit, cursor, state });
    return { items: items.map((seen) => withoutCalls(shownOf(seen))), next };
  },
  context: agentCredentialContext,
});
