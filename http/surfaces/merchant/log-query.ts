import { type Static, Type } from "@sinclair/typebox";
import { isLogEntryId, type LogQuery } from "../../../engine/operators/merchant-logs.ts";
import type { LocalTime } from "../parts/time.ts";
import { LOG_FILTERS } from "./log-schemas.ts";
import { PAGE_QUERY } from "./schema-parts.ts";
import { damagedCursor, rangeOfQuery } from "./transaction-query.ts";

export const LogQuerySchema = Type.Object({ ...LOG_FILTERS, ...PAGE_QUERY });

/** What a query asks for. Throws RelayError `invalid_request` for a range that ends before it begins, and for a cursor that no page gave. */
export function logQueryOf(query: Static<typeof LogQuerySchema>, localTime: LocalTime): LogQuery {
  const { objectId, requestId, outcome, cursor, limit } = query;
  return {
    filter: {
      ...rangeOfQuery(query, localTime),
      ...(objectId === undefined ? {} : { objectId }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(outcome === undefined ? {} : { outcome }),
    },
    after: cursor === undefined ? null : readLogCursor(cursor),
    limit,
  };
}

/** Where a page ended, as an opaque text. It names a place in the list of whoever asks, and opens nothing. */
export function logCursorOf(id: string | null): string | null {
  return id === null ? null : Buffer.from(id).toString("base64url");
}

function readLogCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (!isLogEntryId(id) || logCursorOf(id) !== cursor) throw damagedCursor();
  return id;
}

export const LOG_DESCRIPTION =
  "Kept for 30 days unless the installation says otherwise; an entry appears a second or two after it happened. Days are those of the installation's time zone. Ids, words and figures only: nothing of a buyer, no address beyond its host. 503 where ClickHouse does not answer: payments are not affected, and what happens meanwhile may be missing afterwards.";
