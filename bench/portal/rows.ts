import type { ClickHouseClient } from "@clickhouse/client";

/** Of an insert: it is sorted and written in a second or two. */
const ROWS_AT_ONCE = 500_000;

const DAY_MS = 86_400_000;
export const DAYS = 365;

/** The merchant that has half of all rows. */
export const BIG = "BENCH-BIG";
/** One of the others. */
export const SMALL = "BENCH-7";

export interface BenchRows {
  /** Of all merchants together. */
  rows: number;
  smallMerchants: number;
  /** Of the newest row. */
  nowMs: number;
}

/**
 * Fills `relay.transactions` as the feed does, and so the table of merchants through its view: a year of rows, half of them of one merchant with 200 terminals,
 * the others of merchants with two terminals each. Four of five are paid by card, one in twelve is declined.
 */
export async function fillTransactions(client: ClickHouseClient, { rows, smallMerchants, nowMs }: BenchRows): Promise<void> {
  for (const [prefix, count, merchants, terminals] of [
    [BIG, Math.floor(rows / 2), 1, 200],
    ["BENCH-", Math.ceil(rows / 2), smallMerchants, 2],
  ] as const) {
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      await client.command({
        query: FILL,
        query_params: {
          prefix,
          count,
          from,
          until: Math.min(count, from + ROWS_AT_ONCE),
          merchants,
          terminals,
          startMs: nowMs - DAYS * DAY_MS,
        },
        clickhouse_settings: { max_insert_threads: "1", max_threads: 1 },
      });
    }
  }
}

/** Ordered by time; a row is at the same second each time, under a random uuid. */
const FILL = `
INSERT INTO relay.transactions (terminal_id, day, uuid, version, created_at, method, status, amount_cents, currency, shop, command_kind, sender, unsolicited,
  amount_differs, message, auth_code, stan, action_code, brand, masked_pan, entry, item)
SELECT terminal, toDate(at), uuid, 3298534883329, at, method, status, amount, 'EUR', shop, 'payment', 'merchant:' || shop, false, false, message, code, stan, action,
  brand, pan, 'NFC',
  '{"uuid":"' || uuid || '","createdAtMs":' || toString(ms) || ',"method":"' || method || '","status":"' || status || '","amountCents":' || toString(amount)
    || ',"currency":"EUR","terminalId":"' || terminal || '","merchantId":"' || shop || '","message":"' || message || '","auth":{"authCode":"' || code
    || '","stan":"' || stan || '","actionCode":"' || action || '"},"card":{"brand":"' || brand || '","maskedPan":"' || pan
    || '","entry":"NFC"},"provider":{"name":"POS","model":"A920","clientVersion":"4.2.' || toString(dice % 9) || '"}}'
FROM (
  SELECT
    sipHash64(number, {prefix:String}) AS dice,
    {startMs:Int64} + toInt64((number + 1) * (${DAYS * DAY_MS} / {count:UInt64})) AS ms,
    fromUnixTimestamp64Milli(ms, 'UTC') AS at,
    lower(toString(generateUUIDv4(number))) AS uuid,
    if({merchants:UInt32} = 1, {prefix:String}, {prefix:String} || toString(number % {merchants:UInt32})) AS shop,
    shop || '-T' || toString(1 + intDiv(dice, 16) % {terminals:UInt32}) AS terminal,
    multiIf(dice % 20 < 16, 'CARD', dice % 20 < 18, 'SATISPAY', dice % 20 < 19, 'VOUCHER', 'PAYBYLINK') AS method,
    if(intDiv(dice, 64) % 12 = 0, 'KO', 'OK') AS status,
    if(status = 'OK', 'Approved', 'Not authorized') AS message,
    100 + intDiv(dice, 1024) % 12000 AS amount,
    leftPad(toString(intDiv(dice, 4096) % 1000000), 6, '0') AS code,
    leftPad(toString(number % 1000000), 6, '0') AS stan,
    if(status = 'OK', '000', '116') AS action,
    ['VISA', 'MASTERCARD', 'PAGOBANCOMAT'][1 + dice % 3] AS brand,
    '************' || leftPad(toString(intDiv(dice, 8192) % 10000), 4, '0') AS pan
  FROM numbers({from:UInt64}, {until:UInt64} - {from:UInt64})
)`;
