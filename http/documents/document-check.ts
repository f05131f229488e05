import { Worker } from "node:worker_threads";
import type { DocumentCheck, DocumentKind } from "../../engine/disputes/check-file.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./document-worker.mjs" : "./document-worker.js", import.meta.url);

/** An ordinary document of 10 MB takes less than two seconds. */
const CHECK_MS = 10_000;
/** A document of 10 MB in memory, its objects, and the libraries. What needs more ends with its thread, not with the node. */
const MEMORY_MB = 512;
/** Each uses a core. */
const AT_ONCE_MAX = 2;
/** As many as are uploaded to a shard at once (engine/disputes/create-disputes.ts). */
const WAITING_MAX = 8;

export interface ToDocumentWorker {
  kind: DocumentKind;
  contents: Uint8Array;
}

export interface DocumentCheckOptions {
  program?: URL;
  checkMs?: number;
}

/** Checks documents in threads of their own. One that cannot be read within ten seconds counts as one with active content. */
export function createDocumentCheck({ program = PROGRAM, checkMs = CHECK_MS }: DocumentCheckOptions = {}): DocumentCheck {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function turn(): Promise<void> {
    if (running < AT_ONCE_MAX) {
      running += 1;
      return;
    }
    if (waiting.length >= WAITING_MAX)
      throw new RelayError("too_busy", "Too many files are being uploaded; retry shortly", { retryAfterSeconds: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function done(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return async (kind, contents) => {
    await turn();
    try {
      return await inThread(program, checkMs, { kind, contents });
    } finally {
      done();
    }
  };
}

async function inThread(program: URL, checkMs: number, message: ToDocumentWorker): Promise<boolean> {
  const worker = new Worker(program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  try {
    return await new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(true), checkMs);
      worker.once("message", (isActive: unknown) => {
        clearTimeout(late);
        resolve(isActive !== false);
      });
      // Out of memory, for example.
      worker.once("error", () => {
        clearTimeout(late);
        resolve(true);
      });
      worker.postMessage(message);
    });
  } finally {
    await worker.terminate();
  }
}
