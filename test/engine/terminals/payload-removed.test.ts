import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { command, openSocket, openWorld, pollUuid, posting, type World } from "../world.ts";

const SENT = '{"uuid":"a","description":"card 4111.1111.1111.1111"';

async function isKept(world: World): Promise<boolean> {
  const entry = await world.kv.get("c/a");
  assert.ok(entry !== null);
  return entry.value.includes("description");
}

describe("what was sent to a terminal", () => {
  for (const [title, end] of [
    ["its result", (world: World) => world.shard.terminals.recordResult(posting("a"))],
    ["its deadline", (world: World) => world.pass(400_000)],
    ["a cancellation", (world: World) => world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" })],
  ] as const) {
    for (const left of [true, false]) {
      if (left && title === "a cancellation") continue;
      it(`is kept until ${title} ends the command, which ${left ? "was sent" : "waits"}, and its uuid stays refused`, async () => {
        const world = await openWorld();
        await world.shard.terminals.accept(command(world, "a", { payload: `${SENT}}` }));
        assert.equal(await isKept(world), true);
        if (left) assert.equal(await pollUuid(world.shard), "a");
        assert.equal(await isKept(world), true);
        await end(world);
        assert.equal(await isKept(world), false);
        assert.equal((await world.shard.terminals.accept(command(world, "a", { payload: `${SENT}}` }))).type, "duplicate");
        assert.equal(await pollUuid(world.shard), null);
      });
    }
  }

  it("goes to the terminal as it came", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    await world.shard.terminals.accept(command(world, "a", { payload: `${SENT}}` }));
    assert.ok(socket.texts.some((text) => text.includes(SENT)));
  });
});
