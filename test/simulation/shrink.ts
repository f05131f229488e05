import { playHistory } from "./history.ts";
import type { Invariant } from "./invariants/judge.ts";
import { type CommandSpec, PLAIN_BEHAVIOUR, type Plan } from "./plan.ts";
import type { Plant } from "./plant.ts";

/** Histories that one shrinking plays at most: a minute or two, since short ones take milliseconds. */
const PLAYS_MAX = 4_000;

/** What was left out may have moved other things, too: each candidate has so many tries on other networks. */
const SALTS = 4;

/**
 * Makes a history that breaks an invariant as short as it gets while it still breaks it: actors, faults, commands and what is done about them are left
 * out, and behaviours made plain. Resolves with the plan that is left.
 */
export async function shrink(plan: Plan, invariant: Invariant, plant: () => Plant): Promise<Plan> {
  let plays = 0;
  let current = plan;

  async function accept(candidate: Plan): Promise<boolean> {
    for (let more = 0; more < SALTS && plays < PLAYS_MAX; more += 1) {
      const salted = { ...candidate, shape: { ...candidate.shape, salt: candidate.shape.salt + more } };
      plays += 1;
      const { violations } = await playHistory(salted, plant());
      if (!violations.some((violation) => violation.invariant === invariant)) continue;
      current = salted;
      return true;
    }
    return false;
  }

  /** Leaves out as many items of a list as it can: first halves, then ever smaller parts. */
  async function fewer<T>(itemsOf: (plan: Plan) => readonly T[], withItems: (plan: Plan, items: T[]) => Plan): Promise<void> {
    for (let size = Math.ceil(itemsOf(current).length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < itemsOf(current).length; ) {
        const items = itemsOf(current);
        const left = [...items.slice(0, from), ...items.slice(from + size)];
        if (!(await accept(withItems(current, left)))) from += size;
      }
    }
  }

  /** Makes each command simpler in one way, where it may be. */
  async function simpler(change: (command: CommandSpec) => CommandSpec): Promise<void> {
    for (const [index, command] of current.commands.entries()) {
      const changed = change(command);
      if (JSON.stringify(changed) === JSON.stringify(command)) continue;
      await accept({ ...current, commands: current.commands.map((other, place) => (place === index ? changed : other)) });
    }
  }

  for (let before = ""; before !== JSON.stringify(current) && plays < PLAYS_MAX; ) {
    before = JSON.stringify(current);
    await fewer(
      ({ commands }) => commands,
      (from, commands) => ({ ...from, commands }),
    );
    await fewer(
      ({ faults }) => faults,
      (from, faults) => ({ ...from, faults }),
    );
    await fewer(
      ({ mishaps }) => mishaps,
      (from, mishaps) => ({ ...from, mishaps }),
    );
    await fewer(
      ({ devices }) => devices,
      (from, devices) => ({ ...from, devices }),
    );
    await fewer(
      ({ rules }) => rules,
      (from, rules) => ({ ...from, rules }),
    );
    await fewer(
      ({ terminals }) => terminals,
      (from, terminals) => ({ ...from, terminals }),
    );
    if (current.group !== null) await accept({ ...current, group: null });
    if (current.shape.hasTail) await accept({ ...current, shape: { ...current.shape, hasTail: false } });
    if (current.shape.nodes > 2) await accept({ ...current, shape: { ...current.shape, nodes: 2 } });
    if (current.shape.shards > 1) await accept({ ...current, shape: { ...current.shape, shards: 1 } });
    if (current.shape.skewsMs.some((ms) => ms !== 0)) await accept({ ...current, shape: { ...current.shape, skewsMs: [] } });
    await simpler((command) => ({ ...command, pryingMs: [] }));
    await simpler((command) => ({ ...command, cancelsMs: [] }));
    await simpler((command) => ({ ...command, repeatsMs: null }));
    await simpler((command) => ({ ...command, looksMs: command.looksMs.slice(0, -1) }));
    await simpler((command) => ({ ...command, kind: "payment" }));
    await simpler((command) => ({ ...command, behaviour: PLAIN_BEHAVIOUR }));
  }
  return current;
}
