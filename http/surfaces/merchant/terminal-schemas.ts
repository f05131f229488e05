import { type Static, Type } from "@sinclair/typebox";
import { ConnectionStatus, ConnectionType } from "../parts/schemas.ts";
import { nullable, time } from "./schema-parts.ts";
import { TransactionItem } from "./transaction-schemas.ts";

/** The JSON of a merchant's terminals: endpoints declare it, the portal's pages take their types from it. */

export const TerminalItem = Type.Object(
  {
    terminalId: Type.String(),
    connectionStatus: ConnectionStatus,
    connectionType: nullable(ConnectionType),
    connectedSince: nullable(time("when ONLINE.")),
    lastSeen: nullable(time("the last sign of life.")),
    model: nullable(Type.String()),
    appVersion: nullable(Type.String()),
    group: nullable(Type.String()),
    lastResult: nullable(TransactionItem),
  },
  { title: "PortalTerminal" },
);
/** GET /terminals: all of the merchant's, by id. `lastResult` is null in the list where ClickHouse is away, and `resultsAway` says so. */
export const Terminals = Type.Object(
  { items: Type.Array(TerminalItem), resultsAway: Type.Boolean(), asOf: time("when it was read.") },
  { title: "PortalTerminals" },
);

export type TerminalItemJson = Static<typeof TerminalItem>;
export type TerminalsJson = Static<typeof Terminals>;
