import { Device } from "./actors/device.ts";
import { ADMINISTRATOR, Asker, partnerCaller } from "./actors/partner.ts";
import { administer, mayTakeOf } from "./administered.ts";
import { drawBehaviour } from "./draw-plan.ts";
import { carryOut, lastFaultEndMs, prepare } from "./faults.ts";
import { withoutGlobals } from "./globals.ts";
import { judge, type Violation } from "./invariants/judge.ts";
import type { CommandSpec, Plan } from "./plan.ts";
import { NOTHING_PLANTED, type Plant } from "./plant.ts";
import { Random } from "./random.ts";
import { SimHttp } from "./world/sim-http.ts";
import { World } from "./world/world.ts";

/** Nodes start before anything is asked of them. */
const WARM_UP_MS = 1_000;

/** So long after the last fault, and after the last command, nothing waits any more. */
const SETTLED_MS = 70_000;

/** A payment that was sent ends by itself after five minutes; so everything has ended by then. */
const TAIL_MS = 310_000;

/** How late ticks are while nothing happens any more, to save events; a membership has to be renewed in time. */
const QUIET_TICK_MS = 1_900;

export interface Outcome {
  plan: Plan;
  violations: Violation[];
  hash: string;
  trace: readonly string[];
  /** Events of the world that its trace tells of. */
  events: number;
  /** All events of the scheduler, ticks included. */
  steps: number;
  counts: ReadonlyMap<string, number>;
}

/** Plays a history, and judges it by what devices and askers saw. */
export async function playHistory(plan: Plan, plant: Plant = NOTHING_PLANTED): Promise<Outcome> {
  const defects: Violation[] = [];
  const rejected = (reason: unknown): void => {
    defects.push({
      invariant: "no defects",
      uuid: null,
      what: `nobody handles: ${reason instanceof Error ? reason.stack : String(reason)}`,
    });
  };
  process.on("unhandledRejection", rejected);
  try {
    const outcome = await withoutGlobals(() => play(plan, plant));
    // Node tells of them when it has nothing else to do.
    await new Promise((resolve) => setImmediate(resolve));
    return { ...outcome, violations: [...outcome.violations, ...defects] };
  } finally {
    process.off("unhandledRejection", rejected);
  }
}

async function play(plan: Plan, plant: Plant): Promise<Outcome> {
  const world = new World(plan, plant);
  const { scheduler } = world;
  const startMs = scheduler.nowMs;
  const http = new SimHttp(world);
  await administer(world.store, plan);
  scheduler.slowest = plan.shape.tickMs;
  for (const node of world.nodes) node.start();

  const behaviours = new Map(plan.commands.map(({ uuid, behaviour }) => [uuid, behaviour]));
  const others = drawBehaviour(new Random(plan.shape.seed ^ 0xbe7a));
  const probed = {
    ...others,
    ack: "now",
    result: "answers",
    afterMs: 300,
    via: "http",
    closesAfter: null,
    cancelAnswer: "honest",
  } as const;
  const mayTake = mayTakeOf(plan);
  const devices = plan.devices.map(
    (spec) =>
      new Device({
        world,
        http,
        spec,
        behaviourOf: (uuid) => behaviours.get(uuid) ?? probed,
        mayTake: (terminalId) => mayTake(spec, terminalId),
      }),
  );
  const askers = new Map(plan.partners.map((partner) => [partner.name, new Asker(world, http, partner.name, partnerCaller(partner))]));
  const administrator = new Asker(world, http, "admin", ADMINISTRATOR);
  const askerOf = (name: string) => askers.get(name) ?? administrator;

  scheduler.after(WARM_UP_MS, null, () => {
    for (const device of devices) device.start();
    for (const command of plan.commands) direct(world, command, askerOf(command.partner), [...askers.values(), administrator]);
    for (const { atMs, device, what } of plan.mishaps) {
      scheduler.after(atMs, null, () => devices.find(({ name }) => name === device)?.suffer(what));
    }
    prepare(world, plan.faults);
    for (const fault of plan.faults) scheduler.after(fault.atMs, null, () => carryOut(world, fault));
  });
  const quietFromMs =
    WARM_UP_MS + Math.max(lastFaultEndMs(plan), ...plan.commands.map(({ atMs }) => atMs), ...plan.mishaps.map(({ atMs }) => atMs), 0);
  await scheduler.run(startMs + quietFromMs + 15_000);
  scheduler.slowest = QUIET_TICK_MS;

  const probes = plan.terminals.map((terminalId, index) => probe(plan, terminalId, index));
  const probesAtMs = scheduler.nowMs + 15_000;
  for (const command of probes) scheduler.after(15_000, null, () => void administrator.send(command));
  await scheduler.run(startMs + quietFromMs + SETTLED_MS + 5_000);
  const settledAtMs = scheduler.nowMs;
  await audit(world, plan, probes, administrator, askerOf);
  if (plan.shape.hasTail) {
    await scheduler.run(settledAtMs + TAIL_MS);
    await audit(world, plan, probes, administrator, askerOf);
  }
  await scheduler.run(scheduler.nowMs + 5_000);
  const violations = judge({ plan, witness: world.witness, feed: world.feed, settledAtMs, probes, probesAtMs, endMs: scheduler.nowMs });
  const { trace } = world;
  return {
    plan,
    violations,
    hash: trace.hash,
    trace: trace.lines,
    events: trace.lines.length,
    steps: scheduler.events,
    counts: world.counts,
  };
}

/** Everything that is done about one command, at its times. */
function direct(world: World, command: CommandSpec, sender: Asker, all: readonly Asker[]): void {
  const { scheduler } = world;
  const { atMs, uuid, terminalId } = command;
  const random = world.randomOf(`what is done about ${uuid}`);
  const at = (ms: number, work: () => Promise<unknown>): void => void scheduler.after(atMs + ms, null, () => void work());
  at(0, () => sender.send(command));
  for (const ms of command.looksMs) at(ms, () => (random.chance(0.2) ? sender.latest(terminalId) : sender.look(uuid)));
  for (const ms of command.pryingMs) {
    const prying = random.pick(all);
    at(ms, () => (random.chance(0.4) ? prying.latest(terminalId) : prying.look(uuid)));
  }
  for (const ms of command.cancelsMs) at(ms, () => sender.cancel(uuid));
  if (command.repeatsMs !== null) at(command.repeatsMs, () => sender.sendOnce(command));
}

/** A payment that nothing stands in the way of: whoever is there gets it at once. */
function probe({ shape }: Plan, terminalId: string, index: number): CommandSpec {
  return {
    uuid: `probe-${shape.seed}-${index}`,
    partner: "admin",
    terminalId,
    kind: "payment",
    amount: 100,
    atMs: 0,
    behaviour: { ack: "now", result: "answers", afterMs: 300, via: "http", closesAfter: null, cancelAnswer: "honest" },
    looksMs: [],
    pryingMs: [],
    cancelsMs: [],
    repeatsMs: null,
  };
}

/** Everybody asks for everything, at a time when all is well. */
async function audit(
  world: World,
  { commands }: Plan,
  probes: readonly CommandSpec[],
  administrator: Asker,
  askerOf: (name: string) => Asker,
): Promise<void> {
  world.trace.note("world", "audit");
  for (const { uuid, partner } of [...commands, ...probes]) {
    void administrator.look(uuid);
    void askerOf(partner).look(uuid);
  }
  await world.scheduler.run(world.scheduler.nowMs + 4_000);
}
