import { createClock, createClockShift } from "./clock.ts";
import { sumOf } from "./cluster-nodes.ts";
import { createLog } from "./log.ts";
import { type RunningShard, startShard } from "./running-shard.ts";
import type { ShardBoot } from "./shard-boot.ts";
import { createShardBus } from "./shard-bus.ts";
import { createShardStore } from "./shard-store.ts";

/** Serves what the main thread asks of a shard; runs in a worker thread. */
export function runShard(boot: ShardBoot): void {
  const { config, address } = boot;
  const clock = createClock(boot.clockShift);
  // How long threads and requests have to answer is a matter of this machine: a clock that is moved must not make them late.
  const machineClock = createClock(createClockShift());
  const log = createLog(config.logLevel, address, clock.monotonicMs);
  let running: RunningShard | null = null;
  const { bus, homes, others, leave, close } = createShardBus({
    boot,
    clock,
    machineClock,
    log,
    left: (shards) => running?.left(shards),
    lapsed: async () => running?.lapse(),
  });
  const store = createShardStore({ config, bus, clock, log });

  bus.serve("shard.open", store.open);
  bus.serve("shard.start", async ({ administratorPasswordSha256 }) => {
    const connected = await store.connect(() => running?.historyLost());
    running = await startShard({ boot, clock, machineClock, log, bus, homes, others, store: connected, administratorPasswordSha256 });
    return undefined;
  });
  bus.serve("shard.rearm", async () => {
    await running?.rearm();
    return undefined;
  });
  bus.serve("shard.listen", async ({ port, exclusive }) => {
    if (running === null) throw new Error("the shard has not started");
    try {
      return { type: "listening", port: await running.listen(port, exclusive) };
    } catch (error) {
      return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
    }
  });
  bus.serve("shard.metrics", async () => running?.metrics() ?? []);
  bus.serve("shard.report", () => running?.report() ?? sumOf([]));
  bus.serve("shard.drain", async (options) => running?.drain(options) ?? 0);
  bus.serve("shard.close", async () => {
    await running?.close();
    await store.close();
    leave();
    // After the answer has left.
    setTimeout(() => {
      close();
      process.exit(0);
    }, 50);
    return undefined;
  });
}
