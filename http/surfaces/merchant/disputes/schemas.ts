import { type Static, Type } from "@sinclair/typebox";
import { ALERT_STATES } from "../../../../engine/alerts/words.ts";
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
import { TerminalId, words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { Currency, nullable, ToDay, time } from "../schema-parts.ts";

/** The JSON of disputes: endpoints declare it, pages take their types from it. */

export const DisputeState = words(DISPUTE_STATES, { title: "DisputeState" });
export const DisputeStage = words(DISPUTE_STAGES, { title: "DisputeStage" });
export const DisputeCategory = words(DISPUTE_CATEGORIES, { title: "DisputeCategory" });
export const EvidenceCategory = words(EVIDENCE_CATEGORIES, { title: "EvidenceCategory" });
/** As the list shows it. */
export const DisputeStatus = words([...DISPUTE_STATES, "ALERT"], {
  title: "DisputeStatus",
  description: "A state of a dispute, or `ALERT`: an alert that is still to be answered.",
});
export const AlertStateWord = words(ALERT_STATES, { title: "AlertState" });

/** Of a payment, whoever disputes it: what its page names. */
export const DisputeOfPayment = Type.Object(
  { id: Type.String(), status: DisputeState, respondBy: time("until when it may be answered.") },
  { title: "DisputeOfPayment" },
);
export const AlertOfPayment = Type.Object(
  { id: Type.String(), state: AlertStateWord, respondBy: time("until when it may be answered.") },
  { title: "AlertOfPayment" },
);

/** GET /disputes: disputes, and the alerts among them. */
export const DisputeItem = Type.Object(
  {
    kind: words(["dispute", "alert"], { title: "DisputeItemKind" }),
    id: Type.String({ description: "`dp_...`, or of an alert `al_...`." }),
    status: DisputeStatus,
    stage: nullable(DisputeStage),
    category: DisputeCategory,
    network: Type.String({ description: "Of an alert its source." }),
    networkCaseId: Type.String({ description: "Of an alert its source's reference." }),
    reasonCode: nullable(Type.String({ description: "The network's own; null for an alert." })),
    uuid: nullable(Type.String({ description: "The payment; null where it is not known." })),
    terminalId: nullable(Type.String()),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    respondBy: time("until when it may be answered."),
    alertId: nullable(Type.String({ description: "The alert that came before the dispute." })),
    createdAt: time("when it was received."),
    updatedAt: time("when it last changed."),
  },
  { title: "DisputeListItem" },
);

/** Filters of GET /disputes, beside PAGE_QUERY. */
export const DISPUTE_FILTERS = {
  status: Type.Optional(DisputeStatus),
  stage: Type.Optional(DisputeStage),
  category: Type.Optional(DisputeCategory),
  from: Type.Optional(Type.String({ ...DAY, description: "Received on this day or later, in the installation's time zone." })),
  to: Type.Optional(ToDay),
  dueWithinDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 400, description: "To be answered within so many days; the most urgent come first then." }),
  ),
  terminalId: Type.Optional(Type.String({ maxLength: TerminalId.maxLength ?? 64 })),
  currency: Type.Optional(Currency),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "An id, the network's number of a case, or the uuid of a payment; exactly." }),
  ),
  includeAlerts: Type.Boolean({ default: true, description: "Whether alerts that are still to be answered are among them." }),
};

export const EvidenceFile = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "As it was uploaded; only its ending for roles that do not see personal data." }),
    category: EvidenceCategory,
    bytes: Type.Integer(),
    type: Type.String({ description: "Its media type, by its content." }),
    sha256: Type.String(),
    uploadedAt: time("when it was uploaded."),
    submitted: Type.Boolean({ description: "It is part of a response, and stays." }),
  },
  { title: "EvidenceFile" },
);

const Fields = Type.Record(Type.String(), Type.String(), { description: "Answers of the guided questions, by their names." });
/** Who did something: a person of the merchant, one who was, or the secret key. */
export const ActorType = words(["user", "former_user", "key"], { title: "MerchantActorType" });

export const DisputeResponseItem = Type.Object(
  {
    id: Type.String(),
    state: words(["owed", "asked", "taken", "refused", "undelivered"], {
      title: "SubmittedDisputeResponseState",
      description:
        "owed: it is about to be sent. asked: it is being sent, and the network has not confirmed it. taken: the network has it. refused: by the network. undelivered: it came too late.",
    }),
    by: Type.String({ description: "An e-mail address (masked for roles that do not see personal data), `API key` or `Former user`." }),
    byType: ActorType,
    submittedAt: time("when it was submitted."),
    statement: nullable(Type.String()),
    fields: Fields,
    fileIds: Type.Array(Type.String()),
    endedAt: nullable(time("when it was known what became of it.")),
  },
  { title: "SubmittedDisputeResponse" },
);

/** GET /disputes/{id}, and the answer of every change. */
export const Dispute = Type.Object(
  {
    id: Type.String(),
    status: DisputeState,
    stage: DisputeStage,
    category: DisputeCategory,
    network: Type.String(),
    networkCaseId: Type.String(),
    reasonCode: Type.String({ description: "The network's own." }),
    uuid: nullable(Type.String({ description: "The payment; null where it is not known." })),
    terminalId: nullable(Type.String()),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    respondBy: time("until when it may be answered."),
    answerable: Type.Boolean({ description: "Whether it may be answered now." }),
    holdsRefunds: Type.Boolean({ description: "Whether nothing of the payment is refunded because of it." }),
    alertId: nullable(Type.String({ description: "The alert that came before it." })),
    draft: Type.Object(
      { statement: nullable(Type.String()), fields: Fields },
      { title: "DisputeDraftState", description: "What is prepared; empty for roles that do not see personal data." },
    ),
    files: Type.Array(EvidenceFile),
    filesMax: Type.Integer({ default: DISPUTE_FILES_MAX }),
    responses: Type.Array(DisputeResponseItem, {
      description: "Oldest first. Without their texts for roles that do not see personal data.",
    }),
    outcome: nullable(
      Type.Object({
        result: words(["WON", "LOST"], { title: "DisputeResult" }),
        by: words(["network", "accepted"], { title: "DisputeOutcomeBy", description: "accepted: the merchant has accepted liability." }),
        at: time("when."),
      }),
    ),
    createdAt: time("when it was received."),
    updatedAt: time("when it last changed."),
  },
  { title: "Dispute" },
);

/** Names are checked by the engine: one that is not taken is refused, and not left out. */
const FieldsGiven = Type.Record(Type.String(), Type.String({ ...LINES, maxLength: DISPUTE_FIELD_LENGTH_MAX }), {
  maxProperties: DISPUTE_FIELDS_MAX,
  description: "Answers of the guided questions, by names of your own: a letter, then at most 63 letters, digits or _.",
});
const StatementGiven = Type.String({ ...LINES, maxLength: DISPUTE_STATEMENT_LENGTH_MAX });

/** PUT /disputes/{id}/draft: the whole of it. */
export const SaveDisputeDraft = Type.Object(
  { statement: Type.Optional(nullable(StatementGiven)), fields: Type.Optional(FieldsGiven) },
  { title: "DisputeDraft" },
);
/** POST /disputes/{id}/evidence, in the query: other members of a form are not read. */
export const EVIDENCE_QUERY = { category: EvidenceCategory };
/** The answer of POST /disputes/{id}/evidence. */
export const EvidenceAdded = Type.Object({ fileId: Type.String(), dispute: Dispute }, { title: "EvidenceAdded" });
/** POST /disputes/{id}/respond. */
export const RespondToDispute = Type.Object(
  {
    action: words(["CHALLENGE", "ACCEPT"], {
      title: "DisputeAction",
      description:
        "CHALLENGE: the response is submitted. ACCEPT: liability is accepted, and the dispute is lost. Neither can be taken back.",
    }),
    statement: Type.Optional(Type.String({ ...StatementGiven, description: "That of the draft if absent." })),
    fields: Type.Optional(FieldsGiven),
    fileIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: DISPUTE_FILES_MAX,
        description: "All that are there if absent.",
      }),
    ),
  },
  { title: "DisputeResponseRequest" },
);

const Counts = (states: readonly string[]) =>
  Type.Record(Type.String(), Type.Integer(), { description: `By state (${states.join(", ")}); absent: none.` });
const AMOUNT = { currency: Type.String(), amountMinor: Type.Integer() };
const Rate = (description: string) => nullable(Type.Number({ minimum: 0, description }));

/** GET /disputes/stats. */
export const DisputeStats = Type.Object(
  {
    counts: Counts(DISPUTE_STATES),
    amounts: Type.Array(Type.Object({ status: Type.String(), ...AMOUNT }), { description: "By status and currency." }),
    dueSoon: Type.Integer({ description: "To be answered within three days." }),
    winRate: Rate("WON of all that have ended (WON, LOST, EXPIRED); null where none has."),
    escalated: Type.Integer({ description: "Disputes that an alert came before." }),
    month: Type.Object({
      month: Type.String({ description: "YYYY-MM, in the installation's time zone." }),
      count: Type.Integer({ description: "Disputes received in it." }),
      cardPayments: nullable(Type.Integer({ description: "Approved card payments of it; null where they cannot be read now." })),
      rate: Rate("Disputes by card payments; null where there are none, or they cannot be read now."),
      amounts: Type.Array(
        Type.Object({
          currency: Type.String(),
          amountMinor: Type.Integer({ description: "Of the disputes." }),
          cardVolumeMinor: nullable(Type.Integer({ description: "Of the approved card payments." })),
          rate: Rate("The one by the other."),
        }),
      ),
    }),
    complete: Type.Boolean({ description: "false: there are too many, and these are the sums of the newest." }),
    alerts: Type.Object({
      counts: Counts(ALERT_STATES),
      amounts: Type.Array(Type.Object({ state: Type.String(), ...AMOUNT }), { description: "By state and currency." }),
      preventionRate: Rate(
        "REFUNDED and PREVENTED of all that have ended; what was no alert counts as neither. Null where none has ended.",
      ),
      complete: Type.Boolean(),
    }),
  },
  { title: "DisputeStats" },
);

export type DisputeItemJson = Static<typeof DisputeItem>;
export type DisputeJson = Static<typeof Dispute>;
export type EvidenceFileJson = Static<typeof EvidenceFile>;
export type DisputeResponseJson = Static<typeof DisputeResponseItem>;
export type DisputeStatsJson = Static<typeof DisputeStats>;
