import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AlertRecord, AlertState } from "../../../engine/alerts/alert.ts";
import type { AlertEvent } from "../../../engine/alerts/events.ts";
import { ALERT_STATES } from "../../../engine/alerts/words.ts";
import { stepAlert } from "../../../engine/alerts/workflow.ts";
import { alert, EVENTS, NOW_MS, RESPOND_BY_MS, refund } from "./machine-world.ts";

function toldBy(record: AlertRecord, event: AlertEvent): string {
  const { effects } = stepAlert(record, event);
  return effects.map((effect) => (effect.type === "tell" ? effect.params.news.replace("alert.", "") : effect.type)).join(" ");
}

type Leads = Record<keyof typeof EVENTS, Partial<Record<AlertState, string>>>;

/**
 * The result of every event in every state while no refund is under way. Absent events change
 * nothing.
 */
const LEADS: Leads = {
  "alert.received": {},
  "rule.matched": { PENDING: "AUTO_REFUND askRefund" },
  "refund.requested": { PENDING: "PENDING askRefund" },
  "refund.checked": {},
  "refund.resumed": {},
  "refund.done": {},
  "refund.failed": {},
  declined: { PENDING: "DECLINED closed" },
  "deadline.passed": { PENDING: "DECLINED closed" },
  "network.resolved": {
    PENDING: "PREVENTED closed",
    AUTO_REFUND: "PREVENTED closed",
    REFUNDED: "PREVENTED closed",
    DECLINED: "PREVENTED closed",
  },
  "network.invalid": { PENDING: "DECLINED closed", AUTO_REFUND: "DECLINED closed" },
};

/** The results while a refund is under way. */
const WHILE_REFUNDING: Leads = {
  ...LEADS,
  "rule.matched": {},
  "refund.requested": {},
  "refund.checked": { PENDING: "PENDING", AUTO_REFUND: "AUTO_REFUND", DECLINED: "DECLINED", PREVENTED: "PREVENTED" },
  "refund.resumed": { PENDING: "PENDING askRefund", AUTO_REFUND: "AUTO_REFUND askRefund" },
  "refund.done": {
    PENDING: "REFUNDED settleUnknown closed",
    AUTO_REFUND: "REFUNDED settleUnknown closed",
    DECLINED: "DECLINED settleUnknown flagTwice",
    PREVENTED: "PREVENTED settleUnknown flagTwice",
  },
  "refund.failed": {
    PENDING: "PENDING settleUnknown",
    AUTO_REFUND: "PENDING settleUnknown flagFailed",
    DECLINED: "DECLINED settleUnknown",
    PREVENTED: "PREVENTED settleUnknown",
  },
  declined: {},
  "deadline.passed": {},
};

describe("the machine of alerts", () => {
  for (const [what, leads, changes, states] of [
    ["without a refund", LEADS, {}, ALERT_STATES],
    ["with a refund under way", WHILE_REFUNDING, { refund: refund() }, ALERT_STATES.filter((state) => state !== "REFUNDED")],
  ] as const) {
    for (const name of Object.keys(EVENTS) as (keyof typeof EVENTS)[]) {
      for (const state of states) {
        const expected = leads[name][state] ?? null;
        it(`answers ${name} in ${state} ${what} with ${expected ?? "nothing"}`, () => {
          const record = alert(state, changes);
          const stepped = stepAlert(record, EVENTS[name]);
          if (expected === null) {
            assert.deepEqual(stepped, { record, effects: [], accepted: false });
            return;
          }
          assert.ok(stepped.accepted);
          assert.equal([stepped.record.state, toldBy(record, EVENTS[name])].filter((word) => word !== "").join(" "), expected);
        });
      }
    }
  }

  it("tells the merchant of a new alert", () => {
    assert.equal(toldBy(alert("PENDING", { events: 0 }), EVENTS["alert.received"]), "created");
  });

  const NEVER: [what: string, changes: Partial<AlertRecord>, atMs?: number][] = [
    ["of an unknown payment", { uuid: null }],
    ["where the network moves the money", { source: "RDR" }],
    ["at the deadline", {}, RESPOND_BY_MS],
  ];
  for (const [what, changes, atMs = NOW_MS] of NEVER) {
    it(`begins no refund ${what}`, () => {
      for (const event of [EVENTS["rule.matched"], EVENTS["refund.requested"]]) {
        assert.equal(stepAlert(alert("PENDING", changes), { ...event, atMs }).accepted, false);
      }
    });
  }

  it("does not begin a requested refund after the deadline", () => {
    const record = alert("AUTO_REFUND", { refund: refund() });
    assert.equal(stepAlert(record, { ...EVENTS["refund.resumed"], atMs: RESPOND_BY_MS - 1 }).accepted, true);
    assert.equal(stepAlert(record, { ...EVENTS["refund.resumed"], atMs: RESPOND_BY_MS }).accepted, false);
  });

  it("ends as REFUNDED without moving money if the payment was refunded before", () => {
    const { record } = stepAlert(alert("PENDING", { refund: refund() }), { ...EVENTS["refund.done"], moved: false });
    assert.deepEqual([record.state, record.refund?.state, record.refund?.moved], ["REFUNDED", "done", false]);
    assert.equal(toldBy(record, EVENTS["network.resolved"]), "closed", "then nobody has paid twice");
  });

  it("notifies operators if the network resolves an alert that the relay has refunded", () => {
    const { record } = stepAlert(alert("AUTO_REFUND", { refund: refund() }), EVENTS["refund.done"]);
    assert.equal(toldBy(record, EVENTS["network.resolved"]), "closed flagTwice");
  });

  it("accepts another refund, a decline or the deadline after a rejected refund", () => {
    const { record } = stepAlert(alert("AUTO_REFUND", { refund: refund() }), EVENTS["refund.failed"]);
    assert.deepEqual([record.refund?.state, record.refund?.detail, record.nextAtMs], ["refused", "no", RESPOND_BY_MS]);
    assert.equal(stepAlert(record, EVENTS["refund.requested"]).accepted, true);
    assert.equal(stepAlert(record, EVENTS.declined).record.end?.reason, "was delivered");
    assert.equal(stepAlert(record, EVENTS["deadline.passed"]).record.end?.by, "deadline");
    assert.equal(stepAlert(record, { ...EVENTS["deadline.passed"], atMs: RESPOND_BY_MS - 1 }).accepted, false);
    assert.equal(stepAlert(record, { ...EVENTS.declined, atMs: RESPOND_BY_MS }).accepted, false);
  });

  it("checks an unknown outcome with growing pauses, and notifies operators once", () => {
    let record = alert("PENDING", { refund: refund() });
    const told: string[] = [];
    const pauses: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const atMs = record.nextAtMs ?? 0;
      assert.equal(stepAlert(record, { type: "refund.checked", atMs: atMs - 1 }).accepted, false);
      const event = { type: "refund.checked", atMs } as const;
      told.push(toldBy(record, event));
      record = stepAlert(record, event).record;
      pauses.push(((record.nextAtMs ?? 0) - atMs) / 60_000);
    }
    assert.deepEqual(pauses, [1, 5, 30, 120, 720, 720, 720]);
    assert.deepEqual(told, ["", "", "", "flagUnknown", "", "", ""]);
  });
});
