import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { createWorkflowDeadlines } from "../../../engine/workflow/workflow-deadlines.ts";
import { settle } from "../world.ts";
import { ID, NEW_MS, open, PARCELS } from "./world.ts";

function deadlines(world: ReturnType<typeof open>, definition = PARCELS) {
  const fired: string[] = [];
  const runner = createWorkflowDeadlines(definition, {
    ...{ store: world.workflow.store, homes: createRendezvousHomes(["one"]), self: "one", clock: world.clock },
    fire: async (id) => {
      fired.push(id);
      await world.workflow.current(id);
    },
    failed: (what, error) => assert.fail(`${what}: ${error}`),
  });
  return { fired, runner };
}

describe("createWorkflowDeadlines", () => {
  it("fires a deadline at its time and not before, and not again after the step", async () => {
    const world = open();
    await world.created({ nextAtMs: NEW_MS + 60_000 });
    const { fired, runner } = deadlines(world);
    const passed = async (ms: number) => {
      for (const untilMs = world.clock.nowMs() + ms; world.clock.nowMs() < untilMs; ) {
        world.clock.advance(500);
        runner.tick();
        await settle();
      }
    };
    await passed(59_000);
    assert.deepEqual(fired, []);
    await passed(10_000);
    assert.deepEqual(fired, [ID]);
    assert.equal((await world.load())?.state, "LATE");
    await passed(60_000);
    assert.deepEqual(fired, [ID]);
    await runner.stop();
  });

  it("rejects a definition that declares no deadlines", () => {
    const { deadlines: _, ...without } = PARCELS;
    assert.throws(() => deadlines(open(), without), /a parcel has no deadlines/);
  });
});
