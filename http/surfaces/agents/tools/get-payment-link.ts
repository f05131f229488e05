import { Type } from "@sinclair/typebox";
import { agentTool } from "../tool.ts";
import { AgentLink, agentLink, linkText, noSuchLink } from "./link-json.ts";
import { LinkId } from "./schema-parts.ts";

export const getPaymentLinkTool = agentTool({
  name: "get_payment_link",
  title: "Get a payment link",
  description: "Returns one of the payment links that this credential created, in its present state. The state PAID means that it is paid.",
  scope: "links:read",
  effects: { readOnly: true, destructive: false },
  input: Type.Object({ id: LinkId }, { additionalProperties: false }),
  output: AgentLink,
  run: async (operations, { agent, args }) => {
    const found = await operations.agentCredentials.findLink(agent, args.id);
    if (found === null) return noSuchLink();
    const link = agentLink(operations, found);
    return { type: "done", structured: link, text: linkText(link) };
  },
});
