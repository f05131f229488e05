import { type Static, Type } from "@sinclair/typebox";
import { ConnectionStatus, ConnectionType } from "../parts/schemas.ts";
import { nullable, time } from "./schema-parts.ts";
import { TransactionItem } from "./transaction-schemas.ts";

/**
 * The JSON of a merchant's terminals. Endpoints declare it, and the portal's pages take their types
 * from it.
 */

export const TerminalItem = Type.Object(
  {
    terminalId: Type.String(),
    connectionStatus: ConnectionStatus,
    connectionType: nullable(ConnectionType),
    connectedSince: nullable(time("when ONLINE.")),
    lastSeen: nullable(time("when the terminal was last active.")),
    model: nullable(Type.String()),
    appVersion: nullable(Type.String()),
    group: nullable(Type.String()),
    lastResult: nullable(TransactionItem),
  },
  { title: "PortalTerminal" },
);
/**
 * GET /terminals lists every terminal of the merchant by id. `lastResult` is null if ClickHouse is
 * unavailable, and `resultsAway` is true then.
 */
export const Terminals = Type.Object(
  { items: Type.Array(TerminalItem), resultsAway: Type.Boolean(), asOf: time("when the relay read the data.") },
  { title: "PortalTerminals" },
);

export type TerminalItemJson = Static<typeof TerminalItem>;
export type TerminalsJson = Static<typeof Terminals>;
