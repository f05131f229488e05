import type { Endpoint } from "../../endpoint/endpoint.ts";
import { listAttention } from "./attention.ts";
import { sendCommand } from "./send-command.ts";
import { listSubscriptionRules, saveSubscriptionRule, testSubscriptionRule } from "./subscription-rules.ts";
import type { AdminOperations } from "./surface.ts";
import { allowTerminal, denyTerminal, listTerminals, showTerminal, showTerminalCredentials } from "./terminals.ts";

/** Specification, "Administration endpoints", as far as they concern terminals, and the relay's own for operators. */
export const adminEndpoints: Endpoint<AdminOperations>[] = [
  sendCommand,
  listSubscriptionRules,
  saveSubscriptionRule,
  testSubscriptionRule,
  listTerminals,
  showTerminal,
  showTerminalCredentials,
  denyTerminal,
  allowTerminal,
  listAttention,
];
