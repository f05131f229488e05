import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, readdir } from "node:fs/promises";
import type { CommandRecord } from "../../engine/domain/terminal-record.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { createTerminalStore } from "../../storage/stores/terminal-store.ts";
import { terminalId } from "./terminals.ts";

/** Records of one commit, and commits under way: as much as the store takes at once. */
const RECORDS_PER_COMMIT = 2_000;
const COMMITS_AT_ONCE = 2;

const RETENTION_MS = 400 * 86_400_000;
const TERMINALS = 100_000;

/** Stores `count` payments that were made and approved, under random uuids, as a relay that ran for a while has them. */
export async function storeUuids(directory: string, count: number, progress: (stored: number) => void): Promise<void> {
  await mkdir(directory, { recursive: true });
  const nowMs = Date.now();
  const kv = await openEmbeddedKv({ directory, nowMs: () => nowMs });
  const store = createTerminalStore({ kv, nowMs: () => nowMs, retentionMs: RETENTION_MS, writer: "bench" });
  let begun = 0;
  let stored = 0;
  async function storeSome(): Promise<void> {
    while (begun < count) {
      const first = begun;
      const size = Math.min(RECORDS_PER_COMMIT, count - first);
      begun += size;
      const commands = Array.from({ length: size }, (_, index) => ({ record: endedPayment(first + index, nowMs), version: 0 }));
      const outcome = await store.commit({
        terminalId: terminalId("queueing", first % TERMINALS),
        terminal: null,
        claims: [],
        commands,
        rows: [],
        attention: [],
        settled: [],
        atMs: nowMs,
      });
      if (outcome.type !== "committed") throw new Error("a fresh uuid was not free");
      stored += size;
      progress(stored);
    }
  }
  try {
    await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, storeSome));
  } finally {
    await kv.close();
  }
}

/** A second store with the same content. Its tables never change once written, so they are shared; the rest is copied. */
export async function copyStore(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) {
    if (file.endsWith(".ldb")) await link(`${from}/${file}`, `${to}/${file}`);
    else if (file !== "LOCK") await copyFile(`${from}/${file}`, `${to}/${file}`);
  }
}

function endedPayment(index: number, nowMs: number): CommandRecord {
  const uuid = randomUUID();
  const terminal = terminalId("queueing", index % TERMINALS);
  const amountCents = 100 + (index % 20_000);
  const acceptedAtMs = nowMs - 86_400_000 + (index % 86_000) * 1_000;
  const finishedAtMs = acceptedAtMs + 9_000;
  const raw = { uuid, result: "OK", amount: amountCents, authCode: "482913", stan: "000123", maskedPan: "************1234", brand: "VISA" };
  return {
    schema: 1,
    revision: 1,
    uuid,
    terminalId: terminal,
    command: {
      uuid,
      terminalId: terminal,
      kind: "payment",
      service: "PAYCC",
      amountCents,
      method: "CARD",
      sender: "partner:1",
      acceptedAtMs,
      expiresAtMs: acceptedAtMs + 60_000,
      payload: JSON.stringify({ uuid, amount: amountCents, service: "PAYCC", type: "CARD", terminalId: terminal }),
    },
    life: { state: "done", sentAtMs: acceptedAtMs + 5, finishedAtMs, channel: "websocket", attempts: 1 },
    result: {
      transaction: {
        uuid,
        createdAtMs: finishedAtMs,
        method: "CARD",
        status: "OK",
        amountCents,
        currency: "EUR",
        terminalId: terminal,
        auth: { authCode: "482913", stan: "000123" },
        card: { brand: "VISA", maskedPan: "************1234", entry: "NFC" },
      },
      raw: JSON.stringify(raw),
      postedBy: terminal,
      amountDiffers: false,
    },
  };
}
