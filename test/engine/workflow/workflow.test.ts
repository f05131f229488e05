import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFLICT } from "../../../engine/kernel/retry-on-conflict.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import { ATTEMPTS_MAX } from "../../../engine/workflow/run-workflow.ts";
import type { CommitGuard, GuardPart } from "../../../engine/workflow/workflow.ts";
import { type Changes, ID, MAIL_AGAIN_MS, move, NEW, NEW_MS, open, type Parcel, REQUEST } from "./world.ts";

const CHANGED = recordText("alert", { ...NEW, note: "changed" });
const unavailable = { code: "unavailable" };
/** Sends a parcel, and adds the note that was read to `notes`. */
const sends = (notes: string[]) => (record: Parcel, atMs: number) => {
  notes.push(record.note);
  return move({ state: "SENT" })(record, atMs);
};
/** Returns the reports of a step, or of a new record. */
const done = (from: string | null, to: string, effects = 0) => [
  `done ${from} to ${to} for ${REQUEST.requestId}`,
  `count ${from ?? undefined} to ${to} with ${effects}`,
];

describe("a step of a workflow", () => {
  it("stores nothing for a rejected event, and reports it only for a request", async () => {
    const { kv, heard, workflow, created, apply } = open();
    await created();
    const { commits } = kv;
    assert.deepEqual(await apply(null, { type: "ask" }), { type: "refused", record: NEW, effects: [] });
    assert.deepEqual(heard, ["refused NEW to NEW for req_o1"]);
    assert.equal((await workflow.apply(ID, move(null), null))?.type, "refused");
    assert.equal((await workflow.apply(ID, () => null, REQUEST))?.type, "refused");
    assert.equal(await workflow.apply("pa_0002", move({}), REQUEST), null);
    const { reads } = kv;
    assert.equal(await workflow.apply("pa_00001", move({}), REQUEST), null);
    assert.deepEqual([heard.length, kv.commits, kv.reads], [1, commits, reads]);
  });

  it("is decided again after a conflict, up to ATTEMPTS_MAX times", async () => {
    const { workflow, heard, created, interfere } = open();
    await created();
    const notes: string[] = [];
    const decide = sends(notes);
    interfere(`parcel/${ID}`, CHANGED);
    assert.equal((await workflow.apply(ID, decide, REQUEST))?.record.note, "changed");
    assert.deepEqual(notes.splice(0), ["", "changed"]);
    assert.deepEqual(heard.splice(0), [...done("NEW", "SENT"), "stored SENT"]);
    interfere(`parcel/${ID}`, CHANGED, Number.POSITIVE_INFINITY);
    await assert.rejects(workflow.apply(ID, decide, REQUEST), unavailable);
    assert.deepEqual([notes.length, heard], [ATTEMPTS_MAX, []]);
  });

  it("reports nothing while its commit is in doubt", async () => {
    for (const fate of ["answer lost", "refused"] as const) {
      const { kv, heard, create, apply, load } = open({ guard: {} });
      kv.fate = () => fate;
      await assert.rejects(create({}, { type: "tell", news: "alert.created" }), unavailable);
      assert.deepEqual(heard.splice(0), ["guard read"]);
      kv.fate = () => "done";
      await create({}, { type: "tell", news: "alert.created" });
      const reported = fate === "refused" ? [...done(null, "NEW", 1), "guard committed", "stored NEW"] : [];
      assert.deepEqual(heard.splice(0), ["guard read", ...reported]);
      kv.fate = () => fate;
      await assert.rejects(apply({ state: "SENT" }, { type: "tell", news: "alert.closed" }), unavailable);
      assert.deepEqual(heard, ["guard read"]);
      assert.equal((await load())?.state, fate === "refused" ? "NEW" : "SENT");
    }
  });

  it("numbers its events over all steps, even after conflicts", async () => {
    const { kv, create, apply, interfere, load } = open();
    await create({}, { type: "tell", news: "alert.created" });
    await apply({ note: "1" });
    interfere(`parcel/${ID}`, recordText("alert", { ...NEW, events: 1 }));
    await apply({}, { type: "tell", news: "alert.closed" }, { type: "tell", news: "dispute.created" });
    await apply({}, { type: "tell", news: "dispute.closed" });
    const keys = kv.keys("event/");
    const events = (await kv.getMany(keys)).map((entry) => JSON.parse(entry?.value ?? ""));
    assert.deepEqual(
      events.map(({ type, sequence, request }) => [type, sequence, request.id]),
      ["alert.created", "alert.closed", "dispute.created", "dispute.closed"].map((type, n) => [type, n + 1, "req_o1"]),
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, 4);
    assert.equal((await load())?.events, 4);
  });

  it("stores and removes attention items, and leaves other effects to its caller", async () => {
    const { kv, created, apply } = open();
    await created();
    await apply({ state: "SENT" }, { type: "flag" }, { type: "settle" });
    assert.deepEqual(kv.keys("a/"), [`a/late/T1/${ID}`]);
    await apply({ state: "LATE" }, { type: "settle" });
    assert.equal(kv.keys("a/").length, 1);
    const keys = kv.keys("");
    const asked = await apply({}, { type: "ask" });
    assert.deepEqual([asked?.effects, kv.keys("")], [[{ type: "ask" }], keys]);
    await apply({}, { type: "settle" });
    assert.deepEqual(kv.keys("a/"), []);
  });

  it("sends only the last of its mails, and stores in the record a mail without room", async () => {
    let hasRoom = true;
    const mailOf: Changes["mailOf"] = async (_, effect) =>
      hasRoom && "to" in effect ? [{ type: "put", key: `mail/${effect.to}`, value: effect.type }] : null;
    const { kv, clock, created, apply, load } = open({ mailOf });
    await created();
    await apply({}, { type: "write", to: "a" }, { type: "writeOnce", to: "b" }, { type: "ask" });
    assert.deepEqual([kv.keys("mail/"), (await load())?.owed], [["mail/b"], undefined]);
    hasRoom = false;
    await apply({ note: "1" }, { type: "write", to: "c" }, { type: "writeOnce", to: "d" });
    assert.deepEqual([(await load())?.owed, (await load())?.note], [undefined, "1"]);
    await apply({ note: "2" }, { type: "write", to: "e" });
    const { owed, nextAtMs, note } = (await load()) ?? {};
    assert.deepEqual([owed, nextAtMs, note], ["e", clock.nowMs() + MAIL_AGAIN_MS, "2"]);
    assert.deepEqual([kv.keys("mail/"), kv.keys("due/parcel/").length], [["mail/b"], 1]);
  });

  it("sets updatedAtMs as the workflow declares it", async () => {
    for (const [touch, expected] of [
      ["increasing", [NEW_MS + 1, NEW_MS + 9, NEW_MS + 10]],
      ["latest", [NEW_MS, NEW_MS + 9, NEW_MS + 9]],
    ] as const) {
      const { clock, created, apply } = open({ touch });
      await created();
      const times = [];
      for (const atMs of [NEW_MS, NEW_MS + 9, NEW_MS + 2]) {
        clock.wallMs = atMs;
        times.push((await apply({ note: `${atMs}` }))?.record.updatedAtMs);
      }
      assert.deepEqual(times, expected);
    }
  });

  it("is made before an overdue record is read", async () => {
    const { clock, kv, heard, workflow, created, interfere } = open();
    await created({ nextAtMs: NEW_MS + 5 });
    const { commits } = kv;
    assert.equal((await workflow.current(ID))?.record.state, "NEW");
    assert.equal(kv.commits, commits);
    clock.advance(5);
    interfere(`parcel/${ID}`, recordText("alert", { ...NEW, note: "changed", nextAtMs: NEW_MS + 5 }));
    const { record } = (await workflow.current(ID)) ?? {};
    assert.deepEqual([record?.state, record?.note, kv.keys("due/parcel/")], ["LATE", "changed", []]);
    assert.deepEqual(heard, ["done NEW to LATE for null", "count NEW to LATE with 0", "stored LATE"]);
    assert.equal(await workflow.current("pa_0002"), null);
  });
});

describe("a guard of a workflow", () => {
  it("rejects a commit, and is not read if it does not apply", async () => {
    const { kv, workflow, heard, put, create, apply, created } = open({ guard: { applies: ({ record }) => record.slot !== null } });
    await created();
    await apply({ note: "1" });
    assert.ok(!heard.includes("guard read"));
    await put("guard", "no");
    heard.splice(0);
    const { commits } = kv;
    assert.deepEqual(await create({ id: "pa_0002", slot: "s" }), { type: "guarded", refused: "no" });
    const stored = await workflow.store.load(ID);
    assert.ok(stored !== null);
    assert.equal(await workflow.step(stored, move({ slot: "s" })(NEW, NEW_MS), REQUEST), CONFLICT);
    assert.deepEqual([heard, kv.commits], [["guard read", "guard read"], commits]);
  });

  it("causes the record to be read and decided again when it changes", async () => {
    const { heard, workflow, create, created, interfere } = open({ guard: {} });
    interfere("guard", "1");
    assert.equal((await create()).type, "conflict");
    await created();
    interfere("guard", "2");
    const decided: string[] = [];
    await workflow.apply(ID, sends(decided), REQUEST);
    assert.equal(decided.length, 2);
    assert.deepEqual(heard, ["guard read", "guard read", ...done("NEW", "SENT"), "guard committed", "stored SENT"]);
  });

  it("is read again without the record if it has attemptsMax, in turn with other commits", async () => {
    const { kv, heard, workflow, created, interfere } = open({ guard: { attemptsMax: 3 } });
    await created();
    const decided: string[] = [];
    const decide = sends(decided);
    interfere("guard", "1", 2);
    await workflow.apply(ID, decide, REQUEST);
    const reported = [...done("NEW", "SENT"), "guard committed", "stored SENT"];
    assert.deepEqual(heard.splice(0), ["turn begins", "guard read", "guard read", "guard read", ...reported, "turn ends"]);
    interfere("guard", "2", 3);
    await assert.rejects(workflow.apply(ID, decide, REQUEST), unavailable);
    assert.deepEqual(heard.splice(0), ["turn begins", "guard read", "guard read", "guard read", "turn ends"]);
    assert.deepEqual([decided.splice(0), kv.keys("guarded").length], [["", ""], 1]);
    interfere(`parcel/${ID}`, CHANGED);
    await workflow.apply(ID, decide, REQUEST);
    assert.deepEqual(decided, ["", "changed"]);
    assert.equal(heard.filter((what) => what === "turn begins").length, 2);
  });

  it("is not read again after a conflict of the caller's check", async () => {
    const { heard, workflow, created } = open({ guard: { attemptsMax: 3 } });
    await created();
    const createOther = (part: GuardPart) =>
      workflow.create({ record: { ...NEW, id: "pa_0002" }, effects: [] }, { type: "parcel.sent", atMs: NEW_MS }, REQUEST, part);
    const part = { checks: [], operations: [], committed: () => void heard.push("part committed") };
    const result = await createOther({ ...part, checks: [{ key: "other", version: 1 }] });
    assert.deepEqual(result, { type: "conflict", key: "other" });
    assert.deepEqual(heard.splice(0), ["turn begins", "guard read", "turn ends"]);
    await createOther(part);
    assert.deepEqual(heard.slice(-4), ["part committed", "guard committed", "stored NEW", "turn ends"]);
  });
});

describe("a prepared step", () => {
  const prepared = async (guard: Partial<CommitGuard<Parcel>> = {}) => {
    const world = open({ guard });
    await world.created();
    const stored = await world.workflow.store.load(ID);
    assert.ok(stored !== null);
    const prepare = (changes: Partial<Parcel> | null) =>
      world.workflow.prepare(stored, move(changes, { type: "ask" })(NEW, NEW_MS), REQUEST);
    return { ...world, prepare };
  };

  it("is stored by its caller and reported by `committed`", async () => {
    const { kv, heard, load, prepare } = await prepared();
    const { commits } = kv;
    const step = await prepare({ state: "SENT" });
    assert.ok(step !== "refused");
    assert.deepEqual([kv.commits, heard, step.effects], [commits, ["guard read"], [{ type: "ask" }]]);
    assert.deepEqual(
      step.part.checks.map(({ key }) => key),
      [`parcel/${ID}`, "guard"],
    );
    assert.equal((await kv.commit(step.part)).type, "committed");
    assert.deepEqual([await load(), heard.length], [step.record, 1]);
    step.committed();
    assert.deepEqual(heard, ["guard read", ...done("NEW", "SENT", 1), "guard committed", "stored SENT"]);
    assert.deepEqual(await kv.commit(step.part), { type: "conflict", key: `parcel/${ID}` });
  });

  it("is rejected by the machine and by the guard", async () => {
    const { put, prepare } = await prepared();
    assert.equal(await prepare(null), "refused");
    await put("guard", "no");
    assert.equal(await prepare({ state: "SENT" }), "refused");
  });
});
