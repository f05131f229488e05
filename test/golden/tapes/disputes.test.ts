import assert from "node:assert/strict";
import { DISPUTES_OF_PAYMENT_MAX, type DisputeRecord } from "../../../engine/disputes/dispute.ts";
import { DISPUTE_STATES } from "../../../engine/disputes/words.ts";
import type { DisputeEvent } from "../../../engine/disputes/events.ts";
import { disputeMachine } from "../../../engine/disputes/machine.ts";
import { SENDING_FLAG_CHECKS } from "../../../engine/disputes/rules.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import { DAY_MS, dispute, EVENTS, NOW_MS, RESPOND_BY_MS, standing, submission } from "../../engine/disputes/machine-world.ts";
import { type Circumstances, DisputeWorld, FakeNetwork, openDisputes } from "../../engine/disputes/world.ts";
import { member } from "../../engine/portal-links/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { type Heard, holdToTape, type TapeKv } from "./tape.ts";

const asked = (checks: number) => [submission(1, "asked", { checks })];

const records = {
  new: dispute("OPEN", { events: 0 }),
  ...Object.fromEntries(DISPUTE_STATES.map((state) => [state, standing(state)])),
  ...Object.fromEntries(
    DISPUTE_STATES.map((state) => [`${state}, checked often`, dispute(state, { submissions: asked(SENDING_FLAG_CHECKS) })]),
  ),
  "OPEN, asked before": dispute("OPEN", { submissions: asked(0) }),
  "UNDER_REVIEW for the second time": dispute("UNDER_REVIEW", { submissions: [...asked(0), submission(2)] }),
  ...Object.fromEntries((["OPEN", "EVIDENCE_REQUIRED"] as const).map((state) => [`${state}, with a mail owed`, owing(state)])),
  "without a payment": dispute("OPEN", { uuid: null, terminalId: null }),
  "UNDER_REVIEW without a payment": dispute("UNDER_REVIEW", { uuid: null, terminalId: null, submissions: asked(SENDING_FLAG_CHECKS) }),
};

function owing(state: DisputeRecord["state"]): DisputeRecord {
  return dispute(state, { reminders: [], mailOwed: { leadMs: null, atMs: NOW_MS } });
}

const stored = (record: DisputeRecord) => ({ key: `dispute/${record.id}`, value: recordText("dispute", record) });

function open(kv: TapeKv, { id }: DisputeRecord, changes: Partial<Circumstances> = {}) {
  const heard = { workflow: [], became: [], postponed: 0 };
  const clock = new ManualClock();
  const circumstances = { hasRoom: true, team: [member(1), member(2, { locale: "it" })], ...changes };
  const failed = (_: string, error: unknown) => assert.fail(String(error));
  const network = new FakeNetwork(clock.nowMs);
  const { workflow } = openDisputes({ kv, network, clock, circumstances, heard, failed });
  return {
    heard,
    apply: (event: DisputeEvent, requestId: string | null) => {
      clock.wallMs = event.atMs;
      return workflow.apply(id, () => event, requestId === null ? null : { id: "o1", requestId });
    },
  };
}

/** Applies one transition to a record in another test setup. */
async function stepped(kv: TapeKv, record: DisputeRecord, event: DisputeEvent, changes?: Partial<Circumstances>): Promise<Heard> {
  const { key, value } = stored(record);
  await kv.seed(key, value);
  const { heard, apply } = open(kv, record, changes);
  await apply(event, null);
  return heard;
}

const reminder = { type: "deadline.passed", atMs: RESPOND_BY_MS - 7 * DAY_MS } as const;
const holdOf = (disputes: readonly string[]) => ["dispute-hold/M1/pl_1.1", recordText("disputeHold", { schema: 1, disputes })] as const;

holdToTape<DisputeRecord, DisputeEvent>({
  subject: "disputes",
  machine: disputeMachine,
  records,
  stored,
  stateOf: ({ state }) => state,
  events: {
    ...EVENTS,
    "sending.begun again": { ...EVENTS["sending.begun"], submissionId: "dps_2" },
    "network.refused late": { ...EVENTS["network.refused"], atMs: RESPOND_BY_MS },
    "network.refused, undelivered": { ...EVENTS["network.refused"], atMs: RESPOND_BY_MS, delivered: false },
    "network.refused, the last": { ...EVENTS["network.refused"], submissionId: null },
    "deadline.passed, a reminder": reminder,
    "deadline.passed, a mail": { type: "deadline.passed", atMs: NOW_MS },
  },
  guarded: false,
  open,
  walks: {
    "a reminder for whose mail there is no room": (kv) => stepped(kv, standing("OPEN"), reminder, { hasRoom: false }),
    "a mail that finds no room again": (kv) => stepped(kv, owing("OPEN"), { type: "deadline.passed", atMs: NOW_MS }, { hasRoom: false }),
    "a reminder while the team cannot be read": (kv) => stepped(kv, standing("EVIDENCE_REQUIRED"), reminder, { team: "away" }),
    "a reminder for a team without anybody who may answer": (kv) => stepped(kv, standing("OPEN"), reminder, { team: [] }),
    received: async (kv) => {
      const world = new DisputeWorld(1, { kv });
      await world.receive();
      await world.receive();
      return world.heard;
    },
    "received without room for a mail": async (kv) => {
      const world = new DisputeWorld(1, { kv, circumstances: { hasRoom: false, team: [member(1)] } });
      await world.receive(
        { uuid: null, terminalId: null, alertId: `al_${"0".repeat(24)}` },
        { merchantId: "M2", partnerId: 1, livemode: true },
      );
      return world.heard;
    },
    "two disputes of one payment, and one of them is won": async (kv) => {
      const world = new DisputeWorld(1, { kv });
      await kv.seed(...holdOf(["dp_other"]));
      const { network, networkCaseId } = await world.receive();
      await world.feed.verdict(network, networkCaseId, "WON", world.next());
      return world.heard;
    },
    "another dispute of the payment is received at the same time": async (kv) => {
      const world = new DisputeWorld(1, { kv });
      kv.seedBeforeCommit(...holdOf(["dp_other"]));
      await world.receive();
      return world.heard;
    },
    "received when the payment has as many disputes as it may": async (kv) => {
      const world = new DisputeWorld(1, { kv });
      await kv.seed(...holdOf(Array.from({ length: DISPUTES_OF_PAYMENT_MAX }, (_, n) => `dp_${n}`)));
      await assert.rejects(world.receive(), (error) => error instanceof RelayError && error.code === "conflict");
      return world.heard;
    },
  },
});
