import type { DISPUTE_CATEGORIES, DISPUTE_STAGES, DISPUTE_STATES, EVIDENCE_CATEGORIES } from "./words.ts";

/** Limits responses to one case. A network asks a few times at most. */
export const DISPUTE_SUBMISSIONS_MAX = 16;

/** Limits the cases of one payment, because every refund reads all of them. */
export const DISPUTES_OF_PAYMENT_MAX = 32;

const HOUR_MS = 3_600_000;

/** The times before the deadline at which its merchant is reminded, longest first. */
export const DISPUTE_REMINDERS_MS = [7 * 24 * HOUR_MS, 3 * 24 * HOUR_MS, 24 * HOUR_MS] as const;

export type DisputeState = (typeof DISPUTE_STATES)[number];
export type DisputeStage = (typeof DISPUTE_STAGES)[number];
export type DisputeCategory = (typeof DISPUTE_CATEGORIES)[number];
export type EvidenceCategory = (typeof EVIDENCE_CATEGORIES)[number];

export type DisputeActor = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

/** Only the merchant sees a draft. */
export interface DisputeDraft {
  readonly statement: string | null;
  /** The answers to the guided questions, by name. */
  readonly fields: { readonly [name: string]: string };
}

/**
 * The contents of a file are in dispute-file-store.ts.
 *
 * - `staged`: they are being stored. If they are incomplete at `untilMs`, they are deleted.
 * - `kept`: they are complete.
 * - `removed`: they are being deleted.
 */
export interface DisputeFile {
  /** `dpf_` and 24 letters or digits, derived from the operation that uploaded it. */
  readonly id: string;
  readonly state: "staged" | "kept" | "removed";
  /** The merchant's name of the file. It is displayed and never used as a path. */
  readonly name: string;
  readonly category: EvidenceCategory;
  readonly bytes: number;
  /** A type of EVIDENCE_TYPES (check-file.ts). */
  readonly type: string;
  /** Hex. */
  readonly sha256: string;
  readonly uploadedAtMs: number;
  /** When the deadline runner checks it; null while it is `kept`. */
  readonly untilMs: number | null;
}

/**
 * A submitted response. Its text and files never change.
 *
 * - `owed`: it is stored, and sending has not begun.
 * - `asked`: it is or will be sent, and the network has not confirmed it.
 * - `taken`: the network has it.
 * - `refused`: the network rejected it.
 * - `undelivered`: the network does not have it, and it is too late or no longer wanted.
 */
export interface DisputeSubmission {
  /** `dps_` and 24 letters or digits, derived from the operation. The network accepts it once. */
  readonly id: string;
  readonly state: "owed" | "asked" | "taken" | "refused" | "undelivered";
  readonly by: DisputeActor;
  readonly submittedAtMs: number;
  /** Nothing is sent from this time on. */
  readonly respondByMs: number;
  readonly statement: string | null;
  readonly fields: { readonly [name: string]: string };
  /** These files are immutable too. */
  readonly fileIds: readonly string[];
  /** How often the network was asked about it after it was sent. */
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

/** The data of a network about a new case. Only the stage and the deadline change later. */
export interface DisputeCase {
  readonly network: string;
  /** Unique within the network. */
  readonly networkCaseId: string;
  readonly stage: DisputeStage;
  /** The uuid of the payment in the merchant's transactions; null if unknown. */
  readonly uuid: string | null;
  readonly terminalId: string | null;
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly reasonCode: string;
  readonly category: DisputeCategory;
  readonly respondByMs: number;
  readonly alertId: string | null;
}

/**
 * A payment that a customer disputes with the bank. The network decides the outcome.
 *
 * - OPEN: it is received.
 * - EVIDENCE_REQUIRED: the network asks for evidence, perhaps again.
 * - UNDER_REVIEW: the merchant has responded.
 * - WON, LOST: the network has decided, or the merchant accepts the loss.
 * - EXPIRED: nobody responded in time. The network may still decide.
 */
export interface DisputeRecord extends DisputeCase {
  readonly schema: 1;
  /** `dp_` and 24 letters or digits, derived from the network and its case. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly state: DisputeState;
  readonly draft: DisputeDraft;
  readonly files: readonly DisputeFile[];
  readonly submissions: readonly DisputeSubmission[];
  readonly outcome: DisputeOutcome | null;
  /** The values of DISPUTE_REMINDERS_MS that are still to come. */
  readonly reminders: readonly number[];
  /** A mail that found no room; null `leadMs`: about a new case. Older records do not have it. */
  readonly mailOwed?: { readonly leadMs: number | null; readonly atMs: number } | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the relay checks it next without a request; null if never again. */
  readonly nextAtMs: number | null;
  readonly events: number;
}

/** Considers the state, but not the deadline. */
export function isAnswerable({ state }: Pick<DisputeRecord, "state">): boolean {
  return state === "OPEN" || state === "EVIDENCE_REQUIRED";
}

/** Until it is won, the network has taken the money or may still take it. */
export function holdsRefunds({ state }: Pick<DisputeRecord, "state">): boolean {
  return state !== "WON";
}
