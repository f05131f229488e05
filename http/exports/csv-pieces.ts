import type { Locale } from "../../engine/accounts/account.ts";
import type { ExportOrder } from "../../engine/exports/export.ts";
import type { ExportPiece } from "../../engine/exports/export-source.ts";
import { BYTE_ORDER_MARK, CSV_FORMS, csvLines, textCell } from "../surfaces/merchant/csv.ts";
import { majorUnits } from "../surfaces/merchant/transaction-item.ts";
import type { LocalTime } from "../surfaces/parts/time.ts";
import type { Cell, Row } from "./cells.ts";
import { FLAGS, headingsOf } from "./headings.ts";

/** Returns a CSV in pieces, one for each batch of rows. */
export async function* csvPieces(
  rows: AsyncIterable<readonly Row[]>,
  order: Pick<ExportOrder, "list" | "columns" | "lang">,
  localTime: LocalTime,
): AsyncGenerator<ExportPiece> {
  const { lang } = order;
  const text = (cell: Cell) => csvCell(cell, lang, localTime);
  yield { bytes: Buffer.from(BYTE_ORDER_MARK + csvLines(lang, [headingsOf(order, localTime.zone)]), "utf8"), rows: 0 };
  for await (const batch of rows) {
    const lines = csvLines(
      lang,
      batch.map((row) => row.map(text)),
    );
    yield { bytes: Buffer.from(lines, "utf8"), rows: batch.length };
  }
}

function csvCell(cell: Cell, lang: Locale, localTime: LocalTime): string {
  if (cell === null) return "";
  if (typeof cell === "string") return textCell(cell);
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "boolean") return cell ? FLAGS[lang].yes : FLAGS[lang].no;
  if ("atMs" in cell) return localTime.format(cell.atMs).slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
  return majorUnits(cell.minor, cell.currency, CSV_FORMS[lang].point);
}
