import { parentPort } from "node:worker_threads";
import { createSheet, type Sheet } from "./sheet.ts";
import type { FromSheet, ToSheet } from "./xlsx-message.ts";

/**
 * This thread makes one sheet and ends. Packing fifty thousand rows takes seconds, in which a shard
 * would respond to no request.
 */
let sheet: Sheet | null = null;

function answer(message: FromSheet, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

parentPort?.on("message", (message: ToSheet) => {
  take(message).catch((error: unknown) => answer({ type: "failed", why: error instanceof Error ? error.message : String(error) }));
});

async function take(message: ToSheet): Promise<void> {
  if (message.type === "head") {
    sheet = createSheet(message);
    return;
  }
  if (sheet === null) throw new Error("a spreadsheet must begin with its header");
  if (message.type === "rows") {
    sheet.add(message.rows);
    answer({ type: "taken" });
    return;
  }
  if (message.type === "totals") return sheet.addTotals(message.rows);
  // The bytes have their own memory, which is transferred to the other thread without a copy.
  const bytes = new Uint8Array(await sheet.file());
  answer({ type: "file", bytes }, [bytes.buffer]);
  parentPort?.close();
}
