import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UPLOADS } from "../../../engine/disputes/create-disputes.ts";
import type { DisputeCase } from "../../../engine/disputes/dispute.ts";
import { BY_ADMINISTRATORS } from "../../../engine/disputes/dispute-network.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { member } from "../portal-links/world.ts";
import { settle } from "../world.ts";
import { DAY_MS, DisputeWorld, OWNER, operation, PARTY, QUERY, upload } from "./world.ts";

const isError =
  (code: string, begins = "") =>
  (error: unknown) =>
    error instanceof RelayError && error.code === code && error.message.startsWith(begins);

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe("a dispute", () => {
  it("is received once for its network and number, with a webhook, mails and a refund block", async () => {
    const world = new DisputeWorld();
    world.circumstances.team = [
      member(1),
      member(2, { role: "FINANCE", locale: "it" }),
      member(3, { role: "VIEWER" }),
      member(4, { state: "DISABLED" }),
    ];
    const one = await world.receive();
    const other = await world.receive();
    assert.deepEqual(one, other);
    assert.match(one.id, /^dp_[a-z0-9]{24}$/);
    assert.deepEqual(await world.told(one.id), ["created OPEN"]);
    assert.ok(await world.isHeld());
    const mails = await world.mails();
    assert.deepEqual(mails.map(({ kind, to }) => [kind, to]).sort(), [
      ["dispute-received", "user1@shop.example"],
      ["dispute-received", "user2@shop.example"],
    ]);
    for (const { text } of mails) {
      assert.match(text, new RegExp(`https://portal.example/portal/disputes/${one.id}`));
      assert.match(text, /VISA C-1/);
    }
    assert.match(mails.find(({ to }) => to.startsWith("user1"))?.subject ?? "", /^\[TEST\] Dispute of €12\.34$/);
    assert.match(mails.find(({ to }) => to.startsWith("user2"))?.subject ?? "", /^\[TEST\] Contestazione di 12,34\s€$/);
    assert.deepEqual(world.heard.became, ["received"]);
    assert.deepEqual(
      world.heard.workflow.map(({ event, from, to, requestId }) => [event, from, to, requestId]),
      [["case.received", null, "OPEN", "req_o1"]],
    );
  });

  it("is separate for each network, and rejects a repetition with another merchant or amount", async () => {
    const world = new DisputeWorld();
    const one = await world.receive();
    const other = await world.receive({ network: "MASTERCARD", uuid: "pl_2.1" });
    assert.notEqual(one.id, other.id);
    await assert.rejects(() => world.receive({}, { ...PARTY, merchantId: "M2" }), isError("conflict"));
    await assert.rejects(() => world.receive({}, { ...PARTY, livemode: true }), isError("conflict"));
    await assert.rejects(() => world.receive({ amountMinor: 1 }), isError("conflict"));
    await assert.rejects(() => world.receive({ uuid: "pl_2.1" }), isError("conflict"));
    assert.equal(await world.disputes.find({ ...OWNER, merchantId: "M2" }, one.id), null);
    assert.equal(await world.disputes.find({ ...OWNER, livemode: true }, one.id), null);
    assert.equal(await world.disputes.find(OWNER, "dp_../x"), null);
  });

  it("is rejected with the name of an invalid member", async () => {
    const world = new DisputeWorld();
    const nowMs = world.clock.nowMs();
    const bad: [string, object][] = [
      ["network", { network: "visa" }],
      ["networkCaseId", { networkCaseId: "a/b" }],
      ["stage", { stage: "LATER" }],
      ["uuid", { uuid: "a b" }],
      ["terminalId", { terminalId: "a b" }],
      ["amountMinor", { amountMinor: 0 }],
      ["amountMinor", { amountMinor: 1.5 }],
      ["currency", { currency: "EURO" }],
      ["reasonCode", { reasonCode: "" }],
      ["category", { category: "ANGER" }],
      ["respondBy", { respondByMs: nowMs }],
      ["respondBy", { respondByMs: nowMs + 500 * DAY_MS }],
      ["alertId", { alertId: "x" }],
    ];
    for (const [name, change] of bad) {
      const given: DisputeCase = { ...world.case(), ...change };
      await assert.rejects(() => world.feed.received(PARTY, given, world.next()), isError("invalid_request", `${name}: `), name);
    }
    assert.deepEqual(world.kv.keys(""), []);
  });

  it("is rejected if its payment has too many disputes", async () => {
    const world = new DisputeWorld();
    for (let n = 0; n < 32; n += 1) await world.receive({ networkCaseId: `C-${n}` });
    await assert.rejects(() => world.receive({ networkCaseId: "C-32" }), isError("conflict"));
    assert.equal((await world.disputes.ofPayment(OWNER, "PL_1.1")).length, 0, "only what has the form of a UUID is one in any letters");
    assert.equal((await world.disputes.ofPayment(OWNER, "pl_1.1")).length, 32);
  });

  it("blocks refunds until it is won, in any spelling of the uuid, and again if the network asks again", async () => {
    const world = new DisputeWorld();
    const uuid = "0B8F4E2A-1C3D-4E5F-8A9B-0C1D2E3F4A5B";
    const { id } = await world.receive({ uuid });
    const { id: other } = await world.receive({ uuid: uuid.toLowerCase(), networkCaseId: "C-2" });
    assert.ok(await world.isHeld(uuid.toLowerCase()));
    assert.equal(await world.shard.holds.isUnderDispute({ merchantId: "M2", uuid }), false, "it is of its merchant's payment");
    await world.feed.verdict("VISA", "C-1", "WON", world.next());
    assert.ok(await world.isHeld(uuid), "the other one holds it");
    await world.feed.verdict("VISA", "C-2", "LOST", world.next());
    assert.ok(await world.isHeld(uuid), "what is lost was taken already");
    assert.deepEqual([(await world.dispute(id)).state, (await world.dispute(other)).state], ["WON", "LOST"]);
    const single = await world.receive({ uuid: "pl_9.1", networkCaseId: "C-9" });
    await world.feed.verdict("VISA", "C-9", "WON", world.next());
    assert.equal(await world.isHeld("pl_9.1"), false);
    const demand = { respondByMs: world.clock.nowMs() + DAY_MS, stage: "PRE_ARBITRATION" } as const;
    assert.equal((await world.feed.evidenceRequested("VISA", "C-9", demand, world.next()))?.type, "done");
    assert.ok(await world.isHeld("pl_9.1"));
    assert.deepEqual(await world.told(single.id), ["created OPEN", "closed WON", "evidence_required EVIDENCE_REQUIRED"]);
  });

  it("blocks refunds together with disputes that are stored in the same moment", async () => {
    const world = new DisputeWorld();
    world.kv.hold();
    const both = [world.receive(), world.receive({ networkCaseId: "C-2" })];
    await settle();
    assert.equal(world.kv.holding, 2);
    world.kv.release();
    await Promise.all(both);
    // Had the second commit overwritten the first one, nothing would block refunds after this.
    await world.feed.verdict("VISA", "C-2", "WON", world.next());
    assert.ok(await world.isHeld());
    await world.feed.verdict("VISA", "C-1", "WON", world.next());
    assert.equal(await world.isHeld(), false);
  });

  it("accepts a report of its network once, and rejects one that its state does not accept", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const demand = { respondByMs: world.clock.nowMs() + 5 * DAY_MS, stage: null };
    assert.equal((await world.feed.evidenceRequested("VISA", "C-1", demand, world.next()))?.type, "done");
    assert.equal((await world.feed.evidenceRequested("VISA", "C-1", demand, world.next()))?.type, "done");
    const later = { ...demand, respondByMs: demand.respondByMs + 1 };
    assert.equal((await world.feed.evidenceRequested("VISA", "C-1", later, world.next()))?.type, "refused");
    assert.equal((await world.feed.refused("VISA", "C-1", world.next()))?.type, "refused", "there is no response");
    assert.equal((await world.feed.verdict("VISA", "C-1", "LOST", world.next()))?.type, "done");
    assert.equal((await world.feed.verdict("VISA", "C-1", "LOST", world.next()))?.type, "done");
    assert.equal((await world.feed.verdict("VISA", "C-1", "WON", world.next()))?.type, "refused");
    assert.equal(await world.feed.verdict("VISA", "C-2", "WON", world.next()), null);
    assert.deepEqual(await world.told(id), ["created OPEN", "evidence_required EVIDENCE_REQUIRED", "closed LOST"]);
    const now = { respondByMs: world.clock.nowMs(), stage: null };
    await assert.rejects(() => world.feed.evidenceRequested("VISA", "C-1", now, world.next()), isError("invalid_request", "respondBy"));
  });

  it("is answered once with its draft and files", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const draft = { statement: "Card 4111 1111 1111 1111 was there", fields: { tracking: "1Z" } };
    assert.equal((await world.disputes.saveDraft(OWNER, id, draft, world.next()))?.type, "saved");
    const fileId = await world.add(id);
    const same = operation("same");
    const respond = () => world.disputes.challenge(OWNER, id, { statement: null, fields: null, fileIds: null }, { type: "key" }, same);
    const [one, again] = [await respond(), await respond()];
    assert.deepEqual([one?.type, again?.type, again?.dispute.submissions.length], ["submitted", "submitted", 1]);
    const [submission] = again?.dispute.submissions ?? [];
    assert.deepEqual(
      [submission?.statement, submission?.fields, submission?.fileIds, submission?.state],
      ["Card 411111******1111 was there", { tracking: "1Z" }, [fileId], "owed"],
    );
    await world.pass(5_000);
    const { state, submissions } = await world.dispute(id);
    assert.deepEqual([state, submissions[0]?.state], ["UNDER_REVIEW", "taken"]);
    assert.deepEqual(world.network.asked, [`submit ${submission?.id}`]);
    assert.deepEqual(await world.told(id), ["created OPEN", "updated UNDER_REVIEW"]);
    assert.equal((await world.challenge(id))?.type, "not_open");
    assert.equal((await world.disputes.removeFile(OWNER, id, fileId, world.next()))?.type, "frozen");
    assert.equal((await world.feed.verdict("VISA", "C-1", "WON", world.next()))?.dispute.outcome?.result, "WON");
    assert.equal((await world.dispute(id)).nextAtMs, null);
  });

  it("rejects a response without evidence, with unknown files, or in an ended state", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    assert.equal((await world.challenge(id, null))?.type, "no_evidence");
    assert.equal((await world.challenge(id, "  "))?.type, "no_evidence");
    const missing = { statement: null, fields: null, fileIds: ["dpf_x"] };
    await assert.rejects(
      () => world.disputes.challenge(OWNER, id, missing, { type: "key" }, world.next()),
      isError("invalid_request", "fileIds"),
    );
    assert.equal((await world.disputes.accept(OWNER, id, { type: "key" }, world.next()))?.type, "accepted");
    assert.equal((await world.disputes.accept(OWNER, id, { type: "key" }, world.next()))?.type, "accepted");
    assert.equal((await world.challenge(id))?.type, "not_open");
    assert.equal((await world.disputes.saveDraft(OWNER, id, { statement: null, fields: {} }, world.next()))?.type, "not_open");
    assert.equal((await world.disputes.addFile(OWNER, id, upload("a.pdf", "%PDF-1"), world.next()))?.type, "not_open");
    const { outcome, state } = await world.dispute(id);
    assert.deepEqual([state, outcome?.result, outcome?.by], ["LOST", "LOST", "accepted"]);
    assert.deepEqual(await world.told(id), ["created OPEN", "closed LOST"]);
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal(await world.disputes.accept(other, id, { type: "key" }, world.next()), null);
      assert.equal(await world.disputes.saveDraft(other, id, { statement: null, fields: {} }, world.next()), null);
      assert.equal(await world.disputes.addFile(other, id, upload("a.pdf", "%PDF-1"), world.next()), null);
    }
  });

  it("accepts only texts within their limits", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const save = (statement: string | null, fields = {}) => world.disputes.saveDraft(OWNER, id, { statement, fields }, world.next());
    assert.equal((await save("two\nlines\tand a tab"))?.type, "saved");
    await assert.rejects(async () => save("a".repeat(10_001)), isError("invalid_request", "statement"));
    await assert.rejects(async () => save("bell\u0007"), isError("invalid_request", "statement"));
    await assert.rejects(async () => save(null, { "a b": "x" }), isError("invalid_request", "fields"));
    await assert.rejects(async () => save(null, { a: "x".repeat(2_001) }), isError("invalid_request", "fields.a"));
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, "x"]));
    await assert.rejects(async () => save(null, many), isError("invalid_request", "fields"));
  });
});

describe("a stored file of a dispute", () => {
  it("is read as it was uploaded, and is deleted when it is removed", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const large = new Uint8Array(1_400_000).fill(7);
    large.set(Buffer.from("%PDF-1.7"));
    const same = operation("same");
    const add = () => world.disputes.addFile(OWNER, id, upload("a.pdf", large), same);
    const [one, again] = [await add(), await add()];
    assert.deepEqual([one?.type, again?.type, again?.dispute.files.length], ["added", "added", 1]);
    const fileId = one?.type === "added" ? (one.fileId ?? "") : "";
    assert.equal(world.kv.keys("dispute-file/").length, 3, "pieces that the store takes");
    assert.deepEqual(await world.contents(id, fileId), large);
    assert.equal(await world.disputes.readFile({ ...OWNER, merchantId: "M2" }, id, fileId), null);
    await assert.rejects(() => world.disputes.addFile(OWNER, id, upload("b.pdf", "%PDF-1"), same), isError("duplicate"));
    assert.equal((await world.disputes.removeFile(OWNER, id, fileId, world.next()))?.type, "removed");
    assert.equal(await world.contents(id, fileId), null);
    await world.pass(5_000);
    assert.deepEqual([world.kv.keys("dispute-file/"), (await world.dispute(id)).files], [[], []]);
    assert.equal(await world.disputes.removeFile(OWNER, id, fileId, world.next()), null);
  });

  it("is rejected by size, content or number without leaving anything", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const add = (name: string, contents: Uint8Array | string) => world.disputes.addFile(OWNER, id, upload(name, contents), world.next());
    await assert.rejects(() => add("a.pdf", new Uint8Array(Math.ceil(10.1 * 1_048_576))), isError("payload_too_large"));
    await assert.rejects(() => add("a.pdf", ""), isError("invalid_request", "file"));
    assert.equal((await add("a.pdf", "<html>"))?.type, "file_type");
    assert.equal((await add("a.pdf", "%PDF-1.7 1 0 obj<</S/JavaScript>>"))?.type, "file_type");
    assert.equal((await add("a.xlsm", "PK\u0003\u0004"))?.type, "file_type");
    assert.deepEqual([world.kv.keys("dispute-file/"), (await world.dispute(id)).files], [[], []]);
    for (let n = 0; n < 20; n += 1) await world.add(id, `${n}.pdf`);
    assert.equal((await add("a.pdf", "%PDF-1"))?.type, "too_many_files");
    assert.equal(world.kv.keys("dispute-file/").length, 20);
  });

  it("leaves nothing if the upload breaks off or the node dies", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const broken = { ...upload("a.pdf", ""), read: () => Promise.reject(new Error("gone")) };
    await assert.rejects(() => world.disputes.addFile(OWNER, id, broken, world.next()), /gone/);
    assert.deepEqual((await world.dispute(id)).files, []);
    // The node dies between the contents and the commit that adds them.
    let commits = 0;
    world.kv.fate = () => {
      commits += 1;
      return commits > 2 ? "refused" : "done";
    };
    await assert.rejects(() => world.disputes.addFile(OWNER, id, upload("a.pdf", "%PDF-1"), world.next()), isError("unavailable"));
    world.kv.fate = () => "done";
    assert.equal((await world.dispute(id)).files[0]?.state, "staged");
    assert.equal(world.kv.keys("dispute-file/").length, 1);
    const after = await world.down(15 * 60_000);
    assert.deepEqual([after.kv.keys("dispute-file/"), (await after.dispute(id)).files], [[], []]);
  });

  it("is deleted if the response is submitted during its upload", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    let submitted = "";
    const slow = {
      ...upload("a.pdf", "%PDF-1"),
      read: async (take: (piece: Uint8Array) => Promise<void>) => {
        await take(new Uint8Array(Buffer.from("%PDF-1")));
        submitted = (await world.challenge(id))?.type ?? "";
      },
    };
    const added = await world.disputes.addFile(OWNER, id, slow, world.next());
    assert.deepEqual([submitted, added?.type], ["submitted", "not_open"]);
    assert.deepEqual((await world.dispute(id)).submissions[0]?.fileIds, []);
    assert.deepEqual(world.kv.keys("dispute-file/"), []);
  });

  it("is uploaded although other merchants have many slow uploads", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const disputes = new Map([[OWNER.merchantId, id]]);
    for (const merchantId of ["G1", "G2", "G3"]) {
      disputes.set(merchantId, (await world.receive({ networkCaseId: merchantId }, { ...PARTY, merchantId })).id);
    }
    const begin = async (merchantId: string) => {
      const held = {
        ...upload("a.pdf", "%PDF-1"),
        read: async (take: (piece: Uint8Array) => Promise<void>) => {
          await gate;
          await take(new Uint8Array(Buffer.from("%PDF-1")));
        },
      };
      return world.disputes.addFile({ ...OWNER, merchantId }, disputes.get(merchantId) ?? "", held, world.next()).then(
        () => "done",
        (error: RelayError) => error.code,
      );
    };
    const greedy = ["G1", "G1", "G1", "G2", "G2", "G2", "G3", "G3", "G3", "G3"].map(begin);
    await settle();
    const modest = begin(OWNER.merchantId);
    await settle();
    go();
    assert.equal(await modest, "done");
    const told = await Promise.all(greedy);
    assert.equal(told.filter((word) => word === "done").length, 3 * UPLOADS.each);
    assert.ok(
      told.every((word) => word === "done" || word === "rate_limited"),
      told.join(),
    );
    await world.add(id);
  });
});

describe("the deadline runner of disputes", () => {
  it("reminds once at 7 days, 3 days and 24 hours, then ends the dispute", async () => {
    const world = new DisputeWorld(2);
    const { id } = await world.receive();
    await world.pass(10 * DAY_MS + 60_000, HOUR_MS / 4);
    const mails = await world.mails();
    assert.deepEqual(
      mails.map(({ subject }) => subject.replace("[TEST] Dispute of €12.34", "")),
      ["", ": 7 days left", ": 3 days left", ": one day left"],
    );
    assert.equal((await world.dispute(id)).state, "EXPIRED");
    assert.deepEqual(await world.told(id), ["created OPEN", "closed EXPIRED"]);
    assert.deepEqual(world.heard.became, ["received", "reminded", "reminded", "reminded", "expired"]);
    assert.equal((await world.challenge(id))?.type, "deadline_passed");
    assert.ok(await world.isHeld(), "the network may still take the money");
    assert.equal((await world.feed.verdict("VISA", "C-1", "WON", world.next()))?.type, "done");
    assert.equal(await world.isHeld(), false);
    assert.deepEqual(world.failures, []);
  });

  it("sends only the nearest missed reminder after a time without a node", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    const late = await world.down(9 * DAY_MS + HOUR_MS);
    assert.deepEqual(
      (await late.mails()).map(({ kind }) => kind),
      ["dispute-received", "dispute-reminder"],
    );
    const over = await late.down(DAY_MS);
    assert.equal((await over.dispute(id)).state, "EXPIRED");
    assert.equal((await over.challenge(id))?.type, "deadline_passed");
    assert.equal((await over.mails()).length, 2);
  });

  it("answers deadline_passed at once, even before the deadline is stored", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    world.clock.advance(10 * DAY_MS);
    assert.equal((await world.disputes.accept(OWNER, id, { type: "key" }, world.next()))?.type, "deadline_passed");
    assert.equal((await world.disputes.find(OWNER, id))?.state, "EXPIRED");
    assert.deepEqual(await world.told(id), ["created OPEN", "closed EXPIRED"]);
  });

  it("stores a case without room for its mail, and sends the mail later", async () => {
    const world = new DisputeWorld();
    world.circumstances.team = "away";
    const { id } = await world.receive();
    world.circumstances.team = [member(1)];
    world.circumstances.hasRoom = false;
    await world.pass(15 * MINUTE_MS, MINUTE_MS);
    assert.equal((await world.dispute(id)).state, "OPEN");
    assert.deepEqual([await world.mails(), world.heard.postponed], [[], 2]);
    world.circumstances.hasRoom = true;
    await world.pass(15 * MINUTE_MS, MINUTE_MS);
    assert.deepEqual(
      (await world.mails()).map(({ kind }) => kind),
      ["dispute-received"],
    );
    assert.equal((await world.dispute(id)).mailOwed, null);
  });

  it("reminds once if a reminder found no room when it was due", async () => {
    const world = new DisputeWorld();
    const { id, respondByMs } = await world.receive();
    world.circumstances.hasRoom = false;
    await world.pass(respondByMs - 3 * DAY_MS - world.clock.nowMs() + 25 * MINUTE_MS, MINUTE_MS * 5);
    assert.deepEqual((await world.dispute(id)).mailOwed?.leadMs, 3 * DAY_MS);
    world.circumstances.hasRoom = true;
    await world.pass(HOUR_MS, MINUTE_MS);
    assert.deepEqual(
      (await world.mails()).map(({ kind }) => kind),
      ["dispute-received", "dispute-reminder"],
    );
    assert.deepEqual(
      world.heard.became.filter((what) => what === "reminded"),
      ["reminded"],
    );
  });

  it("sends a response to the network only once, even after a crash", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    world.network.mode = "lost";
    await world.challenge(id);
    await world.pass(5_000);
    assert.equal((await world.dispute(id)).submissions[0]?.state, "asked");
    const after = world.restarted();
    after.network.mode = "there";
    await after.pass(3 * 60_000);
    assert.equal((await after.dispute(id)).submissions[0]?.state, "taken");
    assert.deepEqual(
      after.network.asked.map((what) => what.split(" ")[0]),
      ["submit", "verify"],
    );
  });

  it("sends a response again only if the network certainly does not have it", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    world.network.mode = "away";
    await world.challenge(id);
    await world.pass(20 * 60_000, 5_000);
    assert.deepEqual([...new Set(world.network.asked.slice(1).map((what) => what.split(" ")[0]))], ["verify"]);
    world.network.mode = "there";
    await world.pass(HOUR_MS, 10_000);
    assert.equal((await world.dispute(id)).submissions[0]?.state, "taken");
    assert.equal(world.network.asked.filter((what) => what.startsWith("submit")).length, 2);
  });

  it("never sends a response after the deadline, and notifies operators", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    world.clock.advance(10 * DAY_MS - 1_000);
    await world.challenge(id);
    const after = await world.down(HOUR_MS);
    const { state, submissions } = await after.dispute(id);
    assert.deepEqual([state, submissions[0]?.state, after.network.got.size], ["EXPIRED", "undelivered", 0]);
    assert.deepEqual(after.attention(), [`dispute_undelivered/TML1/${id}`]);
    assert.deepEqual(await after.told(id), ["created OPEN", "updated UNDER_REVIEW", "closed EXPIRED"]);
  });

  it("notifies operators of a response without an outcome, and follows a later rejection", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    world.network.mode = "lost";
    await world.challenge(id);
    await world.pass(8 * HOUR_MS, 60_000);
    assert.deepEqual(world.attention(), [`dispute_undelivered/TML1/${id}`]);
    world.network.mode = "there";
    world.network.refuses = true;
    await world.pass(13 * HOUR_MS, 60_000);
    const { state, submissions } = await world.dispute(id);
    assert.deepEqual([state, submissions[0]?.state], ["EVIDENCE_REQUIRED", "refused"]);
    world.network.refuses = false;
    await world.challenge(id, "Once more");
    await world.pass(5_000);
    assert.equal((await world.dispute(id)).submissions[1]?.state, "taken");
  });

  it("counts a response as delivered at once if administrators send it", async () => {
    const world = new DisputeWorld();
    const { id } = await world.receive();
    await world.challenge(id);
    const [submission] = (await world.dispute(id)).submissions;
    assert.ok(submission !== undefined);
    const { respondByMs: notAfterMs } = submission;
    const response = {
      ...{ network: "VISA", networkCaseId: "C-1", merchantId: "M1", livemode: false, disputeId: id },
      submission,
      notAfterMs,
    };
    assert.deepEqual([await BY_ADMINISTRATORS.submit(response), await BY_ADMINISTRATORS.verify(response)], ["taken", "taken"]);
  });
});

describe("the list of disputes", () => {
  async function some(): Promise<DisputeWorld> {
    const world = new DisputeWorld();
    for (let n = 0; n < 5; n += 1) {
      world.clock.advance(1_000);
      const respondByMs = world.clock.nowMs() + (10 - n) * DAY_MS;
      const category = n % 2 === 0 ? "FRAUD" : "OTHER";
      const stage = n === 0 ? "INQUIRY" : "CHARGEBACK";
      await world.receive({
        ...{ networkCaseId: `C-${n}`, uuid: `pl_${n}.1`, respondByMs, category, stage },
        terminalId: `T${n}`,
        amountMinor: 100 * (n + 1),
      });
    }
    await world.receive({ networkCaseId: "X", uuid: "pl_0.1" }, { ...PARTY, merchantId: "M2" });
    await world.receive({ networkCaseId: "Y", uuid: "pl_0.1" }, { ...PARTY, livemode: true });
    await world.feed.verdict("VISA", "C-3", "WON", world.next());
    await world.feed.verdict("VISA", "C-4", "LOST", world.next());
    return world;
  }

  const casesOf = async (world: DisputeWorld, changes: Partial<typeof QUERY> = {}) =>
    (await world.disputes.list(OWNER, { ...QUERY, ...changes })).items.map(({ networkCaseId }) => networkCaseId).join();

  it("returns disputes newest first or by deadline, with filters", async () => {
    const world = await some();
    const nowMs = world.clock.nowMs();
    assert.equal(await casesOf(world), "C-4,C-3,C-2,C-1,C-0");
    assert.equal(await casesOf(world, { order: "due" }), "C-2,C-1,C-0");
    assert.equal(await casesOf(world, { order: "due", dueBeforeMs: nowMs + 9 * DAY_MS }), "C-2,C-1");
    assert.equal(await casesOf(world, { dueBeforeMs: nowMs + 9 * DAY_MS }), "C-2,C-1");
    assert.equal(await casesOf(world, { state: "WON" }), "C-3");
    assert.equal(await casesOf(world, { state: "OPEN" }), "C-2,C-1,C-0");
    assert.equal(await casesOf(world, { category: "OTHER" }), "C-3,C-1");
    assert.equal(await casesOf(world, { stage: "INQUIRY" }), "C-0");
    assert.equal(await casesOf(world, { terminalId: "T2" }), "C-2");
    assert.equal(await casesOf(world, { fromMs: nowMs - 1_000 }), "C-4,C-3");
    assert.equal(await casesOf(world, { beforeMs: nowMs - 1_000 }), "C-2,C-1,C-0");
    assert.equal(await casesOf(world, { order: "due", fromMs: nowMs - 3_000 }), "C-2,C-1");
    await world.receive({ networkCaseId: "C-5", uuid: "pl_5.1", currency: "CHF" });
    assert.equal(await casesOf(world, { currency: "CHF" }), "C-5");
    assert.equal(await casesOf(world, { currency: "EUR" }), "C-4,C-3,C-2,C-1,C-0");
    assert.equal(await casesOf(world, { currency: "EUR", q: "C-5" }), "");
  });

  it("returns each dispute once, page by page", async () => {
    const world = await some();
    for (const order of ["newest", "due"] as const) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof world.disputes.list>> = await world.disputes.list(OWNER, {
          ...QUERY,
          order,
          limit: 2,
          cursor,
        });
        seen.push(...page.items.map(({ networkCaseId }) => networkCaseId));
        cursor = page.next;
      } while (cursor !== null);
      assert.equal(seen.join(), order === "newest" ? "C-4,C-3,C-2,C-1,C-0" : "C-2,C-1,C-0");
    }
    await assert.rejects(() => world.disputes.list(OWNER, { ...QUERY, cursor: "x" }), isError("invalid_request", "cursor"));
  });

  it("finds disputes by id, number and payment", async () => {
    const world = await some();
    const [found] = (await world.disputes.list(OWNER, QUERY)).items;
    assert.equal(await casesOf(world, { q: found?.id ?? "" }), "C-4");
    assert.equal(await casesOf(world, { q: "C-1" }), "C-1");
    assert.equal(await casesOf(world, { q: "pl_0.1" }), "C-0", "not another merchant's, nor the other environment's");
    assert.equal(await casesOf(world, { q: "pl_0.1", state: "WON" }), "");
    assert.equal(await casesOf(world, { q: "X" }), "");
    assert.equal(await casesOf(world, { q: "a/b c" }), "");
  });

  it("sums disputes by state from the index alone", async () => {
    const world = await some();
    const nowMs = world.clock.nowMs();
    world.kv.reads = 0;
    const stats = await world.disputes.stats(OWNER, { fromMs: nowMs - 1_000, beforeMs: nowMs + 1 });
    assert.equal(world.kv.reads, 1);
    assert.deepEqual(stats, {
      counts: { OPEN: 3, WON: 1, LOST: 1 },
      amountsMinor: { OPEN: { EUR: 600 }, WON: { EUR: 400 }, LOST: { EUR: 500 } },
      ...{ dueSoon: 0, winRate: 0.5, escalated: 0, complete: true },
      month: { count: 2, amountsMinor: { EUR: 900 } },
    });
    world.clock.advance(5.5 * DAY_MS);
    assert.equal((await world.disputes.stats(OWNER, { fromMs: 0, beforeMs: 1 })).dueSoon, 1);
  });
});
