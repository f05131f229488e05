import { Type } from "@sinclair/typebox";
import { IDENTIFIER_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { agentTool, refused } from "../tool.ts";
import { AgentTransaction, agentTransaction, transactionLine } from "./transaction-json.ts";

export const getTransactionTool = agentTool({
  name: "get_transaction",
  title: "Get a transaction",
  description:
    "Returns a payment of the merchant by its uuid: a terminal's payment, or a payment of a payment link (`payments[].uuid` of get_payment_link). OK means approved, KO declined. get_payment_link shows refunds of links.",
  scope: "transactions:read",
  effects: { readOnly: true, destructive: false },
  input: Type.Object(
    {
      uuid: Type.String({
        pattern: `^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`,
        errorMessage: "is not the uuid of a transaction",
      }),
    },
    { additionalProperties: false },
  ),
  output: AgentTransaction,
  run: async ({ merchantTransactions }, { agent, args, gone }) => {
    const found = await merchantTransactions.find(agent.merchantId, args.uuid, gone);
    if (found === null) return refused("There is no such transaction");
    const transaction = agentTransaction(found);
    return { type: "done", structured: transaction, text: `Transaction ${transactionLine(transaction)}` };
  },
});
