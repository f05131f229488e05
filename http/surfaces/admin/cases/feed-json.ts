import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import { ALERT_SOURCES, ALERT_STATES } from "../../../../engine/alerts/words.ts";
import type { DisputeRecord } from "../../../../engine/disputes/dispute.ts";
import { DISPUTE_CATEGORIES, DISPUTE_STAGES, DISPUTE_STATES, EVIDENCE_CATEGORIES } from "../../../../engine/disputes/words.ts";
import { iso } from "../../../endpoint/time.ts";
import { Environment, words } from "../../parts/schemas.ts";

/** The JSON of disputes and alerts for administrators, who forward responses to the networks. */

const Time = Type.String({ description: "ISO 8601 UTC." });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const DisputeState = words(DISPUTE_STATES, { title: "DisputeState" });
export const DisputeStage = words(DISPUTE_STAGES, { title: "DisputeStage" });
export const DisputeCategory = words(DISPUTE_CATEGORIES, { title: "DisputeCategory" });
export const AlertState = words(ALERT_STATES, { title: "AlertState" });
export const AlertSource = words(ALERT_SOURCES, { title: "AlertSource", description: "RDR: the network itself refunds the customer." });

const disputeMembers = {
  id: Type.String(),
  merchantId: Type.String(),
  partnerId: Type.Integer(),
  environment: Environment,
  status: DisputeState,
  stage: DisputeStage,
  category: DisputeCategory,
  network: Type.String(),
  networkCaseId: Type.String(),
  reasonCode: Type.String(),
  uuid: orNull(Type.String()),
  terminalId: orNull(Type.String()),
  amountMinor: Type.Integer(),
  currency: Type.String(),
  respondBy: Time,
  alertId: orNull(Type.String()),
  createdAt: Time,
  updatedAt: Time,
};
/** Contains nothing that the merchant wrote. */
export const AdminDispute = Type.Object(disputeMembers, { title: "AdminDispute" });
export const AdminDisputePage = Type.Object(
  { items: Type.Array(AdminDispute), next: orNull(Type.String()) },
  { title: "AdminDisputePage" },
);
/** Contains the submitted responses of the merchant, but not the draft. */
export const AdminDisputeDetail = Type.Object(
  {
    ...disputeMembers,
    responses: Type.Array(
      Type.Object({
        id: Type.String(),
        state: Type.String(),
        submittedAt: Time,
        statement: orNull(Type.String()),
        fields: Type.Record(Type.String(), Type.String()),
        files: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            category: words(EVIDENCE_CATEGORIES, { title: "EvidenceCategory" }),
            bytes: Type.Integer(),
            type: Type.String(),
            sha256: Type.String(),
          }),
        ),
      }),
      { description: "Oldest first." },
    ),
    outcome: orNull(Type.Object({ result: Type.String(), by: Type.String(), at: Time })),
  },
  { title: "AdminDisputeDetail" },
);

export const AdminAlert = Type.Object(
  {
    id: Type.String(),
    merchantId: Type.String(),
    partnerId: Type.Integer(),
    environment: Environment,
    state: AlertState,
    source: AlertSource,
    networkRef: Type.String(),
    category: DisputeCategory,
    uuid: orNull(Type.String()),
    terminalId: orNull(Type.String()),
    method: orNull(Type.String()),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    respondBy: Time,
    rule: orNull(Type.String()),
    ruleHeld: orNull(Type.String()),
    refund: orNull(
      Type.Object({ state: Type.String(), by: Type.String(), requestedAt: Time, moved: Type.Boolean(), detail: orNull(Type.String()) }),
    ),
    endedBy: orNull(Type.String({ description: "What ended the alert: merchant, deadline, network or invalid." })),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "AdminAlert" },
);
export const AdminAlertPage = Type.Object({ items: Type.Array(AdminAlert), next: orNull(Type.String()) }, { title: "AdminAlertPage" });

type DisputeJson = Static<typeof AdminDispute>;
type DetailJson = Static<typeof AdminDisputeDetail>;
type AlertJson = Static<typeof AdminAlert>;

export function disputeJson(dispute: DisputeRecord): DisputeJson {
  const { id, merchantId, partnerId, livemode, state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId } = dispute;
  const { amountMinor, currency, respondByMs, alertId, createdAtMs, updatedAtMs } = dispute;
  return {
    ...{ id, merchantId, partnerId, environment: livemode ? "LIVE" : "TEST", status: state, stage, category, network },
    ...{ networkCaseId, reasonCode },
    ...{ uuid, terminalId, amountMinor, currency, respondBy: iso(respondByMs), alertId },
    ...{ createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) },
  };
}

export function detailJson(dispute: DisputeRecord): DetailJson {
  const { submissions, files, outcome } = dispute;
  return {
    ...disputeJson(dispute),
    responses: submissions.map(({ id, state, submittedAtMs, statement, fields, fileIds }) => ({
      ...{ id, state, submittedAt: iso(submittedAtMs), statement, fields: { ...fields } },
      files: files
        .filter((file) => fileIds.includes(file.id))
        .map(({ id: fileId, name, category, bytes, type, sha256 }) => ({ id: fileId, name, category, bytes, type, sha256 })),
    })),
    outcome: outcome === null ? null : { result: outcome.result, by: outcome.by, at: iso(outcome.atMs) },
  };
}

export function alertJson(alert: AlertRecord): AlertJson {
  const { id, merchantId, partnerId, livemode, state, source, networkRef, category, uuid, terminalId, method, amountMinor, currency } =
    alert;
  const { respondByMs, rule, ruleHeld, refund, end, createdAtMs, updatedAtMs } = alert;
  return {
    ...{
      id,
      merchantId,
      partnerId,
      environment: livemode ? "LIVE" : "TEST",
      state,
      source,
      networkRef,
      category,
      uuid,
      terminalId,
      method,
    },
    ...{ amountMinor, currency, respondBy: iso(respondByMs), rule, ruleHeld },
    refund:
      refund === null
        ? null
        : {
            ...{ state: refund.state, by: refund.by.type, requestedAt: iso(refund.requestedAtMs), moved: refund.moved },
            detail: refund.detail,
          },
    endedBy: end?.by ?? null,
    ...{ createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) },
  };
}

export const DISPUTE_EXAMPLE: DisputeJson = {
  id: "dp_4f0k2m9x7q1c8v5b3n6z0a2s",
  merchantId: "SHOP-001",
  partnerId: 7,
  environment: "TEST",
  status: "OPEN",
  stage: "CHARGEBACK",
  category: "NOT_RECEIVED",
  network: "VISA",
  networkCaseId: "9182736450",
  reasonCode: "13.1",
  uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  terminalId: "SIM00001",
  amountMinor: 1050,
  currency: "EUR",
  respondBy: "2026-12-10T10:00:00.000Z",
  alertId: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  updatedAt: "2026-11-25T10:00:00.000Z",
};

export const ALERT_EXAMPLE: AlertJson = {
  id: "al_9x7q1c8v5b3n6z0a2s4f0k2m",
  merchantId: "SHOP-001",
  partnerId: 7,
  environment: "TEST",
  state: "PENDING",
  source: "ETHOCA",
  networkRef: "ETH-20261125-0042",
  category: "FRAUD",
  uuid: "pl_4f0k2m9x7q1c8v5b3n6z0a2s.1",
  terminalId: "SIM00001",
  method: "PAYBYLINK",
  amountMinor: 1050,
  currency: "EUR",
  respondBy: "2026-11-26T10:00:00.000Z",
  rule: null,
  ruleHeld: null,
  refund: null,
  endedBy: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  updatedAt: "2026-11-25T10:00:00.000Z",
};
