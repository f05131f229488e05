import { mayHoldHalves, wellFormedValue } from "../../engine/kernel/well-formed.ts";
import type { ConflictRow, FeedRow, LifeRow, TransactionRow } from "../../engine/payments/feed-row.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { isPayment } from "../../engine/payments/payment.ts";
import { RowsRefused } from "./feed-sink.ts";
import type { RowBinary } from "./row-binary.ts";

/**
 * A table of storage/clickhouse/migrations, and the columns that are inserted. The other columns
 * take their defaults.
 */
export interface FeedColumns {
  table: string;
  columns: readonly string[];
}

/** A table for one type of rows. */
export interface FeedTable<Row extends FeedRow> extends FeedColumns {
  /**
   * Writes a row without ending it. Throws if a column cannot hold its value. A part of the row may
   * have been written by then.
   */
  write(to: RowBinary, row: Row): void;
}

type Column<Row> = readonly [name: string, write: (to: RowBinary, row: Row) => void];

/** A row with its transaction as JSON. */
interface WithItem {
  row: TransactionRow;
  item: string;
}

/** The columns of a result. Most of them are empty in most rows. */
const TRANSACTION_COLUMNS: readonly Column<WithItem>[] = [
  ["terminal_id", (to, { row }) => to.text(row.transaction.terminalId)],
  ["day", (to, { row }) => to.day(row.transaction.createdAtMs)],
  ["uuid", (to, { row }) => to.text(row.transaction.uuid)],
  ["version", (to, { row }) => to.uint64(row.version)],
  ["created_at", (to, { row }) => to.time(row.transaction.createdAtMs)],
  ["method", (to, { row }) => to.text(row.transaction.method)],
  ["status", (to, { row }) => to.text(row.transaction.status)],
  ["amount_cents", (to, { row }) => to.int64(row.transaction.amountCents)],
  ["currency", (to, { row }) => to.text(row.transaction.currency)],
  ["merchant_id", (to, { row }) => to.text(row.transaction.merchantId ?? "")],
  ["shop", (to, { row }) => to.text(row.shop ?? "")],
  ["command_kind", (to, { row }) => to.text(row.kind ?? "")],
  ["service", (to, { row }) => to.text(row.life?.service ?? "")],
  ["is_payment", (to, { row }) => to.bool(isPayment(row))],
  ["sender", (to, { row }) => to.text(row.sender)],
  ["unsolicited", (to, { row }) => to.bool(row.unsolicited)],
  ["amount_differs", (to, { row }) => to.bool(row.amountDiffers)],
  ["message", (to, { row }) => to.text(row.transaction.message ?? "")],
  ["auth_code", (to, { row }) => to.text(row.transaction.auth?.authCode ?? "")],
  ["stan", (to, { row }) => to.text(row.transaction.auth?.stan ?? "")],
  ["action_code", (to, { row }) => to.text(row.transaction.auth?.actionCode ?? "")],
  ["brand", (to, { row }) => to.text(row.transaction.card?.brand ?? "")],
  ["masked_pan", (to, { row }) => to.text(row.transaction.card?.maskedPan ?? "")],
  ["entry", (to, { row }) => to.text(row.transaction.card?.entry ?? "")],
  ["satispay_payment_id", (to, { row }) => to.text(row.transaction.satispay?.paymentId ?? "")],
  ["satispay_status", (to, { row }) => to.text(row.transaction.satispay?.status ?? "")],
  ["satispay_outcome", (to, { row }) => to.text(row.transaction.satispay?.outcome ?? "")],
  ["satispay_store", (to, { row }) => to.text(row.transaction.satispay?.store ?? "")],
  ["satispay_code_identifier", (to, { row }) => to.text(row.transaction.satispay?.codeIdentifier ?? "")],
  ["provider_name", (to, { row }) => to.text(row.transaction.provider?.name ?? "")],
  ["provider_model", (to, { row }) => to.text(row.transaction.provider?.model ?? "")],
  ["provider_client_version", (to, { row }) => to.text(row.transaction.provider?.clientVersion ?? "")],
  ["voucher", (to, { row }) => to.text(jsonOf(row.transaction.voucher))],
  ["receipt", (to, { row }) => to.text(jsonOf(row.transaction.receipt))],
  ["scanned_value", (to, { row }) => to.text(row.transaction.scan?.scannedValue ?? "")],
  ["barcode_format", (to, { row }) => to.text(row.transaction.scan?.barcodeFormat ?? "")],
  ["scan_result", (to, { row }) => to.text(row.transaction.scan?.scanResult ?? "")],
  ["print_result", (to, { row }) => to.text(row.transaction.print?.printResult ?? "")],
  ["print_error", (to, { row }) => to.text(row.transaction.print?.errorDescription ?? "")],
  ["item", (to, { item }) => to.text(item)],
  ["store_version", (to, { row }) => to.uint64(row.storeVersion ?? 0)],
];

const LIFE_COLUMNS: readonly Column<LifeRow>[] = [
  ["terminal_id", (to, row) => to.text(row.terminalId)],
  ["day", (to, row) => to.day(row.acceptedAtMs)],
  ["uuid", (to, row) => to.text(row.uuid)],
  ["version", (to, row) => to.uint64(row.version)],
  ["accepted_at", (to, row) => to.time(row.acceptedAtMs)],
  ["sent_at", (to, row) => to.timeOrNull(row.sentAtMs)],
  ["finished_at", (to, row) => to.time(row.finishedAtMs)],
  ["state", (to, row) => to.text(row.state)],
  ["kind", (to, row) => to.text(row.kind)],
  ["service", (to, row) => to.text(row.service)],
  ["amount_cents", (to, row) => to.int64(row.amountCents)],
  ["sender", (to, row) => to.text(row.sender)],
  ["channel", (to, row) => to.text(row.channel ?? "")],
  ["attempt", (to, row) => to.uint32(row.attempt)],
  ["shop", (to, row) => to.text(row.shop ?? "")],
  ["store_version", (to, row) => to.uint64(row.storeVersion ?? 0)],
];

const CONFLICT_COLUMNS: readonly Column<ConflictRow>[] = [
  ["terminal_id", (to, row) => to.text(row.terminalId)],
  ["day", (to, row) => to.day(row.atMs)],
  ["id", (to, row) => to.text(row.id)],
  ["uuid", (to, row) => to.text(row.uuid)],
  ["at", (to, row) => to.time(row.atMs)],
  ["posted_by", (to, row) => to.text(row.postedBy)],
  ["raw", (to, row) => to.text(row.raw)],
];

const OBJECT_COLUMNS: readonly Column<ObjectRow>[] = [
  ["merchant_id", (to, row) => to.text(row.merchantId)],
  ["livemode", (to, row) => to.bool(row.livemode)],
  ["object", (to, row) => to.text(row.object)],
  ["day", (to, row) => to.day(row.createdAtMs)],
  ["created_at", (to, row) => to.time(row.createdAtMs)],
  ["id", (to, row) => to.text(row.id)],
  ["version", (to, row) => to.uint64(row.version)],
  ["state", (to, row) => to.text(row.state)],
  ["category", (to, row) => to.text(row.category)],
  ["reason", (to, row) => to.text(row.reason)],
  ["amount_minor", (to, row) => to.int64(row.amountMinor)],
  ["currency", (to, row) => to.text(row.currency)],
  ["uuid", (to, row) => to.text(row.uuid)],
  ["parent", (to, row) => to.text(row.parent)],
  ["attempt", (to, row) => to.uint32(row.attempt)],
  ["due_at", (to, row) => to.timeOrNull(row.dueAtMs)],
  ["active_at", (to, row) => to.timeOrNull(row.activeAtMs)],
  ["ended_at", (to, row) => to.timeOrNull(row.endedAtMs)],
  ["monthly_minor", (to, row) => to.int64(row.monthlyMinor)],
  ["store_version", (to, row) => to.uint64(row.storeVersion ?? 0)],
];

export const TRANSACTIONS: FeedTable<TransactionRow> = {
  table: "transactions",
  columns: namesOf(TRANSACTION_COLUMNS),
  write: (to, row) => {
    const withItem = { row, item: JSON.stringify(row.transaction) };
    writeAll(to, TRANSACTION_COLUMNS, mayHoldHalves(withItem.item) ? wellFormed(row) : withItem);
  },
};

export const LIVES: FeedTable<LifeRow> = {
  table: "command_lives",
  columns: namesOf(LIFE_COLUMNS),
  write: (to, row) => writeAll(to, LIFE_COLUMNS, row),
};

export const CONFLICTS: FeedTable<ConflictRow> = {
  table: "conflicts",
  columns: namesOf(CONFLICT_COLUMNS),
  write: (to, row) => writeAll(to, CONFLICT_COLUMNS, row),
};

export const OBJECTS: FeedTable<ObjectRow> = {
  table: "merchant_objects",
  columns: namesOf(OBJECT_COLUMNS),
  write: (to, row) => writeAll(to, OBJECT_COLUMNS, row),
};

/** Throws RowsRefused, which names the column but does not quote the value. */
function writeAll<Row>(to: RowBinary, columns: readonly Column<Row>[], row: Row): void {
  let column = "";
  try {
    for (const [name, write] of columns) {
      column = name;
      write(to, row);
    }
  } catch (error) {
    throw new RowsRefused(`the column ${column} cannot hold its value`, { cause: error });
  }
}

/**
 * The relay makes texts well-formed when it receives them. Older rows, and rows that others write
 * to Kafka, are corrected here: an unpaired surrogate would stay as an escape in the JSON, which
 * ClickHouse's functions refuse.
 */
function wellFormed(row: TransactionRow): WithItem {
  const transaction = wellFormedValue(row.transaction);
  return { row: { ...row, transaction }, item: JSON.stringify(transaction) };
}

function jsonOf(value: object | undefined): string {
  return value ? JSON.stringify(value) : "";
}

function namesOf<Row>(columns: readonly Column<Row>[]): string[] {
  return columns.map(([name]) => name);
}
