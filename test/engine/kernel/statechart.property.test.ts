import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { assign, setup } from "xstate";
import { compile } from "../../../engine/kernel/statechart.ts";
import { xstateStep } from "../../support/xstate-step.ts";

interface CountContext {
  count: number;
  last: string;
}

type CountEvent = { type: "e.0" | "e.1" | "e.2"; by: number };

const setUp = setup({
  types: {} as { context: CountContext; events: CountEvent },
  guards: {
    isEven: ({ context }) => context.count % 2 === 0,
    isAbove: ({ context }, { count }: { count: number }) => context.count > count,
  },
  actions: {
    addOne: assign(({ context }) => ({ count: context.count + 1 })),
    add: assign(({ context }, { by }: { by: number }) => ({ count: context.count + by })),
    reset: assign({ count: 0, last: ({ event }) => event.type }),
    change: assign(({ event }) => (event.by > 2 ? { last: "many" } : {})),
    tell: (_, _params: { count: number }) => {},
    ring: () => {},
  },
});

const STATES = ["s0", "s1", "s2", "s3"] as const;
const state = fc.constantFrom(...STATES);
const fromEvent = ({ event }: { event: CountEvent }) => ({ count: event.by });
const guard = fc.constantFrom(
  "isEven" as const,
  { type: "isAbove" as const, params: { count: 2 } },
  { type: "isAbove" as const, params: fromEvent },
);
const action = fc.constantFrom(
  "addOne" as const,
  "reset" as const,
  "change" as const,
  "ring" as const,
  { type: "ring" as const },
  { type: "add" as const, params: { by: 2 } },
  { type: "add" as const, params: ({ event }: { event: CountEvent }) => ({ by: event.by }) },
  { type: "tell" as const, params: { count: 7 } },
  { type: "tell" as const, params: ({ context }: { context: CountContext }) => ({ count: context.count }) },
);
const candidates = fc.array(fc.record({ guard, target: state, actions: fc.array(action, { maxLength: 4 }) }, { requiredKeys: [] }), {
  maxLength: 3,
});
const node = fc.record({ "e.0": candidates, "e.1": candidates, "e.2": candidates }, { requiredKeys: [] });
const event: fc.Arbitrary<CountEvent> = fc.record({ type: fc.constantFrom("e.0", "e.1", "e.2"), by: fc.nat(4) });

it("a compiled machine of any shape steps as XState's own transition does", () => {
  const histories = fc.record({ s0: node, s1: node, s2: node, events: fc.array(event, { minLength: 1, maxLength: 30, size: "max" }) });
  fc.assert(
    fc.property(histories, ({ s0, s1, s2, events }) => {
      const states = { s0: { on: s0 }, s1: { on: s1 }, s2: { on: s2 }, s3: { type: "final" as const } };
      const machine = setUp.createMachine({ id: "random", context: { count: 0, last: "" }, initial: "s0", states });
      const step = compile(machine, ["tell", "ring"]);
      let now = { state: "s0" as (typeof STATES)[number], context: { count: 0, last: "" } };
      for (const what of events) {
        const before = structuredClone(now.context);
        const next = step(now.state, now.context, what);
        assert.deepEqual({ ...next }, xstateStep(machine, now.state, now.context, what));
        assert.deepEqual(now.context, before, "the context of before has changed");
        now = next;
      }
    }),
    { numRuns: 300 },
  );
});
