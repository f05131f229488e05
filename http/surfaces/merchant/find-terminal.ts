import { RelayError } from "../../../engine/kernel/errors.ts";
import { isNamedIn } from "../../endpoint/entity-tag.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { ok, okOf } from "./envelope.ts";
import { etagOf } from "./etag.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { ETAG_HEADERS, IF_NONE_MATCH, latestResults, TERMINAL_EXAMPLE, terminalItemOf } from "./terminal-item.ts";
import { TerminalItem } from "./terminal-schemas.ts";

export const findMerchantTerminal = reads.endpoint({
  name: "merchantTerminal",
  method: "GET",
  path: `${MERCHANT_BASE}/terminals/{terminalId}`,
  summary: "Get a terminal of the merchant",
  description: "404 for a terminal that is not the merchant's. `lastResult` is also null where ClickHouse does not answer.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  params: TerminalParams,
  headers: IF_NONE_MATCH,
  responses: {
    200: {
      description: "The terminal.",
      body: okOf(TerminalItem),
      headers: ETAG_HEADERS,
      example: { status: "ok", data: TERMINAL_EXAMPLE },
    },
    304: { description: "Nothing has changed.", headers: ETAG_HEADERS },
    ...reads.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params, headers, request }) => {
    const merchantId = merchantOf(caller);
    const terminal = await operations.merchantTerminals.find(merchantId, params.terminalId);
    if (terminal === null) throw new RelayError("not_found", "There is no such terminal");
    const results = await latestResults(operations, merchantId, request.gone);
    const item = terminalItemOf(terminal, results?.get(params.terminalId));
    const etag = etagOf(item);
    if (isNamedIn(headers["if-none-match"], etag)) return { status: 304, headers: { ETag: etag } };
    return { status: 200, body: ok(item), headers: { ETag: etag } };
  },
});
