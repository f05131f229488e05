import { after, before, describe } from "node:test";
import type { Kv } from "../../engine/kernel/kv.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import type { KvHistory } from "../../storage/kv/history.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { ManualTime, temporaryDirectory } from "../storage/kv/world.ts";
import { redisMissing, startTestRedis, type TestRedis } from "../support/node/redis.ts";

/** A store of its own for one test, empty, with a clock that the test moves. */
export interface OpenKv {
  kv: Kv;
  /** The wall clock that expiry goes by. */
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

/** One of the engines themselves. */
export interface OpenEngine extends OpenKv {
  kv: Kv & KvHistory;
}

/** A suite that both engines of the store have to pass; it opens a world for each of its tests. */
type Contract<World> = (name: string, open: () => Promise<World>) => void;

/** Runs a contract on LevelDB and on a real Redis; `worldOf` writes what it tests on top of a store. */
export async function onEachEngine<World>(contract: Contract<World>, worldOf: (opened: OpenEngine) => World): Promise<void> {
  onEmbedded(contract, worldOf);
  await onRedis(contract, worldOf);
}

export function onEmbedded<World>(contract: Contract<World>, worldOf: (opened: OpenEngine) => World): void {
  contract("the embedded store", async () => {
    const directory = await temporaryDirectory();
    const time = new ManualTime();
    const kv = await openEmbeddedKv({ directory: directory.path, nowMs: time.nowMs });
    const close = async () => {
      await kv.close();
      await directory.remove();
    };
    return worldOf({ kv, nowMs: time.nowMs, advance: (ms) => time.advance(ms), close });
  });
}

/** Skips with a printed reason where there is no Redis; in CI it fails instead. One Redis serves the suite, each test with keys of its own. */
export async function onRedis<World>(contract: Contract<World>, worldOf: (opened: OpenEngine) => World): Promise<void> {
  describe("on a real Redis", { skip: await redisMissing() }, () => {
    let redis: TestRedis;
    let worlds = 0;
    before(async () => {
      redis = await startTestRedis();
    });
    after(() => redis.stop());

    contract("the Redis store", async () => {
      const time = new ManualTime();
      worlds += 1;
      const kv = await openRedisKv({ url: redis.url, keyPrefix: `{world-${worlds}}:`, refuseProblems: true, nowMs: time.nowMs });
      return worldOf({ kv, nowMs: time.nowMs, advance: (ms) => time.advance(ms), close: () => kv.close() });
    });
  });
}
