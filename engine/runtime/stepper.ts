import { type ActorScope, type AnyEventObject, createActor, type SnapshotFrom } from "xstate";
import {
  type MachineContext,
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

/**
 * Steps terminal actors without an XState actor for each of them (design.md, "The engine"): one inert actor lends its scope to all,
 * and the snapshot is rebuilt from the record.
 */
export function createTerminalStepper(): (context: TerminalContext, event: TerminalEvent) => TerminalStep {
  const nothing: MachineContext = { queue: [], sent: [], latest: [], effects: [] };
  const inert = createActor(terminalMachine, { input: nothing });
  // Resolving a state once and copying it with each context costs a tenth of resolving it at each step.
  const resolved = {
    idle: terminalMachine.resolveState({ value: "idle", context: nothing }),
    waiting: terminalMachine.resolveState({ value: "waiting", context: nothing }),
    executing: terminalMachine.resolveState({ value: "executing", context: nothing }),
  };
  const scope: ActorScope<TerminalSnapshot, TerminalEvent, typeof inert.system, AnyEventObject> = {
    self: inert,
    id: inert.id,
    sessionId: inert.sessionId,
    system: inert.system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: () => {},
  };
  return (context, event) => {
    const { queue, sent, latest } = context;
    const before = { queue, sent, latest, effects: nothing.effects };
    const { context: after } = terminalMachine.transition({ ...resolved[stateOf(context)], context: before }, event, scope);
    return { context: { queue: after.queue, sent: after.sent, latest: after.latest }, effects: after.effects };
  };
}
