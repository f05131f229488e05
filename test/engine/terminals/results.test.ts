import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { command, openSocket, openWorld, pollUuid, posting, settle, stateOf, tableRows, type World } from "../world.ts";

async function sentWorld(): Promise<World> {
  const world = await openWorld();
  openSocket(world.shard, "s1");
  await world.shard.terminals.accept(command(world, "a"));
  return world;
}

async function attentionIn(world: World): Promise<string[]> {
  const items = await world.shard.terminals.attention({ after: "", limit: 100 });
  return items.map(({ item }) => `${item.kind} ${item.uuid}`);
}

describe("a terminal's result", () => {
  it("ends its command, with one row for its life and the transaction in the same commit", async () => {
    const world = await sentWorld();
    const before = world.kv.commits;
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    assert.equal(world.kv.commits - before, 1);
    const view = await world.shard.terminals.command("a", 0);
    assert.deepEqual([view?.state, view?.transaction?.status, view?.transaction?.amountCents], ["done", "OK", 1_050]);
    const [row, ...others] = await world.rows();
    assert.ok(row?.type === "transaction" && others.length === 0);
    assert.equal(row.version, rowVersion("done", 1));
    const { acceptedAtMs, service } = command(world, "a");
    const sentAtMs = view?.sentAtMs ?? null;
    assert.deepEqual(row.life, {
      ...{ service, amountCents: 1_050, state: "done", acceptedAtMs, sentAtMs, finishedAtMs: world.clock.nowMs() },
      ...{ channel: "websocket", attempt: 1 },
    });
    assert.deepEqual(await attentionIn(world), []);
  });

  it("is acknowledged again when it comes again, and changes nothing", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a", { timestamp: "2026-01-01T00:00:00Z" }));
    const before = world.kv.commits;
    world.clock.advance(5_000);
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a", { timestamp: "2026-01-01T00:00:05Z" })), { type: "repeated" });
    assert.equal(world.kv.commits, before);
  });

  it("that was stored with half of a character, before those were replaced, is the same when it comes again", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a", { message: "ok \ud83d" }));
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a", { message: "ok \ufffd" })), { type: "repeated" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a", { message: "ok" })), { type: "conflict" });
  });

  it("that differs from the first is kept as a conflict and never overwrites", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a"));
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a", { result: "KO" })), { type: "conflict" });
    assert.equal((await world.shard.terminals.command("a", 0))?.transaction?.status, "OK");
    const conflicts = (await world.rows()).filter((row) => row.type === "conflict");
    assert.deepEqual(
      conflicts.map(({ uuid, terminalId, postedBy }) => [uuid, terminalId, postedBy]),
      [["a", "T1", "T1"]],
    );
    assert.deepEqual(await attentionIn(world), ["conflict a"]);
  });

  it("for another terminal's uuid is a conflict and leaves the command as it was", async () => {
    const world = await sentWorld();
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a", {}, "T2")), { type: "conflict" });
    assert.equal(await stateOf(world.shard, "a"), "sent");
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
  });

  it("that nobody asked for is kept as unsolicited, and its uuid is then taken", async () => {
    const world = await openWorld();
    assert.deepEqual(await world.shard.terminals.recordResult(posting("z")), { type: "recorded" });
    assert.deepEqual(await world.shard.terminals.recordResult(posting("z")), { type: "repeated" });
    assert.deepEqual(await world.shard.terminals.accept(command(world, "z")), { type: "duplicate", state: "done", sender: "" });
    assert.equal((await world.shard.terminals.latest("T1", null, 0))?.uuid, "z");
    const [row] = await world.rows();
    assert.ok(row?.type === "transaction" && row.unsolicited && row.kind === null);
    assert.deepEqual(await attentionIn(world), ["unsolicited z"]);
  });

  it("with another amount than its command's is kept as it is and flagged", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a", { amount: 2_000 }));
    const view = await world.shard.terminals.command("a", 0);
    assert.deepEqual([view?.amountDiffers, view?.transaction?.amountCents], [true, 2_000]);
    assert.deepEqual(await attentionIn(world), ["amount_differs a"]);
  });

  it("that comes late wins over unknown, and operators need not look any more", async () => {
    const world = await sentWorld();
    await world.pass(300_200);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    assert.deepEqual(await attentionIn(world), ["unknown a"]);
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal(await stateOf(world.shard, "a"), "done");
    assert.deepEqual(await attentionIn(world), []);
    const versions = tableRows(await world.rows()).map((row) => (row.type === "conflict" ? null : [row.type, row.version]));
    assert.deepEqual(versions, [
      ["life", rowVersion("unknown", 1)],
      ["transaction", rowVersion("done", 2)],
      ["life", rowVersion("done", 2)],
    ]);
  });

  it("that comes late wins over expired, which operators are told", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    await world.pass(60_200);
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal(await stateOf(world.shard, "a"), "done");
    assert.deepEqual(await attentionIn(world), ["late a"]);
  });

  it("of a command that waits ends it, and it is not handed out any more", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal(await pollUuid(world.shard), null);
  });

  it("is stored once of many postings at once", async () => {
    const world = await sentWorld();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.shard.terminals.recordResult(posting("a"))));
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["recorded", ...Array.from({ length: 19 }, () => "repeated")]);
    assert.equal((await world.rows()).length, 1);
  });

  it("is kept when it could not be read, for operators", async () => {
    const world = await openWorld();
    await world.shard.terminals.recordUnreadable({ terminalId: "T1", uuid: "a", reason: "no outcome", raw: "{}" });
    assert.deepEqual(await attentionIn(world), ["unreadable a"]);
  });
});

describe("the status of a terminal", () => {
  it("speaks of the latest command, and never gives an older OK for it", async () => {
    const world = await sentWorld();
    const { latest, accept, recordResult } = world.shard.terminals;
    const shown = async (sender: string | null = null) => {
      const view = await latest("T1", sender, 0);
      return view === null ? null : [view.uuid, view.transaction?.status ?? null];
    };
    assert.deepEqual(await shown(), ["a", null]);
    await recordResult(posting("a"));
    assert.deepEqual(await shown(), ["a", "OK"]);
    await accept(command(world, "b", { sender: "partner:2" }));
    assert.deepEqual(await shown(), ["b", null]);
    assert.deepEqual(await shown("partner:1"), ["a", "OK"]);
    assert.equal(await shown("partner:3"), null);
    await recordResult(posting("z"));
    assert.deepEqual(await shown(), ["b", null], "an unasked result does not pass for the answer");
    await world.pass(300_200);
    assert.deepEqual(await shown(), ["b", null], "unknown: still no answer");
    await recordResult(posting("b", { result: "KO" }));
    assert.deepEqual(await shown(), ["b", "KO"]);
    await recordResult(posting("y"));
    assert.deepEqual(await shown(), ["y", "OK"], "without a newer command: the last transaction");
    assert.equal(await latest("T9", null, 0), null);
  });

  it("stays without an answer when the latest command expired", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a"));
    world.shard.sessions.close("T1", "s1");
    await world.shard.terminals.accept(command(world, "b"));
    await world.pass(60_200);
    const view = await world.shard.terminals.latest("T1", null, 0);
    assert.deepEqual([view?.uuid, view?.state, view?.transaction], ["b", "expired", null]);
  });
});

describe("waiting for a result", () => {
  it("ends the moment it is stored, by uuid and by status", async () => {
    const world = await sentWorld();
    const waiting = Promise.all([world.shard.terminals.command("a", 30_000), world.shard.terminals.latest("T1", "partner:1", 30_000)]);
    await settle();
    assert.equal(world.shard.home.counts().waiters, 2);
    await world.shard.terminals.recordResult(posting("a"));
    const [byUuid, byStatus] = await waiting;
    assert.deepEqual([byUuid?.transaction?.status, byStatus?.transaction?.status], ["OK", "OK"]);
    assert.equal(world.shard.home.counts().waiters, 0);
  });

  it("ends when the command ends without one", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    const waiting = world.shard.terminals.command("a", 30_000);
    await settle();
    await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c" });
    assert.equal((await waiting)?.state, "cancelled");
  });

  it("goes on through unknown, because a late result may come", async () => {
    const world = await sentWorld();
    await world.pass(290_000);
    const waiting = world.shard.terminals.command("a", 30_000);
    await settle();
    await world.pass(12_000);
    assert.equal(await stateOf(world.shard, "a"), "unknown");
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal((await waiting)?.state, "done");
  });

  it("ends at its deadline with the state as it is then", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    const waiting = world.shard.terminals.command("a", 10_000);
    await settle();
    await pollUuid(world.shard);
    await world.pass(10_000);
    assert.equal((await waiting)?.state, "sent");
  });

  it("is answered at once where there is a result already, and leaves nothing behind", async () => {
    const world = await sentWorld();
    await world.shard.terminals.recordResult(posting("a"));
    assert.equal((await world.shard.terminals.latest("T1", null, 30_000))?.state, "done");
    assert.equal((await world.shard.terminals.command("a", 30_000))?.state, "done");
    assert.equal(await world.shard.terminals.command("never", 30_000), null);
    assert.equal(world.shard.home.counts().waiters, 0);
  });
});

describe("a home that does not know what was sent elsewhere", () => {
  /**
   * Two homes of the same terminal, as when the membership of one has just expired and it does not know it. The first knows the terminal as it was
   * before `a` was sent.
   */
  async function twoHomes(): Promise<{ stale: World; current: World }> {
    const stale = await openWorld({ isStoreShared: true });
    await pollUuid(stale.shard);
    // It keeps the actor in memory.
    await stale.shard.home.rearm("T1");
    const current = await openWorld({ kv: stale.kv, clock: stale.clock, isStoreShared: true });
    await current.shard.terminals.accept(command(current, "a"));
    assert.equal(await pollUuid(current.shard), "a");
    return { stale, current };
  }

  it("stores a result with the life that its command had, and nothing is shown as unknown later", async () => {
    const { stale, current } = await twoHomes();
    current.clock.advance(500);
    assert.deepEqual(await stale.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    const view = await stale.shard.terminals.command("a", 0);
    assert.deepEqual([view?.state, view?.attempts, view?.channel], ["done", 1, "poll"]);
    assert.ok(view?.sentAtMs !== null, "it is known when it was sent");
    await current.pass(600_000);
    await stale.pass(600_000);
    for (const { shard } of [stale, current]) assert.equal(await stateOf(shard, "a"), "done");
    assert.deepEqual(await attentionIn(current), []);
    const lives = tableRows(await current.rows()).flatMap((row) =>
      row.type === "life" ? [`${row.uuid} ${row.state} ${row.attempt}`] : [],
    );
    assert.deepEqual(lives, ["a done 1"]);
    assert.deepEqual(
      [...stale.shard.finished, ...current.shard.finished].map(({ state }) => state),
      ["done"],
    );
  });

  it("whose clock is behind tells no life whose times run backwards", async () => {
    const ahead = await openWorld({ isStoreShared: true });
    const behind = await openWorld({ kv: ahead.kv, isStoreShared: true });
    behind.clock.advance(-5_000);
    await ahead.shard.terminals.accept(command(ahead, "a"));
    await ahead.shard.terminals.accept(command(ahead, "b"));
    const acceptedAtMs = ahead.clock.nowMs();
    await behind.shard.home.rearm("T1");
    assert.equal(await pollUuid(behind.shard), "a");
    const sent = await behind.shard.terminals.command("a", 0);
    assert.deepEqual([sent?.state, sent?.sentAtMs], ["sent", acceptedAtMs]);
    await behind.shard.terminals.recordResult(posting("a"));
    await behind.shard.terminals.cancel({ uuid: "b", cancelUuid: "x" });
    const lives = tableRows(await behind.rows()).flatMap((row) => (row.type === "life" ? [row] : []));
    assert.deepEqual(
      lives.map((life) => [life.uuid, life.state, life.acceptedAtMs, life.sentAtMs, life.finishedAtMs]),
      [
        ["a", "done", acceptedAtMs, acceptedAtMs, acceptedAtMs],
        ["b", "cancelled", acceptedAtMs, null, acceptedAtMs],
      ],
    );
  });

  it("shows what the other one has stored, by uuid and by status", async () => {
    const { stale } = await twoHomes();
    assert.equal(await stateOf(stale.shard, "a"), "sent");
    for (const sender of [null, "partner:1"]) assert.equal((await stale.shard.terminals.latest("T1", sender, 0))?.uuid, "a");
  });

  it("cancels by what the other home knows", async () => {
    const { stale } = await twoHomes();
    assert.deepEqual(await stale.shard.terminals.cancel({ uuid: "a", cancelUuid: "x" }), { type: "requested", cancelUuid: "x" });
    assert.equal(await stateOf(stale.shard, "a"), "sent");
  });

  it("leaves a command ended that has its result, whatever its terminal's record still says", async () => {
    const world = await openWorld();
    await world.shard.terminals.accept(command(world, "a"));
    assert.equal(await pollUuid(world.shard), "a");
    // As earlier versions stored it: the result without the terminal's record, where the command still counts as sent.
    const entry = await world.kv.get("t/T1");
    assert.deepEqual(await world.shard.terminals.recordResult(posting("a")), { type: "recorded" });
    await world.kv.commit({
      checks: [],
      operations: [
        { type: "put", key: "t/T1", value: entry?.value ?? "" },
        { type: "put", key: "q/T1", value: "0" },
      ],
    });
    const after = await world.restart();
    const before = after.shard.finished.length;
    await after.pass(600_000);
    assert.equal(await stateOf(after.shard, "a"), "done");
    assert.deepEqual(await attentionIn(after), []);
    assert.equal(after.shard.finished.length, before, "no metric counts it again");
    assert.equal((await after.rows()).length, 1);
    assert.equal(await after.kv.get("q/T1"), null, "nothing is awaited any more");
  });
});
