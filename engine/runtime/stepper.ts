import { type ActorScope, type AnyEventObject, createActor, type SnapshotFrom } from "xstate";
import { type TerminalContext, type TerminalEffect, type TerminalEvent, terminalMachine } from "../actors/terminal/machine.ts";
import { stateOf } from "../actors/terminal/rules.ts";

type TerminalSnapshot = SnapshotFrom<typeof terminalMachine>;

/** The outcome of a step: what to store, and what to do once it is stored. */
export interface TerminalStep {
  context: TerminalContext;
  effects: readonly TerminalEffect[];
}

/**
 * Steps terminal actors without an XState actor for each of them (design.md, "The engine"): one inert actor lends its scope to all,
 * the snapshot is rebuilt from the record, and the actions that the machine wants carried out are handed back as effects.
 */
export function createTerminalStepper(): (context: TerminalContext, event: TerminalEvent) => TerminalStep {
  const nothing: TerminalContext = { queue: [], sent: [], latest: [] };
  const inert = createActor(terminalMachine, { input: nothing });
  // Resolving a state once and copying it with each context costs a tenth of resolving it at each step.
  const resolved = {
    idle: terminalMachine.resolveState({ value: "idle", context: nothing }),
    waiting: terminalMachine.resolveState({ value: "waiting", context: nothing }),
    executing: terminalMachine.resolveState({ value: "executing", context: nothing }),
  };
  let effects: TerminalEffect[] = [];
  const scope: ActorScope<TerminalSnapshot, TerminalEvent, typeof inert.system, AnyEventObject> = {
    self: inert,
    id: inert.id,
    sessionId: inert.sessionId,
    system: inert.system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: (action) => {
      // The machine enqueues nothing but TerminalEffect objects; XState hands them back with their type and params as they were.
      effects.push({ type: action.type, params: action.params } as TerminalEffect);
    },
  };
  return (context, event) => {
    effects = [];
    const next = terminalMachine.transition({ ...resolved[stateOf(context)], context }, event, scope);
    return { context: next.context, effects };
  };
}
