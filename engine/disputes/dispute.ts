/** Files of one dispute: of those that are kept, and of all that its record has ever room for. */
export const DISPUTE_FILES_MAX = 20;
export const DISPUTE_FILE_BYTES_MAX = 10 * 1024 * 1024;
export const DISPUTE_FILES_BYTES_MAX = 50 * 1024 * 1024;

export const DISPUTE_STATEMENT_LENGTH_MAX = 10_000;
export const DISPUTE_FIELDS_MAX = 32;
export const DISPUTE_FIELD_LENGTH_MAX = 2_000;

/** Responses to one case; a network asks a few times at most. */
export const DISPUTE_SUBMISSIONS_MAX = 16;

/** Cases about one payment; each of them has to be counted where a refund is asked for. */
export const DISPUTES_OF_PAYMENT_MAX = 32;

const HOUR_MS = 3_600_000;

/** How long before the deadline its merchant is reminded, the longest first. */
export const DISPUTE_REMINDERS_MS = [7 * 24 * HOUR_MS, 3 * 24 * HOUR_MS, 24 * HOUR_MS] as const;

export const DISPUTE_STATES = ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "WON", "LOST", "EXPIRED"] as const;
export type DisputeState = (typeof DISPUTE_STATES)[number];

export const DISPUTE_STAGES = ["INQUIRY", "CHARGEBACK", "PRE_ARBITRATION"] as const;
export type DisputeStage = (typeof DISPUTE_STAGES)[number];

export const DISPUTE_CATEGORIES = ["FRAUD", "NOT_RECEIVED", "NOT_AS_DESCRIBED", "DUPLICATE", "CANCELLED_RECURRING", "OTHER"] as const;
export type DisputeCategory = (typeof DISPUTE_CATEGORIES)[number];

/** What a file is evidence of. */
export const EVIDENCE_CATEGORIES = [
  "RECEIPT",
  "INVOICE",
  "DELIVERY",
  "CUSTOMER_COMMUNICATION",
  "REFUND_POLICY",
  "SIGNATURE",
  "SERVICE",
  "OTHER",
] as const;
export type EvidenceCategory = (typeof EVIDENCE_CATEGORIES)[number];

/** Who of the merchant did it. `key`: its secret key. */
export type DisputeActor = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

/** What the merchant has prepared, and nobody else has seen. */
export interface DisputeDraft {
  readonly statement: string | null;
  /** The answers of the guided questions, by their names. */
  readonly fields: { readonly [name: string]: string };
}

/**
 * A file of a dispute, without its contents (dispute-file-store.ts).
 *
 *   staged   its contents are being stored; gone at `untilMs` unless they are whole by then
 *   kept
 *   removed  its contents are being deleted
 */
export interface DisputeFile {
  /** `dpf_` and 24 letters or digits, derived from the operation that brought it. */
  readonly id: string;
  readonly state: "staged" | "kept" | "removed";
  /** As its merchant named it; shown, and never used as a path. */
  readonly name: string;
  readonly category: EvidenceCategory;
  readonly bytes: number;
  /** By content and name, of EVIDENCE_TYPES (check-file.ts). */
  readonly type: string;
  /** Hex. */
  readonly sha256: string;
  readonly uploadedAtMs: number;
  /** When whoever looks after the dispute tidies it up; null while it is kept. */
  readonly untilMs: number | null;
}

/**
 * A response as it was submitted; it is never changed.
 *
 *   owed         stored, and not begun to be sent
 *   asked        the network was (about to be) given it, and has not said that it has it
 *   taken        the network has it
 *   refused      by the network
 *   undelivered  the network has not got it, and its time is over or it is not wanted any more
 */
export interface DisputeSubmission {
  /** `dps_` and 24 letters or digits, derived from the operation: the network takes it once. */
  readonly id: string;
  readonly state: "owed" | "asked" | "taken" | "refused" | "undelivered";
  readonly by: DisputeActor;
  readonly submittedAtMs: number;
  /** Nothing of it is sent from this time on. */
  readonly respondByMs: number;
  readonly statement: string | null;
  readonly fields: { readonly [name: string]: string };
  /** Frozen with it. */
  readonly fileIds: readonly string[];
  /** How often the network was asked about it since it was given it. */
  readonly checks: number;
  readonly nextAtMs: number | null;
  readonly endedAtMs: number | null;
}

export interface DisputeOutcome {
  readonly result: "WON" | "LOST";
  /** `accepted`: the merchant has accepted liability. */
  readonly by: "network" | "accepted";
  readonly atMs: number;
}

/** What a network says of a case when it begins; fixed but for the stage and the deadline. */
export interface DisputeCase {
  readonly network: string;
  /** Unique within the network. */
  readonly networkCaseId: string;
  readonly stage: DisputeStage;
  /** The payment, as it is named in the merchant's transactions; null where it is not known. */
  readonly uuid: string | null;
  readonly terminalId: string | null;
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The network's own. */
  readonly reasonCode: string;
  readonly category: DisputeCategory;
  readonly respondByMs: number;
  /** Of the alert that came before it; null for none. */
  readonly alertId: string | null;
}

/**
 * A payment that a customer disputes with the bank. What becomes of it is the network's to say; the merchant answers in time, or not at all.
 *
 *   OPEN               received
 *   EVIDENCE_REQUIRED  the network asks (again)
 *   UNDER_REVIEW       the merchant has responded
 *   WON, LOST          by the network's word, or because the merchant accepts it
 *   EXPIRED            nobody responded in time; the network's word still counts
 */
export interface DisputeRecord extends DisputeCase {
  readonly schema: 1;
  /** `dp_` and 24 letters or digits, derived from the network and its case: so there is one of each. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly state: DisputeState;
  readonly draft: DisputeDraft;
  readonly files: readonly DisputeFile[];
  readonly submissions: readonly DisputeSubmission[];
  readonly outcome: DisputeOutcome | null;
  /** Of DISPUTE_REMINDERS_MS, those still to come before this deadline. */
  readonly reminders: readonly number[];
  /** A mail that found no room, and when it is tried again; `leadMs` null: that there is a case. Records of before have none. */
  readonly mailOwed?: { readonly leadMs: number | null; readonly atMs: number } | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** Webhook events of it so far. */
  readonly events: number;
}

/** Whether its merchant may still answer, as far as its state says. */
export function isAnswerable({ state }: Pick<DisputeRecord, "state">): boolean {
  return state === "OPEN" || state === "EVIDENCE_REQUIRED";
}

/** Whether nothing of the payment may be given back because of it: the network has taken the money, or may still take it. */
export function holdsRefunds({ state }: Pick<DisputeRecord, "state">): boolean {
  return state !== "WON";
}
