import { Worker } from "node:worker_threads";
import type { ExportOrder } from "../../engine/exports/export.ts";
import { type ExportPiece, ExportRefused } from "../../engine/exports/export-source.ts";
import { XLSX_ROWS_MAX } from "../../engine/exports/words.ts";
import { columnsOf } from "../surfaces/merchant/exports/columns.ts";
import type { LocalTime } from "../surfaces/parts/time.ts";
import type { Cell, Row } from "./cells.ts";
import { headingsOf } from "./headings.ts";
import type { TransactionTotals } from "./transaction-totals.ts";
import type { FromSheet, ToSheet } from "./xlsx-message.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./xlsx-worker.mjs" : "./xlsx-worker.js", import.meta.url);

/**
 * Fifty thousand rows need about 240 MB, and long texts as much again. A larger file ends its
 * thread, but not the node.
 */
const MEMORY_MB = 512;

/** The most batches that wait for the thread. */
const BATCHES_AHEAD = 8;

const FILE_PIECE_BYTES = 65_536;

const WIDTHS = { text: 24, words: 14, time: 20, amount: 14, integer: 8, flag: 8 } as const;

export interface XlsxOptions {
  localTime: LocalTime;
  signal: AbortSignal;
  /** The totals, once all rows were read. */
  totals?: Pick<TransactionTotals, "rows">;
  program?: URL;
}

/**
 * Returns an XLSX in pieces. The rows go to a separate thread, which makes the file. Throws
 * ExportRefused for too many rows.
 */
export async function* xlsxPieces(
  rows: AsyncIterable<readonly Row[]>,
  order: Pick<ExportOrder, "list" | "columns" | "lang">,
  { localTime, signal, totals, program = PROGRAM }: XlsxOptions,
): AsyncGenerator<ExportPiece> {
  const sheet = startSheet(program, signal);
  try {
    const known = columnsOf(order.list);
    const widths = order.columns.map((name) => WIDTHS[known.get(name)?.kind ?? "text"]);
    sheet.post({ type: "head", name: order.list, headings: headingsOf(order, localTime.zone), widths, lang: order.lang });
    let count = 0;
    const local = (cell: Cell): Cell =>
      typeof cell === "object" && cell !== null && "atMs" in cell ? { atMs: cell.atMs + localTime.offsetMs(cell.atMs) } : cell;
    for await (const batch of rows) {
      count += batch.length;
      if (count > XLSX_ROWS_MAX) throw new ExportRefused("too_many_rows");
      await sheet.room();
      sheet.post({ type: "rows", rows: batch.map((row) => row.map(local)) });
    }
    const sums = totals?.rows(order) ?? [];
    if (sums.length > 0) sheet.post({ type: "totals", rows: sums });
    sheet.post({ type: "end" });
    const file = await sheet.file();
    for (let start = 0; start < file.byteLength; start += FILE_PIECE_BYTES) {
      const bytes = file.subarray(start, start + FILE_PIECE_BYTES);
      yield { bytes, rows: start + FILE_PIECE_BYTES >= file.byteLength ? count : 0 };
    }
  } finally {
    await sheet.end();
  }
}

/** Starts the thread and receives its messages. */
function startSheet(program: URL, signal: AbortSignal) {
  const worker = new Worker(program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  let ahead = 0;
  let file: Uint8Array | null = null;
  let problem: unknown = null;
  let told = (): void => {};
  const end = (why: unknown) => {
    problem ??= why;
    told();
  };
  const aborted = () => end(signal.reason);
  signal.addEventListener("abort", aborted);
  if (signal.aborted) aborted();
  worker.on("message", (message: FromSheet) => {
    if (message.type === "taken") ahead -= 1;
    else if (message.type === "file") file = message.bytes;
    else problem ??= new Error(`the spreadsheet could not be written: ${message.why}`);
    told();
  });
  worker.on("error", end);
  worker.on("exit", () => {
    if (file === null) end(new Error("the thread that writes the spreadsheet has ended"));
  });

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (problem !== null) throw problem;
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  }

  return {
    post: (message: ToSheet) => {
      if (message.type === "rows") ahead += 1;
      worker.postMessage(message);
    },
    room: () => until(() => ahead < BATCHES_AHEAD),
    file: async (): Promise<Uint8Array> => {
      await until(() => file !== null);
      if (file === null) throw new Error("there is no file");
      return file;
    },
    end: async () => {
      signal.removeEventListener("abort", aborted);
      await worker.terminate();
    },
  };
}
