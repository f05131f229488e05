import { isNamedIn } from "../../endpoint/entity-tag.ts";
import { iso } from "../../endpoint/time.ts";
import { ok, okOf } from "./envelope.ts";
import { etagOf } from "./etag.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { ETAG_HEADERS, IF_NONE_MATCH, latestResults, TERMINAL_EXAMPLE, terminalItemOf } from "./terminal-item.ts";
import { Terminals, type TerminalsJson } from "./terminal-schemas.ts";

export const listMerchantTerminals = reads.endpoint({
  name: "merchantTerminals",
  method: "GET",
  path: `${MERCHANT_BASE}/terminals`,
  summary: "List terminals of the merchant",
  description:
    "Lists the terminals whose configuration names the merchant, by id; at most 2,000. Get further terminals one by one. With `If-None-Match` and the last ETag the response is 304 while nothing has changed. `lastSeen` of an ONLINE terminal is rounded to the minute.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  headers: IF_NONE_MATCH,
  responses: {
    200: {
      description: "The terminals.",
      body: okOf(Terminals),
      headers: ETAG_HEADERS,
      example: { status: "ok", data: { items: [TERMINAL_EXAMPLE], resultsAway: false, asOf: "2026-11-25T10:00:12.000Z" } },
    },
    304: { description: "Nothing has changed since that ETag.", headers: ETAG_HEADERS },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, headers, request }) => {
    const { merchantTerminals, clock } = operations;
    const merchantId = merchantOf(caller);
    const asOf = iso(clock.nowMs());
    const [terminals, results] = await Promise.all([
      merchantTerminals.all(merchantId),
      latestResults(operations, merchantId, request.gone),
    ]);
    const items = terminals.map((terminal) => terminalItemOf(terminal, results?.get(terminal.view.terminalId)));
    const found = { items, resultsAway: results === null };
    const etag = etagOf(found);
    if (isNamedIn(headers["if-none-match"], etag)) return { status: 304, headers: { ETag: etag } };
    const body: TerminalsJson = { ...found, asOf };
    return { status: 200, body: ok(body), headers: { ETag: etag } };
  },
});
