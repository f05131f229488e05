import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AddedUse } from "../../../engine/agents/agent-use-store.ts";
import { createAgentUses } from "../../../engine/agents/agent-uses.ts";
import { ManualClock } from "../world.ts";

function world() {
  const clock = new ManualClock();
  const written: { id: string; added: AddedUse }[] = [];
  const state = { isAway: false, failed: 0, hold: null as Promise<void> | null };
  const uses = createAgentUses({
    clock,
    store: {
      add: async (id, added) => {
        await state.hold;
        if (state.isAway) throw new Error("away");
        written.push({ id, added });
      },
    },
    failed: () => {
      state.failed += 1;
    },
  });
  return { clock, written, state, uses };
}

const CALL = { tool: "get_totals", outcome: "done", argumentsDigest: "ab" } as const;

describe("createAgentUses", () => {
  it("writes once for each credential, however often it was used", async () => {
    const { written, uses, clock } = world();
    for (let n = 0; n < 50; n += 1) {
      clock.advance(1);
      uses.called("ac_1", CALL);
      uses.refused("ac_1", "perDay");
    }
    uses.used("ac_2");
    await uses.flush();
    assert.deepEqual(
      written.map(({ id }) => id),
      ["ac_1", "ac_2"],
    );
    assert.equal(written[0]?.added.calls.length, 20);
    assert.equal(written[0]?.added.refused.perDay, 50);
    await uses.flush();
    assert.equal(written.length, 2, "nothing is written twice");
  });

  it("waits for an unavailable store, and adds later uses", async () => {
    const { written, uses, state } = world();
    uses.refused("ac_1", "total");
    state.isAway = true;
    await uses.flush();
    uses.refused("ac_1", "total");
    state.isAway = false;
    await uses.flush();
    assert.equal(state.failed, 1);
    assert.deepEqual(
      written.map(({ added }) => added.refused.total),
      [2],
    );
  });

  it("limits the waiting credentials, and writes in one flush at a time", async () => {
    const { written, uses, state } = world();
    for (let n = 0; n < 2_500; n += 1) uses.used(`ac_${n}`);
    let release = () => {};
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = uses.flush();
    assert.equal(uses.flush(), first);
    release();
    await first;
    assert.equal(written.length, 2_000);
  });
});
