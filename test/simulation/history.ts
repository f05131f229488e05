import { Device } from "./actors/device.ts";
import { ADMINISTRATOR, Asker, partnerCaller } from "./actors/partner.ts";
import { postStrange } from "./actors/stranger.ts";
import { administer, mayTakeOf } from "./administered.ts";
import { carryOut, lastFaultEndMs, prepare } from "./faults.ts";
import { withoutGlobals } from "./globals.ts";
import { judge, type Violation } from "./invariants/judge.ts";
import { type CommandSpec, PLAIN_BEHAVIOUR, type Plan } from "./plan.ts";
import { NOTHING_PLANTED, type Plant } from "./plant.ts";
import { inOtherLetters } from "./random.ts";
import { SimHttp } from "./world/sim-http.ts";
import { World } from "./world/world.ts";

/** Nodes start before anything is asked of them. */
const WARM_UP_MS = 1_000;

/** After the last fault; then there is one payment more to each terminal. */
const PROBES_AFTER_MS = 30_000;

/** So long after the last fault, and after the last command, nothing waits any more; and a second for what is late. */
const SETTLED_MS = 71_000;

/** Whoever was asked has answered by then, and the feed is there. */
const LAST_MS = 5_000;

/** A payment that was sent ends by itself after five minutes; so everything has ended by then. */
const TAIL_MS = 310_000;

/** Of how many commands another terminal posts a result. */
const STRANGE_RESULTS = 0.1;

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
  const { scheduler, trace, witness, feed } = world;
  const startMs = scheduler.nowMs;
  await administer(world.store, plan);
  scheduler.slowest = plan.shape.tickMs;
  for (const node of world.nodes) node.start();
  const cast = castOf(world, plan);
  scheduler.after(WARM_UP_MS, null, () => begin(world, plan, cast));
  const lastMs = [...plan.commands, ...plan.mishaps].reduce((latest, { atMs }) => Math.max(latest, atMs), lastFaultEndMs(plan));
  const quietFromMs = startMs + WARM_UP_MS + lastMs;
  await scheduler.run(quietFromMs + PROBES_AFTER_MS / 2);

  scheduler.slowest = QUIET_TICK_MS;
  const probes = plan.terminals.map((terminalId, index) => probe(plan, terminalId, index));
  const probesAtMs = quietFromMs + PROBES_AFTER_MS;
  await scheduler.run(probesAtMs);
  for (const command of probes) void cast.administrator.send(command);
  const settledAtMs = quietFromMs + SETTLED_MS;
  await scheduler.run(settledAtMs);
  await audit(world, plan, probes, cast);
  if (plan.shape.hasTail) {
    await scheduler.run(settledAtMs + TAIL_MS);
    await audit(world, plan, probes, cast);
  }
  await scheduler.run(scheduler.nowMs + LAST_MS);
  const violations = judge({ plan, witness, feed, settledAtMs, probes, probesAtMs, endMs: scheduler.nowMs });
  const { hash, lines } = trace;
  return { plan, violations, hash, trace: lines, events: lines.length, steps: scheduler.events, counts: world.counts };
}

/** Who acts in a history. */
interface Cast {
  http: SimHttp;
  terminals: readonly string[];
  devices: readonly Device[];
  administrator: Asker;
  /** The partners, and the administrator last. */
  askers: readonly Asker[];
  /** By name; the administrator where there is no such partner. */
  askerOf(name: string): Asker;
}

function castOf(world: World, plan: Plan): Cast {
  const http = new SimHttp(world);
  const behaviours = new Map(plan.commands.map(({ uuid, behaviour }) => [uuid, behaviour]));
  const behaviourOf = (uuid: string) => behaviours.get(uuid) ?? PLAIN_BEHAVIOUR;
  const mayTake = mayTakeOf(plan);
  const devices = plan.devices.map(
    (spec) => new Device({ world, http, spec, behaviourOf, mayTake: (terminalId) => mayTake(spec, terminalId) }),
  );
  const administrator = new Asker(world, http, "admin", ADMINISTRATOR);
  const partners = plan.partners.map((partner) => new Asker(world, http, partner.name, partnerCaller(partner)));
  const byName = new Map(partners.map((partner) => [partner.name, partner]));
  return {
    http,
    terminals: plan.terminals,
    devices,
    administrator,
    askers: [...partners, administrator],
    askerOf: (name) => byName.get(name) ?? administrator,
  };
}

/** The nodes serve: from now on everybody acts, and things go wrong, each at its time. */
function begin(world: World, plan: Plan, cast: Cast): void {
  const { scheduler } = world;
  const { devices } = cast;
  for (const device of devices) device.start();
  for (const command of plan.commands) direct(world, command, cast);
  for (const { atMs, device, what } of plan.mishaps) {
    scheduler.after(atMs, null, () => devices.find(({ name }) => name === device)?.suffer(what));
  }
  prepare(world, plan.faults);
  for (const fault of plan.faults) scheduler.after(fault.atMs, null, () => carryOut(world, fault));
}

/** Everything that is done about one command, at its times. */
function direct(world: World, command: CommandSpec, cast: Cast): void {
  const { scheduler } = world;
  const sender = cast.askerOf(command.partner);
  const { atMs, uuid, terminalId } = command;
  const random = world.randomOf(`what is done about ${uuid}`);
  strangeResult(world, command, cast);
  const at = (ms: number, work: () => Promise<unknown>): void => void scheduler.after(atMs + ms, null, () => void work());
  at(0, () => sender.send(command));
  for (const ms of command.looksMs) at(ms, () => (random.chance(0.2) ? sender.latest(terminalId) : sender.look(uuid)));
  for (const ms of command.pryingMs) {
    const prying = random.pick(cast.askers);
    at(ms, () => (random.chance(0.4) ? prying.latest(terminalId) : prying.look(uuid)));
  }
  for (const ms of command.cancelsMs) at(ms, () => sender.cancel(uuid));
  if (command.repeatsMs !== null) at(command.repeatsMs, () => sender.sendOnce(command));
}

/** Now and then another terminal posts a result under the uuid, mostly before it is sent. */
function strangeResult(world: World, { atMs, uuid, terminalId }: CommandSpec, { http, terminals }: Cast): void {
  const random = world.randomOf(`strange result for ${uuid}`);
  const others = terminals.filter((other) => other !== terminalId);
  if (others.length === 0 || !random.chance(STRANGE_RESULTS)) return;
  const stranger = random.pick(others);
  world.scheduler.after(Math.max(0, atMs + random.between(-2_000, 500)), null, () => void postStrange(world, http, stranger, uuid));
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
    behaviour: PLAIN_BEHAVIOUR,
    looksMs: [],
    pryingMs: [],
    cancelsMs: [],
    repeatsMs: null,
  };
}

/** Everybody asks for everything, at a time when all is well. */
async function audit(world: World, { commands }: Plan, probes: readonly CommandSpec[], { administrator, askerOf }: Cast): Promise<void> {
  const { witness } = world;
  world.trace.note("world", "audit");
  for (const command of commands) {
    const isAccepted = witness.sendings.some(({ uuid, answer }) => uuid === command.uuid && answer === "accepted");
    // A store that was taken back may know nothing of it any more.
    if (!isAccepted || command.repeatsMs === null || witness.restores.length > 0) continue;
    void askerOf(command.partner).sendOnce(command, inOtherLetters(command.uuid));
  }
  for (const { uuid, partner } of [...commands, ...probes]) {
    void administrator.look(uuid);
    void askerOf(partner).look(uuid);
  }
  await world.scheduler.run(world.scheduler.nowMs + LAST_MS);
}
