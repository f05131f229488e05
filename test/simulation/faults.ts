import type { FaultSpec, Plan } from "./plan.ts";
import { CUT_NOTICED_MS_MAX } from "./world/sim-link.ts";
import { NO_STREAM_FAULTS } from "./world/sim-streams.ts";
import { NO_STORE_FAULTS, type World } from "./world/world.ts";

/** The embedded store is copied by stopping the node first; so long it is down at least. */
const RESTORED_DOWN_MS = 1_500;

/** When the last fault of a plan has ended, milliseconds from when the nodes serve. A clock that was set back lets deadlines come that much later. */
export function lastFaultEndMs({ faults, mishaps }: Pick<Plan, "faults" | "mishaps">): number {
  const ends = faults.map((fault) => fault.atMs + durationOf(fault));
  const stepped = faults.reduce((sum, fault) => sum + (fault.type === "clock steps" ? Math.abs(fault.byMs) : 0), 0);
  const cuts = mishaps.filter(({ what }) => what === "is cut").map(({ atMs }) => atMs + CUT_NOTICED_MS_MAX);
  return Math.max(0, ...ends, ...cuts) + stepped;
}

/** How long a fault lasts, milliseconds. */
export function durationOf(fault: FaultSpec): number {
  switch (fault.type) {
    case "node crashes":
    case "all nodes crash":
    case "node leaves":
      return fault.downMs + 1_000;
    case "node stops":
    case "membership expires":
    case "messages suffer":
    case "store is slow":
    case "store is held up":
      return fault.forMs;
    case "store is restored":
      return RESTORED_DOWN_MS + 1_000;
    case "clock steps":
      return 0;
  }
}

/** Sees to what a fault needs from before it: a restored store is the copy of an earlier moment. */
export function prepare(world: World, faults: readonly FaultSpec[]): void {
  for (const fault of faults) {
    if (fault.type !== "store is restored") continue;
    world.scheduler.after(Math.max(0, fault.atMs - fault.backMs), null, () => world.copies.set(fault, world.store.copy()));
  }
}

/** Carries out a fault, and undoes it after its time. */
export function carryOut(world: World, fault: FaultSpec): void {
  const { scheduler, nodes, streams } = world;
  world.count(`fault: ${fault.type}`);
  world.trace.note("world", told(fault));
  const after = (ms: number, work: () => void): void => void scheduler.after(ms, null, work);
  switch (fault.type) {
    case "node crashes":
      crash(world, [fault.node], fault.downMs);
      return;
    case "all nodes crash":
      crash(world, [...nodes.keys()], fault.downMs);
      return;
    case "node leaves":
      nodes[fault.node]?.leave();
      after(fault.downMs + 1_000, () => crash(world, [fault.node], 1));
      return;
    case "node stops": {
      const process = nodes[fault.node]?.process ?? null;
      process?.stop();
      after(fault.forMs, () => {
        if (process?.state === "stopped") world.trace.note(process.name, "wakes");
        process?.wake(scheduler);
      });
      return;
    }
    case "membership expires": {
      const node = nodes[fault.node];
      if (node !== undefined) node.cutFromMembersUntilMs = Math.max(node.cutFromMembersUntilMs, scheduler.nowMs + fault.forMs);
      return;
    }
    case "messages suffer": {
      const { dropped, delayed, repeated, refused, delayMsMax } = fault;
      const faults = { dropped, delayed, repeated, refused, delayMsMax };
      streams.faults = faults;
      after(fault.forMs, () => {
        if (streams.faults === faults) streams.faults = NO_STREAM_FAULTS;
      });
      return;
    }
    case "store is slow": {
      const faults = { late: fault.late, lateMsMax: fault.lateMsMax, answerLost: fault.answerLost };
      world.storeFaults = faults;
      after(fault.forMs, () => {
        if (world.storeFaults === faults) world.storeFaults = NO_STORE_FAULTS;
      });
      return;
    }
    case "store is held up":
      world.pauseStore(fault.forMs);
      return;
    case "store is restored":
      restore(world, fault);
      return;
    case "clock steps": {
      const node = nodes[fault.node];
      if (node !== undefined) node.machine.skewMs += fault.byMs;
    }
  }
}

function crash({ nodes, scheduler }: World, which: readonly number[], downMs: number): void {
  for (const index of which) {
    const node = nodes[index];
    if (node === undefined) continue;
    node.crash();
    scheduler.after(downMs, null, () => {
      if (node.process === null) node.start();
    });
  }
}

function restore(world: World, fault: Extract<FaultSpec, { type: "store is restored" }>): void {
  const { nodes } = world;
  const copy = world.copies.get(fault) ?? world.store.copy();
  const replace = (): void => {
    const copied = [...copy.entries.keys()].filter((key) => key.startsWith("c/")).map((key) => key.slice("c/".length));
    const fed = new Set(world.feed.commands());
    // Another terminal's result of the same uuid, which nobody asked for, says nothing of it.
    const sent = world.witness.sendings.filter(({ terminalId, uuid }) => fed.has(`${terminalId} ${uuid}`));
    const knew = new Set([...copied, ...sent.map(({ uuid }) => uuid)]);
    world.witness.restores.push({ atMs: world.scheduler.nowMs, copiedAtMs: copy.takenAtMs, knew, restarts: fault.restarts });
    world.trace.note("world", "the store is the copy");
    world.replaceStore(copy);
  };
  if (!fault.restarts) {
    replace();
    return;
  }
  const crashAll = (): void => {
    for (const node of nodes) node.crash();
  };
  crashAll();
  world.scheduler.after(RESTORED_DOWN_MS, null, () => {
    // One may have been started meanwhile, after an earlier crash.
    crashAll();
    replace();
    world.takeBack().then(
      () => {
        for (const node of nodes) node.start();
      },
      (error: unknown) => world.failed("world", "take back", error),
    );
  });
}

function told(fault: FaultSpec): string {
  const { atMs: _, type, ...how } = fault;
  const words = Object.entries(how).map(([name, value]) => `${name} ${typeof value === "number" ? Math.round(value * 100) / 100 : value}`);
  return `${type} (${words.join(", ")})`;
}
