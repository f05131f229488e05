import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { agentTool, refused } from "../tool.ts";
import { AgentLink, agentLink, linkText, noSuchLink } from "./link-json.ts";
import { LinkId } from "./schema-parts.ts";

export const cancelPaymentLinkTool = agentTool({
  name: "cancel_payment_link",
  title: "Cancel a payment link",
  description:
    "Ends a payment link that this credential created: afterwards it cannot be paid. A customer who is paying at that very moment may still pay; the link is then PAID with `late`. For a link that is already cancelled, the tool returns the link.",
  scope: "links:cancel",
  effects: { readOnly: false, destructive: true },
  input: Type.Object({ id: LinkId }, { additionalProperties: false }),
  output: AgentLink,
  run: async (operations, { agent, args, requestId }) => {
    // The same for each attempt at this link: a repetition is answered as the first call.
    const id = createHash("sha256").update(`cancel ${agent.credentialId} ${args.id}`).digest("hex");
    const outcome = await operations.agentCredentials.cancelLink(agent, args.id, { id, requestId });
    if (outcome === null) return noSuchLink();
    const link = agentLink(operations, outcome.link);
    if (outcome.type === "not_pending" && link.state !== "CANCELLED") return refused(`The link is ${link.state} and cannot be cancelled`);
    return { type: "done", structured: link, text: linkText(link) };
  },
});
