import { Type } from "@sinclair/typebox";
import { mayActAs, mayKnow } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { ConnectionView } from "../../../engine/terminals/terminals.ts";
import { iso } from "../../endpoint/time.ts";
import { ConnectionRecord, connectionRecord } from "../parts/connection-record.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { relay } from "./surface.ts";

export const checkConnection = relay.endpoint({
  name: "checkConnection",
  method: "GET",
  path: "/api/v1/{terminalId}/connection",
  summary: "Get the connection of a terminal",
  description: "Recommended before a payment: continue only if `connectionStatus` is ONLINE.",
  auth: "basicOrApiKey",
  needs: "know",
  params: TerminalParams,
  responses: {
    200: {
      description: "The connection record.",
      body: okBody(ConnectionRecord),
      example: {
        status: "ok",
        data: {
          terminalId: "SIM00001",
          connectionStatus: "ONLINE",
          connected: true,
          sessions: 1,
          connectionType: "WEBSOCKET",
          lastActivity: "2026-11-21T10:00:00.000Z",
          connectedSince: "2026-11-21T08:00:00.000Z",
          server: "relay-1",
        },
      },
    },
    ...relay.errors(400, 401, 403, 503),
  },
  handle: async ({ terminals }, { params, caller }) => {
    if (!mayKnow(caller, params.terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    return { status: 200, body: { status: "ok", data: connectionRecord(await terminals.connection(params.terminalId)) } };
  },
});

export const disconnect = relay.endpoint({
  name: "disconnect",
  method: "POST",
  path: "/api/v1/{terminalId}/disconnect",
  tags: ["Terminals"],
  summary: "Disconnect a terminal",
  description: "The terminal stays OFFLINE until its next frame or poll.",
  auth: "basic",
  needs: "act",
  params: TerminalParams,
  // Some apps send an empty object, some nothing.
  body: Type.Optional(Type.Object({})),
  responses: {
    200: {
      description: "Done.",
      body: okBody(Type.Object({ terminalID: Type.String(), connectionStatus: Type.Literal("OFFLINE") })),
    },
    ...relay.errors(400, 401, 403, 503),
  },
  handle: async ({ terminals }, { params: { terminalId }, caller }) => {
    if (!mayActAs(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    await terminals.disconnect(terminalId);
    return { status: 200, body: { status: "ok", data: { terminalID: terminalId, connectionStatus: "OFFLINE" } } };
  },
});

const ping = {
  method: "GET",
  auth: "none",
  rateLimit: { bucket: "open", perSecond: 100 },
  params: TerminalParams,
  responses: {
    200: {
      description: "What is known about the terminal. Reading does not change it.",
      body: okBody(
        Type.Object(
          {
            terminalId: Type.String(),
            online: Type.Boolean(),
            connectionStatus: ConnectionRecord.properties.connectionStatus,
            serverTime: Type.String(),
          },
          { title: "TerminalPing" },
        ),
      ),
    },
    ...relay.errors(400, 429, 503),
  },
} as const;

export const pingTerminal = relay.endpoint({
  ...ping,
  name: "pingTerminal",
  path: "/api/status/ping/{terminalId}",
  tags: ["Terminals"],
  summary: "Check the service and a terminal's presence",
  handle: ({ terminals, clock }, { params }) => terminals.connection(params.terminalId).then((view) => pong(view, clock.nowMs())),
});

export const pingPos = relay.endpoint({
  ...ping,
  name: "pingPos",
  path: "/api/status/ping-pos/{terminalId}",
  tags: ["Terminals"],
  summary: "Check the service from a terminal",
  handle: ({ terminals, clock }, { params }) => terminals.connection(params.terminalId).then((view) => pong(view, clock.nowMs())),
});

function pong({ terminalId, connected, connectionStatus }: ConnectionView, nowMs: number) {
  return {
    status: 200 as const,
    body: { status: "ok" as const, data: { terminalId, online: connected, connectionStatus, serverTime: iso(nowMs) } },
  };
}
