import { durationOf } from "./faults.ts";
import type { Behaviour, CommandSpec, DeviceSpec, FaultSpec, FaultType, MishapSpec, PartnerSpec, Plan, Shape } from "./plan.ts";
import { Random } from "./random.ts";

/** Commands are sent, and things go wrong, within this time from the moment at which the nodes serve. */
const BUSY_MS = 20_000;
const FIRST_MS = 1_500;

/** How late the store's answers come: beyond the deadline of a call, or well within it. */
const LATE_MS_MAX = 4_500;
const IN_TIME_MS_MAX = 2_500;

/** How many of the histories are of terminals that only poll. */
const POLLING_FLEETS = 0.12;

const PARTNERS: PartnerSpec[] = [
  { name: "any", id: 1, rule: { ruleType: "ANY" } },
  { name: "list", id: 2, rule: { ruleType: "LIST", ruleValue: "T1,T2" } },
  { name: "regex", id: 3, rule: { ruleType: "REGEX", ruleValue: "T[1-9]" } },
];

/** What names a history: a seed, or a seed and a salt as `349/2`, which is the same plan on another network. */
export type Seed = number | string;

/** A history as a seed wants it. */
export function drawPlan(name: Seed): Plan {
  const [seed = 0, salt = 0] = String(name).split("/").map(Number);
  const plan = planOf(seed);
  return { ...plan, shape: { ...plan.shape, salt } };
}

function planOf(seed: number): Plan {
  const random = new Random(seed);
  const shape = drawShape(seed, random);
  const terminals = ["T1", "T2", "T3"].slice(0, random.between(1, 3));
  if (random.chance(POLLING_FLEETS)) return pollingFleet(random, shape, terminals);
  const faults = drawFaults(random, shape, FAULT_WEIGHTS);
  const commands = drawCommands(random, terminals, faults);
  const devices = terminals.flatMap((terminalId) => ownDevices(random, terminalId));
  const group = random.chance(0.5) ? { managers: ["M1"], members: terminals.slice(0, random.between(1, terminals.length)) } : null;
  if (group !== null) devices.push(foreignDevice(random, "M1", group.members));
  const rules = [];
  if (random.chance(0.4)) {
    rules.push({ terminalId: "L1", enabled: true, ruleType: "LIST" as const, ruleValue: "T1" });
    devices.push(foreignDevice(random, "L1", ["T1"]));
  }
  if (random.chance(0.3)) {
    rules.push({ terminalId: "R1", enabled: true, ruleType: "REGEX" as const, ruleValue: "T[12]" });
    devices.push(foreignDevice(random, "R1", terminals.slice(0, 2)));
  }
  if (random.chance(0.3)) devices.push(foreignDevice(random, "X1", ["T1"]));
  return { shape, terminals, devices, partners: PARTNERS, rules, group, commands, mishaps: drawMishaps(random, devices), faults };
}

/** Terminals that only poll, mostly with faults by which nothing is lost: what was taken for nobody can then be told. */
function pollingFleet(random: Random, shape: Shape, terminals: string[]): Plan {
  const drawn = drawFaults(random, shape, random.chance(0.7) ? GENTLE_WEIGHTS : FAULT_WEIGHTS);
  const faults = drawn.map(gently);
  const commands = drawCommands(random, terminals, faults);
  const devices = terminals.map((terminalId) => pollingDevice(random, terminalId));
  return { shape, terminals, devices, partners: PARTNERS, rules: [], group: null, commands, mishaps: drawMishaps(random, devices), faults };
}

/** Late, and not lost: each commit's answer comes while somebody waits for it. */
function gently(fault: FaultSpec): FaultSpec {
  if (fault.type === "messages suffer") return { ...fault, dropped: 0, refused: 0 };
  return fault.type === "store is slow" ? { ...fault, lateMsMax: IN_TIME_MS_MAX, answerLost: 0 } : fault;
}

function drawShape(seed: number, random: Random): Shape {
  const isCluster = random.chance(0.7);
  const nodes = isCluster ? random.between(2, 3) : 1;
  return {
    seed,
    salt: 0,
    isCluster,
    nodes,
    shards: isCluster ? (random.weighted({ one: 3, two: 1 }) === "one" ? 1 : 2) : random.between(1, 3),
    skewsMs: Array.from({ length: nodes }, () => (random.chance(0.5) ? 0 : random.between(-5_000, 5_000))),
    tickMs: random.pick([150, 400, 400, 800]),
    hasTail: random.chance(0.3),
  };
}

function ackOf(random: Random): DeviceSpec["topics"][number]["ack"] {
  return random.weighted({ auto: 3, client: 2, "client-individual": 5 });
}

function ownDevices(random: Random, terminalId: string): DeviceSpec[] {
  const devices: DeviceSpec[] = [];
  const has = random.weighted({ socket: 5, poller: 4, both: 3, two: 2, declared: 4 });
  const socket = (name: string, redeliver: boolean): DeviceSpec => ({
    name,
    login: random.chance(0.15) ? null : terminalId,
    topics: [{ terminalId, ack: redeliver ? "client-individual" : ackOf(random), redeliver: redeliver || random.chance(0.3) }],
    polls: [],
    pollEveryMs: 0,
    beginsAtMs: random.between(0, 4_000),
  });
  if (has !== "poller") devices.push(socket(`${terminalId}-a`, has === "declared" || random.chance(0.3)));
  if (has === "two") devices.push(socket(`${terminalId}-b`, random.chance(0.3)));
  if (has === "poller" || has === "both") {
    devices.push(pollingDevice(random, terminalId));
  }
  return devices;
}

function pollingDevice(random: Random, terminalId: string): DeviceSpec {
  return {
    name: `${terminalId}-p`,
    login: random.chance(0.1) ? null : terminalId,
    topics: [],
    polls: [terminalId],
    pollEveryMs: random.between(300, 3_000),
    beginsAtMs: random.between(0, 2_000),
  };
}

function foreignDevice(random: Random, login: string, targets: readonly string[]): DeviceSpec {
  const polls = random.chance(0.3);
  return {
    name: login,
    login,
    topics: polls ? [] : targets.map((terminalId) => ({ terminalId, ack: ackOf(random), redeliver: random.chance(0.3) })),
    polls: polls ? [...targets] : [],
    pollEveryMs: random.between(500, 4_000),
    beginsAtMs: random.between(0, 15_000),
  };
}

function drawBehaviour(random: Random): Behaviour {
  const result = random.weighted({ answers: 10, never: 2, late: 2, twice: 2, differently: 1, "other letters": 1, declines: 2 });
  return {
    ack: random.weighted({ now: 6, late: 2, never: 3, nack: 2 }),
    result,
    afterMs: result === "late" ? random.between(20_000, 80_000) : random.between(20, 4_000),
    via: random.chance(0.6) ? "session" : "http",
    closesAfter:
      random.weighted({ none: 10, message: 2, ack: 1, result: 1 }) === "none" ? null : random.pick(["message", "ack", "result"] as const),
    cancelAnswer: random.weighted({ honest: 6, KO: 2, never: 1 }),
  };
}

function drawCommands(random: Random, terminals: readonly string[], faults: readonly FaultSpec[]): CommandSpec[] {
  // Most goes wrong just after something has: while nodes start, and see each other differently.
  const moments = faults.flatMap((fault) => [fault.atMs, fault.atMs + durationOf(fault)]);
  const commands = Array.from({ length: random.between(8, 20) }, () => drawCommand(random, terminals, moments));
  return commands.sort((one, other) => one.atMs - other.atMs);
}

function drawCommand(random: Random, terminals: readonly string[], moments: readonly number[]): CommandSpec {
  const terminalId = random.pick(terminals);
  const nearMs = random.pick(moments) + random.between(-1_000, 2_500);
  const uuid = random.uuid();
  return {
    // One sender in eight writes capitals.
    uuid: /^[01]/.test(uuid) ? uuid.toUpperCase() : uuid,
    partner: random.pick(PARTNERS).name,
    terminalId,
    kind: random.weighted({ payment: 12, scan: 1, print: 1, administrative: 1 }),
    amount: random.between(1, 9_999),
    atMs: random.chance(0.5) ? Math.max(FIRST_MS, Math.min(nearMs, BUSY_MS + 10_000)) : random.between(FIRST_MS, BUSY_MS),
    behaviour: drawBehaviour(random),
    looksMs: Array.from({ length: random.between(1, 4) }, () => random.between(50, 40_000)).sort((one, other) => one - other),
    pryingMs: random.chance(0.2) ? [random.between(100, 10_000)] : [],
    cancelsMs: random.chance(0.25) ? Array.from({ length: random.between(1, 2) }, () => random.between(0, 12_000)) : [],
    repeatsMs: random.chance(0.15) ? random.between(10, 8_000) : null,
  };
}

function drawMishaps(random: Random, devices: readonly DeviceSpec[]): MishapSpec[] {
  return Array.from({ length: random.between(0, 6) }, () => ({
    atMs: random.between(FIRST_MS, BUSY_MS + 2_000),
    device: random.pick(devices).name,
    what: random.weighted({ closes: 5, "is cut": 2, unsubscribes: 2, "takes nothing": 2, "aborts a poll": 2 }),
  }));
}

const FAULT_WEIGHTS: Readonly<Record<FaultType, number>> = {
  "node crashes": 5,
  "all nodes crash": 2,
  "node leaves": 2,
  "node stops": 3,
  "membership expires": 3,
  "messages suffer": 5,
  "store is slow": 4,
  "store is held up": 3,
  "store is restored": 1,
  "clock steps": 3,
};

/** By these nothing is lost on its way. */
const GENTLE_WEIGHTS: Readonly<Record<FaultType, number>> = {
  "node crashes": 0,
  "all nodes crash": 0,
  "node leaves": 0,
  "node stops": 3,
  "membership expires": 0,
  "messages suffer": 4,
  "store is slow": 4,
  "store is held up": 4,
  "store is restored": 0,
  "clock steps": 2,
};

function drawFaults(random: Random, shape: Shape, weights: Readonly<Record<FaultType, number>>): FaultSpec[] {
  const faults: FaultSpec[] = [];
  for (let left = random.between(3, 7); left > 0; left -= 1) {
    const before = faults.at(-1);
    // Trouble often comes together.
    const isTogether = before !== undefined && random.chance(0.4);
    const atMs = isTogether ? Math.min(before.atMs + random.between(0, 2_000), BUSY_MS) : random.between(FIRST_MS, BUSY_MS);
    faults.push(drawFault(random, shape, random.weighted(weights), atMs));
  }
  // One that is taken back twice says no more, and is hard to read.
  const [, ...again] = faults.filter(({ type }) => type === "store is restored");
  return faults.filter((fault) => !again.includes(fault)).sort((one, other) => one.atMs - other.atMs);
}

/** Those that only a cluster has become ones of the node or the store where there is none. */
function drawFault(random: Random, shape: Shape, type: FaultType, atMs: number): FaultSpec {
  const node = random.between(0, shape.nodes - 1);
  const downMs = random.between(50, 9_000);
  switch (type) {
    case "node crashes":
      return { atMs, type, node, downMs };
    case "all nodes crash":
      return { atMs, type, downMs };
    case "node leaves":
      return shape.isCluster ? { atMs, type, node, downMs } : { atMs, type: "all nodes crash", downMs };
    case "node stops":
      return { atMs, type, node, forMs: random.chance(0.5) ? 20_000 : random.between(500, 8_000) };
    case "membership expires":
      return shape.isCluster
        ? { atMs, type, node, forMs: random.between(4_000, 15_000) }
        : { atMs, type: "node stops", node, forMs: 20_000 };
    case "messages suffer":
      if (!shape.isCluster)
        return { atMs, type: "store is slow", forMs: random.between(500, 5_000), late: 0.2, lateMsMax: LATE_MS_MAX, answerLost: 0.1 };
      return {
        atMs,
        type,
        forMs: random.between(500, 10_000),
        dropped: random.chance(0.5) ? random.next() * 0.3 : 0,
        delayed: random.next() * 0.5,
        repeated: random.chance(0.3) ? random.next() * 0.3 : 0,
        refused: random.chance(0.2) ? 0.2 : 0,
        delayMsMax: random.pick([50, 500, 4_000]),
      };
    case "store is slow":
      return {
        atMs,
        type,
        forMs: random.between(500, 8_000),
        late: random.next() * 0.4,
        lateMsMax: LATE_MS_MAX,
        answerLost: random.next() * 0.2,
      };
    case "store is held up":
      return { atMs, type, forMs: random.between(300, 9_000) };
    case "store is restored":
      return { atMs: Math.max(atMs, 5_000), type, backMs: random.between(200, 15_000), restarts: !shape.isCluster || random.chance(0.5) };
    case "clock steps":
      return { atMs, type, node, byMs: random.between(-4_000, 4_000) };
  }
}
