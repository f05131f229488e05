import { Type } from "@sinclair/typebox";
import { AMOUNT_MINOR_MAX, IDENTIFIER_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { RefundFilterWord, ResultStatus } from "../../parts/schemas.ts";
import { rangeOfQuery } from "../../parts/time.ts";
import { cursorOf, readCursor } from "../../parts/transaction-cursor.ts";
import { agentTool, refused } from "../tool.ts";
import { FromDay, listText, Next, PAGE, PAGE_DEFAULT, ToDay } from "./schema-parts.ts";
import { AgentTransaction, agentTransaction, MethodWord, transactionLine } from "./transaction-json.ts";

const Amount = Type.Optional(Type.Integer({ minimum: 0, maximum: AMOUNT_MINOR_MAX, description: "In minor units, included." }));

export const listTransactionsTool = agentTool({
  name: "list_transactions",
  title: "List transactions",
  description:
    "Payments of the merchant's terminals and payment links, newest first. OK is approved, KO declined. `refundState`: those that were given back (ANY: wholly or partly). For sums use get_totals.",
  scope: "transactions:read",
  effects: { readOnly: true, destructive: false },
  input: Type.Object(
    {
      from: FromDay,
      to: ToDay,
      status: Type.Optional(ResultStatus),
      refundState: Type.Optional(RefundFilterWord),
      method: Type.Optional(MethodWord),
      terminalId: Type.Optional(Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX })),
      amountMin: Amount,
      amountMax: Amount,
      ...PAGE,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ items: Type.Array(AgentTransaction), next: Next }),
  run: async ({ merchantTransactions, localTime }, { agent, args, gone }) => {
    const { from: _from, to: _to, limit = PAGE_DEFAULT, cursor, ...filter } = args;
    if (filter.amountMin !== undefined && filter.amountMax !== undefined && filter.amountMin > filter.amountMax) {
      return refused("amountMin: is more than amountMax");
    }
    const after = cursor === undefined ? null : readCursor(cursor);
    const query = { filter: { ...filter, ...rangeOfQuery(args, localTime) }, after, limit };
    const page = await merchantTransactions.page(agent.merchantId, query, gone);
    const items = page.items.map(agentTransaction);
    const next = page.next === null ? null : cursorOf(page.next);
    return { type: "done", structured: { items, next }, text: listText("Transactions", items.map(transactionLine), next) };
  },
});
