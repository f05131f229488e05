import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Actor } from "../../../engine/terminals/actor.ts";
import { createCommandCache } from "../../../engine/terminals/command-cache.ts";
import { claimOf } from "../../../engine/terminals/steps.ts";
import { command, ManualClock, openWorld, pollUuid } from "../world.ts";

const world = { clock: new ManualClock() };

function actorOf(terminalId: string): Actor {
  return {
    terminalId,
    context: { queue: [], sent: [], latest: [] },
    version: 0,
    readAt: 0,
    commands: [],
    loaded: true,
    historyLost: false,
    inDoubt: false,
    running: false,
    usedLately: true,
    mailbox: null,
    slot: null,
  };
}

const recordOf = (uuid: string) => claimOf(command(world, uuid));

describe("commands at hand", () => {
  it("are found by uuid, in the version that was kept last, until they are dropped", () => {
    const commandCache = createCommandCache();
    const actor = actorOf("T1");
    commandCache.keep(actor, recordOf("a"), 1);
    commandCache.keep(actor, recordOf("b"), 2);
    commandCache.keep(actor, recordOf("a"), 3);
    assert.equal(commandCache.find(actor, "a")?.version, 3);
    assert.equal(commandCache.find(actor, "b")?.version, 2);
    assert.equal(actor.commands.length, 2);
    commandCache.drop(actor, "a");
    assert.equal(commandCache.find(actor, "a"), null);
    assert.equal(commandCache.find(actor, "b")?.version, 2);
  });

  it("are those of the latest terminals", () => {
    const commandCache = createCommandCache(2);
    const actors = ["T1", "T2", "T3", "T4", "T5"].map(actorOf);
    for (const actor of actors) commandCache.keep(actor, recordOf("a"), 1);
    assert.deepEqual(
      actors.map(({ commands }) => commands.length),
      [0, 0, 1, 1, 1],
    );
  });

  it("stay with a terminal that is being worked on", () => {
    const commandCache = createCommandCache(2);
    const working = actorOf("T1");
    working.running = true;
    commandCache.keep(working, recordOf("a"), 1);
    const others = Array.from({ length: 20 }, (_, index) => actorOf(`U${index}`));
    for (const actor of others) commandCache.keep(actor, recordOf("b"), 1);
    assert.equal(commandCache.find(working, "a")?.version, 1);
    assert.ok(others.filter(({ commands }) => commands.length > 0).length <= 4);
    working.running = false;
    for (const actor of others) commandCache.keep(actor, recordOf("c"), 1);
    for (const actor of Array.from({ length: 4 }, (_, index) => actorOf(`V${index}`))) commandCache.keep(actor, recordOf("d"), 1);
    assert.equal(commandCache.find(working, "a"), null);
  });
});

it("a command that is no longer at hand is refused a second time and sent once, as any other", async () => {
  const { shard, clock } = await openWorld();
  await shard.terminals.accept(command({ clock }, "first", { terminalId: "T0" }));
  for (let index = 1; index <= 6_000; index += 1) {
    await shard.terminals.accept(command({ clock }, `other-${index}`, { terminalId: `T${index}` }));
  }
  assert.equal((await shard.terminals.accept(command({ clock }, "first", { terminalId: "T0" }))).type, "duplicate");
  assert.equal(await pollUuid(shard, "T0"), "first");
  assert.equal(await shard.terminals.poll("T0", {}), null);
});
