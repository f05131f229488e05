import { type Static, Type } from "@sinclair/typebox";
import { ALERTS_DUE_MAX } from "../../../../engine/alerts/alert-stats.ts";
import { ALERT_STATES } from "../../../../engine/alerts/words.ts";
import type { BoardItem } from "../../../../engine/cases/case-list.ts";
import {
  type DisputeActor,
  type DisputeFile,
  type DisputeOutcome,
  type DisputeRecord,
  type DisputeSubmission,
  holdsRefunds,
  isAnswerable,
} from "../../../../engine/disputes/dispute.ts";
import {
  DISPUTE_CATEGORIES,
  DISPUTE_FIELD_LENGTH_MAX,
  DISPUTE_FIELDS_MAX,
  DISPUTE_FILES_MAX,
  DISPUTE_STAGES,
  DISPUTE_STATEMENT_LENGTH_MAX,
  DISPUTE_STATES,
  EVIDENCE_CATEGORIES,
} from "../../../../engine/disputes/words.ts";
import { LINES } from "../../../../engine/kernel/well-formed.ts";
import { resourceOf, webhookObject } from "../../../endpoint/resource.ts";
import { words } from "../../parts/schemas.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { filtersOf } from "../list-filters.ts";
import { nullable, time } from "../schema-parts.ts";
import { DISPUTE_LIST, DISPUTE_STATUSES } from "./list.ts";

/**
 * The resource of disputes, and the JSON of requests and figures. Pages take their types from it.
 */

export const DisputeState = words(DISPUTE_STATES, { title: "DisputeState" });
export const DisputeStage = words(DISPUTE_STAGES, { title: "DisputeStage" });
export const DisputeCategory = words(DISPUTE_CATEGORIES, { title: "DisputeCategory" });
export const EvidenceCategory = words(EVIDENCE_CATEGORIES, { title: "EvidenceCategory" });
export const DisputeStatus = words(DISPUTE_STATUSES, {
  title: "DisputeStatus",
  description: "A state of a dispute, or `ALERT` for an alert that needs an answer.",
});
export const AlertStateWord = words(ALERT_STATES, { title: "AlertState" });

/** A dispute and an alert on the page of their payment. */
export const DisputeOfPayment = Type.Object(
  { id: Type.String(), status: DisputeState, respondBy: time("the deadline for a response.") },
  { title: "DisputeOfPayment" },
);
export const AlertOfPayment = Type.Object(
  { id: Type.String(), state: AlertStateWord, respondBy: time("the deadline for a response.") },
  { title: "AlertOfPayment" },
);

/** The filters of GET /disputes, without PAGE_QUERY. */
export const DISPUTE_FILTERS = filtersOf(DISPUTE_LIST, {
  status: DisputeStatus,
  stage: DisputeStage,
  category: DisputeCategory,
  from: { description: "Received on this day or later, in the installation's time zone." },
  dueWithinDays: { description: "Only disputes that need a response within this number of days, the most urgent first." },
  q: { description: "Exact match: a dispute id, the network's case number, or the uuid of a payment." },
  includeAlerts: { description: "Whether the list includes alerts that need an answer." },
});

const Fields = Type.Record(Type.String(), Type.String(), { description: "Answers to the guided questions, by question name." });
/** The kind of the actor: a person of the merchant, a former one, or the secret key. */
export const ActorType = words(["user", "former_user", "key"], { title: "MerchantActorType" });

type DisputeContext = ActorContext<DisputeActor>;

const file = resourceOf<DisputeFile & { readonly submitted: boolean }, DisputeContext>();
const evidenceFile = file.resource({
  title: "EvidenceFile",
  members: {
    id: file.text(),
    // File names may contain the names of customers.
    name: file
      .text("The name at upload. Roles that do not see personal data receive only its extension.")
      .personal((name) => `***${name.slice(name.lastIndexOf("."))}`),
    category: file.value(EvidenceCategory),
    bytes: file.integer(),
    type: file.text("Media type, detected from the content."),
    sha256: file.text(),
    uploadedAt: file.time("when it was uploaded."),
    submitted: file.boolean("Whether the file is part of a submitted response. It then cannot be deleted."),
  },
});

const answer = resourceOf<DisputeSubmission, DisputeContext>();
const submission = answer.resource({
  title: "SubmittedDisputeResponse",
  members: {
    id: answer.text(),
    state: answer.value(
      words(["owed", "asked", "taken", "refused", "undelivered"], {
        title: "SubmittedDisputeResponseState",
        description:
          "owed: waiting to be sent. asked: sent, and not yet confirmed by the network. taken: the network has received it. refused: the network has rejected it. undelivered: it arrived too late.",
      }),
    ),
    by: answer
      .text("The actor: an e-mail address (masked for roles that do not see personal data), `API key` or `Former user`.")
      .from(({ by }, { names }) => names(by, true).by)
      .personal((_, { by }, { names }) => names(by, false).by),
    byType: answer.value(ActorType).from(({ by }, { names }) => names(by).byType),
    submittedAt: answer.time("when it was submitted."),
    statement: answer
      .text()
      .orNull()
      .personal(() => null),
    fields: answer.value(Fields).personal(() => ({})),
    fileIds: answer.value(Type.Array(Type.String())),
    endedAt: answer.time("when the outcome became known.").orNull(),
  },
  views: { webhook: [["id", "state", "submittedAt"]] },
});

const end = resourceOf<DisputeOutcome, DisputeContext>();
const outcome = end.resource({
  members: {
    result: end.value(words(["WON", "LOST"], { title: "DisputeResult" })),
    by: end.value(
      words(["network", "accepted"], {
        title: "DisputeOutcomeBy",
        description: "network: the network decided. accepted: the merchant accepted liability.",
      }),
    ),
    at: end.time("when the dispute ended."),
  },
  views: { webhook: [["result", "by", "at"]] },
});

const m = resourceOf<DisputeRecord, DisputeContext>();
const EXAMPLE: DisputeRecord = {
  ...{ schema: 1, id: "dp_4f0k2m9x7q1c8v5b3n6z0a2s", merchantId: "SHOP-001", partnerId: 1, livemode: true, state: "OPEN" },
  ...{ stage: "CHARGEBACK", category: "NOT_RECEIVED", network: "VISA", networkCaseId: "9182736450", reasonCode: "13.1" },
  ...{ uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", terminalId: "SIM00001", amountMinor: 1050, currency: "EUR" },
  ...{ respondByMs: Date.parse("2026-12-10T10:00:00.000Z"), alertId: null },
  draft: { statement: "The parcel was handed over on the 20th.", fields: { trackingNumber: "1Z999" } },
  files: [
    {
      ...{ id: "dpf_7q1c8v5b3n6z0a2s4f0k2m9x", state: "kept", name: "delivery.pdf", category: "DELIVERY", bytes: 48_213 },
      ...{ type: "application/pdf", sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
      uploadedAtMs: EXAMPLE_CONTEXT.nowMs,
      untilMs: null,
    },
  ],
  ...{ submissions: [], outcome: null, reminders: [], nextAtMs: null, events: 1 },
  ...{ createdAtMs: Date.parse("2026-11-25T10:00:00.000Z"), updatedAtMs: EXAMPLE_CONTEXT.nowMs },
};

/** The response of GET /disputes/{id} and of every change, and the object in events `dispute.*`. */
export const dispute = m.resource({
  title: "Dispute",
  members: {
    id: m.text(),
    status: m.value(DisputeState).from(({ state }) => state),
    /** The previous name of `status`. Receivers of webhooks may still read it. */
    state: m.value(DisputeState),
    stage: m.value(DisputeStage),
    category: m.value(DisputeCategory),
    network: m.text(),
    networkCaseId: m.text(),
    reasonCode: m.text("The reason code of the network."),
    uuid: m.text("The uuid of the payment; null if the payment is unknown.").orNull(),
    terminalId: m.text().orNull(),
    amountMinor: m.integer(),
    currency: m.text(),
    respondBy: m.time("the deadline for a response."),
    answerable: m
      .boolean("Whether a response is accepted now.")
      .from((record, { nowMs }) => isAnswerable(record) && nowMs < record.respondByMs),
    holdsRefunds: m.boolean("Whether the dispute blocks refunds of the payment.").from(holdsRefunds),
    alertId: m.text("The alert that preceded the dispute; null if there was none.").orNull(),
    draft: m
      .value(
        Type.Object(
          { statement: nullable(Type.String()), fields: Fields },
          { title: "DisputeDraftState", description: "The draft of the response; empty for roles that do not see personal data." },
        ),
      )
      .personal(() => ({ statement: null, fields: {} })),
    files: m
      .list(evidenceFile)
      .from(({ files, submissions }) =>
        files
          .filter(({ state }) => state === "kept")
          .map((one) => ({ ...one, submitted: submissions.some(({ fileIds }) => fileIds.includes(one.id)) })),
      ),
    filesMax: m.value(Type.Integer({ default: DISPUTE_FILES_MAX })).from(() => DISPUTE_FILES_MAX),
    responses: m
      .list(submission, "The submitted responses, oldest first. Roles that do not see personal data receive them without texts.")
      .from(({ submissions }) => submissions),
    outcome: m.nested(outcome).orNull(),
    createdAt: m.time("when the relay received it."),
    updatedAt: m.time("when it last changed."),
  },
  views: {
    full: [
      ["id", "status", "stage", "category", "network", "networkCaseId", "reasonCode", "uuid", "terminalId", "amountMinor"],
      ["currency", "respondBy", "answerable", "holdsRefunds", "alertId", "draft", "files", "filesMax", "responses", "outcome"],
      ["createdAt", "updatedAt"],
    ],
    webhook: [
      ["status", "state", "stage", "category", "network", "networkCaseId", "reasonCode", "uuid", "terminalId", "amountMinor"],
      ["currency", "respondBy", "holdsRefunds", "alertId", "responses", "outcome", "createdAt"],
    ],
  },
  example: { record: EXAMPLE, context: EXAMPLE_CONTEXT },
});

export const disputeObject = (record: DisputeRecord) => webhookObject("dispute", dispute, record);

type Item = ReturnType<typeof itemOf>;

/** Returns the members that an item of the list reads. Some have other names in an alert. */
export function itemOf(item: BoardItem) {
  if (item.type === "dispute") return { ...item.dispute, kind: "dispute", status: item.dispute.state } as const;
  const { source: network, networkRef: networkCaseId } = item.alert;
  return { ...item.alert, kind: "alert", status: "ALERT", network, networkCaseId, stage: null, reasonCode: null, alertId: null } as const;
}

const i = resourceOf<Item>();
/** An item of GET /disputes, a dispute or an alert. It contains no personal data. */
export const disputeItem = i.resource({
  title: "DisputeListItem",
  members: {
    kind: i.value(words(["dispute", "alert"], { title: "DisputeItemKind" })),
    id: i.text("`dp_...` for a dispute, `al_...` for an alert."),
    status: i.value(DisputeStatus),
    stage: i.value(nullable(DisputeStage)),
    category: i.value(DisputeCategory),
    network: i.text("The card network; for an alert, its source."),
    networkCaseId: i.text("The network's case number; for an alert, the reference of its source."),
    reasonCode: i.text("The reason code of the network; null for an alert.").orNull(),
    uuid: i.text("The uuid of the payment; null if the payment is unknown.").orNull(),
    terminalId: i.text().orNull(),
    amountMinor: i.integer(),
    currency: i.text(),
    respondBy: i.time("the deadline for a response."),
    alertId: i.text("The alert that preceded the dispute; null if there was none.").orNull(),
    createdAt: i.time("when the relay received it."),
    updatedAt: i.time("when it last changed."),
  },
  example: { record: itemOf({ type: "dispute", dispute: EXAMPLE }), context: EXAMPLE_CONTEXT },
});

/** The engine checks the names. It rejects an unknown one instead of ignoring it. */
const FieldsGiven = Type.Record(Type.String(), Type.String({ ...LINES, maxLength: DISPUTE_FIELD_LENGTH_MAX }), {
  maxProperties: DISPUTE_FIELDS_MAX,
  description: "Answers to the guided questions, by names that you choose: a letter, then at most 63 letters, digits or _.",
});
const StatementGiven = Type.String({ ...LINES, maxLength: DISPUTE_STATEMENT_LENGTH_MAX });

/** The body of PUT /disputes/{id}/draft, which replaces the whole draft. */
export const SaveDisputeDraft = Type.Object(
  { statement: Type.Optional(nullable(StatementGiven)), fields: Type.Optional(FieldsGiven) },
  { title: "DisputeDraft" },
);
/** The query of POST /disputes/{id}/evidence. Other members of the form are not read. */
export const EVIDENCE_QUERY = { category: EvidenceCategory };
/** The response of POST /disputes/{id}/evidence. */
export const EvidenceAdded = Type.Object({ fileId: Type.String(), dispute: dispute.schema }, { title: "EvidenceAdded" });
/** The body of POST /disputes/{id}/respond. */
export const RespondToDispute = Type.Object(
  {
    action: words(["CHALLENGE", "ACCEPT"], {
      title: "DisputeAction",
      description: "CHALLENGE submits the response. ACCEPT accepts liability, and the dispute is lost. Neither can be undone.",
    }),
    statement: Type.Optional(Type.String({ ...StatementGiven, description: "If absent, the statement of the draft is submitted." })),
    fields: Type.Optional(FieldsGiven),
    fileIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: DISPUTE_FILES_MAX,
        description: "If absent, all files of the dispute are submitted.",
      }),
    ),
  },
  { title: "DisputeResponseRequest" },
);

const Counts = (states: readonly string[]) =>
  Type.Record(Type.String(), Type.Integer(), { description: `Number by state (${states.join(", ")}). A state that is absent has none.` });
const AMOUNT = { currency: Type.String(), amountMinor: Type.Integer() };
const Rate = (description: string) => nullable(Type.Number({ minimum: 0, description }));

/** The response of GET /disputes/stats. */
export const DisputeStats = Type.Object(
  {
    counts: Counts(DISPUTE_STATES),
    amounts: Type.Array(Type.Object({ status: Type.String(), ...AMOUNT }), { description: "Amounts by status and currency." }),
    dueSoon: Type.Integer({ description: "Disputes that need a response within three days." }),
    winRate: Rate("The share of WON among all ended disputes (WON, LOST, EXPIRED); null if none has ended."),
    escalated: Type.Integer({ description: "Disputes that were preceded by an alert." }),
    month: Type.Object({
      month: Type.String({ description: "YYYY-MM, in the installation's time zone." }),
      count: Type.Integer({ description: "Disputes received in this month." }),
      cardPayments: nullable(Type.Integer({ description: "Approved card payments of this month; null if they cannot be read now." })),
      rate: Rate("Disputes divided by card payments; null if there are no card payments or they cannot be read now."),
      amounts: Type.Array(
        Type.Object({
          currency: Type.String(),
          amountMinor: Type.Integer({ description: "Total amount of the disputes." }),
          cardVolumeMinor: nullable(
            Type.Integer({ description: "Total amount of the approved card payments; null if they cannot be read now." }),
          ),
          rate: Rate("`amountMinor` divided by `cardVolumeMinor`; null if that is 0 or null."),
        }),
      ),
    }),
    complete: Type.Boolean({ description: "false: there are too many disputes, and the figures cover only the newest." }),
    alerts: Type.Object({
      counts: Counts(ALERT_STATES),
      amounts: Type.Array(Type.Object({ state: Type.String(), ...AMOUNT }), { description: "Amounts by state and currency." }),
      preventionRate: Rate(
        "The share of REFUNDED and PREVENTED among all ended alerts, without those that the source withdrew; null if none has ended.",
      ),
      dueSoon: Type.Integer({
        description: `Pending alerts that need a decision within three days; ${ALERTS_DUE_MAX} at most are counted.`,
      }),
      complete: Type.Boolean(),
    }),
  },
  { title: "DisputeStats" },
);

export type DisputeItemJson = Static<typeof disputeItem.schema>;
export type DisputeJson = Static<typeof dispute.schema>;
export type EvidenceFileJson = Static<typeof evidenceFile.schema>;
export type DisputeResponseJson = Static<typeof submission.schema>;
export type DisputeStatsJson = Static<typeof DisputeStats>;
