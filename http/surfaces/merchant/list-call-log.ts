import { iso } from "../../endpoint/time.ts";
import { ok, okOf } from "./envelope.ts";
import { LOG_DESCRIPTION, LogQuerySchema, logCursorOf, logQueryOf } from "./log-query.ts";
import { CallLogItem, type CallLogJson } from "./log-schemas.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { listOf } from "./schema-parts.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";

const EXAMPLE: CallLogJson = {
  id: "1763700000000-shard-0-1a2b3c4d-000000002",
  at: "2025-11-21T04:40:00.000Z",
  target: "gateway",
  operation: "verify",
  host: "gateway.example",
  objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51",
  httpStatus: 200,
  outcome: "done",
  detail: null,
  ms: 84,
  requestId: null,
};

export const listMerchantCallLog = reads.endpoint({
  name: "merchantCallLog",
  method: "GET",
  path: `${MERCHANT_BASE}/logs/calls`,
  summary: "List entries of the call log",
  description: `Lists the relay's calls to the card gateway, to addresses of webhooks and callbacks, and to the mail server. \`failed\`: the call was not accepted, or it is unknown whether it was; \`refused\`: the other side rejected it permanently. ${LOG_DESCRIPTION}`,
  auth: "merchantUser",
  may: "integrate",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  query: LogQuerySchema,
  responses: {
    200: { description: "A page.", body: okOf(listOf(CallLogItem)), example: { status: "ok", data: { items: [EXAMPLE], next: null } } },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantLogs, localTime }, { caller, query, request }) => {
    const { items, next } = await merchantLogs.calls(merchantOf(caller), logQueryOf(query, localTime), request.gone);
    const shown = items.map(({ atMs, ...entry }): CallLogJson => ({ ...entry, at: iso(atMs) }));
    return { status: 200, body: ok({ items: shown, next: logCursorOf(next) }) };
  },
});
