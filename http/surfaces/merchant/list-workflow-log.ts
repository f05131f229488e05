import { iso } from "../../endpoint/time.ts";
import { ok, okOf } from "./envelope.ts";
import { LOG_DESCRIPTION, LogQuerySchema, logCursorOf, logQueryOf } from "./log-query.ts";
import { WorkflowLogItem, type WorkflowLogJson } from "./log-schemas.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { listOf } from "./schema-parts.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";

const EXAMPLE: WorkflowLogJson = {
  id: "1763700000000-shard-0-1a2b3c4d-000000001",
  at: "2025-11-21T04:40:00.000Z",
  objectType: "link",
  objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51",
  event: "verify.answered",
  from: "watching",
  to: "success",
  outcome: "done",
  requestId: null,
};

export const listMerchantWorkflowLog = reads.endpoint({
  name: "merchantWorkflowLog",
  method: "GET",
  path: `${MERCHANT_BASE}/logs/workflow`,
  summary: "List entries of the workflow log",
  description: `Lists each transition with the states before and after it; \`refused\` is an event that the object did not accept. Payments at terminals are not in this log. ${LOG_DESCRIPTION}`,
  auth: "merchantUser",
  may: "integrate",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  query: LogQuerySchema,
  responses: {
    200: { description: "A page.", body: okOf(listOf(WorkflowLogItem)), example: { status: "ok", data: { items: [EXAMPLE], next: null } } },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantLogs, localTime }, { caller, query, request }) => {
    const { items, next } = await merchantLogs.workflow(merchantOf(caller), logQueryOf(query, localTime), request.gone);
    const shown = items.map(({ atMs, ...entry }): WorkflowLogJson => ({ ...entry, at: iso(atMs) }));
    return { status: 200, body: ok({ items: shown, next: logCursorOf(next) }) };
  },
});
