import type { ClickHouseClient } from "@clickhouse/client";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { FedHit, FedSearch } from "../../engine/payments/fed-search.ts";
import { askClickHouse } from "./ask-clickhouse.ts";
import { wantedConditions } from "./merchant-wanted.ts";
import { either } from "./translated.ts";

/**
 * Limits the rows of one uuid. It normally belongs to one terminal, but anybody can invent a uuid.
 */
const ROWS_MAX = 20;

/** The tables are not ordered by uuid, so this query scans them: about 1 s for ten million rows. */
const DEADLINE_MS = 4_000;

/** Limits concurrent searches. An operator makes one at a time. */
const SEARCHES_MAX = 2;

interface Row {
  terminalId: string;
  uuid: string;
  what: string;
  state: string;
  amountMinor: number;
  currency: string;
  shop: string;
  atMs: number;
  sentAtMs: number | null;
  endedAtMs: number | null;
  unsolicited: boolean;
}

const RESULTS = `SELECT terminal_id AS terminalId, uuid, method AS what, status AS state, amount_cents AS amountMinor, currency, shop,
  toUnixTimestamp64Milli(created_at) AS atMs, NULL AS sentAtMs, NULL AS endedAtMs, unsolicited
  FROM relay.transactions FINAL WHERE uuid IN {uuids:Array(String)} LIMIT ${ROWS_MAX}`;

/** The days that are searched by what is no whole uuid. */
const SEARCHED_DAYS = 31;

/** The newest results that match a condition. The days bound what is read. */
const resultsWhere = (condition: string) => `SELECT terminal_id AS terminalId, uuid, method AS what, status AS state,
  amount_cents AS amountMinor, currency, shop, toUnixTimestamp64Milli(created_at) AS atMs, NULL AS sentAtMs, NULL AS endedAtMs, unsolicited
  FROM (
    SELECT *, if(match(masked_pan, '[0-9]{4}$'), right(masked_pan, 4), '') AS last4
    FROM relay.transactions FINAL PREWHERE day >= today() - ${SEARCHED_DAYS}
  ) WHERE ${condition} ORDER BY created_at DESC LIMIT ${ROWS_MAX}`;

const LIVES = `SELECT terminal_id AS terminalId, uuid, service AS what, state, amount_cents AS amountMinor, '' AS currency, shop,
  toUnixTimestamp64Milli(accepted_at) AS atMs, toUnixTimestamp64Milli(sent_at) AS sentAtMs, toUnixTimestamp64Milli(finished_at) AS endedAtMs, false AS unsolicited
  FROM relay.command_lives FINAL WHERE uuid IN {uuids:Array(String)} LIMIT ${ROWS_MAX}`;

/** Finds rows of all terminals in ClickHouse by uuid (engine/payments/fed-search.ts). */
export function createFedSearch(client: ClickHouseClient): FedSearch {
  let searching = 0;
  return async ({ uuids, filter }, gone) => {
    if (searching >= SEARCHES_MAX)
      throw new RelayError("too_busy", "Other searches are in progress; retry shortly", { retryAfterSeconds: 2 });
    searching += 1;
    const signal = either(AbortSignal.timeout(DEADLINE_MS), gone);
    const ask = (query: string, parameters: Record<string, unknown> = { uuids }) =>
      askClickHouse<Row>(client, { query, parameters, signal, secondsMax: DEADLINE_MS / 1_000, settings: { max_threads: 1 } });
    try {
      const [condition] = filter === undefined ? [] : wantedConditions(filter);
      const found = condition === undefined ? [] : await ask(resultsWhere(condition.text), condition.parameters);
      if (uuids.length === 0) return found.map((row) => hitOf(row, "result"));
      const results = await ask(RESULTS);
      const lives = await ask(LIVES);
      return [
        ...found.map((row) => hitOf(row, "result")),
        ...results.map((row) => hitOf(row, "result")),
        ...lives.map((row) => hitOf(row, "life")),
      ];
    } catch (error) {
      gone?.throwIfAborted();
      throw new RelayError("unavailable", AWAY_TEXT, { cause: error, retryAfterSeconds: 5 });
    } finally {
      searching -= 1;
    }
  };
}

const AWAY_TEXT = "ClickHouse does not answer";

/** Returns the search of a node without ClickHouse. Callers get `reason`. */
export function missingFedSearch(reason: string): FedSearch {
  return () => Promise.reject(new RelayError("unavailable", `${AWAY_TEXT}: ${reason}`));
}

function hitOf({ shop, currency, ...row }: Row, type: FedHit["type"]): FedHit {
  return { type, ...row, currency: currency === "" ? null : currency, merchantId: shop === "" ? null : shop };
}
