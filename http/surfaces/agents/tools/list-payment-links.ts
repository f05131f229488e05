import { Type } from "@sinclair/typebox";
import { LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { rangeOfQuery } from "../../parts/time.ts";
import { agentTool } from "../tool.ts";
import { AgentLink, agentLink, LinkState, linkLine } from "./link-json.ts";
import { FromDay, listText, Next, PAGE, PAGE_DEFAULT, ToDay } from "./schema-parts.ts";

export const listPaymentLinksTool = agentTool({
  name: "list_payment_links",
  title: "List payment links",
  description:
    "The payment links that this credential made, newest first. Days are those on which they were created. A page of a filtered list may have fewer items than `limit`, or none, and still a `next`.",
  scope: "links:read",
  effects: { readOnly: true, destructive: false },
  input: Type.Object(
    {
      state: Type.Optional(LinkState),
      from: FromDay,
      to: ToDay,
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: LINK_TEXT_LENGTH_MAX, description: "Exactly this one." })),
      ...PAGE,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ items: Type.Array(AgentLink), next: Next }),
  run: async (operations, { agent, args }) => {
    const { state = null, reference = null, limit = PAGE_DEFAULT, cursor = null } = args;
    const { fromMs = null, untilMs = null } = rangeOfQuery(args, operations.localTime);
    const query = { limit, cursor, state, reference, fromMs, beforeMs: untilMs };
    const page = await operations.agentCredentials.listLinks(agent, query);
    const items = page.items.map((link) => agentLink(operations, link));
    return { type: "done", structured: { items, next: page.next }, text: listText("Payment links", items.map(linkLine), page.next) };
  },
});
