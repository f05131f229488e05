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

/**
 * How long another thread waits for the store. A synced batch takes milliseconds; a disk that takes longer than this counts as unavailable.
 */
const TIMEOUT_MS = 5_000;

/** The store's messages; a node's bus carries them beside its own (`Bus<KvProtocol & ...>`). */
export type KvProtocol = {
  "kv.get": { request: { key: string }; response: KvAnswer<Entry | null> };
  "kv.getMany": { request: { keys: readonly string[] }; response: KvAnswer<(Entry | null)[]> };
  "kv.scan": { request: ScanRange; response: KvAnswer<Entry[]> };
  "kv.count": { request: CountRange; response: KvAnswer<number> };
  /** `askedAtMs` is a time of the clock that all threads of a process share. */
  "kv.commit": { request: { commit: Commit; askedAtMs: number }; response: KvAnswer<CommitResult> };
  "kv.history": { request: undefined; response: KvAnswer<{ versionsPerMs: number; lastVersion: number; lostVersion: number }> };
  "kv.lose": { request: { lostVersion: number; aboveVersion: number }; response: KvAnswer<undefined> };
};

/** An unavailable store, or a missed deadline, is a response and not an error: the requester has to distinguish it from other failures. */
export type KvAnswer<T> = { type: "answered"; value: T } | { type: "unavailable"; message: string } | { type: "tooLate" };

/** Lets the other threads use the store of this one. */
export function handleKvMessages(kv: Kv, bus: Bus<KvProtocol>): void {
  bus.handle("kv.get", ({ key }) => answered(kv.get(key)));
  bus.handle("kv.getMany", ({ keys }) => answered(kv.getMany(keys)));
  bus.handle("kv.scan", (range) => answered(kv.scan(range)));
  bus.handle("kv.count", (range) => answered(kv.count(range)));
  bus.handle("kv.commit", ({ commit, askedAtMs }) => answered(commitInTime(kv, commit, askedAtMs)));
}

/** Lets the other threads read the history of this thread's store, and record losses in it. */
export function handleHistoryMessages(history: KvHistory, bus: Bus<KvProtocol>): void {
  bus.handle("kv.history", () => answered(historyOf(history)));
  bus.handle("kv.lose", ({ lostVersion, aboveVersion }) => answered(history.lose(lostVersion, aboveVersion).then(() => undefined)));
}

/**
 * The store of another thread, with the same contract: if no response comes, for whatever reason, the error is StorageUnavailable. Closing
 * it does not close the other thread's store.
 */
export function createRemoteKv(bus: Bus<KvProtocol>, ownerAddress: Address): Kv {
  let closed = false;

  async function request<Kind extends keyof KvProtocol>(
    kind: Kind,
    request: KvProtocol[Kind]["request"],
  ): Promise<KvProtocol[Kind]["response"]> {
    if (closed) throw new StorageUnavailable("the store is closed");
    try {
      return await bus.request(ownerAddress, kind, request, TIMEOUT_MS);
    } catch (error) {
      throw unanswered(error);
    }
  }

  return {
    async get(key) {
      assertKey(key);
      return unwrap(await request("kv.get", { key }));
    },
    async getMany(keys) {
      assertKeys(keys);
      return unwrap(await request("kv.getMany", { keys }));
    },
    async scan(range) {
      assertRange(range);
      return unwrap(await request("kv.scan", range));
    },
    async count(range) {
      assertCountRange(range);
      return unwrap(await request("kv.count", range));
    },
    async commit(commit) {
      assertCommit(commit);
      return unwrap(await request("kv.commit", { commit, askedAtMs: sharedMs() }));
    },
    async close() {
      closed = true;
    },
  };
}

async function historyOf(kv: KvHistory) {
  return { versionsPerMs: kv.versionsPerMs, lastVersion: await kv.lastVersion(), lostVersion: kv.lostVersion() };
}

/** The history of another thread's store. Later losses are known here only if they are recorded through this object. */
export async function createRemoteHistory(bus: Bus<KvProtocol>, ownerAddress: Address): Promise<KvHistory> {
  const request = async () => {
    try {
      return unwrap(await bus.request(ownerAddress, "kv.history", undefined, TIMEOUT_MS));
    } catch (error) {
      throw unanswered(error);
    }
  };
  let { versionsPerMs, lostVersion } = await request();
  return {
    versionsPerMs,
    lastVersion: async () => (await request()).lastVersion,
    lostVersion: () => lostVersion,
    lose: async (lost, aboveVersion) => {
      try {
        unwrap(await bus.request(ownerAddress, "kv.lose", { lostVersion: lost, aboveVersion }, TIMEOUT_MS));
      } catch (error) {
        throw unanswered(error);
      }
      ({ versionsPerMs, lostVersion } = await request());
    },
  };
}

function unanswered(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  return new StorageUnavailable("the thread that holds the store did not answer", { cause: error });
}

/** A commit that waited for this thread too long is not started. */
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
