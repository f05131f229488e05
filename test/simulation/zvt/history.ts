import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Commit } from "../../../engine/kernel/kv.ts";
import { createZvtRouteStore } from "../../../engine/zvt/route-store.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { ManualClock, openWorld, settle, type World } from "../../engine/world.ts";
import { Random } from "../random.ts";
import { SimDevice } from "./sim-device.ts";
import { SimNode, type Surroundings } from "./sim-node.ts";
import { Line, type Sale, SimRegister } from "./sim-register.ts";

const STEP_MS = 250;
const CHAOS_MS = 300_000;
/** Commands end within five minutes, and results are late by less. */
const QUIET_MS = 900_000;
const QUIET_STEP_MS = 1_000;
/** A node that is gone is a member for so long. */
const MEMBERSHIP_MS = 10_000;

export interface ZvtHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

interface Home {
  world: World;
  died: Promise<never>;
  die(): void;
}

/** Two registers on one route, two nodes, the terminal and its home, as a seed draws them. The same seed gives the same trace. */
export async function playZvt(seed: number): Promise<ZvtHistory> {
  const random = new Random(seed);
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const note = (what: string) => void trace.push(`${((clock.monotonicMs() - 5_000_000) / 1_000).toFixed(3)} ${what}`);
  const device = new SimDevice(random.fork(), note);
  /** Whose payment a uuid is: that of the register whose 06-01 was stored with it. */
  const saleOf = new Map<string, Sale>();
  const lines = new Map<string, Line>();
  const goneAtMs = new Map<string, number>();
  let lives = 0;
  let connections = 0;

  const homeOf = (world: World): Home => {
    let die = (): void => {};
    const died = new Promise<never>((_, reject) => {
      die = () => reject(new RelayError("unavailable", "the home died"));
    });
    died.catch(() => {});
    return { world, died, die };
  };
  let home: Home | null = homeOf(await openWorld({ kv: memory, clock }));
  let lastWorld = home.world;

  function committed({ operations }: Commit): void {
    for (const operation of operations) {
      if (operation.type !== "put" || !operation.key.startsWith("zvt-route/")) continue;
      const { open } = JSON.parse(operation.value);
      const sale = open === null ? null : (lines.get(open.attached.connection)?.sale ?? null);
      if (sale !== null && !saleOf.has(open.uuid)) {
        note(`${sale.name} is stored as ${open.uuid}`);
        saleOf.set(open.uuid, sale);
      }
    }
  }

  const nodes = new Map<string, SimNode>();
  const surroundings: Surroundings = {
    ...{ memory, clock, committed },
    home: () => home,
    isLive: (shard) => nodes.get(shard)?.isUp === true || clock.monotonicMs() < (goneAtMs.get(shard) ?? 0) + MEMBERSHIP_MS,
    begun: ({ type }) => void seen.add(`begin: ${type}`),
    ended: (outcome) => void seen.add(`ends ${outcome}`),
    broken: (what) => void broken.push(what),
  };
  function start(name: string): void {
    lives += 1;
    nodes.set(name, new SimNode(name, `w${lives}`, random.fork(), surroundings));
  }
  for (const name of ["a", "b"]) start(name);

  const registers = [
    { name: "R1", address: "10.0.0.1", amounts: [1_000, 2_000] },
    { name: "R2", address: "10.0.0.2", amounts: [5_001, 6_001, 7_001] },
  ].map(({ name, address, amounts }) => {
    const own = random.fork();
    return new SimRegister(name, address, amounts, {
      ...{ random: own, note },
      seen: (what) => void seen.add(what),
      connect: (bytes) => {
        const up = [...nodes.values()].filter(({ isUp }) => isUp);
        if (up.length === 0) return null;
        connections += 1;
        const line = new Line(`c${connections}`, own.pick(up), bytes, own);
        lines.set(line.id, line);
        return line;
      },
    });
  });

  const until = new Map<string, number>();
  function isDue(what: string): boolean {
    const atMs = until.get(what);
    if (atMs === undefined || clock.monotonicMs() < atMs) return false;
    until.delete(what);
    return true;
  }

  function heal(name: string, node: SimNode): void {
    if (isDue(`wake ${name}`) && node.isUp) {
      note(`node ${name} wakes`);
      node.wake();
    }
    if (!node.isUp && !goneAtMs.has(name)) {
      note(`node ${name} is dead`);
      seen.add("a node died");
      goneAtMs.set(name, clock.monotonicMs());
      until.set(`start ${name}`, clock.monotonicMs() + random.between(1_000, 25_000));
    }
    if (isDue(`start ${name}`)) {
      note(`node ${name} starts`);
      goneAtMs.delete(name);
      start(name);
    }
    if (isDue(`calm ${name}`)) node.trouble = 0;
  }

  function befall(name: string, node: SimNode): void {
    const nowMs = clock.monotonicMs();
    if (!node.isAwake) return;
    switch (random.weighted({ nothing: 400, kill: 1, killAtCommit: 6, sleep: 4, trouble: 4, skew: 2 })) {
      case "nothing":
        return;
      case "kill":
        node.kill();
        return;
      case "killAtCommit":
        node.killAtCommit(random.between(1, 6), random.chance(0.5));
        return;
      case "sleep":
        note(`node ${name} sleeps`);
        seen.add("a node slept");
        node.sleep();
        until.set(`wake ${name}`, nowMs + random.between(1_000, 30_000));
        return;
      case "trouble":
        node.trouble = random.next() * 0.6;
        until.set(`calm ${name}`, nowMs + random.between(2_000, 20_000));
        return;
      case "skew":
        node.skewMs = random.between(-8_000, 8_000);
        note(`node ${name} has a clock of ${node.skewMs} ms`);
        return;
    }
  }

  async function befallHome(): Promise<void> {
    const nowMs = clock.monotonicMs();
    const what = home === null ? "nothing" : random.weighted({ nothing: 996, dies: 2, loses: 2 });
    if (what === "dies") {
      note("the home is dead");
      seen.add("the home died");
      home?.die();
      home = null;
      until.set("home", nowMs + random.between(1_000, 12_000));
    }
    if (what === "loses") note("the terminal loses its connection");
    if (what !== "nothing") device.disconnect(nowMs);
    if (home === null && isDue("home")) {
      note("the home is back");
      lastWorld = await lastWorld.restart();
      home = homeOf(lastWorld);
    }
  }

  async function step(ms: number, isQuiet: boolean): Promise<void> {
    clock.advance(ms);
    const nowMs = clock.monotonicMs();
    for (const [name, node] of nodes) {
      if (!isQuiet) befall(name, node);
      heal(name, node);
      nodes.get(name)?.step();
    }
    if (!isQuiet || home === null) await befallHome();
    if (home !== null) {
      home.world.shard.tick();
      device.step(home.world, nowMs);
    }
    for (const line of lines.values()) line.step(nowMs);
    for (const register of registers) register.step(nowMs);
    await settle();
  }

  for (let ms = 0; ms < CHAOS_MS; ms += STEP_MS) await step(STEP_MS, false);
  note("everybody is well from now on");
  for (const [name, node] of nodes) {
    node.wake();
    node.trouble = 0;
    until.delete(`wake ${name}`);
  }
  for (const register of registers) register.isResting = true;
  for (let ms = 0; ms < QUIET_MS; ms += QUIET_STEP_MS) await step(QUIET_STEP_MS, true);

  const sales = registers.flatMap((register) => register.sales);
  for (const { uuid, what } of await judged()) broken.push(`${what}: ${uuid}`);
  return { trace, broken, seen };

  async function judged(): Promise<{ uuid: string; what: string }[]> {
    const found: { uuid: string; what: string }[] = [];
    const charged = new Map<Sale, string[]>();
    for (const [uuid, { receivedTimes, chargedTimes }] of device.deeds) {
      const sale = saleOf.get(uuid);
      if (receivedTimes > 1) found.push({ uuid, what: "the terminal got it twice" });
      if (sale === undefined) found.push({ uuid, what: "nobody asked for it" });
      else if (chargedTimes > 0) charged.set(sale, [...(charged.get(sale) ?? []), uuid]);
    }
    const items = await lastWorld.shard.terminals.attention({ after: "", limit: 1_000 });
    const attended = new Set(items.map(({ item }) => item.uuid));
    const record = (await createZvtRouteStore({ kv: memory }).load("till-1"))?.record ?? null;
    for (const sale of sales) {
      const uuids = charged.get(sale) ?? [];
      const name = `${sale.name} (${uuids.join(", ")})`;
      if (uuids.length > 1) found.push({ uuid: name, what: "charged twice" });
      if (sale.belief === "paid" && uuids.length === 0) found.push({ uuid: name, what: "a false approval" });
      if (sale.belief === "notPaid" && uuids.length > 0) found.push({ uuid: name, what: "a false decline" });
      if (sale.belief === null) found.push({ uuid: name, what: "it has no end" });
      if (sale.belief !== "error") continue;
      for (const uuid of uuids) if (!attended.has(uuid)) found.push({ uuid: name, what: "charged, not told, and operators do not know" });
    }
    if (record?.open?.outcome === null) found.push({ uuid: record.open.uuid, what: "open for ever" });
    return found;
  }
}
