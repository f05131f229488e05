import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { QUEUED_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import { command, openSocket, openWorld, pollUuid, posting, stateOf, type World } from "../world.ts";

/** A payment `a` that was sent, and the CANCEL `c` for it, sent too. */
async function askedWorld(): Promise<World> {
  const world = await openWorld();
  openSocket(world.shard, "s1");
  await world.shard.terminals.accept(command(world, "a"));
  assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" }), { type: "requested", cancelUuid: "c" });
  return world;
}

describe("cancelling a command", () => {
  it("is final at once while it waits", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" }), { type: "cancelled" });
    assert.equal(await pollUuid(world.shard), null);
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" }), { type: "too_late", state: "cancelled" });
    assert.equal(await world.shard.terminals.command("c", 0), null, "no CANCEL was needed");
    const view = await world.shard.terminals.latest("T1", null, 0);
    assert.deepEqual([view?.uuid, view?.transaction], ["a", null]);
  });

  it("or a poll wins, never both", async () => {
    for (const order of ["cancel first", "poll first"]) {
      const world = await openWorld();
      await world.shard.terminals.accept(command(world, "a"));
      const cancel = () => world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" });
      const poll = () => pollUuid(world.shard);
      if (order === "cancel first") {
        const [outcome, uuid] = await Promise.all([cancel(), poll()]);
        assert.ok((outcome.type === "cancelled" && uuid === null) || (outcome.type === "requested" && uuid === "a"));
      } else {
        const [uuid, outcome] = await Promise.all([poll(), cancel()]);
        assert.ok((outcome.type === "cancelled" && uuid === null) || (outcome.type === "requested" && uuid === "a"));
      }
    }
  });

  it("sends a CANCEL to the terminal once it was sent, and shows that it was asked for", async () => {
    const world = await openWorld();
    const socket = openSocket(world.shard, "s1");
    await world.shard.terminals.accept(command(world, "a"));
    await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" });
    const { uuid, service, amount, terminalId, cancels } = JSON.parse(socket.texts[1] ?? "");
    assert.deepEqual(
      { uuid, service, amount, terminalId, cancels },
      { uuid: "c", service: "CANCEL", amount: 0, terminalId: "T1", cancels: "a" },
    );
    const view = await world.shard.terminals.command("a", 0);
    assert.deepEqual([view?.state, view?.cancelRequested], ["sent", true]);
    assert.equal((await world.shard.terminals.latest("T1", null, 0))?.uuid, "a", "a CANCEL is not the latest command");
  });

  it("asked again while the terminal has not answered is the same CANCEL", async () => {
    const world = await askedWorld();
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c2" }), { type: "requested", cancelUuid: "c" });
    assert.equal(await world.shard.terminals.command("c2", 0), null);
  });

  it("is final when the terminal says OK", async () => {
    const world = await askedWorld();
    await world.shard.terminals.recordResult(posting("c"));
    assert.equal(await stateOf(world.shard, "a"), "cancelled");
    assert.equal(await stateOf(world.shard, "c"), "done");
  });

  it("that the terminal refuses leaves the command as it was, and may be asked again", async () => {
    const world = await askedWorld();
    await world.shard.terminals.recordResult(posting("c", { result: "KO" }));
    const view = await world.shard.terminals.command("a", 0);
    assert.equal(view?.state, "sent");
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c2" }), { type: "requested", cancelUuid: "c2" });
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal(await stateOf(world.shard, "a"), "done");
  });

  it("gives way to a result that comes all the same, before or after the terminal's OK", async () => {
    for (const order of [
      ["a", "c"],
      ["c", "a"],
    ]) {
      const world = await askedWorld();
      for (const uuid of order) await world.shard.terminals.recordResult(posting(uuid));
      const view = await world.shard.terminals.command("a", 0);
      assert.deepEqual([view?.state, view?.transaction?.status], ["done", "OK"], order.join());
    }
  });

  it("holds when the OK comes after the command has become unknown, and operators need not look any more", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1");
    await world.shard.terminals.accept(command(world, "a"));
    await world.pass(250_000);
    world.shard.sessions.active("T1", "s1");
    await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" });
    await world.pass(50_200);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    await world.shard.terminals.recordResult(posting("c"));
    assert.equal(await stateOf(world.shard, "a"), "cancelled");
    assert.deepEqual(await world.shard.terminals.attention({ after: "", limit: 10 }), []);
  });

  it("holds when the OK comes after the CANCEL itself has become unknown", async () => {
    const world = await askedWorld();
    await world.pass(60_200);
    assert.deepEqual([await stateOf(world.shard, "a"), await stateOf(world.shard, "c")], ["sent", "unknown"]);
    await world.shard.terminals.recordResult(posting("c"));
    assert.deepEqual([await stateOf(world.shard, "a"), await stateOf(world.shard, "c")], ["cancelled", "done"]);
  });

  it("comes too late after the end, and a CANCEL is not itself cancelled", async () => {
    const world = await askedWorld();
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "c", cancelUuid: "d" }), { type: "too_late", state: "sent" });
    await world.shard.terminals.recordResult(posting("a"));
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "d" }), { type: "too_late", state: "done" });
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "never", cancelUuid: "d" }), { type: "not_found" });
    await world.shard.terminals.recordResult(posting("unsolicited"));
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "unsolicited", cancelUuid: "d" }), { type: "not_found" });
  });

  it("is refused when the CANCEL finds no place in the queue, and changes nothing", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    await pollUuid(world.shard);
    for (let index = 0; index < QUEUED_OF_SENDER_MAX; index += 1) await world.shard.terminals.accept(command(world, `q${index}`));
    await assert.rejects(world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" }), {
      code: "terminal_queue_full",
      retryAfterSeconds: 60,
    });
    assert.equal((await world.shard.terminals.command("a", 0))?.cancelRequested, false);
  });

  it("takes a place of those whom only rule ANY admits where the command is of such a one", async () => {
    const world = await openWorld();
    const byAny = { sender: "partner:1", byAny: true } as const;
    await world.shard.terminals.accept(command(world, "a", byAny));
    await world.shard.terminals.accept(command(world, "b", byAny));
    assert.deepEqual([await pollUuid(world.shard), await pollUuid(world.shard)], ["a", "b"]);
    assert.equal((await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" })).type, "requested");
    for (let index = 1; index < QUEUED_OF_SENDER_MAX; index += 1)
      await world.shard.terminals.accept(command(world, `q${index}`, { sender: "partner:2", byAny: true }));
    await assert.rejects(world.shard.terminals.cancel({ uuid: "b", cancelUuid: "d" }), { code: "terminal_queue_full" });
  });

  it("asks the terminal about a command that came back by NACK, and does not send it again", async () => {
    const world = await openWorld();
    openSocket(world.shard, "s1", { acknowledges: true });
    await world.shard.terminals.accept(command(world, "a"));
    world.shard.sessions.refuse("T1", "s1", ["a"]);
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" }), { type: "requested", cancelUuid: "c" });
    assert.equal(await stateOf(world.shard, "a"), "sent");
    await world.pass(2_000);
    assert.equal(await stateOf(world.shard, "a"), "sent");
    await world.shard.terminals.recordResult(posting("c"));
    assert.equal(await stateOf(world.shard, "a"), "cancelled");
  });
});
