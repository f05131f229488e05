import { available } from "../../../engine/kernel/kv.ts";
import { createClock, createClockShift } from "../boot/clock.ts";
import { backgroundTimers, machineTimers } from "../boot/machine-timers.ts";
import { serviceAddresses } from "../boot/service-addresses.ts";
import { MAIN, type ShardBoot } from "../boot/shard-boot.ts";
import { sumOf } from "../cluster/cluster-nodes.ts";
import type { ShardStream } from "../cluster/shard-stream.ts";
import { createLog, type Log } from "../observability/log.ts";
import { type RunningShard, startShard } from "./running-shard.ts";
import { createShardBus } from "./shard-bus.ts";
import { createShardStore } from "./shard-store.ts";

/** Longer than the last response of a shard needs to leave. */
const EXIT_AFTER_MS = 50;

/** Handles what the main thread requests of a shard; runs in a worker thread. */
export async function runShard(boot: ShardBoot): Promise<void> {
  const { config, address, cluster } = boot;
  const clock = createClock(boot.clockShift);
  // Deadlines of threads and requests use this machine's clock: a moved clock must not make them late.
  const machineClock = createClock(createClockShift());
  const log = createLog(config.logLevel, address, clock.monotonicMs, serviceAddresses(config));
  let running: RunningShard | null = null;
  const stream = cluster === null ? null : await connectStream(cluster.redisUrl, log);
  const { bus, homes, liveNodes, close } = createShardBus({
    boot,
    clock,
    machineClock,
    timers: backgroundTimers,
    write: stream?.write ?? null,
    log,
    left: (shards) => running?.left(shards),
    membershipExpired: async () => running?.membershipExpired(),
  });
  const others = stream === null ? null : { windows: stream.windows, logins: stream.logins, minutes: stream.minutes, count: liveNodes };
  const store = createShardStore({ config, bus, clock, log });

  bus.handle("shard.open", store.open);
  bus.handle("shard.start", ({ administratorPasswordSha256, webFiles }) =>
    available(async () => {
      const connected = await store.connect((loss) => {
        running?.historyLost();
        bus.send(MAIN, "node.commitsLost", loss);
      });
      running = await startShard({
        boot,
        clock,
        machineClock,
        timers: machineTimers,
        log,
        bus,
        homes,
        others,
        store: connected,
        administratorPasswordSha256,
        webFiles,
      });
      return undefined;
    }),
  );
  bus.handle("shard.rearm", () =>
    available(async () => {
      await running?.rearm();
      return undefined;
    }),
  );
  bus.handle("shard.listen", async ({ port, exclusive }) => {
    if (running === null) throw new Error("the shard has not started");
    try {
      return { type: "listening", port: await running.listen(port, exclusive) };
    } catch (error) {
      return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
    }
  });
  bus.handle("shard.reload", async (reload) => {
    log.setLevel(reload.config.logLevel);
    try {
      await running?.reload(reload);
      return { type: "reloaded" };
    } catch (error) {
      return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
    }
  });
  bus.handle("shard.metrics", async () => running?.metrics() ?? []);
  bus.handle("shard.report", () => running?.report() ?? sumOf([]));
  bus.handle("shard.drain", async (options) => running?.drain(options) ?? 0);
  bus.handle("shard.close", async () => {
    await running?.close();
    await store.close();
    stream?.close();
    // After the response has been sent.
    machineTimers.set(EXIT_AFTER_MS, () => {
      close();
      process.exit(0);
    });
    return undefined;
  });
}

/** A node by itself loads nothing of Redis. */
async function connectStream(redisUrl: string, log: Log): Promise<ShardStream> {
  const { connectShardStream } = await import("../cluster/shard-stream.ts");
  return connectShardStream(redisUrl, machineTimers, log);
}
