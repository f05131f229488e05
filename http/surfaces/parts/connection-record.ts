import { type Static, Type } from "@sinclair/typebox";
import type { ConnectionView, TerminalView } from "../../../engine/terminals/terminals.ts";
import { iso } from "../../endpoint/time.ts";
import { ConnectionStatus, ConnectionType } from "./schemas.ts";

const utc = (description: string) => Type.Optional(Type.String({ description: `ISO 8601 UTC; ${description}` }));

/** The response of `GET /api/v1/{terminalId}/connection`. */
export const ConnectionRecord = Type.Object(
  {
    terminalId: Type.String(),
    connectionStatus: ConnectionStatus,
    connected: Type.Boolean(),
    sessions: Type.Integer({ description: "Number of live WebSocket sessions." }),
    connectionType: Type.Optional(ConnectionType),
    lastActivity: utc("when ONLINE."),
    connectedSince: utc("when ONLINE."),
    server: Type.Optional(Type.String({ description: "Node that has the session. Absent unless the terminal is ONLINE." })),
    lastSeen: utc("when OFFLINE."),
    commands: Type.Optional(
      Type.Array(Type.String(), {
        description: "The services of commands that the terminal declared. Absent if it declared none.",
      }),
    ),
    message: Type.Optional(Type.String({ description: "Present only for a terminal that never connected." })),
  },
  { title: "ConnectionRecord" },
);

export function connectionRecord(view: ConnectionView & Partial<Pick<TerminalView, "device">>): Static<typeof ConnectionRecord> {
  const { terminalId, connectionStatus, connected, sessions, connectionType, server, lastActivityMs, connectedSinceMs, lastSeenMs } = view;
  const record: Static<typeof ConnectionRecord> = { terminalId, connectionStatus, connected, sessions };
  if (connectionType !== undefined) record.connectionType = connectionType;
  if (lastActivityMs !== undefined) record.lastActivity = iso(lastActivityMs);
  if (connectedSinceMs !== undefined) record.connectedSince = iso(connectedSinceMs);
  if (server !== undefined) record.server = server;
  if (lastSeenMs !== undefined) record.lastSeen = iso(lastSeenMs);
  if (view.device?.commands !== undefined) record.commands = [...view.device.commands];
  if (connectionStatus === "NEVER_CONNECTED") record.message = "This terminal has never connected";
  return record;
}
