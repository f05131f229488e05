import type {
  AnyActorRef,
  AnyStateMachine,
  EventObject,
  MachineContext,
  MetaObject,
  ParameterizedObject,
  ProvidedActor,
  StateMachine,
  StateSchema,
  StateValue,
} from "xstate";

/**
 * Runs XState machines of a small subset without XState, whose `transition` takes a hundred times
 * as long (infra/docs/decisions/0024-machines-that-decide.md). XState still checks the types, and
 * its viewer draws them. A machine may contain:
 *
 * - flat states, some of them final, with a description and tags
 * - transitions on named events, with or without a target; the first one whose guard holds is taken
 * - guards by name, with parameters (values, or a function of context and event)
 * - actions by name, with parameters: `assign`, or an effect, which is a function that does nothing
 *
 * Loading a machine with anything else fails: nested, parallel and history states, `entry`, `exit`,
 * `always`, `after`, `invoke`, `output`, events by wildcard, transitions of the whole machine,
 * `and`, `or`, `not`, guards and actions without a name, and actions that raise, send, emit, log or
 * spawn.
 */
export type Stepper<State, Context, Event, Effect> = (state: State, context: Context, event: Event) => Stepped<State, Context, Effect>;

/**
 * The result of an event. An event without meaning in a state leaves the state and the identical
 * context, with no effects.
 */
export interface Stepped<State, Context, Effect> {
  state: State;
  context: Context;
  /** The effects in their order. The caller that stores the transition executes them. */
  effects: readonly Effect[];
}

/** The content of a machine of the subset, for callers that run or draw it. */
export interface Chart {
  id: string;
  initial: string;
  states: readonly ChartState[];
}

export interface ChartState {
  name: string;
  description: string;
  /** No event changes it any longer. */
  isFinal: boolean;
  /** Notes for drawing the machine. */
  tags: readonly string[];
  transitions: readonly ChartTransition[];
}

export interface ChartTransition {
  event: string;
  guard: Named | null;
  actions: readonly Named[];
  /** Null if the state stays. */
  target: string | null;
}

/** A guard or an action, as a transition names it. */
export interface Named {
  name: string;
  /** A value, a function of context and event, or undefined. */
  params: unknown;
}

const MACHINE_KEYS = ["id", "description", "meta", "version", "context", "initial", "states"];
const STATE_KEYS = ["type", "description", "meta", "tags", "on"];
const TRANSITION_KEYS = ["target", "guard", "actions", "description", "meta", "reenter", "source", "eventType", "toJSON"];

/** Throws if the machine contains anything outside the subset. */
export function readChart(machine: AnyStateMachine): Chart {
  const { id, root } = machine;
  const refuse = (where: string, what: string): never => {
    throw new Error(`machine ${id}, ${where}: ${what} is not part of the supported subset (engine/kernel/statechart.ts)`);
  };
  const onlyKeys = (where: string, config: object, known: readonly string[]): void => {
    for (const [key, value] of Object.entries(config)) if (value !== undefined && !known.includes(key)) refuse(where, key);
  };

  onlyKeys("as a whole", root.config, MACHINE_KEYS);
  const initial: unknown = root.config.initial;
  if (typeof initial !== "string") return refuse("as a whole", "an initial transition that is not the name of a state");

  function named(where: string, value: unknown): Named {
    if (typeof value === "string") return { name: value, params: undefined };
    if (!isObject(value)) return refuse(where, "a guard or an action without a name");
    const { type, params } = value;
    if (typeof type !== "string") return refuse(where, "a guard or an action without a name");
    onlyKeys(where, value, ["type", "params"]);
    return { name: type, params };
  }

  const states = Object.values(root.states).map((node): ChartState => {
    const { key: name, type, description = "" } = node;
    onlyKeys(name, node.config, STATE_KEYS);
    if (type !== "atomic" && type !== "final") return refuse(name, `a ${type} state`);
    const transitions = [...node.transitions].flatMap(([event, candidates]) => {
      const where = `${name} on ${event}`;
      if (event.includes("*")) refuse(where, "a wildcard");
      return candidates.map((candidate): ChartTransition => {
        onlyKeys(where, candidate, TRANSITION_KEYS);
        if (candidate.reenter) refuse(where, "reenter");
        const targets = candidate.target ?? [];
        if (targets.length > 1) refuse(where, "more than one target");
        return {
          event,
          guard: candidate.guard === undefined ? null : named(where, candidate.guard),
          actions: candidate.actions.map((action) => named(where, action)),
          target: targets[0]?.key ?? null,
        };
      });
    });
    return { name, description, isFinal: type === "final", tags: node.tags, transitions };
  });
  return { id, initial, states };
}

interface Args<Context, Event> {
  context: Context;
  event: Event;
}

type Predicate<Context, Event> = (args: Args<Context, Event>, params: unknown) => boolean;
type Assigner<Context, Event> = (args: Args<Context, Event>, params: unknown) => Partial<Context>;
type Params<Context, Event> = (args: Args<Context, Event>) => unknown;

interface Transition<State, Context, Event> {
  guard: Predicate<Context, Event> | null;
  guardParams: Params<Context, Event>;
  actions: readonly Action<Context, Event>[];
  target: State;
}

interface Action<Context, Event> {
  name: string;
  params: Params<Context, Event>;
  /** Null if the action is an effect. */
  assign: Assigner<Context, Event> | null;
}

const NO_EFFECTS: readonly never[] = [];
const NO_PARAMS = (): undefined => undefined;

/**
 * Compiles a machine. `effects` names the actions that are effects; all others have to be
 * assignments. Throws if the machine contains anything outside the subset.
 */
export function compile<
  Context extends MachineContext,
  Event extends EventObject,
  Children extends Record<string, AnyActorRef | undefined>,
  Actor extends ProvidedActor,
  ActionOf extends ParameterizedObject,
  Guard extends ParameterizedObject,
  Delay extends string,
  State extends StateValue,
  Tag extends string,
  Input,
  Output,
  Emitted extends EventObject,
  Meta extends MetaObject,
  Schema extends StateSchema,
  Name extends ActionOf["type"],
>(
  machine: StateMachine<Context, Event, Children, Actor, ActionOf, Guard, Delay, State, Tag, Input, Output, Emitted, Meta, Schema>,
  effects: readonly Name[],
): Stepper<State & string, Context, Event, Extract<ActionOf, { type: Name }>> {
  type Effect = Extract<ActionOf, { type: Name }>;
  const chart = readChart(machine);
  const isState = (name: string): name is State & string => chart.states.some((state) => state.name === name);

  function transitionOf(from: State & string, { guard, actions, target }: ChartTransition): Transition<State & string, Context, Event> {
    return {
      guard: guard === null ? null : predicateOf<Context, Event>(chart.id, guard.name, machine.implementations.guards[guard.name]),
      guardParams: paramsOf(guard?.params),
      actions: actions.map((action) => actionOf(action)),
      target: target !== null && isState(target) ? target : from,
    };
  }

  function actionOf({ name, params }: Named): Action<Context, Event> {
    const assign = assignerOf<Context, Event>(machine.implementations.actions[name]);
    const isEffect = effects.some((effect) => effect === name);
    if (isEffect === (assign !== null)) throw new Error(`machine ${chart.id}: ${name} must be either an assignment or one of its effects`);
    if (isEffect && !isPlainFunction(machine.implementations.actions[name])) {
      throw new Error(`machine ${chart.id}: the effect ${name} must not do anything itself`);
    }
    return { name, params: paramsOf(params), assign };
  }

  const table = new Map<string, ReadonlyMap<string, readonly Transition<State & string, Context, Event>[]>>();
  for (const { name, transitions } of chart.states) {
    if (!isState(name)) continue;
    table.set(
      name,
      new Map(
        transitions.map(({ event }) => [event, transitions.filter((other) => other.event === event).map((one) => transitionOf(name, one))]),
      ),
    );
  }

  return (state, context, event) => {
    const candidates = table.get(state)?.get(event.type);
    if (candidates === undefined) return { state, context, effects: NO_EFFECTS };
    const args = { context, event };
    for (const { guard, guardParams, actions, target } of candidates) {
      if (guard !== null && !guard(args, guardParams(args))) continue;
      let stepped = args;
      let done: Effect[] | null = null;
      for (const { name, params, assign } of actions) {
        if (assign !== null) {
          stepped = { context: { ...stepped.context, ...assign(stepped, params(stepped)) }, event };
          continue;
        }
        // XState's types have checked the parameters of each action in the machine's source.
        const effect = { type: name, params: params(stepped) } as Effect;
        if (done === null) done = [effect];
        else done.push(effect);
      }
      return { state: target, context: stepped.context, effects: done ?? NO_EFFECTS };
    }
    return { state, context, effects: NO_EFFECTS };
  };
}

function paramsOf<Context, Event>(params: unknown): Params<Context, Event> {
  if (params === undefined) return NO_PARAMS;
  return isParams<Context, Event>(params) ? params : () => params;
}

function predicateOf<Context, Event>(id: string, name: string, implementation: unknown): Predicate<Context, Event> {
  if (!isPredicate<Context, Event>(implementation)) throw new Error(`machine ${id}: the guard ${name} must be a function of its own`);
  return implementation;
}

/** Returns null if the action is not an assignment. */
function assignerOf<Context, Event>(implementation: unknown): Assigner<Context, Event> | null {
  if (!isBuiltIn(implementation) || implementation.type !== "xstate.assign") return null;
  const { assignment } = implementation;
  if (isAssigner<Context, Event>(assignment)) return assignment;
  if (!isObject(assignment)) return null;
  const members = Object.entries(assignment);
  return (args, params) => {
    const changes: Partial<Context> = {};
    for (const [member, value] of members)
      Object.assign(changes, { [member]: isAssigner<Context, Event>(value) ? value(args, params) : value });
    return changes;
  };
}

// XState stores the parts of a machine without types. These functions restore the types that the
// machine's source had.

function isParams<Context, Event>(value: unknown): value is Params<Context, Event> {
  return typeof value === "function";
}

function isAssigner<Context, Event>(value: unknown): value is Assigner<Context, Event> {
  return typeof value === "function";
}

/** Excludes `and`, `or`, `not` and `stateIn`. */
function isPredicate<Context, Event>(value: unknown): value is Predicate<Context, Event> {
  return typeof value === "function" && !("check" in value);
}

/** Recognizes the results of XState's own action creators (`assign`, `raise`, `sendTo`, ...). */
function isBuiltIn(value: unknown): value is { type: unknown; assignment?: unknown } {
  return typeof value === "function" && "resolve" in value && "type" in value;
}

function isPlainFunction(value: unknown): boolean {
  return typeof value === "function" && !("resolve" in value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
