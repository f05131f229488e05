import type { Caller } from "../../../../engine/access/caller.ts";
import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import type { BoardItem } from "../../../../engine/cases/case-list.ts";
import {
  type DisputeActor,
  type DisputeFile,
  type DisputeRecord,
  type DisputeSubmission,
  holdsRefunds,
  isAnswerable,
} from "../../../../engine/disputes/dispute.ts";
import { DISPUTE_FILES_MAX } from "../../../../engine/disputes/words.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { type ActorNames, actorNames } from "../actor-names.ts";
import { maySeePersonalData } from "../personal-data.ts";
import type { DisputeItemJson, DisputeJson, DisputeResponseJson, DisputeStatsJson, EvidenceFileJson } from "./schemas.ts";
import type { DisputeOperations } from "./surface.ts";

type Seen = Pick<DisputeOperations, "users" | "clock">;

/** One dispute. What its merchant writes and uploads is about people: it is shown to who may see personal data only. */
export async function disputeJson({ users, clock }: Seen, caller: Caller, dispute: DisputeRecord): Promise<DisputeJson> {
  const { id, state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId, amountMinor, currency } = dispute;
  const { respondByMs, alertId, draft, files, submissions, outcome, createdAtMs, updatedAtMs } = dispute;
  const maySee = maySeePersonalData(caller);
  const names = await actorNames(
    users,
    caller,
    submissions.map(({ by }) => by),
  );
  return {
    ...{ id, status: state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId, amountMinor, currency },
    respondBy: iso(respondByMs),
    answerable: isAnswerable(dispute) && clock.nowMs() < respondByMs,
    holdsRefunds: holdsRefunds(dispute),
    alertId,
    draft: maySee ? { statement: draft.statement, fields: { ...draft.fields } } : { statement: null, fields: {} },
    files: files.filter((file) => file.state === "kept").map((file) => fileJson(file, submissions, maySee)),
    filesMax: DISPUTE_FILES_MAX,
    responses: submissions.map((submission) => responseJson(submission, names, maySee)),
    outcome: outcome === null ? null : { result: outcome.result, by: outcome.by, at: iso(outcome.atMs) },
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

/** An item of the list: it holds nothing about people. */
export function boardItemJson(item: BoardItem): DisputeItemJson {
  return item.type === "dispute" ? disputeItem(item.dispute) : alertItem(item.alert);
}

function disputeItem(dispute: DisputeRecord): DisputeItemJson {
  const { id, state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId, amountMinor, currency, alertId } = dispute;
  return {
    ...{ kind: "dispute", id, status: state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId },
    ...{ amountMinor, currency, respondBy: iso(dispute.respondByMs), alertId },
    ...{ createdAt: iso(dispute.createdAtMs), updatedAt: iso(dispute.updatedAtMs) },
  };
}

function alertItem(alert: AlertRecord): DisputeItemJson {
  const { id, source, networkRef, category, uuid, terminalId, amountMinor, currency } = alert;
  return {
    ...{ kind: "alert", id, status: "ALERT", stage: null, category, network: source, networkCaseId: networkRef, reasonCode: null },
    ...{ uuid, terminalId, amountMinor, currency, respondBy: iso(alert.respondByMs), alertId: null },
    ...{ createdAt: iso(alert.createdAtMs), updatedAt: iso(alert.updatedAtMs) },
  };
}

function fileJson(file: DisputeFile, submissions: readonly DisputeSubmission[], maySee: boolean): EvidenceFileJson {
  const { id, name, category, bytes, type, sha256, uploadedAtMs } = file;
  const submitted = submissions.some(({ fileIds }) => fileIds.includes(id));
  return { id, name: maySee ? name : maskedName(name), category, bytes, type, sha256, uploadedAt: iso(uploadedAtMs), submitted };
}

/** Names of files name customers. */
function maskedName(name: string): string {
  return `***${name.slice(name.lastIndexOf("."))}`;
}

function responseJson(submission: DisputeSubmission, names: ActorNames<DisputeActor>, maySee: boolean): DisputeResponseJson {
  const { id, state, by, submittedAtMs, statement, fields, fileIds, endedAtMs } = submission;
  return {
    ...{ id, state, ...names(by), submittedAt: iso(submittedAtMs) },
    ...(maySee ? { statement, fields: { ...fields } } : { statement: null, fields: {} }),
    ...{ fileIds: [...fileIds], endedAt: isoOrNull(endedAtMs) },
  };
}

export const DISPUTE_EXAMPLE: DisputeJson = {
  id: "dp_4f0k2m9x7q1c8v5b3n6z0a2s",
  status: "OPEN",
  stage: "CHARGEBACK",
  category: "NOT_RECEIVED",
  network: "VISA",
  networkCaseId: "9182736450",
  reasonCode: "13.1",
  uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10",
  terminalId: "SIM00001",
  amountMinor: 1050,
  currency: "EUR",
  respondBy: "2026-12-10T10:00:00.000Z",
  answerable: true,
  holdsRefunds: true,
  alertId: null,
  draft: { statement: "The parcel was handed over on the 20th.", fields: { trackingNumber: "1Z999" } },
  files: [
    {
      id: "dpf_7q1c8v5b3n6z0a2s4f0k2m9x",
      name: "delivery.pdf",
      category: "DELIVERY",
      bytes: 48_213,
      type: "application/pdf",
      sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      uploadedAt: "2026-11-26T10:00:00.000Z",
      submitted: false,
    },
  ],
  filesMax: DISPUTE_FILES_MAX,
  responses: [],
  outcome: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  updatedAt: "2026-11-26T10:00:00.000Z",
};

export const DISPUTE_ITEM_EXAMPLE: DisputeItemJson = {
  kind: "dispute",
  id: "dp_4f0k2m9x7q1c8v5b3n6z0a2s",
  status: "OPEN",
  stage: "CHARGEBACK",
  category: "NOT_RECEIVED",
  network: "VISA",
  networkCaseId: "9182736450",
  reasonCode: "13.1",
  uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10",
  terminalId: "SIM00001",
  amountMinor: 1050,
  currency: "EUR",
  respondBy: "2026-12-10T10:00:00.000Z",
  alertId: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  updatedAt: "2026-11-26T10:00:00.000Z",
};

export const STATS_EXAMPLE: DisputeStatsJson = {
  counts: { OPEN: 1, WON: 3, LOST: 1 },
  amounts: [{ status: "OPEN", currency: "EUR", amountMinor: 1050 }],
  dueSoon: 1,
  winRate: 0.75,
  escalated: 1,
  month: {
    month: "2026-11",
    count: 2,
    cardPayments: 4000,
    rate: 0.0005,
    amounts: [{ currency: "EUR", amountMinor: 2100, cardVolumeMinor: 4200000, rate: 0.0005 }],
  },
  complete: true,
  alerts: {
    counts: { PENDING: 1, REFUNDED: 4, DECLINED: 1 },
    amounts: [{ state: "PENDING", currency: "EUR", amountMinor: 1050 }],
    preventionRate: 0.8,
    complete: true,
  },
};
