import type { SnapshotFrom } from "xstate";
import {
  type MachineContext,
  stepped,
  type TerminalContext,
  type TerminalEffect,
  type TerminalEvent,
  terminalMachine,
} from "../actors/terminal/machine.ts";
import { stateOf } from "../actors/terminal/rules.ts";

type TerminalSnapshot = SnapshotFrom<typeof terminalMachine>;

/** The outcome of a step: what to store, and what to do once it is stored. */
export interface TerminalStep {
  context: TerminalContext;
  effects: readonly TerminalEffect[];
}

const NONE: readonly never[] = [];

/**
 * Steps terminal actors without an XState actor for each of them (design.md, "The engine"): the snapshot is rebuilt from the record, and the
 * machine says which of its transitions the event takes. What each of them does is its one assignment, and the state that it leads to is
 * told by the record. (The machine's own `transition` comes to the same, which a test holds this to; it also leaves and enters the states and
 * copies the snapshot, which is three quarters of its time.)
 */
export function createTerminalStepper(): (context: TerminalContext, event: TerminalEvent) => TerminalStep {
  const nothing: MachineContext = { queue: NONE, sent: NONE, latest: NONE, effects: NONE };
  // One for each state, lent to each step: resolving a state takes longer than all else.
  const snapshots: { readonly [state in "idle" | "waiting" | "executing"]: TerminalSnapshot } = {
    idle: terminalMachine.resolveState({ value: "idle", context: nothing }),
    waiting: terminalMachine.resolveState({ value: "waiting", context: nothing }),
    executing: terminalMachine.resolveState({ value: "executing", context: nothing }),
  };
  return (context, event) => {
    const snapshot = snapshots[stateOf(context)];
    const { queue, sent, latest } = context;
    snapshot.context = { queue, sent, latest, effects: NONE };
    const [transition] = terminalMachine.getTransitionData(snapshot, event);
    if (transition === undefined || transition.actions.length === 0) return { context, effects: NONE };
    const after = stepped(snapshot.context, event);
    return { context: { queue: after.queue, sent: after.sent, latest: after.latest }, effects: after.effects };
  };
}
