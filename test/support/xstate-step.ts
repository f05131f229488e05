import { type AnyStateMachine, transition } from "xstate";

export interface XStateStep {
  state: unknown;
  context: unknown;
  effects: { type: string; params: unknown }[];
}

/** Returns the result of XState's own transition, in the form of engine/kernel/statechart.ts. */
export function xstateStep(machine: AnyStateMachine, state: string, context: object, event: { type: string }): XStateStep {
  const [next, actions] = transition(machine, machine.resolveState({ value: state, context }), event);
  return { state: next.value, context: next.context, effects: actions.map(({ type, params }) => ({ type, params })) };
}
