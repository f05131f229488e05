import { uuidKey } from "../kernel/identifiers.ts";
import { listPrefix } from "../kernel/merchant-index-store.ts";
import { compile } from "../kernel/statechart.ts";
import {
  attention,
  forCaller,
  resolveAttention,
  stepRecords,
  type Transition,
  type WorkflowDefinition,
  webhook,
} from "../workflow/workflow.ts";
import type { AlertRecord } from "./alert.ts";
import { summaryText } from "./alert-queries.ts";
import type { AlertEffect, AlertEvent } from "./events.ts";
import { alertMachine } from "./machine.ts";
import { alertRow } from "./object-row.ts";
import { isOver, nextAtMs, wasFlaggedUnknown } from "./rules.ts";

export type AlertOutcome =
  | "received"
  | "auto_refund"
  | "refunded"
  | "declined"
  | "expired"
  | "invalid"
  | "prevented"
  | "refund_failed"
  | "refund_unknown"
  | "refunded_twice";

const runMachine = compile(alertMachine, ["tell", "askRefund", "flagFailed", "flagUnknown", "settleUnknown", "flagTwice"]);

export const stepAlert = stepRecords(runMachine, nextAtMs);

/** Alerts are stored as `alert/<id>`. The values of `alert-of/` are summaries. */
export const ALERT_WORKFLOW: WorkflowDefinition<AlertRecord, AlertEvent, AlertEffect, AlertOutcome> = {
  ...{ kind: "alert", label: "an alert", objectType: "alert", idPattern: /^al_[a-z0-9]{24}$/, keyPrefix: "alert/" },
  step: stepAlert,
  overdue: (record, atMs) => (record.state === "PENDING" && isOver(record, atMs) ? { type: "deadline.passed", atMs } : null),
  touch: "increasing",
  expiresAtMs: ({ record, atMs }, retentionMs) => Math.max(atMs, record.respondByMs) + retentionMs,
  indexes: [
    { prefix: "alert-of/", path: (alert) => listPrefix("", alert), atMs: receivedAtMs, value: summaryText },
    { prefix: "alert-state/", path: (alert) => `${listPrefix("", alert)}${alert.state}/`, atMs: receivedAtMs },
    {
      prefix: "alert-due/",
      path: (alert) => (alert.state === "PENDING" ? listPrefix("", alert) : null),
      atMs: ({ respondByMs }) => respondByMs,
    },
    {
      prefix: "alert-payment/",
      path: ({ merchantId, uuid }) => (uuid === null ? null : `${merchantId}/${uuidKey(uuid)}/`),
      atMs: receivedAtMs,
    },
  ],
  deadlines: {
    ...{ name: "alert", freePerSecond: 50 },
    bounds: { heldMax: 20_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 1_000 },
  },
  terminalOf: ({ terminalId }) => terminalId ?? "-",
  effects: {
    tell: webhook(({ params }) => params.news),
    askRefund: forCaller(),
    flagFailed: attention(
      "alert_refund_failed",
      ({ id, uuid, refund }) => `The automatic refund of payment ${uuid ?? "-"} for alert ${id} was refused: ${refund?.detail ?? "-"}`,
    ),
    flagUnknown: attention(
      "alert_refund_unknown",
      ({ id, uuid }) => `It is unknown whether payment ${uuid ?? "-"} was refunded for alert ${id}`,
    ),
    settleUnknown: resolveAttention("alert_refund_unknown", wasFlaggedUnknown),
    flagTwice: attention(
      "alert_refunded_twice",
      ({ id, uuid }) => `Payment ${uuid ?? "-"} was refunded for alert ${id}, which ended with another outcome`,
    ),
  },
  reportRows: (record) => [alertRow(record)],
  outcomesOf: (transition, effects) => [...stateOutcome(transition), ...effects.flatMap(({ type }) => FLAG_OUTCOMES[type])],
};

const FLAG_OUTCOMES: Readonly<Record<AlertEffect["type"], readonly AlertOutcome[]>> = {
  ...{ tell: [], askRefund: [], settleUnknown: [] },
  ...{ flagFailed: ["refund_failed"], flagUnknown: ["refund_unknown"], flagTwice: ["refunded_twice"] },
};

function stateOutcome({ before, record: { state, end } }: Transition<AlertRecord>): readonly AlertOutcome[] {
  if (state === before?.state) return [];
  switch (state) {
    case "PENDING":
      return before === null ? ["received"] : [];
    case "AUTO_REFUND":
      return ["auto_refund"];
    case "REFUNDED":
      return ["refunded"];
    case "PREVENTED":
      return ["prevented"];
    case "DECLINED":
      return [end?.by === "deadline" ? "expired" : end?.by === "invalid" ? "invalid" : "declined"];
  }
}

function receivedAtMs({ createdAtMs }: AlertRecord): number {
  return createdAtMs;
}
