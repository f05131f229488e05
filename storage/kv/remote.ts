import type { Address, Bus } from "../../engine/kernel/bus.ts";
import {
  type Commit,
  type CommitResult,
  CommitTooLate,
  type CountRange,
  type Entry,
  type Kv,
  type ScanRange,
  StorageUnavailable,
} from "../../engine/kernel/kv.ts";
import type { KvHistory } from "./history.ts";
import { assertCommit, assertCountRange, assertKey, assertKeys, assertRange } from "./limits.ts";

/** How long another thread waits for the store. A synced batch takes milliseconds; a disk that takes longer than this is as good as away. */
const TIMEOUT_MS = 5_000;

/** The store's messages; a node's bus carries them beside its own (`Bus<KvProtocol & ...>`). */
export type KvProtocol = {
  "kv.get": { question: { key: string }; answer: KvAnswer<Entry | null> };
  "kv.getMany": { question: { keys: readonly string[] }; answer: KvAnswer<(Entry | null)[]> };
  "kv.scan": { question: ScanRange; answer: KvAnswer<Entry[]> };
  "kv.count": { question: CountRange; answer: KvAnswer<number> };
  /** `askedAtMs` is of the clock that all threads of a process have in common. */
  "kv.commit": { question: { commit: Commit; askedAtMs: number }; answer: KvAnswer<CommitResult> };
  "kv.history": { question: undefined; answer: KvAnswer<{ versionsPerMs: number; lastVersion: number; lostVersion: number }> };
  "kv.lose": { question: { lostVersion: number; aboveVersion: number }; answer: KvAnswer<undefined> };
};

/** That the store is unavailable, or came to it too late, is an answer: the asker has to tell it from other failures. */
export type KvAnswer<T> = { type: "answered"; value: T } | { type: "unavailable"; message: string } | { type: "tooLate" };

/** Lets the other threads use the store of this one. */
export function serveKv(kv: Kv, bus: Bus<KvProtocol>): void {
  bus.serve("kv.get", ({ key }) => answered(kv.get(key)));
  bus.serve("kv.getMany", ({ keys }) => answered(kv.getMany(keys)));
  bus.serve("kv.scan", (range) => answered(kv.scan(range)));
  bus.serve("kv.count", (range) => answered(kv.count(range)));
  bus.serve("kv.commit", ({ commit, askedAtMs }) => answered(commitInTime(kv, commit, askedAtMs)));
}

/** Lets the other threads know the past of this one's store, and tell it what it has lost. */
export function serveHistory(history: KvHistory, bus: Bus<KvProtocol>): void {
  bus.serve("kv.history", () => answered(historyOf(history)));
  bus.serve("kv.lose", ({ lostVersion, aboveVersion }) => answered(history.lose(lostVersion, aboveVersion).then(() => undefined)));
}

/**
 * The store of another thread, by the same contract: whatever keeps an answer from coming is StorageUnavailable. Closing it closes nothing
 * but itself.
 */
export function createRemoteKv(bus: Bus<KvProtocol>, ownerAddress: Address): Kv {
  let closed = false;

  async function ask<Kind extends keyof KvProtocol>(
    kind: Kind,
    question: KvProtocol[Kind]["question"],
  ): Promise<KvProtocol[Kind]["answer"]> {
    if (closed) throw new StorageUnavailable("the store is closed");
    try {
      return await bus.ask(ownerAddress, kind, question, TIMEOUT_MS);
    } catch (error) {
      throw unanswered(error);
    }
  }

  return {
    async get(key) {
      assertKey(key);
      return unwrap(await ask("kv.get", { key }));
    },
    async getMany(keys) {
      assertKeys(keys);
      return unwrap(await ask("kv.getMany", { keys }));
    },
    async scan(range) {
      assertRange(range);
      return unwrap(await ask("kv.scan", range));
    },
    async count(range) {
      assertCountRange(range);
      return unwrap(await ask("kv.count", range));
    },
    async commit(commit) {
      assertCommit(commit);
      return unwrap(await ask("kv.commit", { commit, askedAtMs: sharedMs() }));
    },
    async close() {
      closed = true;
    },
  };
}

async function historyOf(kv: KvHistory) {
  return { versionsPerMs: kv.versionsPerMs, lastVersion: await kv.lastVersion(), lostVersion: kv.lostVersion() };
}

/** The past of another thread's store. What it has lost is known from now on only where it is told here. */
export async function createRemoteHistory(bus: Bus<KvProtocol>, ownerAddress: Address): Promise<KvHistory> {
  const ask = async () => {
    try {
      return unwrap(await bus.ask(ownerAddress, "kv.history", undefined, TIMEOUT_MS));
    } catch (error) {
      throw unanswered(error);
    }
  };
  let { versionsPerMs, lostVersion } = await ask();
  return {
    versionsPerMs,
    lastVersion: async () => (await ask()).lastVersion,
    lostVersion: () => lostVersion,
    lose: async (lost, aboveVersion) => {
      try {
        unwrap(await bus.ask(ownerAddress, "kv.lose", { lostVersion: lost, aboveVersion }, TIMEOUT_MS));
      } catch (error) {
        throw unanswered(error);
      }
      ({ versionsPerMs, lostVersion } = await ask());
    },
  };
}

function unanswered(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  return new StorageUnavailable("the thread that holds the store did not answer", { cause: error });
}

/** What waited for this thread too long is not begun. */
async function commitInTime(kv: Kv, commit: Commit, askedAtMs: number): Promise<CommitResult> {
  const { withinMs } = commit;
  if (withinMs === undefined) return kv.commit(commit);
  const left = withinMs - (sharedMs() - askedAtMs);
  if (left < 0) throw new CommitTooLate();
  return kv.commit({ ...commit, withinMs: left });
}

function sharedMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

async function answered<T>(result: Promise<T>): Promise<KvAnswer<T>> {
  try {
    return { type: "answered", value: await result };
  } catch (error) {
    if (error instanceof StorageUnavailable) return { type: "unavailable", message: error.message };
    if (error instanceof CommitTooLate) return { type: "tooLate" };
    throw error;
  }
}

function unwrap<T>(answer: KvAnswer<T>): T {
  if (answer.type === "unavailable") throw new StorageUnavailable(answer.message);
  if (answer.type === "tooLate") throw new CommitTooLate();
  return answer.value;
}
