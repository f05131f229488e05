import type { ClickHouseClient } from "@clickhouse/client";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { FedHit, FedSearch } from "../../engine/payments/fed-search.ts";
import { askClickHouse } from "./ask-clickhouse.ts";
import { either } from "./translated.ts";

/** Rows of one uuid: it is one terminal's, but for what somebody made up. */
const ROWS_MAX = 20;

/** A uuid is no beginning of the tables' order: all of them is read, which takes a second for some ten millions. */
const DEADLINE_MS = 4_000;

/** Searches at once; an operator makes one. */
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

const LIVES = `SELECT terminal_id AS terminalId, uuid, service AS what, state, amount_cents AS amountMinor, '' AS currency, shop,
  toUnixTimestamp64Milli(accepted_at) AS atMs, toUnixTimestamp64Milli(sent_at) AS sentAtMs, toUnixTimestamp64Milli(finished_at) AS endedAtMs, false AS unsolicited
  FROM relay.command_lives FINAL WHERE uuid IN {uuids:Array(String)} LIMIT ${ROWS_MAX}`;

/** Finds rows by uuid in ClickHouse, of all terminals (engine/payments/fed-search.ts). */
export function createFedSearch(client: ClickHouseClient): FedSearch {
  let searching = 0;
  return async (uuids, gone) => {
    if (searching >= SEARCHES_MAX) throw new RelayError("too_busy", "Others are searching; try again", { retryAfterSeconds: 2 });
    searching += 1;
    const signal = either(AbortSignal.timeout(DEADLINE_MS), gone);
    const ask = (query: string) => askClickHouse<Row>(client, { query, parameters: { uuids }, signal, secondsMax: DEADLINE_MS / 1_000 });
    try {
      const results = await ask(RESULTS);
      const lives = await ask(LIVES);
      return [...results.map((row) => hitOf(row, "result")), ...lives.map((row) => hitOf(row, "life"))];
    } catch (error) {
      gone?.throwIfAborted();
      throw new RelayError("unavailable", AWAY_TEXT, { cause: error, retryAfterSeconds: 5 });
    } finally {
      searching -= 1;
    }
  };
}

const AWAY_TEXT = "ClickHouse does not answer";

/** The search without a ClickHouse. */
export const missingFedSearch: FedSearch = () => Promise.reject(new RelayError("unavailable", AWAY_TEXT));

function hitOf({ shop, currency, ...row }: Row, type: FedHit["type"]): FedHit {
  return { type, ...row, currency: currency === "" ? null : currency, merchantId: shop === "" ? null : shop };
}
