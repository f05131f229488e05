import { type AnyStateMachine, transition } from "xstate";

export interface XStateStep {
  state: unknown;
  context: unknown;
  effects: { type: string; params: unknown }[];
}

/** What XState's own transition makes of an event, as engine/kernel/statechart.ts writes it. */
export function xstateStep(machine: AnyStateMachine, state: string, context: object, event: { type: string }): XStateStep {
  const [next, actions] = transition(machine, machine.resolveState({ value: state, context }), event);
  return { state: next.value, context: next.context, effects: actions.map(({ type, params }) => ({ type, params })) };
}
