import type { RequestContext } from "../workflow/workflow.ts";
import type { DisputeActor, DisputeCase, DisputeDraft, DisputeRecord, DisputeStage, EvidenceCategory } from "./dispute.ts";
import type { DisputePageQuery, DisputeSummary } from "./dispute-queries.ts";

/** Whose disputes they are; from the session or the key, never from the request. */
export interface DisputeOwner {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Whose a case is that a network has sent. */
export interface DisputeParty extends DisputeOwner {
  readonly partnerId: number;
}

export interface DisputeQuery extends Omit<DisputePageQuery, "after"> {
  /** The `next` of the page before. */
  readonly cursor: string | null;
  /** An id, the network's number of a case, or the uuid of a payment; exactly. */
  readonly q: string | null;
}

/** What a merchant answers with. */
export interface DisputeResponse {
  /** Null: as in the draft. */
  readonly statement: string | null;
  readonly fields: { readonly [name: string]: string } | null;
  /** Null: all that are kept. */
  readonly fileIds: readonly string[] | null;
}

export interface DisputeUpload {
  /** Asked for once all of it is read. */
  readonly name: string;
  readonly category: EvidenceCategory;
  /** Hands on the contents piece by piece, each of them valid until it is taken; rejects where they break off. */
  read(take: (piece: Uint8Array) => Promise<void>): Promise<void>;
}

/** `not_open`: it is not to be answered (any more), as its state says; `deadline_passed` where that is because nobody did so in time. */
export type NotAnswerable = { readonly type: "not_open" | "deadline_passed"; readonly dispute: DisputeRecord };

export type Answered<Type extends string> = { readonly type: Type; readonly dispute: DisputeRecord } | NotAnswerable;

/** By state, with amounts by currency. */
export interface DisputeStats {
  readonly counts: { readonly [state: string]: number };
  readonly amountsMinor: { readonly [state: string]: { readonly [currency: string]: number } };
  /** To be answered within three days. */
  readonly dueSoon: number;
  /** WON of all that have ended (WON, LOST, EXPIRED); null where none has. */
  readonly winRate: number | null;
  /** Received in the month that was asked for, for the rate against its payments. */
  readonly month: { readonly count: number; readonly amountsMinor: { readonly [currency: string]: number } };
  /** Of all, those that an alert came before. */
  readonly escalated: number;
  /** False where there are more than DISPUTE_STATS_MAX: it is then of the newest. */
  readonly complete: boolean;
}

/**
 * The disputes of merchants, from any thread of any node. What is another merchant's, or of the other environment, is null as if it were not there. Every method rejects
 * with RelayError `unavailable` when the store cannot answer. What changes something is idempotent by the operation's id.
 */
export interface Disputes {
  find(owner: DisputeOwner, id: string): Promise<DisputeRecord | null>;
  /** Throws RelayError `invalid_request` for a cursor that is none. */
  list(owner: DisputeOwner, query: DisputeQuery): Promise<{ items: readonly DisputeRecord[]; next: string | null }>;
  /** `monthFromMs` and `monthBeforeMs`: the month's bounds in the installation's zone. */
  stats(owner: DisputeOwner, month: { fromMs: number; beforeMs: number }): Promise<DisputeStats>;
  /** Of a payment; for its page. */
  ofPayment(owner: DisputeOwner, uuid: string): Promise<readonly DisputeRecord[]>;
  /** Throws RelayError `invalid_request` naming the member. */
  saveDraft(owner: DisputeOwner, id: string, draft: DisputeDraft, operation: RequestContext): Promise<Answered<"saved"> | null>;
  /**
   * `file_type`: not one of EVIDENCE_TYPES by content and name; `too_many_files`: by number or by size of all. Throws RelayError `payload_too_large` beyond DISPUTE_FILE_BYTES_MAX, and
   * `duplicate` where the operation has brought another file before.
   */
  addFile(
    owner: DisputeOwner,
    id: string,
    upload: DisputeUpload,
    operation: RequestContext,
  ): Promise<(Answered<"added" | "file_type" | "too_many_files"> & { readonly fileId?: string }) | null>;
  /** `frozen`: it was submitted. Removed again, it is answered as the first time. */
  removeFile(owner: DisputeOwner, id: string, fileId: string, operation: RequestContext): Promise<Answered<"removed" | "frozen"> | null>;
  /** A kept file's contents, in order; null where there is none of that id. */
  readFile(owner: DisputeOwner, id: string, fileId: string): Promise<DisputeContents | null>;
  /**
   * `no_evidence`: neither a statement nor a file; `too_many`: DISPUTE_SUBMISSIONS_MAX. Throws RelayError `invalid_request` naming the member, `fileIds` where one is not kept. The network is
   * given it afterwards (dispute-deadlines.ts).
   */
  challenge(
    owner: DisputeOwner,
    id: string,
    response: DisputeResponse,
    by: DisputeActor,
    operation: RequestContext,
  ): Promise<Answered<"submitted" | "no_evidence" | "too_many"> | null>;
  /** Liability is accepted: it is lost, for good unless the network asks again. */
  accept(owner: DisputeOwner, id: string, by: DisputeActor, operation: RequestContext): Promise<Answered<"accepted"> | null>;
}

export interface DisputeContents {
  readonly file: DisputeRecord["files"][number];
  /** Ends after `file.bytes` bytes; rejects with RelayError `unavailable` where some of them are missing. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** `refused`: the dispute does not take it as it stands. */
export type Fed = { readonly type: "done" | "refused"; readonly dispute: DisputeRecord };

/**
 * What networks say, brought in by administrators or by an acquirer's adapter; the same word again changes nothing. By the network and its number of the case; null where there is no
 * such case.
 */
export interface DisputeFeed {
  /** Throws RelayError `invalid_request` naming the member, and `conflict` where the case is another merchant's, or has begun otherwise, or a payment has too many. */
  received(party: DisputeParty, given: DisputeCase, operation: RequestContext): Promise<DisputeRecord>;
  /** Throws RelayError `invalid_request` for a deadline that is none. */
  evidenceRequested(
    network: string,
    networkCaseId: string,
    demand: { respondByMs: number; stage: DisputeStage | null },
    operation: RequestContext,
  ): Promise<Fed | null>;
  /** It does not take the last response. */
  refused(network: string, networkCaseId: string, operation: RequestContext): Promise<Fed | null>;
  verdict(network: string, networkCaseId: string, result: "WON" | "LOST", operation: RequestContext): Promise<Fed | null>;
  /** Whosever it is: for operators. */
  byId(id: string): Promise<DisputeRecord | null>;
}

export type { DisputeSummary };
