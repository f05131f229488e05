import type { Endpoint } from "../../endpoint/endpoint.ts";
import { cancelCommand, findCommand } from "./command-life.ts";
import { checkConnection, disconnect, pingPos, pingTerminal } from "./connection.ts";
import { findByUuid, findByUuidLegacy, findLatest, findLatestLegacy } from "./find-transaction.ts";
import { listTransactions } from "./list-transactions.ts";
import { recordResult } from "./record-result.ts";
import { sendPayment, sendPaymentByBody, sendPaymentLegacy } from "./send-payment.ts";
import { sendPrint, sendScan } from "./send-utility.ts";
import type { RelayOperations } from "./surface.ts";
import { takeCommand } from "./take-command.ts";
import { terminalLogEndpoints } from "./terminal-logs.ts";
import { showSettings } from "./terminal-settings.ts";

/** The endpoints of terminals and partners, and the relay's own additions under /api/v1/commands. */
export function relayEndpoints(options: { openTerminalLogs: boolean }): Endpoint<RelayOperations>[] {
  return [
    sendPayment,
    sendPaymentByBody,
    takeCommand,
    showSettings,
    recordResult,
    sendScan,
    sendPrint,
    disconnect,
    checkConnection,
    findLatest,
    findByUuid,
    listTransactions,
    ...terminalLogEndpoints({ open: options.openTerminalLogs }),
    pingTerminal,
    pingPos,
    findCommand,
    cancelCommand,
    sendPaymentLegacy,
    findByUuidLegacy,
    findLatestLegacy,
  ];
}
