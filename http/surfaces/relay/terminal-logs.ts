import { type Static, Type } from "@sinclair/typebox";
import { type Caller, mayChangeLogs, mayReadLogs, notPermitted } from "../../../engine/access/caller.ts";
import { deviceName, deviceWords } from "../../../engine/kernel/cut-text.ts";
import { LOG_BODY_BYTES_MAX, LOG_ENTRIES_PER_TERMINAL_MAX } from "../../../engine/kernel/limits.ts";
import { MASK_DEPTH_MAX, maskJson } from "../../../engine/kernel/mask.ts";
import type { CallerNeeds, Endpoint } from "../../endpoint/endpoint.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { headerText } from "./header-text.ts";
import { type RelayOperations, relay } from "./surface.ts";

/** Of any length: a log is worth more than what its device says of itself, which is cut. */
const header = () => Type.Optional(Type.String());

const LogHeaders = Type.Object({
  "x-terminal-id": header(),
  "x-device-model": header(),
  "x-app-version": header(),
  "x-device-serial": header(),
  "x-android-version": header(),
  "x-manufacturer": header(),
});

const LogEntry = Type.Object(
  {
    id: Type.String(),
    receivedAt: Type.String({ description: "ISO 8601 UTC." }),
    device: Type.Object(
      {},
      { additionalProperties: Type.String(), description: "From the X- headers of the request that posted the log." },
    ),
    log: Type.Object({}, { additionalProperties: true, description: "The posted text, with card numbers masked." }),
  },
  { title: "TerminalLogEntry" },
);

const LIMIT_DEFAULT = 100;

/**
 * The three log endpoints. Terminals post logs without a credential; in production the relay requires the terminal's or an administrator's, unless `open`
 * (`RELAY_OPEN_TERMINAL_LOGS`).
 */
export function terminalLogEndpoints({ open }: { open: boolean }): Endpoint<RelayOperations>[] {
  const access = <Needs extends CallerNeeds>(needs: Needs) => (open ? ({ auth: "none" } as const) : ({ auth: "basic", needs } as const));
  const limit = { bucket: "logs", perSecond: 20 } as const;

  function requireThat(permitted: boolean, caller: Caller): void {
    if (!open && !permitted) throw notPermitted(caller);
  }

  const appendLog = relay.endpoint({
    name: "appendTerminalLog",
    method: "POST",
    path: "/api/v1/{terminalId}/logs",
    tags: ["Terminals"],
    summary: "Create a log of a terminal",
    description: `Logs are kept for 30 days, the latest ${LOG_ENTRIES_PER_TERMINAL_MAX} of a terminal. Before anything is stored, card numbers are masked and values nested deeper than ${MASK_DEPTH_MAX} levels are replaced.`,
    ...access("act or administrate"),
    rateLimit: limit,
    bodyBytesMax: LOG_BODY_BYTES_MAX,
    bodyNesting: "any",
    params: TerminalParams,
    headers: LogHeaders,
    body: Type.Object({}, { additionalProperties: true, description: "Free-form." }),
    responses: {
      200: { description: "Kept.", body: okBody(Type.Object({ terminalID: Type.String(), id: Type.String() })) },
      ...relay.errors(400, 401, 403, 413, 415, 429, 503),
    },
    handle: async ({ logs, clock }, { params: { terminalId }, headers, body, caller }) => {
      requireThat(mayChangeLogs(caller, terminalId), caller);
      const { id } = await logs.append(terminalId, {
        receivedAtMs: clock.nowMs(),
        device: deviceHeaders(headers),
        body: JSON.stringify(maskJson(body)),
      });
      return { status: 200, body: { status: "ok", data: { terminalID: terminalId, id } } };
    },
  });

  const readLogs = relay.endpoint({
    name: "readTerminalLogs",
    method: "GET",
    path: "/api/v1/{terminalId}/logs",
    tags: ["Terminals"],
    summary: "List logs of a terminal",
    ...access("act or look"),
    rateLimit: limit,
    params: TerminalParams,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_ENTRIES_PER_TERMINAL_MAX, default: LIMIT_DEFAULT })),
    }),
    refusesUnknown: "rows",
    responses: {
      200: { description: "The logs.", body: okBody(Type.Object({ terminalID: Type.String(), logs: Type.Array(LogEntry) })) },
      ...relay.errors(400, 401, 403, 429, 503),
    },
    handle: async ({ logs }, { params: { terminalId }, query, caller }) => {
      requireThat(mayReadLogs(caller, terminalId), caller);
      const entries = await logs.page(terminalId, query.limit ?? LIMIT_DEFAULT);
      const shown = entries.map(({ id, receivedAtMs, device, body }) => ({
        id,
        receivedAt: iso(receivedAtMs),
        device,
        log: JSON.parse(body),
      }));
      return { status: 200, body: { status: "ok", data: { terminalID: terminalId, logs: shown } } };
    },
  });

  const clearLogs = relay.endpoint({
    name: "clearTerminalLogs",
    refusesUnknown: "limits",
    method: "DELETE",
    path: "/api/v1/{terminalId}/logs",
    tags: ["Terminals"],
    summary: "Delete logs of a terminal",
    ...access("act or administrate"),
    rateLimit: limit,
    params: TerminalParams,
    responses: {
      200: { description: "Deleted.", body: okBody(Type.Object({ terminalID: Type.String(), deleted: Type.Integer() })) },
      ...relay.errors(400, 401, 403, 429, 503),
    },
    handle: async ({ logs }, { params: { terminalId }, caller }) => {
      requireThat(mayChangeLogs(caller, terminalId), caller);
      return { status: 200, body: { status: "ok", data: { terminalID: terminalId, deleted: await logs.clear(terminalId) } } };
    },
  });

  return [appendLog, readLogs, clearLogs];
}

function deviceHeaders(headers: Static<typeof LogHeaders>): { [name: string]: string } {
  const device: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const text = headerText(value);
    device[name] = name === "x-manufacturer" ? deviceWords(text) : deviceName(text);
  }
  return device;
}
