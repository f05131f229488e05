import { mayHoldHalves, wellFormedValue } from "../../engine/kernel/well-formed.ts";
import type { ConflictRow, FeedRow, LifeRow, TransactionRow } from "../../engine/payments/feed-row.ts";

/** A row as it is inserted. Columns that are undefined take their defaults (storage/clickhouse/migrations), which for text is the empty one. */
type ClickHouseRow = { [column: string]: string | number | boolean | null | undefined };

export type FeedTable = "transactions" | "command_lives" | "conflicts";

/**
 * The table of a row, and the row as a line of JSONEachRow. Throws for a row with invalid times. Texts are made well-formed when they are
 * received; here this is done for older rows and for rows that others write to Kafka, because ClickHouse refuses unpaired surrogates.
 */
export function clickHouseRow(row: FeedRow): { table: FeedTable; line: string } {
  const written = asItIs(row);
  return mayHoldHalves(written.line) ? asItIs(wellFormedValue(row)) : written;
}

function asItIs(row: FeedRow): { table: FeedTable; line: string } {
  switch (row.type) {
    case "transaction":
      return { table: "transactions", line: lineOf(transactionRow(row)) };
    case "life":
      return { table: "command_lives", line: lineOf(lifeRow(row)) };
    case "conflict":
      return { table: "conflicts", line: lineOf(conflictRow(row)) };
  }
}

/** Most columns of most rows are empty, so they are left out. One call of JSON.stringify for the whole row is fastest. */
function lineOf(row: ClickHouseRow): string {
  return `${JSON.stringify(row)}\n`;
}

function transactionRow({
  version,
  storeVersion,
  transaction,
  kind,
  sender,
  unsolicited,
  amountDiffers,
  shop,
}: TransactionRow): ClickHouseRow {
  const { auth, card, satispay, provider, scan, print, voucher, receipt } = transaction;
  return {
    terminal_id: transaction.terminalId,
    day: dayOf(transaction.createdAtMs),
    uuid: transaction.uuid,
    version,
    created_at: timeOf(transaction.createdAtMs),
    method: transaction.method,
    status: transaction.status,
    amount_cents: transaction.amountCents,
    currency: transaction.currency,
    merchant_id: transaction.merchantId || undefined,
    shop: shop || undefined,
    command_kind: kind || undefined,
    sender: sender || undefined,
    unsolicited,
    amount_differs: amountDiffers,
    message: transaction.message || undefined,
    auth_code: auth?.authCode || undefined,
    stan: auth?.stan || undefined,
    action_code: auth?.actionCode || undefined,
    brand: card?.brand || undefined,
    masked_pan: card?.maskedPan || undefined,
    entry: card?.entry || undefined,
    satispay_payment_id: satispay?.paymentId || undefined,
    satispay_status: satispay?.status || undefined,
    satispay_outcome: satispay?.outcome || undefined,
    satispay_store: satispay?.store || undefined,
    satispay_code_identifier: satispay?.codeIdentifier || undefined,
    provider_name: provider?.name || undefined,
    provider_model: provider?.model || undefined,
    provider_client_version: provider?.clientVersion || undefined,
    voucher: voucher && JSON.stringify(voucher),
    receipt: receipt && JSON.stringify(receipt),
    scanned_value: scan?.scannedValue || undefined,
    barcode_format: scan?.barcodeFormat || undefined,
    scan_result: scan?.scanResult || undefined,
    print_result: print?.printResult || undefined,
    print_error: print?.errorDescription || undefined,
    item: JSON.stringify(transaction),
    store_version: storeVersion,
  };
}

function lifeRow(row: LifeRow): ClickHouseRow {
  return {
    terminal_id: row.terminalId,
    day: dayOf(row.acceptedAtMs),
    uuid: row.uuid,
    version: row.version,
    accepted_at: timeOf(row.acceptedAtMs),
    sent_at: row.sentAtMs === null ? null : timeOf(row.sentAtMs),
    finished_at: timeOf(row.finishedAtMs),
    state: row.state,
    kind: row.kind,
    service: row.service || undefined,
    amount_cents: row.amountCents,
    sender: row.sender || undefined,
    channel: row.channel || undefined,
    attempt: row.attempt,
    shop: row.shop || undefined,
    store_version: row.storeVersion,
  };
}

function conflictRow(row: ConflictRow): ClickHouseRow {
  return {
    terminal_id: row.terminalId,
    day: dayOf(row.atMs),
    id: row.id,
    uuid: row.uuid,
    at: timeOf(row.atMs),
    posted_by: row.postedBy || undefined,
    raw: row.raw || undefined,
  };
}

/** `YYYY-MM-DD hh:mm:ss.mmm`, UTC, which every ClickHouse version reads without a setting. */
function timeOf(ms: number): string {
  return isoOf(ms).slice(0, 23).replace("T", " ");
}

function dayOf(ms: number): string {
  return isoOf(ms).slice(0, 10);
}

/** The time that was written last: consecutive rows often have the same. */
let lastMs = 0;
let lastIso = new Date(lastMs).toISOString();

/** End of ClickHouse's type Date: a later time, or one before 1970, would silently wrap around. */
export const LATEST_MS = Date.UTC(2149, 0, 1);

/** A missing time would otherwise silently become 1970. */
function isoOf(ms: number): string {
  if (ms === lastMs) return lastIso;
  if (!Number.isSafeInteger(ms)) throw new RangeError("a time is a whole number of milliseconds");
  if (ms < 0 || ms >= LATEST_MS) throw new RangeError("a time lies from 1970 to 2148");
  lastIso = new Date(ms).toISOString();
  lastMs = ms;
  return lastIso;
}
