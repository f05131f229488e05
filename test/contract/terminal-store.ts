import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AttentionItem } from "../../engine/payments/attention.ts";
import type { Command } from "../../engine/payments/command.ts";
import type { TerminalRow } from "../../engine/payments/feed-row.ts";
import type { CommandLife, CommandRecord, TerminalRecord } from "../../engine/terminals/terminal-record.ts";
import type { TerminalChange, TerminalStore } from "../../engine/terminals/terminal-store.ts";
import { type OwnWorldTest, ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenTerminalStore {
  store: TerminalStore;
  nowMs(): number;
  advance(ms: number): void;
  /** How long an ended command is kept. */
  retentionMs: number;
  /** What waits for ClickHouse, in the order in which it was written. */
  rows(): Promise<TerminalRow[]>;
  /** The same storage through another store, as another shard has it. */
  another(): TerminalStore;
  close(): Promise<void>;
}

/** The contract of engine/terminals/terminal-store.ts; each engine's test file calls this. */
export function testTerminalStore(name: string, open: () => Promise<OpenTerminalStore>): void {
  describe(`${name} keeps the contract of the terminal store`, () => {
    const test = ownWorldTest(open);
    testClaims(test);
    testVersions(test);
    testWholeSteps(test);
    testPages(test);
  });
}

type Test = OwnWorldTest<OpenTerminalStore>;

const SMALL = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";
const CAPITALS = SMALL.toUpperCase();

function testClaims(test: Test): void {
  test("answers null for what was never stored", async ({ store }) => {
    assert.equal(await store.loadTerminal("T1"), null);
    assert.equal(await store.loadCommand("a"), null);
  });

  test("keeps an accepted command and its terminal as they were given", async (world) => {
    const { store } = world;
    const terminal = terminalRecord("T1", ["a"]);
    const outcome = await store.commit(
      change(world, "T1", { terminal: { record: terminal, version: 0, workBefore: "idle" }, claims: [commandRecord("a")] }),
    );
    assert.ok(outcome.type === "committed" && outcome.version > 0);
    assert.deepEqual(await store.loadTerminal("T1"), { record: terminal, version: outcome.version, historyLost: false });
    assert.deepEqual(await store.loadCommand("a"), { record: commandRecord("a"), version: outcome.version });
  });

  test("refuses a uuid that is claimed, for the same terminal and for another, and stores nothing of the step", async (world) => {
    const { store } = world;
    const first = await accept(world, "T1", "a", 0);
    assert.deepEqual(await store.commit(acceptance(world, "T1", "a", first)), { type: "claimed", uuid: "a" });
    assert.deepEqual(await store.commit(acceptance(world, "T2", "a", 0)), { type: "claimed", uuid: "a" });
    assert.equal(await store.loadTerminal("T2"), null);
    assert.equal((await store.loadCommand("a"))?.record.terminalId, "T1");
  });

  test("keeps a uuid once, in capitals or small letters, and gives it back as it was written", async (world) => {
    const { store } = world;
    const first = await accept(world, "T1", CAPITALS, 0);
    for (const uuid of [SMALL, CAPITALS]) {
      assert.deepEqual(await store.commit(acceptance(world, "T2", uuid, 0)), { type: "claimed", uuid });
      assert.deepEqual(await store.loadCommand(uuid), { record: commandRecord(CAPITALS), version: first });
    }
    const record = { ...commandRecord(CAPITALS), life: life("done", world.nowMs()) };
    const ended = await store.commit(change(world, "T1", { commands: [{ record, version: first }] }));
    assert.ok(ended.type === "committed");
    assert.deepEqual(await store.loadCommand(SMALL), { record, version: ended.version });
  });

  test("gives a uuid to one of a hundred claims at once, from several writers", async (world) => {
    const stores = [world.store, world.another(), world.another()];
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => stores[index % 3]?.commit(acceptance(world, `T${index}`, "a", 0))),
    );
    assert.equal(outcomes.filter((outcome) => outcome?.type === "committed").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome?.type === "claimed").length, 99);
  });

  test("keeps a uuid refused for the retention after its end, and as long as it has not ended", async (world) => {
    const { store } = world;
    const version = await accept(world, "T1", "ended", 0);
    await accept(world, "T2", "open", 0);
    const record = { ...commandRecord("ended"), life: life("done", world.nowMs()) };
    await store.commit(change(world, "T1", { commands: [{ record, version }] }));
    world.advance(world.retentionMs - 1);
    assert.equal((await store.loadCommand("ended"))?.record.life?.state, "done");
    world.advance(1);
    assert.equal(await store.loadCommand("ended"), null);
    assert.equal((await store.loadCommand("open"))?.record.life, null);
  });
}

function testVersions(test: Test): void {
  test("refuses a step from a version that has moved on", async (world) => {
    const { store } = world;
    const first = await accept(world, "T1", "a", 0);
    assert.deepEqual(await store.commit(acceptance(world, "T1", "b", 0)), { type: "stale" });
    assert.equal(await store.loadCommand("b"), null);
    const second = await accept(world, "T1", "b", first);
    assert.ok(second > first);
    assert.deepEqual(await store.commit(acceptance(world, "T1", "c", first)), { type: "stale" });
  });

  test("lets one of a hundred steps from the same version win", async (world) => {
    const version = await accept(world, "T1", "a", 0);
    const stores = [world.store, world.another()];
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => stores[index % 2]?.commit(acceptance(world, "T1", `u${index}`, version))),
    );
    const won = outcomes.flatMap((outcome, index) => (outcome?.type === "committed" ? [index] : []));
    assert.equal(won.length, 1);
    assert.equal(outcomes.filter((outcome) => outcome?.type === "stale").length, 99);
    for (let index = 0; index < 100; index += 1) {
      assert.equal((await world.store.loadCommand(`u${index}`)) !== null, won.includes(index));
    }
  });

  test("refuses a change of a command that has moved on, and an unsolicited result whose uuid was claimed meanwhile", async (world) => {
    const { store } = world;
    const version = await accept(world, "T1", "a", 0);
    const record = { ...commandRecord("a"), life: life("done", world.nowMs()) };
    assert.equal((await store.commit(change(world, "T1", { commands: [{ record, version }] }))).type, "committed");
    assert.deepEqual(await store.commit(change(world, "T1", { commands: [{ record, version }] })), { type: "stale" });
    assert.deepEqual(await store.commit(change(world, "T2", { commands: [{ record, version: 0 }] })), { type: "stale" });
  });

  test("keeps an unsolicited result once a terminal, and refuses its uuid there alone", async (world) => {
    const { store } = world;
    for (const terminalId of ["T1", "T2"]) {
      const record = unsolicited(CAPITALS, terminalId, world.nowMs());
      assert.equal((await store.commit(change(world, terminalId, { commands: [{ record, version: 0 }] }))).type, "committed");
      assert.deepEqual(await store.commit(change(world, terminalId, { commands: [{ record, version: 0 }] })), { type: "stale" });
    }
    assert.equal(await store.loadCommand(SMALL), null);
    assert.deepEqual(
      (await store.loadUnsolicited(SMALL)).map(({ uuid, terminalId }) => [uuid, terminalId]),
      [
        [CAPITALS, "T1"],
        [CAPITALS, "T2"],
      ],
    );
    assert.deepEqual(await store.commit(acceptance(world, "T1", SMALL, 0)), { type: "claimed", uuid: SMALL });
    const version = await accept(world, "T3", SMALL, 0);
    assert.deepEqual(await store.loadCommandAt("T3", CAPITALS), { record: commandRecord(SMALL, "T3"), version });
    assert.equal((await store.loadCommandAt("T1", CAPITALS))?.record.terminalId, "T1");
    assert.equal((await store.loadCommandAt("T4", CAPITALS))?.record.terminalId, "T3", "another terminal's command");
    assert.equal(await store.loadCommandAt("T1", "none"), null);
    world.advance(world.retentionMs);
    assert.deepEqual(await store.loadUnsolicited(SMALL), []);
    assert.equal((await store.loadCommandAt("T1", SMALL))?.record.terminalId, "T3");
  });

  test("takes a step that changes no terminal record whatever its version is", async (world) => {
    const { store } = world;
    const before = await accept(world, "T1", "a", 0);
    assert.equal((await store.commit(change(world, "T1", { rows: [lifeRow("a")] }))).type, "committed");
    assert.equal((await store.loadTerminal("T1"))?.version, before);
  });

  test("refuses a step that changes no terminal where the terminal it was decided by has moved on", async (world) => {
    const { store } = world;
    const decidedBy = async (version: number, uuid: string) =>
      (await store.commit(change(world, "T1", { decidedBy: { version, historyLost: false }, rows: [lifeRow(uuid)] }))).type;
    assert.equal(await decidedBy(0, "a"), "committed");
    const accepted = await store.commit(acceptance(world, "T1", "a", 0));
    assert.ok(accepted.type === "committed");
    assert.equal(await decidedBy(0, "b"), "stale");
    assert.equal(await decidedBy(accepted.version, "c"), "committed");
    assert.equal((await store.loadTerminal("T1"))?.version, accepted.version, "it is as it was");
    assert.deepEqual(
      (await world.rows()).map((row) => row.type === "life" && row.uuid),
      ["a", "c"],
    );
  });
}

function testWholeSteps(test: Test): void {
  test("puts the rows of a step into the outbox with it, in order, and none of a step that was refused", async (world) => {
    const { store } = world;
    const first = acceptance(world, "T1", "a", 0);
    await store.commit({ ...first, rows: [lifeRow("one"), lifeRow("two")] });
    await store.commit({ ...acceptance(world, "T1", "b", 0), rows: [lifeRow("stale")] });
    await store.commit({ ...acceptance(world, "T2", "a", 0), rows: [lifeRow("claimed")] });
    world.advance(1);
    await world.another().commit(change(world, "T3", { rows: [lifeRow("three")] }));
    assert.deepEqual(
      (await world.rows()).map((row) => row.type === "life" && row.uuid),
      ["one", "two", "three"],
    );
  });

  test("keeps rows of one millisecond apart, whoever writes them", async (world) => {
    const stores = [world.store, world.another(), world.another()];
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => stores[index % 3]?.commit(change(world, "T1", { rows: [lifeRow(`u${index}`)] }))),
    );
    assert.equal(new Set((await world.rows()).map((row) => row.type === "life" && row.uuid)).size, 30);
  });

  test("keeps attention items until they are settled, one of a kind for a uuid", async (world) => {
    const { store } = world;
    await store.commit(change(world, "T1", { attention: [item("unknown", "a"), item("amount_differs", "a"), item("unknown", "b")] }));
    await store.commit(change(world, "T1", { attention: [{ ...item("unknown", "b"), detail: "again" }] }));
    await store.commit(change(world, "T1", { settled: [{ kind: "unknown", terminalId: "T1", uuid: "a" }] }));
    const kept = (await store.pageAttention("", 10)).map(({ item: { kind, uuid, detail } }) => [kind, uuid, detail]);
    assert.deepEqual(kept, [
      ["amount_differs", "a", "detail"],
      ["unknown", "b", "again"],
    ]);
  });

  test("keeps what could not be read, bounded for each terminal and in length", async (world) => {
    const { store } = world;
    for (let index = 0; index < 200; index += 1) await store.keepUnreadable({ ...item("unreadable", null), raw: `text ${index}` }, []);
    await store.keepUnreadable({ ...item("unreadable", null), terminalId: "T2", raw: "x".repeat(100_000) }, []);
    const items = await store.pageAttention("", 1_000);
    const ofT1 = items.filter(({ item: { terminalId } }) => terminalId === "T1");
    assert.equal(ofT1.length, 64, "the latest ones stay");
    assert.ok(ofT1.some(({ item }) => item.raw === "text 199"));
    assert.equal(items.at(-1)?.item.raw?.length, 8_192);
  });

  test("notes the first answer to a command that could not be read, also where the same text came to another one before", async (world) => {
    const { store } = world;
    const posting = { ...item("unreadable", null), raw: "not JSON" };
    assert.equal(await store.unreadableAnswerAtMs("a"), null);
    await store.keepUnreadable(posting, ["a"]);
    const first = await store.unreadableAnswerAtMs("a");
    assert.equal(typeof first, "number");
    await store.keepUnreadable(posting, ["a", "b"]);
    assert.equal(await store.unreadableAnswerAtMs("a"), first);
    assert.equal(typeof (await store.unreadableAnswerAtMs("b")), "number");
    assert.equal((await store.pageAttention("", 10)).length, 1, "the same text is kept once");
  });
}

function testPages(test: Test): void {
  test("pages terminals with outstanding commands by id, each once", async (world) => {
    for (const id of ["T3", "T1", "T10", "T2"]) await accept(world, id, `u-${id}`, 0);
    const first = await world.store.pageOutstanding("", 3);
    assert.deepEqual(
      first.map(({ terminalId }) => terminalId),
      ["T1", "T10", "T2"],
    );
    assert.deepEqual(await world.store.pageOutstanding("T2", 3), [{ terminalId: "T3", waits: true }]);
  });

  test("a terminal leaves the index of outstanding work with its last command", async (world) => {
    const version = await accept(world, "T1", "u1", 0);
    const terminal = { record: terminalRecord("T1", []), version, workBefore: "waiting" as const };
    await world.store.commit(change(world, "T1", { terminal }));
    assert.deepEqual(await world.store.pageOutstanding("", 10), []);
  });

  test("pages attention items, each once", async (world) => {
    const { store } = world;
    for (const uuid of ["c", "a", "b"]) await store.commit(change(world, "T1", { attention: [item("unknown", uuid)] }));
    const seen: (string | null)[] = [];
    for (let after = ""; ; ) {
      const [next] = await store.pageAttention(after, 1);
      if (next === undefined) break;
      seen.push(next.item.uuid);
      after = next.id;
    }
    assert.deepEqual(seen, ["a", "b", "c"]);
  });
}

function change(world: { nowMs(): number }, terminalId: string, parts: Partial<TerminalChange>): TerminalChange {
  const nothing = { terminal: null, decidedBy: null, claims: [], commands: [], rows: [], attention: [], settled: [] };
  return { terminalId, ...nothing, atMs: world.nowMs(), ...parts };
}

function acceptance(world: { nowMs(): number }, terminalId: string, uuid: string, version: number): TerminalChange {
  const terminal = { record: terminalRecord(terminalId, [uuid]), version, workBefore: "idle" as const };
  return change(world, terminalId, { terminal, claims: [commandRecord(uuid, terminalId)] });
}

async function accept(world: OpenTerminalStore, terminalId: string, uuid: string, version: number): Promise<number> {
  const outcome = await world.store.commit(acceptance(world, terminalId, uuid, version));
  assert.ok(outcome.type === "committed", outcome.type);
  return outcome.version;
}

function terminalRecord(terminalId: string, uuids: readonly string[]): TerminalRecord {
  const queue = uuids.map((uuid) => ({
    uuid,
    kind: "payment" as const,
    service: "PAYCC",
    sender: "partner:1",
    acceptedAtMs: 1,
    expiresAtMs: 2,
    attempts: 0,
    refusedBy: null,
    cancels: null,
    byAny: false,
  }));
  return { terminalId, queue, sent: [], latest: [] };
}

function commandRecord(uuid: string, terminalId = "T1"): CommandRecord {
  const command: Command = {
    uuid,
    terminalId,
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_050,
    method: "CARD",
    sender: "partner:1",
    acceptedAtMs: 1,
    expiresAtMs: 2,
    payload: JSON.stringify({ uuid, label: "Ünï€ode" }),
  };
  return { revision: 0, uuid, terminalId, command, life: null, result: null };
}

function unsolicited(uuid: string, terminalId: string, atMs: number): CommandRecord {
  return { revision: 1, uuid, terminalId, command: null, life: life("done", atMs), result: null };
}

function life(state: CommandLife["state"], finishedAtMs: number): CommandLife {
  return { state, sentAtMs: 1, finishedAtMs, channel: "poll", attempts: 1 };
}

function lifeRow(uuid: string): TerminalRow {
  return {
    type: "life",
    version: 1,
    uuid,
    terminalId: "T1",
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_050,
    sender: "partner:1",
    state: "expired",
    acceptedAtMs: 1,
    sentAtMs: null,
    finishedAtMs: 2,
    channel: null,
    attempt: 0,
  };
}

function item(kind: AttentionItem["kind"], uuid: string | null): AttentionItem {
  return { kind, terminalId: "T1", uuid, atMs: 1_700_000_000_000, detail: "detail", raw: null };
}
