import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AnyStateMachine, and, assign, createMachine, not, raise, setup, stateIn } from "xstate";
import { compile, readChart } from "../../../engine/kernel/statechart.ts";

type LampEvent = { type: "lamp.pressed"; watts: number } | { type: "lamp.broken"; watts: number };

const lamp = setup({
  types: {} as { context: { presses: number; watts: number }; events: LampEvent },
  guards: { isStrong: ({ event }, { above }: { above: number }) => event.watts > above },
  actions: {
    count: assign(({ context }, { by }: { by: number }) => ({ presses: context.presses + by })),
    takeWatts: assign({ watts: ({ event }) => event.watts, presses: 0 }),
    tell: (_, _params: { presses: number }) => {},
    ring: () => {},
  },
}).createMachine({
  id: "lamp",
  context: { presses: 0, watts: 0 },
  initial: "off",
  states: {
    off: {
      description: "Dark.",
      on: {
        "lamp.pressed": [
          { guard: { type: "isStrong", params: { above: 100 } }, target: "broken", actions: ["ring", "takeWatts"] },
          {
            target: "on",
            actions: [
              { type: "tell", params: ({ context }) => ({ presses: context.presses }) },
              { type: "count", params: { by: 2 } },
              { type: "tell", params: ({ context }) => ({ presses: context.presses }) },
            ],
          },
        ],
      },
    },
    on: { on: { "lamp.pressed": "off", "lamp.broken": {} } },
    broken: { type: "final", tags: "dark" },
  },
});

const step = compile(lamp, ["tell", "ring"]);
const pressed = (watts: number): LampEvent => ({ type: "lamp.pressed", watts });

describe("a compiled machine", () => {
  it("takes the first transition whose guard holds, and does its actions in order, each with the context that those before it left", () => {
    assert.deepEqual(step("off", { presses: 3, watts: 1 }, pressed(60)), {
      state: "on",
      context: { presses: 5, watts: 1 },
      effects: [
        { type: "tell", params: { presses: 3 } },
        { type: "tell", params: { presses: 5 } },
      ],
    });
    assert.deepEqual(step("off", { presses: 3, watts: 1 }, pressed(101)), {
      state: "broken",
      context: { presses: 0, watts: 101 },
      effects: [{ type: "ring", params: undefined }],
    });
  });

  it("leaves the very context where an event means nothing in the state, or a transition does nothing", () => {
    const context = { presses: 3, watts: 1 };
    for (const [state, event] of [
      ["off", { type: "lamp.broken", watts: 1 }],
      ["on", { type: "lamp.broken", watts: 1 }],
      ["broken", pressed(1)],
    ] as const) {
      const next = step(state, context, event);
      assert.equal(next.state, state);
      assert.equal(next.context, context);
      assert.deepEqual(next.effects, []);
    }
  });

  it("refuses an assignment that is said to be an effect, and an effect that is not", () => {
    assert.throws(() => compile(lamp, ["tell"]), /ring must be either/);
    assert.throws(() => compile(lamp, ["tell", "ring", "count"]), /count must be either/);
  });

  it("refuses an effect that does something by itself, and an action that is none", () => {
    const chart = (action: "sends" | "spoken") =>
      setup({ actions: { sends: raise({ type: "again" }), spoken: () => {} } }).createMachine({
        id: "chart",
        initial: "a",
        states: { a: { on: { go: { actions: action } } } },
      });
    assert.throws(() => compile(chart("sends"), ["sends"]), /sends must not do anything itself/);
    assert.throws(() => compile(chart("sends"), []), /sends must be either/);
    assert.equal(compile(chart("spoken"), ["spoken"])("a", {}, { type: "go" }).effects[0]?.type, "spoken");
  });

  it("refuses guards that are made of others", () => {
    const chart = (guard: "both" | "neither" | "there") =>
      setup({ guards: { one: () => true, both: and(["one", "one"]), neither: not("one"), there: stateIn("a") } }).createMachine({
        id: "chart",
        initial: "a",
        states: { a: { on: { go: { guard } } } },
      });
    for (const guard of ["both", "neither", "there"] as const) {
      assert.throws(() => compile(chart(guard), []), new RegExp(`the guard ${guard} must be a function of its own`));
    }
  });
});

describe("what a machine says", () => {
  it("is read as plain data", () => {
    const { states, ...chart } = readChart(lamp);
    assert.deepEqual(chart, { id: "lamp", initial: "off" });
    assert.deepEqual(
      states.map(({ name, description, isFinal, tags }) => ({ name, description, isFinal, tags })),
      [
        { name: "off", description: "Dark.", isFinal: false, tags: [] },
        { name: "on", description: "", isFinal: false, tags: [] },
        { name: "broken", description: "", isFinal: true, tags: ["dark"] },
      ],
    );
    assert.deepEqual(states[1]?.transitions, [
      { event: "lamp.pressed", guard: null, actions: [], target: "off" },
      { event: "lamp.broken", guard: null, actions: [], target: null },
    ]);
  });

  const states = { a: {}, b: {} };
  const refused: [what: string, machine: AnyStateMachine, why: RegExp][] = [
    ["parallel states", createMachine({ type: "parallel", states }), /as a whole: type/],
    ["no initial state", createMachine({ context: {} }), /as a whole: an initial transition/],
    ["a transition of the whole machine", createMachine({ initial: "a", states, on: { go: ".b" } }), /as a whole: on/],
    ["an entry of the whole machine", createMachine({ initial: "a", states, entry: () => {} }), /as a whole: entry/],
    ["output of the whole machine", createMachine({ initial: "a", states, output: 1 }), /as a whole: output/],
    ["actions of the initial transition", createMachine({ initial: { target: "a", actions: () => {} }, states }), /initial transition/],
    ["nested states", createMachine({ initial: "a", states: { a: { initial: "c", states: { c: {} } } } }), /, a: (initial|states)/],
    ["history states", createMachine({ initial: "a", states: { a: {}, h: { type: "history" } } }), /, h: a history state/],
    ["entry", createMachine({ initial: "a", states: { a: { entry: () => {} } } }), /, a: entry/],
    ["exit", createMachine({ initial: "a", states: { a: { exit: () => {} } } }), /, a: exit/],
    ["always", createMachine({ initial: "a", states: { a: { always: "b" }, b: {} } }), /, a: always/],
    ["after", createMachine({ initial: "a", states: { a: { after: { 100: "b" } }, b: {} } }), /, a: after/],
    ["invoke", createMachine({ initial: "a", states: { a: { invoke: { src: "x" } } } }), /, a: invoke/],
    ["output of a state", createMachine({ initial: "a", states: { a: { type: "final", output: 1 } } }), /, a: output/],
    ["any event", createMachine({ initial: "a", states: { a: { on: { "*": "b" } }, b: {} } }), /a on \*: a wildcard/],
    ["events by prefix", createMachine({ initial: "a", states: { a: { on: { "x.*": "b" } }, b: {} } }), /a on x\.\*: a wildcard/],
    ["re-entering", createMachine({ initial: "a", states: { a: { on: { x: { target: "a", reenter: true } } } } }), /a on x: reenter/],
    ["a guard without a name", createMachine({ initial: "a", states: { a: { on: { x: { guard: () => true } } } } }), /without a name/],
    ["an action without a name", createMachine({ initial: "a", states: { a: { on: { x: { actions: () => {} } } } } }), /without a name/],
    [
      "an assignment without a name",
      createMachine({ initial: "a", states: { a: { on: { x: { actions: assign({}) } } } } }),
      /without a name/,
    ],
  ];
  for (const [what, machine, why] of refused) {
    it(`has no ${what}`, () => {
      assert.throws(() => readChart(machine), why);
    });
  }
});
