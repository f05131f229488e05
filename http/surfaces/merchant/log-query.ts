import { type Static, Type } from "@sinclair/typebox";
import { isLogEntryId, type LogQuery } from "../../../engine/operators/merchant-logs.ts";
import type { LocalTime } from "../parts/time.ts";
import { LOG_FILTERS } from "./log-schemas.ts";
import { PAGE_QUERY } from "./schema-parts.ts";
import { damagedCursor, rangeOfQuery } from "./transaction-query.ts";

export const LogQuerySchema = Type.Object({ ...LOG_FILTERS, ...PAGE_QUERY });

/**
 * Reads a query. Throws RelayError `invalid_request` for a range that ends before it begins, and
 * for an unknown cursor.
 */
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

/**
 * Returns where a page ended as an opaque text. It is a position in the caller's own list and
 * grants nothing.
 */
export function logCursorOf(id: string | null): string | null {
  return id === null ? null : Buffer.from(id).toString("base64url");
}

function readLogCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (!isLogEntryId(id) || logCursorOf(id) !== cursor) throw damagedCursor();
  return id;
}

export const LOG_DESCRIPTION =
  "Entries are stored for 30 days unless the installation has another setting; an entry appears a second or two after the event. Days are those of the installation's time zone. Entries contain only ids, words and figures: no data of buyers, and only the host name of an address. The response is 503 if ClickHouse does not respond; payments are not affected, but events that occur meanwhile may be missing afterwards.";
