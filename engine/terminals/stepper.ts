import { setup } from "xstate";
import type { TerminalContext, TerminalEffect, TerminalEvent, TerminalState } from "./events.ts";
import { stateAfter, stateOf, stepOf } from "./rules.ts";

/** The outcome of a step: what to store, and what to do once it is stored. */
export interface TerminalStep {
  context: TerminalContext;
  effects: readonly TerminalEffect[];
}

const NONE: readonly never[] = [];

/**
 * Steps terminal actors without an XState actor for each of them, by what the machine declares: an event that its state
 * forbids changes nothing, and every other one takes the machine's one assignment. Which state that leads to, the record tells. (The machine's own
 * `transition` comes to the same, which a test holds this to; it also asks the guards, leaves and enters the states and copies snapshots, which is
 * nine tenths of its time.)
 */
export function createTerminalStepper(): (context: TerminalContext, event: TerminalEvent) => TerminalStep {
  const forbidden: { readonly [state in TerminalState]: ReadonlySet<string> } = {
    idle: forbiddenIn("idle"),
    waiting: forbiddenIn("waiting"),
    executing: forbiddenIn("executing"),
  };
  return (context, event) => {
    if (forbidden[stateOf(context)].has(event.type)) return { context, effects: NONE };
    const { queue, sent, latest, effects } = stepped(context, event);
    return { context: { queue, sent, latest }, effects };
  };
}

/** Events for which a state has a transition of its own: one that leads nowhere and does nothing, in the place of the machine's. */
function forbiddenIn(state: TerminalState): ReadonlySet<string> {
  const node = terminalMachine.states[state];
  if (node === undefined) throw new Error(`the machine has no state ${state}`);
  const { transitions } = node;
  for (const own of transitions.values()) {
    for (const { actions, target, guard } of own) {
      // Another kind of transition would have to be carried out by XState.
      if (actions.length > 0 || target !== undefined || guard !== undefined) throw new Error(`${state} does more than forbid events`);
    }
  }
  return new Set(transitions.keys());
}

/** What the machine itself holds: beside the context, the effects of the step that led here, as data. */
export interface MachineContext extends TerminalContext {
  effects: readonly TerminalEffect[];
}

const setUp = setup({
  types: {} as { context: MachineContext; input: MachineContext; events: TerminalEvent },
  guards: {
    leadsToWaiting: ({ context, event }) => stateAfter(context, event) === "waiting",
    leadsToExecuting: ({ context, event }) => stateAfter(context, event) === "executing",
  },
});

/** What an event that is taken makes of the context, in whatever state: by the rules, which leave out what stays as it is. */
export function stepped(context: TerminalContext, event: TerminalEvent): MachineContext {
  const { context: changed, effects } = stepOf(context, event);
  const { queue = context.queue, sent = context.sent, latest = context.latest } = changed;
  return { queue, sent, latest, effects };
}

/** (An assignment takes half the time of actions that are enqueued one by one.) */
const step = setUp.assign(({ context, event }) => stepped(context, event));

/**
 * Every event steps the context by the rules above, and the guards say which state that leads to. (Deciding by `always` transitions
 * after the step reads a little simpler and costs twice the time of this on the pay path.)
 */
export const terminalMachine = setUp.createMachine({
  id: "terminal",
  context: ({ input }) => input,
  initial: "idle",
  on: {
    "*": [
      { guard: "leadsToWaiting", target: ".waiting", actions: step },
      { guard: "leadsToExecuting", target: ".executing", actions: step },
      { target: ".idle", actions: step },
    ],
  },
  states: {
    idle: { on: { "command.taken": {}, "command.redelivered": {}, "command.acknowledged": {}, "deadline.passed": {} } },
    waiting: {},
    executing: { on: { "command.taken": {} } },
  },
});
