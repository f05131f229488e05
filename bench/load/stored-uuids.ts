import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, readdir } from "node:fs/promises";
import { ClassicLevel } from "classic-level";
import type { CommandRecord, TerminalRecord } from "../../engine/terminals/terminal-record.ts";
import { createTerminalStore, type TerminalChange, type TerminalStore } from "../../engine/terminals/terminal-store.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { QUEUEING_TERMINALS, terminalId } from "./terminals.ts";

/** Records of one commit, and commits under way: as much as the store takes at once. */
const RECORDS_PER_COMMIT = 2_000;
const COMMITS_AT_ONCE = 2;

/** Terminals that are stored at once. */
const TERMINALS_AT_ONCE = 1_000;

const RETENTION_MS = 400 * 86_400_000;

const NOTHING = { decidedBy: null, terminal: null, claims: [], commands: [], rows: [], attention: [], settled: [] } as const;

/**
 * Stores `count` payments that were made and approved, under random uuids, and the terminals that they were made on, as a relay that ran for
 * a while has them; then lets the store settle, so that each relay that is started on a copy finds it the same.
 */
export async function storeUuids(directory: string, count: number, progress: (stored: number) => void): Promise<void> {
  await mkdir(directory, { recursive: true });
  const nowMs = Date.now();
  const kv = await openEmbeddedKv({ directory, nowMs: () => nowMs });
  try {
    const store = createTerminalStore({ kv, nowMs: () => nowMs, retentionMs: RETENTION_MS, writer: "bench" });
    const latest = await storePayments(store, { count, nowMs }, progress);
    await storeTerminals(store, latest, nowMs);
  } finally {
    await kv.close();
  }
  const level = new ClassicLevel(directory);
  await level.open();
  await level.compactRange("", "\u{7f}");
  await level.close();
}

/** Answers with the latest payment of each terminal. */
async function storePayments(
  store: TerminalStore,
  { count, nowMs }: { count: number; nowMs: number },
  progress: (stored: number) => void,
): Promise<Map<string, string>> {
  const latest = new Map<string, string>();
  let begun = 0;
  let stored = 0;
  async function storeSome(): Promise<void> {
    while (begun < count) {
      const first = begun;
      const size = Math.min(RECORDS_PER_COMMIT, count - first);
      begun += size;
      const commands = Array.from({ length: size }, (_, index) => ({ record: endedPayment(first + index, nowMs), version: 0 }));
      await commit(store, { ...NOTHING, terminalId: terminalId("queueing", 0), commands, atMs: nowMs });
      for (const { record } of commands) latest.set(record.terminalId, record.uuid);
      stored += size;
      progress(stored);
    }
  }
  await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, storeSome));
  return latest;
}

async function storeTerminals(store: TerminalStore, latest: ReadonlyMap<string, string>, nowMs: number): Promise<void> {
  const terminals = [...latest];
  for (let from = 0; from < terminals.length; from += TERMINALS_AT_ONCE) {
    const some = terminals.slice(from, from + TERMINALS_AT_ONCE);
    await Promise.all(
      some.map(([id, uuid]) => {
        const record: TerminalRecord = {
          terminalId: id,
          queue: [],
          sent: [],
          latest: [{ sender: "partner:1", uuid, answered: true }],
        };
        return commit(store, { ...NOTHING, terminalId: id, terminal: { record, version: 0, workBefore: "idle" }, atMs: nowMs });
      }),
    );
  }
}

async function commit(store: TerminalStore, change: TerminalChange): Promise<void> {
  const outcome = await store.commit(change);
  if (outcome.type !== "committed") throw new Error("the store was not empty");
}

/** A second store with the same content. Its tables never change once written, so they are shared; the rest is copied. */
export async function copyStore(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) {
    if (file.endsWith(".ldb")) await link(`${from}/${file}`, `${to}/${file}`);
    else if (file !== "LOCK") await copyFile(`${from}/${file}`, `${to}/${file}`);
  }
}

/** The `index`-th payment that was approved, under a random uuid, at one of QUEUEING_TERMINALS. */
export function endedPayment(index: number, nowMs: number): CommandRecord {
  const uuid = randomUUID();
  const terminal = terminalId("queueing", index % QUEUEING_TERMINALS);
  const amountCents = 100 + (index % 20_000);
  const acceptedAtMs = nowMs - 86_400_000 + (index % 86_000) * 1_000;
  const finishedAtMs = acceptedAtMs + 9_000;
  const raw = { uuid, result: "OK", amount: amountCents, authCode: "482913", stan: "000123", maskedPan: "************1234", brand: "VISA" };
  return {
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
