import { StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { waitingCountersBuffer } from "../../../engine/terminals/waiting-counters.ts";
import type { NodeProtocol } from "../../../infra/node/boot/node-protocol.ts";
import { MAIN, REQUESTS_OUTSTANDING_MAX } from "../../../infra/node/boot/shard-boot.ts";
import { composeNodeCluster, type NodeCluster } from "../../../infra/node/cluster/cluster.ts";
import { holdsLease } from "../../../infra/node/cluster/lease.ts";
import { createThreadBus, type ThreadBus } from "../../../storage/bus/thread-bus.ts";
import { createFeed } from "../../../storage/feed/feed.ts";
import { createRemoteKv } from "../../../storage/kv/remote.ts";
import { createNodeClock, SimMachine } from "./sim-clock.ts";
import type { SimKv } from "./sim-kv.ts";
import { simulatedMesh } from "./sim-port.ts";
import { SimProcess } from "./sim-process.ts";
import { composeSimShard, type SimShard } from "./sim-shard.ts";
import type { World } from "./world.ts";

/** How long a node that could not start leaves its supervisor waiting. */
const START_AGAIN_MS = 1_000;

/** Redis answers the membership's questions within this time, or the connection counts as failed (infra/node/cluster/cluster.ts). */
const MEMBERSHIP_TIMEOUT_MS = 1_500;

/** The feed of a node is less in a hurry here than its own pauses say: it is late, not wrong. */
const FEED_TIMER_MS_MIN = 1_000;

/** One life of a node. */
interface NodeLife {
  process: SimProcess;
  incarnation: string;
  shards: SimShard[];
  kvs: SimKv[];
  cluster: NodeCluster | null;
  /** It listens: requests and sockets are let in. */
  serving: boolean;
}

/** A machine with a relay on it, which is started again when it dies. */
export class SimNode {
  readonly name: string;
  readonly machine: SimMachine;
  readonly #world: World;
  readonly #shardCount: number;
  #lives = 0;
  #life: NodeLife | null = null;
  /** Until when what its membership asks does not come through, true time. */
  cutFromMembersUntilMs = 0;

  constructor(world: World, name: string, shardCount: number, skewMs: number) {
    this.#world = world;
    this.name = name;
    this.#shardCount = shardCount;
    this.machine = new SimMachine(world.scheduler, skewMs);
  }

  get process(): SimProcess | null {
    return this.#life?.process ?? null;
  }

  get serving(): boolean {
    return this.#life?.serving === true && this.#life.process.alive;
  }

  /** A shard that takes requests; null where none does. */
  front(place: number): { shard: SimShard; process: SimProcess } | null {
    const life = this.#life;
    const shard = life?.shards[place % this.#shardCount];
    return life === null || shard === undefined || !this.serving ? null : { shard, process: life.process };
  }

  /** False where this node cannot tell who may come in (infra/node/cluster/lease.ts). */
  get trusted(): boolean {
    const lease = this.#life?.cluster?.boot.lease;
    return lease === undefined || holdsLease(lease, this.machine.clock.monotonicMs);
  }

  start(): void {
    const world = this.#world;
    this.#lives += 1;
    const incarnation = `${this.name}#${this.#lives.toString(16).padStart(8, "0")}`;
    const process = new SimProcess(incarnation);
    const life: NodeLife = { process, incarnation, shards: [], kvs: [], cluster: null, serving: false };
    this.#life = life;
    world.trace.note(this.name, "starts");
    this.#compose(life).catch((error: unknown) => {
      if (!process.alive) return;
      world.trace.note(this.name, `could not start: ${error instanceof Error ? error.message : String(error)}`);
      this.crash();
      world.scheduler.after(START_AGAIN_MS, null, () => {
        if (this.#life === null) this.start();
      });
    });
  }

  /** As kill -9: what it had in hand is gone, and its sockets break. */
  crash(): void {
    const life = this.#life;
    if (life === null) return;
    life.process.kill();
    life.serving = false;
    this.#world.streams.leave(life.incarnation);
    this.#world.died(life.process);
    this.#life = null;
  }

  /** Hands over to the others and ends, as on SIGTERM; what it had under way has a moment. */
  leave(): void {
    const life = this.#life;
    if (life === null || !life.process.alive) return;
    life.serving = false;
    life.cluster?.drain().catch(() => {});
    this.#world.scheduler.after(500, life.process, () => {
      void (life.cluster?.leave() ?? Promise.resolve()).then(() => {
        if (this.#life === life) this.crash();
      });
    });
  }

  /** The store is another one than before. */
  storeReplaced(): void {
    for (const kv of this.#life?.kvs ?? []) kv.replaced(this.#world.randomOf(this.name).between(20, 800));
  }

  async #compose(life: NodeLife): Promise<void> {
    const world = this.#world;
    const { scheduler } = world;
    const random = world.randomOf(life.incarnation);
    const { process } = life;
    const timers = scheduler.timersOf(process);
    const clock = createNodeClock(this.machine);
    const addresses = Array.from({ length: this.#shardCount }, (_, index) => `shard-${index}`);
    const mesh = simulatedMesh([MAIN, ...addresses], { scheduler, owner: process, delayMs: () => random.between(0, 1) });
    const bus = createThreadBus<NodeProtocol>({
      self: MAIN,
      shards: addresses,
      ports: mesh.get(MAIN) ?? new Map(),
      clock: this.machine.clock,
      timers,
      outstandingMax: REQUESTS_OUTSTANDING_MAX,
    });
    life.cluster = world.isCluster ? this.#cluster(life, bus, addresses, clock.setOffset) : null;
    const waiting = waitingCountersBuffer();
    for (const [index, address] of addresses.entries()) {
      const writer = `${life.incarnation}/${address}`;
      const ids = world.randomOf(`ids of ${writer}`);
      let shard: SimShard | null = null;
      const kv = world.isCluster || index === 0 ? world.openKv(process, writer, () => shard?.historyLost()) : null;
      if (kv !== null) life.kvs.push(kv);
      shard = composeSimShard({
        address,
        shards: addresses,
        ports: mesh.get(address) ?? new Map(),
        nodeId: this.name,
        cluster: life.cluster?.boot ?? null,
        machine: this.machine,
        clock,
        timers,
        waiting,
        ids: { uuid: () => ids.uuid() },
        writer,
        kv,
        lostVersion: world.store.lost,
        write: world.isCluster ? (incarnation, thread, bytes) => world.streams.write(process, incarnation, thread, bytes) : null,
        plant: world.plant,
        failed: (what, error) => world.failed(writer, what, error),
        event: (what) => world.trace.note(this.name, `${address}: ${what}`),
      });
      life.shards.push(shard);
    }
    if (!world.isCluster) this.#feed(process, bus);
    await Promise.all(life.shards.map((shard) => shard.start()));
    await life.cluster?.join();
    await Promise.all(life.shards.map((shard) => shard.joined()));
    life.serving = true;
    world.trace.note(this.name, "serves");
  }

  /** The outbox of the files, on its way to ClickHouse; in a cluster Kafka has it (world.ts). */
  #feed(owner: SimProcess, bus: ThreadBus<NodeProtocol>): void {
    createFeed({
      kv: createRemoteKv(bus, "shard-0"),
      sink: this.#world.feed.sink(owner),
      clock: this.machine.clock,
      timers: this.#world.scheduler.timersOf(owner, FEED_TIMER_MS_MIN),
    });
  }

  #cluster(
    { process, incarnation }: NodeLife,
    bus: ThreadBus<NodeProtocol>,
    shards: readonly string[],
    offsetMeasured: (offsetMs: number) => void,
  ): NodeCluster {
    const { scheduler, streams, trace } = this.#world;
    return composeNodeCluster({
      redisUrl: "",
      nodeId: this.name,
      version: "1",
      settings: { key: "", digests: {} },
      shards,
      bus,
      clock: this.machine.clock,
      incarnation,
      machineClock: this.machine.clock,
      timers: scheduler.timersOf(process),
      script: (own, facts, lifetimeMs) => this.#askMembers(process, own, facts, lifetimeMs),
      read: (name, deliver) => {
        streams.read(name, { owner: process, deliver });
        return { stats: () => ({ waiting: 0, delayMs: 0, lost: 0 }), stop: async () => streams.leave(name) };
      },
      disconnect: () => {},
      offsetMeasured,
      log: {
        cluster: (event) => {
          if (event.startsWith("live")) trace.note(this.name, event);
        },
        settingsDiffer: () => {},
        sameNodeId: () => {},
        clockOff: () => {},
      },
    });
  }

  #askMembers(process: SimProcess, incarnation: string, facts: string, lifetimeMs: number): Promise<unknown> {
    const { scheduler, members, storePausedUntilMs } = this.#world;
    const random = this.#world.randomOf(`${process.name} and members`);
    return new Promise((resolve, reject) => {
      const heldUpMs = storePausedUntilMs() - scheduler.nowMs;
      if (scheduler.nowMs < this.cutFromMembersUntilMs || heldUpMs > MEMBERSHIP_TIMEOUT_MS) {
        scheduler.after(MEMBERSHIP_TIMEOUT_MS, process, () => reject(new StorageUnavailable("Redis does not answer")));
        return;
      }
      scheduler.after(Math.max(0, heldUpMs) + random.between(0, 2), null, () => {
        const answer = members.run(incarnation, facts, lifetimeMs);
        scheduler.after(random.between(0, 2), process, () => resolve(answer));
      });
    });
  }
}
