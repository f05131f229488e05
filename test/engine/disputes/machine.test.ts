import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DisputeRecord, DisputeState } from "../../../engine/disputes/dispute.ts";
import type { DisputeEvent } from "../../../engine/disputes/events.ts";
import { SENDING_FLAG_CHECKS } from "../../../engine/disputes/rules.ts";
import { DISPUTE_STATES } from "../../../engine/disputes/words.ts";
import { stepDispute } from "../../../engine/disputes/workflow.ts";
import { DAY_MS, dispute, EVENTS, file, NOW_MS, RESPOND_BY_MS, standing, submission } from "./machine-world.ts";

/** Returns the effects of a step, in order. */
function toldBy(record: DisputeRecord, event: DisputeEvent): string {
  const { effects } = stepDispute(record, event);
  return effects.map((effect) => (effect.type === "tell" ? effect.params.news.replace("dispute.", "") : effect.type)).join(" ");
}

/** The result of every event in every state. Absent events change nothing. */
const LEADS: Record<keyof typeof EVENTS, Partial<Record<DisputeState, string>>> = {
  // Only a record without events accepts it.
  "case.received": {},
  "evidence.requested": {
    OPEN: "EVIDENCE_REQUIRED evidence_required",
    UNDER_REVIEW: "EVIDENCE_REQUIRED evidence_required",
    WON: "EVIDENCE_REQUIRED evidence_required",
    LOST: "EVIDENCE_REQUIRED evidence_required",
  },
  "draft.saved": { OPEN: "OPEN", EVIDENCE_REQUIRED: "EVIDENCE_REQUIRED" },
  "file.staged": { OPEN: "OPEN", EVIDENCE_REQUIRED: "EVIDENCE_REQUIRED" },
  "file.added": { OPEN: "OPEN", EVIDENCE_REQUIRED: "EVIDENCE_REQUIRED" },
  "file.removed": { OPEN: "OPEN", EVIDENCE_REQUIRED: "EVIDENCE_REQUIRED" },
  "file.abandoned": same(...DISPUTE_STATES),
  "file.dropped": same(...DISPUTE_STATES),
  "response.submitted": { OPEN: "UNDER_REVIEW updated", EVIDENCE_REQUIRED: "UNDER_REVIEW updated" },
  "sending.begun": { UNDER_REVIEW: "UNDER_REVIEW" },
  "sending.checked": same("EVIDENCE_REQUIRED", "UNDER_REVIEW", "WON", "LOST", "EXPIRED"),
  "network.accepted": same("EVIDENCE_REQUIRED", "UNDER_REVIEW", "WON", "LOST", "EXPIRED"),
  "network.refused": {
    ...same("EVIDENCE_REQUIRED", "WON", "LOST", "EXPIRED"),
    UNDER_REVIEW: "EVIDENCE_REQUIRED evidence_required",
  },
  "liability.accepted": { OPEN: "LOST closed", EVIDENCE_REQUIRED: "LOST closed" },
  "verdict WON": verdict("WON"),
  "verdict LOST": verdict("LOST"),
  "deadline.passed": { OPEN: "EXPIRED closed", EVIDENCE_REQUIRED: "EXPIRED closed" },
};

function same(...states: readonly DisputeState[]): Partial<Record<DisputeState, string>> {
  return Object.fromEntries(states.map((state) => [state, state]));
}

function verdict(result: "WON" | "LOST"): Partial<Record<DisputeState, string>> {
  const from: DisputeState[] = ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "EXPIRED"];
  return Object.fromEntries(from.map((state) => [state, `${result} closed`]));
}

describe("the machine of disputes", () => {
  for (const name of Object.keys(EVENTS) as (keyof typeof EVENTS)[]) {
    for (const state of DISPUTE_STATES) {
      const expected = LEADS[name][state] ?? null;
      it(`answers ${name} in ${state} with ${expected ?? "nothing"}`, () => {
        const record = standing(state);
        const stepped = stepDispute(record, EVENTS[name]);
        if (expected === null) {
          assert.deepEqual(stepped, { record, effects: [], accepted: false });
          return;
        }
        assert.ok(stepped.accepted);
        assert.equal([stepped.record.state, toldBy(record, EVENTS[name])].filter((word) => word !== "").join(" "), expected);
      });
    }
  }

  it("tells and mails the merchant about a new case", () => {
    const fresh = dispute("OPEN", { events: 0 });
    assert.equal(toldBy(fresh, EVENTS["case.received"]), "created mailReceived");
  });

  it("sets deadline, stage and reminders again and clears the outcome when evidence is requested", () => {
    const won = standing("WON", { outcome: { result: "WON", by: "network", atMs: NOW_MS } });
    const { record } = stepDispute(won, EVENTS["evidence.requested"]);
    assert.deepEqual([record.respondByMs, record.stage, record.outcome], [NOW_MS + 20 * DAY_MS, "PRE_ARBITRATION", null]);
    assert.deepEqual(
      record.reminders,
      [7, 3, 1].map((days) => days * DAY_MS),
    );
    assert.equal(record.nextAtMs, NOW_MS, "its response is still to be looked at");
    const past = { ...EVENTS["evidence.requested"], respondByMs: NOW_MS };
    assert.equal(stepDispute(won, past).accepted, false, "a deadline that has passed is none");
    const same = stepDispute(won, { ...EVENTS["evidence.requested"], stage: null });
    assert.equal(same.record.stage, "CHARGEBACK");
  });

  const RESPONSES: { what: string; event: Partial<Extract<DisputeEvent, { type: "response.submitted" }>>; record?: DisputeRecord }[] = [
    { what: "at the deadline", event: { atMs: RESPOND_BY_MS } },
    { what: "after the deadline", event: { atMs: RESPOND_BY_MS + 1 } },
    { what: "with neither a statement nor a file", event: { submission: submission(2, "owed", { statement: null }) } },
    { what: "with a file that is not there", event: { submission: submission(2, "owed", { fileIds: ["dpf_9"] }) } },
    { what: "with an incomplete file", event: { submission: submission(2, "owed", { fileIds: ["dpf_2"] }) } },
    { what: "with a file that was removed", event: { submission: submission(2, "owed", { fileIds: ["dpf_3"] }) } },
    { what: "for another deadline", event: { submission: submission(2, "owed", { respondByMs: RESPOND_BY_MS + 1 }) } },
    { what: "twice by one request", event: {}, record: standing("EVIDENCE_REQUIRED", { submissions: [submission(2, "taken")] }) },
    {
      what: "once too often",
      event: {},
      record: standing("OPEN", { submissions: Array.from({ length: 16 }, (_, n) => submission(n + 10, "taken")) }),
    },
  ];
  for (const { what, event, record = standing("OPEN") } of RESPONSES) {
    it(`rejects a response ${what}`, () => {
      assert.equal(stepDispute(record, { ...EVENTS["response.submitted"], ...event }).accepted, false);
    });
  }

  it("accepts a response a millisecond before the deadline, with only a statement or a file", () => {
    const last = { ...EVENTS["response.submitted"], atMs: RESPOND_BY_MS - 1 };
    assert.equal(stepDispute(standing("OPEN"), last).record.state, "UNDER_REVIEW");
    const alone = { ...last, submission: submission(2, "owed", { statement: null, fileIds: ["dpf_1"] }) };
    assert.equal(stepDispute(standing("OPEN"), alone).record.state, "UNDER_REVIEW");
  });

  it("keeps the files of a response unchanged", () => {
    const record = standing("EVIDENCE_REQUIRED", { submissions: [submission(1, "refused", { fileIds: ["dpf_1"] })] });
    assert.equal(stepDispute(record, EVENTS["file.removed"]).accepted, false);
  });

  it("limits the number and the bytes of files", () => {
    const many = dispute("OPEN", { files: Array.from({ length: 20 }, (_, n) => file(n + 10)) });
    assert.equal(stepDispute(many, EVENTS["file.staged"]).accepted, false);
    const large = dispute("OPEN", { files: Array.from({ length: 5 }, (_, n) => file(n + 10, "kept", { bytes: 10 * 1_048_576 })) });
    assert.equal(stepDispute(large, EVENTS["file.staged"]).accepted, false);
    const tooLarge = { ...EVENTS["file.staged"], file: file(4, "staged", { bytes: 10 * 1_048_576 + 1 }) };
    assert.equal(stepDispute(dispute("OPEN"), tooLarge).accepted, false);
  });

  it("removes an abandoned file only after its time, and does not add it afterwards", () => {
    const record = standing("OPEN");
    assert.equal(stepDispute(record, { ...EVENTS["file.abandoned"], atMs: NOW_MS - 1 }).accepted, false);
    const { record: abandoned } = stepDispute(record, EVENTS["file.abandoned"]);
    assert.equal(stepDispute(abandoned, EVENTS["file.added"]).accepted, false);
    assert.equal(stepDispute(record, { ...EVENTS["file.dropped"], fileId: "dpf_1" }).accepted, false, "a kept file is not dropped");
  });

  it("sends nothing from the deadline on", () => {
    const record = standing("UNDER_REVIEW", { submissions: [submission(1)] });
    assert.equal(stepDispute(record, { ...EVENTS["sending.begun"], atMs: RESPOND_BY_MS - 1 }).accepted, true);
    assert.equal(stepDispute(record, { ...EVENTS["sending.begun"], atMs: RESPOND_BY_MS }).accepted, false);
  });

  it("sends only the last response, and never one with an outcome", () => {
    const record = standing("UNDER_REVIEW", { submissions: [submission(1), submission(2, "taken")] });
    assert.equal(stepDispute(record, EVENTS["sending.begun"]).accepted, false);
    assert.equal(stepDispute(record, { ...EVENTS["sending.begun"], submissionId: "dps_2" }).accepted, false);
    const refused = stepDispute(record, EVENTS["network.refused"]);
    assert.equal(refused.record.state, "UNDER_REVIEW", "what becomes of an earlier response decides nothing");
    assert.equal(refused.record.submissions[0]?.state, "refused");
  });

  it("expires after a rejection that comes after the deadline, and notifies operators if the response never arrived", () => {
    const record = standing("UNDER_REVIEW");
    const late = { ...EVENTS["network.refused"], atMs: RESPOND_BY_MS };
    assert.equal(stepDispute(record, late).record.state, "EXPIRED");
    assert.equal(toldBy(record, late), "closed");
    const undelivered = { ...late, delivered: false };
    assert.equal(toldBy(record, undelivered), "closed flagUndelivered");
    assert.equal(stepDispute(record, undelivered).record.submissions[0]?.state, "undelivered");
  });

  it("accepts a rejection of a response that the network had accepted", () => {
    const record = standing("UNDER_REVIEW", { submissions: [submission(1, "taken")] });
    const { record: refused } = stepDispute(record, { ...EVENTS["network.refused"], submissionId: null });
    assert.deepEqual([refused.state, refused.submissions[0]?.state], ["EVIDENCE_REQUIRED", "refused"]);
    const unsent = standing("UNDER_REVIEW", { submissions: [submission(1)] });
    assert.equal(stepDispute(unsent, { ...EVENTS["network.refused"], submissionId: null }).accepted, false, "nobody has it yet");
    assert.deepEqual(
      refused.reminders,
      [7, 3, 1].map((days) => days * DAY_MS),
    );
  });

  it("notifies operators once of a response whose arrival is unknown for long", () => {
    const checked = (checks: number) =>
      toldBy(standing("UNDER_REVIEW", { submissions: [submission(1, "asked", { checks })] }), EVENTS["sending.checked"]);
    assert.deepEqual([SENDING_FLAG_CHECKS - 1, SENDING_FLAG_CHECKS, SENDING_FLAG_CHECKS + 1].map(checked), ["", "flagUndelivered", ""]);
  });

  it("reminds at 7 days, 3 days and 24 hours, and sends only the nearest missed reminder", () => {
    const record = dispute("OPEN");
    assert.equal(record.nextAtMs, RESPOND_BY_MS - 7 * DAY_MS);
    const at = (atMs: number, from = record) => stepDispute(from, { type: "deadline.passed", atMs });
    assert.equal(at(RESPOND_BY_MS - 7 * DAY_MS - 1).accepted, false);
    const first = at(RESPOND_BY_MS - 7 * DAY_MS);
    assert.deepEqual(first.effects, [{ type: "mailReminder", params: { leadMs: 7 * DAY_MS } }]);
    assert.equal(first.record.nextAtMs, RESPOND_BY_MS - 3 * DAY_MS);
    const missed = at(RESPOND_BY_MS - DAY_MS, first.record);
    assert.deepEqual(missed.effects, [{ type: "mailReminder", params: { leadMs: DAY_MS } }]);
    assert.equal(missed.record.nextAtMs, RESPOND_BY_MS);
    assert.deepEqual(at(RESPOND_BY_MS, missed.record).record.state, "EXPIRED");
    assert.equal(at(RESPOND_BY_MS).record.nextAtMs, null, "no reminder after the deadline");
  });
});
