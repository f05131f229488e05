import type { AgentTool } from "../tool.ts";
import { cancelPaymentLinkTool } from "./cancel-payment-link.ts";
import { createPaymentLinkTool } from "./create-payment-link.ts";
import { getPaymentLinkTool } from "./get-payment-link.ts";
import { getTotalsTool } from "./get-totals.ts";
import { getTransactionTool } from "./get-transaction.ts";
import { listPaymentLinksTool } from "./list-payment-links.ts";
import { listTransactionsTool } from "./list-transactions.ts";

/** Every tool of AI agents, in the order in which they are listed. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  createPaymentLinkTool,
  getPaymentLinkTool,
  listPaymentLinksTool,
  cancelPaymentLinkTool,
  getTransactionTool,
  listTransactionsTool,
  getTotalsTool,
];
