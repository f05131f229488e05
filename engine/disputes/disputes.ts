import type { MerchantParty, MerchantScope } from "../kernel/merchant-scope.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type { DisputeActor, DisputeCase, DisputeDraft, DisputeRecord, DisputeStage, EvidenceCategory } from "./dispute.ts";
import type { DisputePageQuery, DisputeSummary } from "./dispute-queries.ts";

export interface DisputeQuery extends Omit<DisputePageQuery, "after"> {
  /** The `next` of the previous page. */
  readonly cursor: string | null;
  /** The exact id, network number of a case, or uuid of a payment. */
  readonly q: string | null;
}

export interface DisputeResponse {
  /** Null: as in the draft. */
  readonly statement: string | null;
  readonly fields: { readonly [name: string]: string } | null;
  /** Null: all that are `kept`. */
  readonly fileIds: readonly string[] | null;
}

export interface DisputeUpload {
  /** Known only after the contents are read. */
  readonly name: string;
  readonly category: EvidenceCategory;
  /** A piece is valid until `take` resolves. Rejects if the upload breaks off. */
  read(take: (piece: Uint8Array) => Promise<void>): Promise<void>;
}

/** `not_open`: the state permits no answer. `deadline_passed`: nobody answered in time. */
export type NotAnswerable = { readonly type: "not_open" | "deadline_passed"; readonly dispute: DisputeRecord };

export type Answered<Type extends string> = { readonly type: Type; readonly dispute: DisputeRecord } | NotAnswerable;

export interface DisputeStats {
  readonly counts: { readonly [state: string]: number };
  readonly amountsMinor: { readonly [state: string]: { readonly [currency: string]: number } };
  /** The number with a deadline within three days. */
  readonly dueSoon: number;
  /** The share of WON among all that have ended (WON, LOST, EXPIRED). */
  readonly winRate: number | null;
  /** Received in the requested month, to compare with its payments. */
  readonly month: { readonly count: number; readonly amountsMinor: { readonly [currency: string]: number } };
  readonly escalated: number;
  /** False if there are more than DISPUTE_STATS_MAX. Then the newest are counted. */
  readonly complete: boolean;
}

/**
 * A dispute of another merchant or environment gives null. Changes are idempotent by the
 * operation's id. Every method rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface Disputes {
  find(owner: MerchantScope, id: string): Promise<DisputeRecord | null>;
  /** Throws RelayError `invalid_request` for an invalid cursor. */
  list(owner: MerchantScope, query: DisputeQuery): Promise<{ items: readonly DisputeRecord[]; next: string | null }>;
  stats(owner: MerchantScope, month: { fromMs: number; beforeMs: number }): Promise<DisputeStats>;
  ofPayment(owner: MerchantScope, uuid: string): Promise<readonly DisputeRecord[]>;
  /** Throws RelayError `invalid_request` naming the member. */
  saveDraft(owner: MerchantScope, id: string, draft: DisputeDraft, operation: RequestContext): Promise<Answered<"saved"> | null>;
  /**
   * `file_type`: content or extension are not permitted. Throws RelayError `payload_too_large`, and
   * `duplicate` if the operation has uploaded a different file.
   */
  addFile(
    owner: MerchantScope,
    id: string,
    upload: DisputeUpload,
    operation: RequestContext,
  ): Promise<(Answered<"added" | "file_type" | "too_many_files"> & { readonly fileId?: string }) | null>;
  /** `frozen`: the file was submitted. A repetition gets the first answer. */
  removeFile(owner: MerchantScope, id: string, fileId: string, operation: RequestContext): Promise<Answered<"removed" | "frozen"> | null>;
  /** Returns null if no `kept` file has this id. */
  readFile(owner: MerchantScope, id: string, fileId: string): Promise<DisputeContents | null>;
  /**
   * `no_evidence`: neither a statement nor a file. `too_many`: DISPUTE_SUBMISSIONS_MAX. The network
   * gets the response later (dispute-deadlines.ts). Throws RelayError `invalid_request`.
   */
  challenge(
    owner: MerchantScope,
    id: string,
    response: DisputeResponse,
    by: DisputeActor,
    operation: RequestContext,
  ): Promise<Answered<"submitted" | "no_evidence" | "too_many"> | null>;
  /** Accepts liability. The dispute is lost unless the network asks for evidence again. */
  accept(owner: MerchantScope, id: string, by: DisputeActor, operation: RequestContext): Promise<Answered<"accepted"> | null>;
}

export interface DisputeContents {
  readonly file: DisputeRecord["files"][number];
  /** Yields `file.bytes` bytes. Rejects with RelayError `unavailable` if some are missing. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** `refused`: the state of the dispute does not accept the report. */
export type Fed = { readonly type: "done" | "refused"; readonly dispute: DisputeRecord };

/**
 * Accepts reports from administrators or an adapter. A repetition changes nothing. Null: no case.
 */
export interface DisputeFeed {
  /**
   * Throws RelayError `invalid_request` naming the member, and `conflict` for a case with other
   * data or a payment with too many disputes.
   */
  received(party: MerchantParty, given: DisputeCase, operation: RequestContext): Promise<DisputeRecord>;
  /** Throws RelayError `invalid_request` for an invalid deadline. */
  evidenceRequested(
    network: string,
    networkCaseId: string,
    demand: { respondByMs: number; stage: DisputeStage | null },
    operation: RequestContext,
  ): Promise<Fed | null>;
  refused(network: string, networkCaseId: string, operation: RequestContext): Promise<Fed | null>;
  verdict(network: string, networkCaseId: string, result: "WON" | "LOST", operation: RequestContext): Promise<Fed | null>;
  /** Returns a dispute of any merchant, for operators. */
  byId(id: string): Promise<DisputeRecord | null>;
}

export type { DisputeSummary };
