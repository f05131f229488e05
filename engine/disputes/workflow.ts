import { uuidKey } from "../kernel/identifiers.ts";
import { listPrefix } from "../kernel/merchant-index-store.ts";
import { compile } from "../kernel/statechart.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import { attention, mail, stepRecords, type Transition, type WorkflowDefinition, webhook } from "../workflow/workflow.ts";
import { type DisputeRecord, isAnswerable } from "./dispute.ts";
import { summaryText } from "./dispute-queries.ts";
import type { DisputeEffect, DisputeEvent } from "./events.ts";
import { disputeMachine } from "./machine.ts";
import { disputeRow } from "./object-row.ts";
import { isInTime, nextAtMs } from "./rules.ts";

export type DisputeWorkflow = Workflow<DisputeRecord, DisputeEvent, DisputeEffect>;

export type DisputeOutcome = "received" | "submitted" | "accepted" | "won" | "lost" | "expired" | "reminded" | "undelivered";

/** A mail that found no room is tried again after this time. */
const MAIL_AGAIN_MS = 10 * 60_000;

const runMachine = compile(disputeMachine, ["tell", "mailReceived", "mailReminder", "flagUndelivered"]);

export const stepDispute = stepRecords(runMachine, nextAtMs);

/**
 * Disputes are stored as `dispute/<id>`. The values of `dispute-of/` are summaries. Each commit
 * also blocks or allows refunds of the payment (dispute-hold-store.ts).
 */
export const DISPUTE_WORKFLOW: WorkflowDefinition<DisputeRecord, DisputeEvent, DisputeEffect, DisputeOutcome> = {
  ...{ kind: "dispute", label: "a dispute", objectType: "dispute", idPattern: /^dp_[a-z0-9]{24}$/, keyPrefix: "dispute/" },
  step: stepDispute,
  overdue: (record, atMs) => (isAnswerable(record) && !isInTime(record, atMs) ? { type: "deadline.passed", atMs } : null),
  touch: "increasing",
  expiresAtMs: ({ record, atMs }, retentionMs) => Math.max(atMs, record.respondByMs) + retentionMs,
  indexes: [
    { prefix: "dispute-of/", path: (dispute) => listPrefix("", dispute), atMs: receivedAtMs, value: summaryText },
    { prefix: "dispute-state/", path: (dispute) => `${listPrefix("", dispute)}${dispute.state}/`, atMs: receivedAtMs },
    {
      prefix: "dispute-due/",
      path: (dispute) => (isAnswerable(dispute) ? listPrefix("", dispute) : null),
      atMs: ({ respondByMs }) => respondByMs,
    },
    {
      prefix: "dispute-payment/",
      path: ({ merchantId, uuid }) => (uuid === null ? null : `${merchantId}/${uuidKey(uuid)}/`),
      atMs: receivedAtMs,
    },
    { prefix: "dispute-case/", path: (dispute) => `${listPrefix("", dispute)}${dispute.networkCaseId}/` },
  ],
  deadlines: {
    ...{ name: "dispute", freePerSecond: 50 },
    bounds: { heldMax: 20_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 1_000 },
  },
  terminalOf: ({ terminalId }) => terminalId ?? "-",
  effects: {
    tell: webhook(({ params }) => params.news),
    mailReceived: mail((record, _, atMs) => postponed(record, null, atMs)),
    mailReminder: mail((record, { params }, atMs) => postponed(record, params.leadMs, atMs)),
    flagUndelivered: attention(
      "dispute_undelivered",
      ({ id }) =>
        `A response to the dispute ${id} has not reached its network, as far as the relay knows; ask the network whether it has the response`,
    ),
  },
  reportRows: (record) => [disputeRow(record)],
  outcomesOf: (transition, effects) => {
    const isMailed = (transition.record.mailOwed ?? null) === null;
    return [
      ...(isMailed && reminderOf(effects) !== null ? ["reminded" as const] : []),
      ...(effects.some(({ type }) => type === "flagUndelivered") ? ["undelivered" as const] : []),
      ...stateOutcome(transition),
    ];
  },
};

/** Returns the lead time of the reminder in the last mail of a step, or null. */
export function reminderOf(effects: readonly DisputeEffect[]): number | null {
  const effect = effects.findLast(({ type }) => type === "mailReceived" || type === "mailReminder");
  return effect?.type === "mailReminder" ? effect.params.leadMs : null;
}

function postponed(record: DisputeRecord, leadMs: number | null, atMs: number): Pick<DisputeRecord, "mailOwed" | "nextAtMs"> {
  const mailOwed = { leadMs, atMs: atMs + MAIL_AGAIN_MS };
  return { mailOwed, nextAtMs: nextAtMs({ ...record, mailOwed }) };
}

function stateOutcome({ before, record }: Transition<DisputeRecord>): readonly DisputeOutcome[] {
  if (before === null) return ["received"];
  if (record.state === before.state) return [];
  switch (record.state) {
    case "UNDER_REVIEW":
      return ["submitted"];
    case "WON":
      return ["won"];
    case "LOST":
      return [record.outcome?.by === "accepted" ? "accepted" : "lost"];
    case "EXPIRED":
      return ["expired"];
    case "OPEN":
    case "EVIDENCE_REQUIRED":
      return [];
  }
}

function receivedAtMs({ createdAtMs }: DisputeRecord): number {
  return createdAtMs;
}
