import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { hashOf } from "../../../engine/kernel/hash.ts";
import { WAITERS_MAX } from "../../../engine/kernel/limits.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import type { TerminalView } from "../../../engine/terminals/terminals.ts";
import {
  command,
  openSocket,
  openWorld,
  pollUuid,
  posting,
  Socket,
  session,
  settle,
  stateOf,
  type TestShard,
  type World,
} from "../world.ts";

interface TwoShards {
  world: World;
  /** The shard that is home to `terminalId`, and the one that is not. */
  home: TestShard;
  other: TestShard;
  terminalId: string;
}

async function twoShards(): Promise<TwoShards> {
  const world = await openWorld({ shards: 2 });
  const terminalId = "T1";
  const home = world.shards[hashOf(terminalId) % 2];
  const other = world.shards[(hashOf(terminalId) + 1) % 2];
  assert.ok(home !== undefined && other !== undefined);
  return { world, home, other, terminalId };
}

describe("a shard that has left", () => {
  it("has its sessions forgotten, so that what comes next waits instead of going into the void", async () => {
    const { world, home, other } = await twoShards();
    const socket = openSocket(other, "s1");
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 1);
    home.homes.update([home.bus.self]);
    assert.equal((await home.terminals.view("T1")).sessions, 1, "it drains, and its sockets are still there");
    home.home.leave([other.bus.self]);
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 0);
    assert.equal(await stateOf(home, "a"), "queued");
    assert.deepEqual(socket.uuids, []);
    assert.equal(await pollUuid(home), "a");
  });

  it("is not believed what it told before, and only now comes, until it is back", async () => {
    const { world, home, other } = await twoShards();
    home.homes.update([home.bus.self]);
    home.home.leave([other.bus.self]);
    const socket = openSocket(other, "s1");
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 0);
    await home.terminals.accept(command(world, "a"));
    assert.deepEqual([socket.uuids, await pollUuid(home)], [[], "a"]);
    home.homes.update([home.bus.self, other.bus.self]);
    await world.pass(2_100);
    await home.terminals.accept(command(world, "b"));
    await settle();
    assert.deepEqual(socket.uuids, ["b"]);
  });

  it("leaves a poll that was asked of it to the terminal's new home", async () => {
    const { world, home, other } = await twoShards();
    await other.terminals.accept(command(world, "a"));
    other.bus.hanging.set("terminal.poll", () => {});
    const polled = pollUuid(other);
    await settle();
    other.homes.update([other.bus.self]);
    other.bus.hanging.get("terminal.poll")?.();
    assert.equal(await polled, "a");
    assert.equal(await pollUuid(home), null, "it was handed out once");
  });
});

describe("a look-up that waits", () => {
  it("asks the terminal's new home as soon as there is one, wherever it was asked and wherever it waited", async () => {
    for (const asker of ["home", "other"] as const) {
      const world = await twoShards();
      const { home, other } = world;
      await home.terminals.accept(command(world.world, "a"));
      const waiting = [world[asker].terminals.command("a", 30_000), world[asker].terminals.latest("T1", "partner:1", 30_000)];
      await settle();
      assert.equal(home.home.counts().waiters, 2);
      // The former home drains.
      for (const shard of [home, other]) shard.homes.update([other.bus.self]);
      await settle();
      assert.equal(await pollUuid(other), "a");
      await other.terminals.recordResult(posting("a"));
      const views = await Promise.all(waiting);
      assert.deepEqual(
        views.map((view) => view?.transaction?.status),
        ["OK", "OK"],
        `asked at ${asker}, without any time`,
      );
    }
  });

  it("leaves its place at the home as soon as its asker has gone, wherever it was asked", async () => {
    for (const asker of ["home", "other"] as const) {
      const world = await twoShards();
      const { home } = world;
      await home.terminals.accept(command(world.world, "a"));
      const leaving = new AbortController();
      const { terminals } = world[asker];
      const waiting = [
        terminals.command("a", 30_000, undefined, leaving.signal),
        terminals.latest("T1", "partner:1", 30_000, leaving.signal),
      ];
      await settle();
      assert.equal(home.home.counts().waiters, 2);
      const reason = new RelayError("request_timeout", "gone");
      leaving.abort(reason);
      for (const answer of waiting) await assert.rejects(answer, reason);
      await settle();
      assert.equal(home.home.counts().waiters, 0, `asked at ${asker}`);
      assert.equal(await stateOf(home, "a"), "queued", "nothing has happened to the command");
    }
  });

  it("waits on after its terminal has come back to a home, and not for longer than it was to", async () => {
    const { world, home, other } = await twoShards();
    await home.terminals.accept(command(world, "a"));
    let found: string | null = null;
    const waiting = other.terminals.command("a", 10_000).then((view) => {
      found = view?.state ?? null;
    });
    await settle();
    for (const shards of [[other.bus.self], [home.bus.self, other.bus.self].sort()]) {
      for (const shard of [home, other]) shard.homes.update(shards);
      await settle();
    }
    for (let passed = 0; passed < 9_500; passed += 500) await world.pass(500);
    assert.equal(found, null, "it still waits");
    for (let passed = 0; passed < 1_000; passed += 100) await world.pass(100);
    assert.equal(found, "queued");
    await waiting;
  });

  it("is answered at once where too many wait at the terminal's home, and does not ask it over and over", async () => {
    const { world, home, other } = await twoShards();
    await home.terminals.accept(command(world, "a"));
    const full: Promise<unknown>[] = [];
    while (full.length < WAITERS_MAX) {
      // As many as one terminal takes at once, of many.
      for (let index = 0; index < 1_000; index += 1) full.push(home.home.command(`W${index}`, "b", 30_000));
      await settle();
    }
    assert.equal(home.home.counts().waiters, WAITERS_MAX);
    for (const shard of [home, other]) assert.equal((await shard.terminals.command("a", 30_000))?.state, "queued");
    await world.pass(31_000);
    await Promise.all(full);
    assert.equal(home.home.counts().waiters, 0);
  });
});

describe("a new home of a terminal", () => {
  const REDELIVERING = { acknowledges: true, redeliver: true };

  it("takes no session for gone before all shards have told of theirs", async () => {
    const world = await openWorld({ shards: 3 });
    const [first, second, third] = world.shards;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    const [before, after] = [[first, second], world.shards].map((members) => members.map(({ bus }) => bus.self));
    assert.ok(before !== undefined && after !== undefined);
    const homes = { before: createRendezvousHomes(before), after: createRendezvousHomes(after) };
    const terminalId = Array.from({ length: 1_000 }, (_, index) => `T${index}`).find(
      (id) => homes.before.homeOf(id) === first.bus.self && homes.after.homeOf(id) === third.bus.self,
    );
    assert.ok(terminalId !== undefined);
    for (const shard of world.shards) shard.homes.update(before);
    const holder = openSocket(second, "s1", { terminalId, ...REDELIVERING });
    await settle();
    for (const uuid of ["a", "b"]) await first.terminals.accept(command(world, uuid, { terminalId }));
    await settle();
    assert.deepEqual(holder.uuids, ["a", "b"]);

    // The third one becomes the home, and the second one cannot tell it of its session.
    second.bus.cut.add("session.open");
    for (const shard of world.shards) shard.homes.update(after);
    const other = openSocket(third, "s2", { terminalId, ...REDELIVERING });
    await world.pass(1_000);
    assert.deepEqual(other.uuids, [], "the first session may have them yet");
    second.bus.cut.clear();
    await world.pass(5_000);
    assert.equal((await third.terminals.view(terminalId)).sessions, 2);
    second.sessions.acknowledge(terminalId, "s1", ["a"]);
    await settle();
    second.sessions.close(terminalId, "s1");
    await settle();
    assert.deepEqual(other.uuids, ["b"]);
    assert.equal(await stateOf(third, "a"), "sent");
  });

  it("shows a terminal that is there as it was shown before, from the first moment on, whichever shard is asked", async () => {
    const world = await openWorld({ shards: 3 });
    const [first, second, third] = world.shards;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    const [before, after] = [[first, second], world.shards].map((members) => members.map(({ bus }) => bus.self));
    assert.ok(before !== undefined && after !== undefined);
    const homes = { before: createRendezvousHomes(before), after: createRendezvousHomes(after) };
    const terminalId = Array.from({ length: 1_000 }, (_, index) => `T${index}`).find(
      (id) => homes.before.homeOf(id) === first.bus.self && homes.after.homeOf(id) === third.bus.self,
    );
    assert.ok(terminalId !== undefined);
    for (const shard of world.shards) shard.homes.update(before);
    openSocket(second, "s1", { terminalId });
    await world.pass(5_000);
    second.sessions.active(terminalId, "s1");
    await world.pass(30_000);
    const shown = await second.terminals.connection(terminalId);
    assert.deepEqual([shown.connectionStatus, shown.sessions], ["ONLINE", 1]);
    // The others see the new home later than the former one does, or than it does itself; the third one is not told of the session yet.
    second.bus.cut.add("session.open");
    const [early, late, last] = [third, first, second];
    for (const shard of [early, late]) shard.homes.update(after);
    const asked = [first, second, third].map((shard) => shard.terminals.connection(terminalId));
    await settle();
    second.bus.cut.clear();
    last.homes.update(after);
    await settle();
    asked.push(...world.shards.map((shard) => shard.terminals.connection(terminalId)));
    for (const view of await Promise.all(asked)) assert.deepEqual(view, shown);
  });

  it("says that nobody is there when nobody has told of a session for a second", async () => {
    const { world, home, other } = await twoShards();
    other.bus.cut.add("session.again");
    home.bus.cut.add("session.again");
    await home.membershipExpired();
    let answered = false;
    const asked = home.terminals.connection("T1").then((view) => {
      answered = true;
      return view;
    });
    await world.pass(900);
    assert.equal(answered, false);
    await world.pass(200);
    assert.equal((await asked).connectionStatus, "NEVER_CONNECTED");
  });

  it("gives what a session had that is gone to the next one that remembers uuids", async () => {
    const { world, home, other } = await twoShards();
    const first = openSocket(home, "s1", REDELIVERING);
    await home.terminals.accept(command(world, "a"));
    assert.deepEqual(first.uuids, ["a"]);
    // Its shard has gone, and the other one is home now.
    other.homes.update([other.bus.self]);
    await world.pass(100);
    assert.equal(await pollUuid(other), null);
    assert.equal(await stateOf(other, "a"), "sent");
    const second = openSocket(other, "s2", REDELIVERING);
    await settle();
    assert.deepEqual(second.uuids, ["a"]);
  });

  /** `a` is with a session of a node that has joined again, and that `stale` still takes for gone. */
  async function joinedAgain(lookAtMembers: (stale: TestShard, joined: TestShard) => Promise<unknown>) {
    let look = async (): Promise<unknown> => undefined;
    const world = await openWorld({ shards: 2, isStoreShared: true, lookAtMembers: () => look() });
    const joined = world.shards[hashOf("T1") % 2];
    const stale = world.shards[(hashOf("T1") + 1) % 2];
    assert.ok(joined !== undefined && stale !== undefined);
    look = () => lookAtMembers(stale, joined);
    stale.homes.update([stale.bus.self]);
    stale.home.leave([joined.bus.self]);
    const socket = openSocket(joined, "s1", REDELIVERING);
    await joined.terminals.accept(command(world, "a"));
    await settle();
    assert.deepEqual(socket.uuids, ["a"]);
    return { world, stale, joined, socket };
  }

  it("takes no session for gone of a node that joined before it could see that", async () => {
    const { world, stale, joined, socket } = await joinedAgain(async (stale, joined) =>
      stale.homes.update([joined.bus.self, stale.bus.self].sort()),
    );
    await stale.home.accept(command(world, "b"));
    await settle();
    await world.pass(5_000);
    await joined.terminals.accept(command(world, "c"));
    await settle();
    assert.deepEqual(socket.uuids, ["a", "b", "c"]);
  });

  it("asks who the members are until somebody says it, and gives what a session had that is gone to the next one", async () => {
    let looks = 0;
    const { world, stale, socket } = await joinedAgain(async () => {
      looks += 1;
      if (looks <= 3) throw new RelayError("unavailable", "away");
    });
    const next = openSocket(stale, "s2", REDELIVERING);
    await settle();
    assert.deepEqual([looks, next.uuids], [1, []]);
    for (let second = 0; second < 4; second += 1) await world.pass(1_000);
    assert.deepEqual([looks, next.uuids, socket.uuids], [4, ["a"], ["a"]]);
  });

  it("asks a shard again that sees other homes yet", async () => {
    const { world, home, other } = await twoShards();
    openSocket(other, "s1", { terminalId: "T1" });
    other.homes.update([other.bus.self]);
    home.homes.update([other.bus.self, home.bus.self, "shard-9"]);
    await world.pass(1_000);
    home.homes.update([other.bus.self, home.bus.self]);
    other.homes.update([other.bus.self, home.bus.self]);
    await world.pass(1_000);
    assert.equal((await home.terminals.view("T1")).sessions, 1);
  });
});

describe("a shard whose membership had expired", () => {
  it("is told again of the sessions at other shards, which it has forgotten", async () => {
    const { world, home, other } = await twoShards();
    const sockets = [openSocket(other, "s1"), openSocket(home, "s2")];
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 2);
    await home.membershipExpired();
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 2);
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.deepEqual(
      sockets.flatMap(({ uuids }) => uuids),
      ["a"],
    );
  });

  it("takes no session for gone that it has forgotten, while it may not see all other shards yet", async () => {
    const { world, home, other } = await twoShards();
    const declared = { acknowledges: true, redeliver: true };
    const socket = openSocket(other, "s1", declared);
    await settle();
    await home.terminals.accept(command(world, "a"));
    await settle();
    // It has slept, wakes, and sees nobody but itself for a moment; then the other one again.
    home.homes.update([home.bus.self]);
    await home.membershipExpired();
    const second = openSocket(home, "s2", declared);
    await world.pass(1_000);
    home.homes.update([home.bus.self, other.bus.self]);
    await world.pass(20_000);
    assert.deepEqual([socket.uuids, second.uuids], [["a"], []]);
    other.sessions.close("T1", "s1");
    await settle();
    assert.deepEqual(second.uuids, ["a"]);
  });

  /** It waits for a moment, where others may have sessions that they have not told of. */
  async function askedFor(world: World, home: TestShard): Promise<TerminalView> {
    const asked = home.terminals.connection("T1");
    await world.pass(1_100);
    return asked;
  }

  it("asks until it is heard, and asks also those that it sees as members only afterwards", async () => {
    const { world, home, other } = await twoShards();
    openSocket(other, "s1");
    await settle();
    home.bus.cut.add("session.again");
    await home.membershipExpired();
    await settle();
    assert.equal((await askedFor(world, home)).sessions, 0);
    home.bus.cut.clear();
    await world.pass(2_100);
    assert.equal((await home.terminals.view("T1")).sessions, 1);

    home.homes.update([home.bus.self]);
    await home.membershipExpired();
    await world.pass(3_000);
    assert.equal((await askedFor(world, home)).sessions, 0);
    home.homes.update([home.bus.self, other.bus.self]);
    await world.pass(100);
    assert.equal((await home.terminals.view("T1")).sessions, 1);
  });
});

describe("two shards", () => {
  it("answer alike whichever is asked", async () => {
    const { world, home, other } = await twoShards();
    assert.deepEqual(await other.terminals.accept(command(world, "a")), { type: "accepted", state: "queued", neverSeen: true });
    assert.deepEqual(await home.terminals.accept(command(world, "a")), { type: "duplicate", state: "queued", sender: "partner:1" });
    assert.equal(await pollUuid(other), "a");
    assert.equal(other.terminals.poll("T1", {}), null, "answered at once, without asking");
    const waiting = other.terminals.command("a", 30_000);
    await settle();
    assert.deepEqual(await other.terminals.recordResult(posting("a")), { type: "recorded" });
    assert.equal((await waiting)?.state, "done");
    assert.equal((await other.terminals.latest("T1", null, 0))?.uuid, "a");
    assert.equal(home.home.counts().actors, 1);
    assert.equal(other.home.counts().actors, 0);
  });

  it("push to a session that is not on the terminal's home", async () => {
    const { world, home, other } = await twoShards();
    const socket = openSocket(other, "s1", { acknowledges: true });
    await settle();
    await home.terminals.accept(command(world, "a"));
    await other.terminals.accept(command(world, "b"));
    await settle();
    assert.deepEqual(socket.uuids, ["a", "b"]);
    other.sessions.acknowledge("T1", "s1", ["a"]);
    other.sessions.refuse("T1", "s1", ["b"]);
    await settle();
    assert.deepEqual([await stateOf(other, "a"), await stateOf(other, "b")], ["sent", "queued"]);
    await world.pass(1_100);
    assert.deepEqual(socket.uuids, ["a", "b", "b"]);
    other.sessions.close("T1", "s1");
    await settle();
    assert.equal((await home.terminals.view("T1")).sessions, 0);
  });

  it("put back what a session on the other shard certainly did not get", async () => {
    const { world, home, other } = await twoShards();
    const socket = openSocket(other, "s1");
    socket.writable = false;
    await settle();
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.equal(await pollUuid(other), "a");
    assert.equal(await pollUuid(home), null);
  });

  it("put back what was to go to a session that has ended without its home having heard", async () => {
    const { world, home, other } = await twoShards();
    openSocket(other, "s1");
    await settle();
    other.bus.cut.add("session.close");
    other.sessions.close("T1", "s1");
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.equal(await stateOf(home, "a"), "queued");
    assert.equal((await home.terminals.view("T1")).sessions, 0);
  });

  it("send nothing again when it is not known whether the other shard wrote it", async () => {
    const { world, home, other } = await twoShards();
    openSocket(other, "s1");
    await settle();
    home.bus.cut.add("session.deliver");
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.equal(await pollUuid(home), null);
    assert.equal(await stateOf(home, "a"), "sent");
    assert.deepEqual(
      home.failures.map(({ what }) => what),
      ["session.deliver"],
    );
  });

  it("say when a new session gets what is accepted from then on", async () => {
    const { world, home, other } = await twoShards();
    const [near, far] = [new Socket(), new Socket()];
    const opening = other.sessions.open(session("s1"), far);
    assert.ok(opening !== null, "its home is elsewhere");
    await opening;
    assert.equal((await home.terminals.view("T1")).sessions, 1);
    await home.terminals.accept(command(world, "a"));
    await settle();
    assert.deepEqual(far.uuids, ["a"]);
    assert.equal(home.sessions.open(session("s2"), near), null);
  });

  it("tell a home again of a session that it could not be told of", async () => {
    const { world, home, other } = await twoShards();
    other.bus.cut.add("session.open");
    const socket = new Socket();
    // It resolves all the same.
    await other.sessions.open(session("s1"), socket);
    const gone = openSocket(other, "s2");
    await settle();
    other.sessions.close("T1", "s2");
    await home.terminals.accept(command(world, "a"));
    assert.deepEqual(socket.texts, []);
    other.bus.cut.clear();
    await world.pass(2_100);
    assert.deepEqual([socket.uuids, gone.uuids], [["a"], []]);
    assert.equal((await other.terminals.view("T1")).sessions, 1);
  });

  it("know at once of a terminal's first poll, and that it goes on", async () => {
    const { world, home, other } = await twoShards();
    assert.equal(other.terminals.poll("T1", { userAgent: "u" }), null);
    await settle();
    const first = await home.terminals.view("T1");
    assert.deepEqual([first.connectionType, first.device.userAgent], ["POLLING", "u"]);
    for (let second = 0; second < 130; second += 10) {
      await world.pass(10_000);
      other.terminals.poll("T1", {});
    }
    await world.pass(200);
    const later = await home.terminals.view("T1");
    assert.deepEqual([later.connectionStatus, later.connectedSinceMs], ["ONLINE", first.connectedSinceMs]);
  });

  it("keep a session that lives on the other shard fresh by its frames", async () => {
    const { world, home, other } = await twoShards();
    openSocket(other, "s1");
    await settle();
    for (let second = 0; second < 200; second += 50) {
      await world.pass(50_000);
      other.sessions.active("T1", "s1");
      await world.pass(200);
    }
    assert.equal((await home.terminals.view("T1")).connectionType, "WEBSOCKET");
    other.sessions.close("T1", "s1");
    other.sessions.active("T1", "s1");
    await world.pass(3_000);
    assert.equal((await home.terminals.view("T1")).connectionStatus, "OFFLINE");
  });

  it("do not let a poll from before a disconnect undo it", async () => {
    const { world, home, other } = await twoShards();
    other.terminals.poll("T1", {});
    await world.pass(1_000);
    other.terminals.poll("T1", {});
    world.clock.advance(50);
    await home.terminals.disconnect("T1");
    await world.pass(300);
    assert.equal((await home.terminals.view("T1")).connectionStatus, "OFFLINE");
  });

  it("broadcast to the sessions of all shards, and list the terminals of all homes", async () => {
    const { home, other } = await twoShards();
    const sockets = [openSocket(home, "s1"), openSocket(other, "s2"), openSocket(other, "s3", { terminalId: "T2" })];
    assert.equal(await other.terminals.broadcast("T1", "{}"), 2);
    assert.equal(await other.terminals.broadcast(null, "{}"), 3);
    assert.deepEqual(
      sockets.map(({ texts }) => texts.length),
      [2, 2, 1],
    );
    await settle();
    assert.deepEqual(
      (await home.terminals.list({ after: "", limit: 10 })).map(({ terminalId, connectionStatus }) => [terminalId, connectionStatus]),
      [
        ["T1", "ONLINE"],
        ["T2", "ONLINE"],
      ],
    );
    assert.equal((await home.terminals.list({ after: "T1", limit: 10 })).length, 1);
  });

  it("each re-arm their own terminals after a restart", async () => {
    const { world } = await twoShards();
    for (let index = 0; index < 10; index += 1)
      await world.shard.terminals.accept(command(world, `u${index}`, { terminalId: `T${index}` }));
    const again = await world.restart();
    const actors = again.shards.map(({ home }) => home.counts().actors);
    assert.equal((actors[0] ?? 0) + (actors[1] ?? 0), 10);
    await again.pass(60_200);
    assert.equal((await again.rows()).length, 10);
  });
});
