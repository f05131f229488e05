import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { CONNECTION_FRESH_MS, SESSIONS_OF_OTHERS_MAX, SESSIONS_PER_TERMINAL_MAX } from "../../../engine/kernel/limits.ts";
import { createPresenceTable, type PresenceTable } from "../../../engine/sessions/presence-table.ts";
import { ManualClock, session } from "../world.ts";

function world(presencesMax?: number): { clock: ManualClock; table: PresenceTable } {
  const clock = new ManualClock();
  return { clock, table: createPresenceTable(clock, presencesMax) };
}

const any = () => true;

describe("the presence of a terminal", () => {
  it("is NEVER_CONNECTED until something is heard of it", () => {
    const { table } = world();
    assert.deepEqual(table.view("T1", null).connection, { connectionStatus: "NEVER_CONNECTED", connected: false, sessions: 0 });
    assert.equal(table.knows("T1"), false);
  });

  it("is POLLING by polls within two minutes, since the first of an unbroken run", () => {
    const { clock, table } = world();
    const since = clock.nowMs();
    table.polled("T1", {}, 0);
    clock.advance(CONNECTION_FRESH_MS - 1);
    table.polled("T1", {}, 0);
    const { connection } = table.view("T1", null);
    assert.deepEqual(connection, {
      connectionStatus: "ONLINE",
      connected: true,
      sessions: 0,
      connectionType: "POLLING",
      lastActivityMs: clock.nowMs(),
      connectedSinceMs: since,
    });
    clock.advance(CONNECTION_FRESH_MS);
    const lastSeenMs = clock.nowMs() - CONNECTION_FRESH_MS;
    assert.deepEqual(table.view("T1", null).connection, { connectionStatus: "OFFLINE", connected: false, sessions: 0, lastSeenMs });
    table.polled("T1", {}, 0);
    assert.equal(table.view("T1", null).connection.connectedSinceMs, clock.nowMs());
  });

  it("is WEBSOCKET by a fresh session, also while it polls", () => {
    const { clock, table } = world();
    table.polled("T1", {}, 0);
    table.open(session("s1"), "shard-0");
    clock.advance(1_000);
    table.open(session("s2"), "shard-1");
    const { connection } = table.view("T1", null);
    assert.deepEqual([connection.connectionType, connection.sessions], ["WEBSOCKET", 2]);
    assert.deepEqual([connection.connectedSinceMs, connection.lastActivityMs], [clock.nowMs() - 1_000, clock.nowMs()]);
    assert.equal(table.sessionCount(), 2);
    table.close("T1", "s1");
    table.close("T1", "s1");
    table.close("T1", "s2");
    assert.equal(table.sessionCount(), 0);
    assert.equal(table.view("T1", null).connection.connectionType, "POLLING");
  });

  it("is kept by any frame of its session, and only until two minutes after the last", () => {
    const { clock, table } = world();
    table.open(session("s1"), "shard-0");
    clock.advance(100_000);
    assert.equal(table.active("T1", "s1", 0), false);
    clock.advance(100_000);
    assert.equal(table.view("T1", null).connection.connectionStatus, "ONLINE");
    clock.advance(20_000);
    assert.equal(table.view("T1", null).connection.connectionStatus, "OFFLINE");
    assert.equal(table.active("T1", "s1", 0), true, "what waits may go to it again");
    assert.equal(table.view("T1", null).connection.connectionStatus, "ONLINE");
    assert.equal(table.active("T1", "unknown", 0), false);
    assert.equal(table.active("T2", "s1", 0), false);
  });

  it("is OFFLINE at once after disconnect, until the next frame or poll", () => {
    const { clock, table } = world();
    table.open(session("s1"), "shard-0");
    table.polled("T1", {}, 0);
    clock.advance(10);
    table.disconnect("T1");
    assert.deepEqual(table.view("T1", null).connection, {
      connectionStatus: "OFFLINE",
      connected: false,
      sessions: 0,
      lastSeenMs: clock.nowMs(),
    });
    assert.equal(table.pick("T1", any), null);
    assert.equal(table.active("T1", "s1", 0), true);
    assert.equal(table.view("T1", null).connection.connectionType, "WEBSOCKET");
    table.disconnect("T1");
    table.close("T1", "s1");
    table.polled("T1", {}, 0);
    assert.equal(table.view("T1", null).connection.connectionType, "POLLING");
  });

  it("is not brought back by a poll or frame from before the disconnect that is told after it", () => {
    const { clock, table } = world();
    table.open(session("s1"), "shard-1");
    clock.advance(1_000);
    table.disconnect("T1");
    clock.advance(150);
    table.polled("T1", {}, 200);
    assert.equal(table.active("T1", "s1", 200), false);
    assert.equal(table.view("T1", null).connection.connectionStatus, "OFFLINE");
    table.polled("T1", {}, 100);
    assert.equal(table.view("T1", null).connection.connectionStatus, "ONLINE");
  });

  it("shows what is stored of a terminal that this process has not seen", () => {
    const { table } = world();
    const stored = { schema: 1, terminalId: "T1", lastSeenMs: 5, device: { family: "field-47" } } as const;
    assert.deepEqual(table.view("T1", stored), {
      connection: { connectionStatus: "OFFLINE", connected: false, sessions: 0, lastSeenMs: 5 },
      device: { family: "field-47" },
    });
  });

  it("keeps a family that is not told again", () => {
    const { table } = world();
    table.open(session("s1", { device: { family: "field-47", userAgent: "one" } }), "shard-0");
    table.polled("T1", { userAgent: "two" }, 0);
    assert.deepEqual(table.view("T1", null).device, { family: "field-47", userAgent: "two" });
    table.polled("T1", { family: "no-tags" }, 0);
    assert.deepEqual(table.view("T1", null).device, { family: "no-tags" });
  });

  it("does not take a whitelisted session's device for the terminal's", () => {
    const { table } = world();
    table.open(session("s1", { own: false, device: { userAgent: "other" } }), "shard-0");
    assert.deepEqual(table.view("T1", null).device, {});
  });
});

describe("the session that a command goes to", () => {
  it("is the terminal's own latest, else the latest whitelisted one", () => {
    const { table } = world();
    assert.equal(table.pick("T1", any), null);
    table.open(session("w1", { own: false }), "shard-0");
    table.open(session("w2", { own: false }), "shard-0");
    assert.equal(table.pick("T1", any)?.sessionId, "w2");
    table.open(session("o1"), "shard-0");
    table.open(session("o2"), "shard-1");
    table.open(session("w3", { own: false }), "shard-0");
    assert.equal(table.pick("T1", any)?.sessionId, "o2");
    assert.equal(table.pick("T1", ({ sessionId }) => sessionId !== "o2")?.sessionId, "o1");
    assert.equal(table.pick("T1", ({ own }) => !own)?.sessionId, "w3");
  });

  it("is never one that was silent for two minutes", () => {
    const { clock, table } = world();
    table.open(session("own"), "shard-0");
    clock.advance(CONNECTION_FRESH_MS - 1);
    table.open(session("other", { own: false }), "shard-0");
    assert.equal(table.pick("T1", any)?.sessionId, "own");
    clock.advance(1);
    assert.equal(table.pick("T1", any)?.sessionId, "other");
  });
});

describe("the presence table", () => {
  it("bounds the sessions of a terminal, and gives a silent one's place to one that is there", () => {
    const { clock, table } = world();
    for (let index = 0; index < SESSIONS_PER_TERMINAL_MAX; index += 1) assert.ok(table.open(session(`s${index}`), "shard-0"));
    assert.equal(table.open(session("more"), "shard-0"), false);
    assert.ok(table.open(session("s5"), "shard-0"), "one that is known is not one more");
    clock.advance(CONNECTION_FRESH_MS);
    assert.ok(table.open(session("more"), "shard-0"));
    assert.equal(table.sessionCount(), SESSIONS_PER_TERMINAL_MAX);
  });

  it("leaves places to the terminal's own sessions, however many others listen", () => {
    const { table } = world();
    for (let index = 0; index < SESSIONS_OF_OTHERS_MAX; index += 1) {
      assert.ok(table.open(session(`other ${index}`, { own: false }), "shard-0"));
    }
    assert.equal(table.open(session("one more", { own: false }), "shard-0"), false);
    for (let index = 0; index < SESSIONS_PER_TERMINAL_MAX - SESSIONS_OF_OTHERS_MAX; index += 1) {
      assert.ok(table.open(session(`own ${index}`), "shard-0"));
    }
  });

  it("forgets the longest known terminals first, never one with a session or with something to store", () => {
    const { table } = world(3);
    table.open(session("s1", { terminalId: "live" }), "shard-0");
    table.polled("old", {}, 0);
    table.takeDirty(10);
    table.polled("unsaved", {}, 0);
    table.polled("new", {}, 0);
    assert.deepEqual(
      ["live", "old", "unsaved", "new"].map((id) => table.knows(id)),
      [true, false, true, true],
    );
  });

  it("hands out what changed, each once, at most as many as asked, and again what could not be stored", () => {
    const { table } = world();
    for (const id of ["T1", "T2", "T3"]) table.polled(id, {}, 0);
    table.polled("T1", {}, 0);
    assert.equal(table.dirtyCount(), 3);
    const taken = table.takeDirty(2).map(({ terminalId }) => terminalId);
    assert.deepEqual(taken, ["T1", "T2"]);
    table.markDirty("T1");
    table.markDirty("never seen");
    assert.deepEqual(
      table.takeDirty(10).map(({ terminalId }) => terminalId),
      ["T3", "T1"],
    );
    assert.deepEqual(table.takeDirty(10), []);
  });

  it("hands out one that was taken lately only later, or when all are asked for", () => {
    const { table, clock } = world();
    table.polled("T1", {}, 0);
    assert.equal(table.takeDirty(10).length, 1, "seen for the first time");
    table.polled("T1", {}, 0);
    assert.deepEqual(table.takeDirty(10), []);
    assert.equal(table.dirtyCount(), 1, "it is not forgotten");
    clock.advance(10_100);
    assert.equal(table.takeDirty(10).length, 1);
    table.polled("T1", {}, 0);
    assert.deepEqual(table.takeDirty(10), []);
    table.hurry();
    assert.equal(table.takeDirty(10).length, 1);
    assert.equal(table.dirtyCount(), 0);
  });

  it("hands each out once for every time that it changed, whatever becomes of the others", () => {
    const ids = fc.constantFrom("T1", "T2", "T3", "T4");
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom("poll" as const, "fail" as const, "release" as const), id: ids }),
      fc.record({ do: fc.constant("take" as const), limit: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(50, 4_000, 10_100) }),
      fc.record({ do: fc.constant("hurry" as const) }),
      fc.record({ do: fc.constant("forget" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { table, clock } = world();
        const changed = new Set<string>();
        const take = (limit: number) => {
          for (const { terminalId } of table.takeDirty(limit)) assert.ok(changed.delete(terminalId), `${terminalId} had not changed`);
        };
        for (const next of steps) {
          if (next.do === "take") take(next.limit);
          else if (next.do === "wait") clock.advance(next.ms);
          else if (next.do === "hurry") table.hurry();
          else if (next.do === "forget") {
            table.forget();
          } else if (next.do === "release") {
            table.release((terminalId) => terminalId === next.id);
            changed.delete(next.id);
          } else if (next.do === "poll") {
            table.polled(next.id, {}, 0);
            changed.add(next.id);
          } else if (table.knows(next.id)) {
            table.markDirty(next.id);
            changed.add(next.id);
          }
          assert.equal(table.dirtyCount(), changed.size);
        }
        table.hurry();
        take(10);
        assert.deepEqual([...changed], []);
      }),
    );
  });

  it("shows who has no live session as OFFLINE and forgets its device; a silent socket is there again with its next frame", () => {
    const { table, clock } = world();
    table.open(session("silent", { terminalId: "T3" }), "shard-0");
    table.open(session("closed", { terminalId: "T4" }), "shard-0");
    clock.advance(CONNECTION_FRESH_MS);
    const device = { family: "field-47" };
    table.open(session("s1", { device }), "shard-0");
    table.polled("T2", device, 0);
    table.disconnect("T4");
    const live = table.view("T1", null);
    table.forget();
    assert.deepEqual(table.view("T1", null), live, "nothing is seen of it");
    assert.equal(table.pick("T1", any)?.sessionId, "s1", "what comes goes to it at once");
    assert.equal(table.view("T1", null).connection.connectionStatus, "ONLINE");
    for (const terminalId of ["T2", "T3", "T4"]) {
      const { connection, device: known } = table.view(terminalId, null);
      assert.equal(connection.connectionStatus, "OFFLINE", terminalId);
      assert.equal(typeof connection.lastSeenMs, "number", terminalId);
      assert.deepEqual(known, {}, terminalId);
    }
    assert.equal(table.active("T3", "silent", 0), true);
    assert.equal(table.view("T3", null).connection.connectionType, "WEBSOCKET");
  });

  it("stores those that are there, and what was not stored yet, again after the devices were forgotten, and not before they are asked for", () => {
    const { table, clock } = world();
    table.open(session("s1"), "shard-0");
    table.polled("T2", {}, 0);
    clock.advance(10_000);
    table.forget();
    assert.deepEqual(table.takeDirty(10), [], "the store is being cleared");
    table.hurry();
    assert.deepEqual(
      table.takeDirty(10).map(({ terminalId, device }) => [terminalId, device]),
      [
        ["T1", {}],
        ["T2", {}],
      ],
    );
  });
});

describe("the connection record", () => {
  /** As a machine's clocks are: one in whole milliseconds, the other in fractions. */
  function fractions(): { table: PresenceTable; pass(ms: number): void } {
    let monotonic = 5_000.9;
    const clock: Clock = { nowMs: () => 1_700_000_000_000 + Math.floor(monotonic), monotonicMs: () => monotonic + 0.3 };
    return {
      table: createPresenceTable(clock),
      pass: (ms) => {
        monotonic += ms;
      },
    };
  }

  it("says the same to whoever asks again while nothing happens", () => {
    const { table, pass } = fractions();
    table.open(session("s1"), "shard-0");
    table.polled("T2", {}, 0.4);
    pass(1_000.7);
    table.active("T1", "s1", 0.2);
    table.polled("T2", {}, 0.2);
    const first = ["T1", "T2"].map((terminalId) => table.view(terminalId, null));
    for (let asked = 0; asked < 50; asked += 1) {
      pass(1.37);
      assert.deepEqual(
        ["T1", "T2"].map((terminalId) => table.view(terminalId, null)),
        first,
      );
    }
  });

  it("goes by what happened last, in whatever order it is told", () => {
    const { clock, table } = world();
    const openedAtMs = clock.nowMs();
    table.open(session("s1"), "shard-0");
    table.polled("T2", {}, 0);
    clock.advance(10_000);
    table.active("T1", "s1", 0);
    table.polled("T2", {}, 0);
    const before = ["T1", "T2"].map((terminalId) => table.view(terminalId, null).connection);
    clock.advance(100);
    table.active("T1", "s1", 3_000);
    table.polled("T2", {}, 3_000);
    // It is told again where homes have changed, or nobody is certain that it was heard.
    table.open({ ...session("s1"), openedAtMs: openedAtMs + 7, agoMs: 5_000 }, "shard-0");
    assert.deepEqual(
      ["T1", "T2"].map((terminalId) => table.view(terminalId, null).connection),
      before,
    );
    table.close("T1", "s1");
    assert.equal(table.view("T1", null).connection.lastSeenMs, before[0]?.lastActivityMs, "last seen when it was last active");
  });

  it("takes a session that it is told of late for as old, and as silent, as it is", () => {
    const { clock, table } = world();
    const openedAtMs = clock.nowMs() - 3_600_000;
    table.open({ ...session("s1"), openedAtMs, agoMs: 4_000 }, "shard-0");
    const { connectedSinceMs, lastActivityMs } = table.view("T1", null).connection;
    assert.deepEqual([connectedSinceMs, lastActivityMs], [openedAtMs, clock.nowMs() - 4_000]);
    table.open({ ...session("s2", { terminalId: "T2" }), openedAtMs, agoMs: CONNECTION_FRESH_MS }, "shard-0");
    assert.equal(table.view("T2", null).connection.connectionStatus, "OFFLINE");
    assert.equal(table.pick("T2", any), null);
    table.open(session("s3", { terminalId: "T3" }), "shard-0");
    clock.advance(10);
    table.disconnect("T3");
    clock.advance(10);
    table.open({ ...session("s3", { terminalId: "T3" }), openedAtMs, agoMs: 15 }, "shard-0");
    assert.equal(table.view("T3", null).connection.connectionStatus, "OFFLINE", "what was before the disconnect does not undo it");
  });
});
