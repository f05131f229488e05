import type { DisputeFile, DisputeRecord, DisputeState, DisputeSubmission } from "../../../engine/disputes/dispute.ts";
import type { DisputeEvent } from "../../../engine/disputes/events.ts";
import { nextAtMs, remindersFrom } from "../../../engine/disputes/rules.ts";

export const CREATED_MS = 1_700_000_000_000;
export const DAY_MS = 86_400_000;
export const RESPOND_BY_MS = CREATED_MS + 10 * DAY_MS;
export const NOW_MS = CREATED_MS + 60_000;

export const ID = `dp_${"0".repeat(23)}1`;

export function file(n: number, state: DisputeFile["state"] = "kept", changes: Partial<DisputeFile> = {}): DisputeFile {
  return {
    ...{ id: `dpf_${n}`, state, name: `${n}.pdf`, category: "RECEIPT", bytes: 1_000, type: "application/pdf", sha256: `sha-${n}` },
    ...{ uploadedAtMs: CREATED_MS, untilMs: state === "kept" ? null : NOW_MS },
    ...changes,
  };
}

export function submission(
  n: number,
  state: DisputeSubmission["state"] = "owed",
  changes: Partial<DisputeSubmission> = {},
): DisputeSubmission {
  const isUnsettled = state === "owed" || state === "asked";
  return {
    ...{ id: `dps_${n}`, state, by: { type: "key" }, submittedAtMs: NOW_MS, respondByMs: RESPOND_BY_MS },
    ...{ statement: "It was delivered", fields: {}, fileIds: [], checks: 0, nextAtMs: isUnsettled ? NOW_MS : null },
    endedAtMs: isUnsettled ? null : NOW_MS,
    ...changes,
  };
}

export function dispute(state: DisputeRecord["state"], changes: Partial<DisputeRecord> = {}): DisputeRecord {
  const isAnswerable = state === "OPEN" || state === "EVIDENCE_REQUIRED";
  const record: DisputeRecord = {
    ...{ schema: 1, id: ID, merchantId: "M1", partnerId: 1, livemode: false, state },
    ...{
      network: "VISA",
      networkCaseId: "C-1",
      stage: "CHARGEBACK",
      uuid: "pl_1.1",
      terminalId: "TML1",
      amountMinor: 1_234,
      currency: "EUR",
    },
    ...{ reasonCode: "10.4", category: "FRAUD", respondByMs: RESPOND_BY_MS, alertId: null, draft: { statement: null, fields: {} } },
    ...{ files: [], submissions: [], outcome: null, reminders: isAnswerable ? remindersFrom(RESPOND_BY_MS, CREATED_MS) : [] },
    ...{ createdAtMs: CREATED_MS, updatedAtMs: CREATED_MS, nextAtMs: null, events: 1 },
    ...changes,
  };
  return { ...record, nextAtMs: nextAtMs(record) };
}

/** Makes a record in a state that has files, responses and a draft. */
export function standing(state: DisputeState, changes: Partial<DisputeRecord> = {}): DisputeRecord {
  return dispute(state, {
    files: [file(1), file(2, "staged"), file(3, "removed")],
    submissions: state === "OPEN" ? [] : [submission(1, "asked")],
    ...changes,
  });
}

export const EVENTS = {
  "case.received": { type: "case.received", atMs: NOW_MS },
  "evidence.requested": { type: "evidence.requested", atMs: NOW_MS, respondByMs: NOW_MS + 20 * DAY_MS, stage: "PRE_ARBITRATION" },
  "draft.saved": { type: "draft.saved", atMs: NOW_MS, draft: { statement: "So it was", fields: { tracking: "1Z" } } },
  "file.staged": { type: "file.staged", atMs: NOW_MS, file: file(4, "staged") },
  "file.added": { type: "file.added", atMs: NOW_MS, fileId: "dpf_2" },
  "file.removed": { type: "file.removed", atMs: NOW_MS, fileId: "dpf_1" },
  "file.abandoned": { type: "file.abandoned", atMs: NOW_MS, fileId: "dpf_2" },
  "file.dropped": { type: "file.dropped", atMs: NOW_MS, fileId: "dpf_3" },
  "response.submitted": { type: "response.submitted", atMs: NOW_MS, submission: submission(2, "owed", { fileIds: ["dpf_1"] }) },
  "sending.begun": { type: "sending.begun", atMs: NOW_MS, submissionId: "dps_1" },
  "sending.checked": { type: "sending.checked", atMs: NOW_MS, submissionId: "dps_1" },
  "network.accepted": { type: "network.accepted", atMs: NOW_MS, submissionId: "dps_1" },
  "network.refused": { type: "network.refused", atMs: NOW_MS, submissionId: "dps_1", delivered: true },
  "liability.accepted": { type: "liability.accepted", atMs: NOW_MS, by: { type: "key" } },
  "verdict WON": { type: "verdict.received", atMs: NOW_MS, result: "WON" },
  "verdict LOST": { type: "verdict.received", atMs: NOW_MS, result: "LOST" },
  "deadline.passed": { type: "deadline.passed", atMs: RESPOND_BY_MS },
} as const satisfies Record<string, DisputeEvent>;
