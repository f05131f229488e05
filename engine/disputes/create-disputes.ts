import type { Clock } from "../kernel/clock.ts";
import { collectUpload } from "../kernel/collect-upload.ts";
import { RelayError } from "../kernel/errors.ts";
import { isSameUuid } from "../kernel/identifiers.ts";
import { cursorOf, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { isInScope } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { type PlaceBounds, SharedPlaces } from "../kernel/shared-places.ts";
import type { Stored } from "../kernel/stored.ts";
import { ATTEMPTS_MAX } from "../workflow/run-workflow.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import { checkedCase, checkedDraft, checkRespondBy, invalid } from "./check-dispute.ts";
import { checkFile, type DocumentCheck, documentKindOf } from "./check-file.ts";
import { DISPUTE_SUBMISSIONS_MAX, type DisputeCase, type DisputeFile, type DisputeRecord, isAnswerable } from "./dispute.ts";
import type { DisputeFileStore } from "./dispute-file-store.ts";
import { disputeIdOf, disputeSummaries, disputesOfCase, disputesOfPayment, pageOfDisputes } from "./dispute-queries.ts";
import { DISPUTE_STATS_MAX, disputeStats } from "./dispute-stats.ts";
import type { DisputeContents, DisputeFeed, DisputeQuery, Disputes, DisputeUpload, Fed, NotAnswerable } from "./disputes.ts";
import type { DisputeEvent } from "./events.ts";
import { fileOf, hasRoomFor, isFrozen, nextAtMs, remindersFrom } from "./rules.ts";
import { DISPUTE_FILE_BYTES_MAX, DISPUTE_STAGES, EVIDENCE_CATEGORIES } from "./words.ts";
import { type DisputeWorkflow, stepDispute } from "./workflow.ts";

/** Limits uploads that a thread reads and stores at once, because each is in memory as a whole. */
export const UPLOADS: PlaceBounds = { all: 8, each: 2 };

/** The time to store the contents of a file. After it the dispute's deadline deletes them. */
const STAGED_MS = 15 * 60_000;

const UPLOADS_FULL = {
  all: () => new RelayError("too_busy", "Too many files are being uploaded; retry shortly", { retryAfterSeconds: 2 }),
  share: () =>
    new RelayError("rate_limited", "You are already uploading several files; wait until one upload has ended", { retryAfterSeconds: 2 }),
};

export interface DisputesOptions {
  workflow: DisputeWorkflow;
  digest: Digest;
  files: DisputeFileStore;
  clock: Clock;
  digestOf(contents: Uint8Array): string;
  isActive: DocumentCheck;
}

export function createDisputes(options: DisputesOptions): { disputes: Disputes; feed: DisputeFeed } {
  const { workflow, files, digestOf, isActive, clock, digest } = options;
  const { store } = workflow;
  const uploads = new SharedPlaces(UPLOADS);

  async function findOwned(owner: MerchantScope, id: string): Promise<Stored<DisputeRecord> | null> {
    const stored = await store.load(id);
    // Ownership is checked before the dispute is stepped.
    return stored !== null && isInScope(stored.record, owner) ? workflow.current(id) : null;
  }

  /** `decide` returns an event, or an immediate answer. */
  async function answer<Outcome extends object>(
    owner: MerchantScope,
    id: string,
    operation: RequestContext,
    decide: (record: DisputeRecord, atMs: number) => DisputeEvent | { answer: Outcome },
    done: (record: DisputeRecord) => Outcome,
  ): Promise<Outcome | NotAnswerable | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const event = decide(stored.record, clock.nowMs());
      if ("answer" in event) return event.answer;
      if (!isAnswerable(stored.record)) {
        workflow.refused(stored.record, event, operation);
        return notAnswerable(stored.record);
      }
      const stepped = await workflow.step(stored, event, operation);
      if (stepped === CONFLICT) return CONFLICT;
      // The deadline passed during this request. The next attempt returns the current state.
      return stepped.type === "accepted" ? done(stepped.record) : CONFLICT;
    });
  }

  const saveDraft: Disputes["saveDraft"] = (owner, id, draft, operation) => {
    const checked = checkedDraft(draft);
    return answer(
      ...([owner, id, operation] as const),
      (_, atMs) => ({ type: "draft.saved", atMs, draft: checked }),
      (dispute) => ({ type: "saved", dispute }) as const,
    );
  };

  const addFile: Disputes["addFile"] = async (owner, id, upload, operation) => {
    if (!EVIDENCE_CATEGORIES.includes(upload.category)) throw invalid("category", `must be one of ${EVIDENCE_CATEGORIES.join(", ")}`);
    const found = await findOwned(owner, id);
    if (found === null) return null;
    const fileId = prefixedId("dpf_", digest(`dispute file ${id} ${operation.id}`));
    // This check precedes the upload. A repetition of a successful upload gets its answer below.
    if (!isAnswerable(found.record) && fileOf(found.record, fileId) === undefined) return notAnswerable(found.record);
    const refusal = uploads.refusalOf(owner.merchantId);
    if (refusal !== null) throw UPLOADS_FULL[refusal]();
    const release = uploads.take(owner.merchantId);
    try {
      return await storeUpload(owner, found.record, fileId, upload, operation);
    } finally {
      release();
    }
  };

  async function storeUpload(
    owner: MerchantScope,
    found: DisputeRecord,
    fileId: string,
    upload: DisputeUpload,
    operation: RequestContext,
  ): ReturnType<Disputes["addFile"]> {
    const { id } = found;
    const contents = await collectUpload(upload.read, DISPUTE_FILE_BYTES_MAX, tooLarge);
    const checked = checkFile(upload.name, contents);
    if (checked === "too_large") throw tooLarge();
    if (checked === "empty") throw invalid("file", "may not be empty");
    if (checked === "name") throw invalid("file", "must have a name of at most 200 characters, without control characters");
    if (checked === "type") return { type: "file_type", dispute: found };
    const kind = documentKindOf(checked.type);
    if (kind !== null && (await isActive(kind, contents))) return { type: "file_type", dispute: found };
    const sha256 = digestOf(contents);
    const staged = await answer<Staged>(
      ...([owner, id, operation] as const),
      (record, atMs) => {
        const before = fileOf(record, fileId);
        if (before !== undefined && before.sha256 !== sha256) {
          throw new RelayError("duplicate", "This request already uploaded another file; use a new Idempotency-Key for a new file");
        }
        if (before?.state === "kept") return { answer: { type: "added", dispute: record, fileId } };
        const { name, type } = checked;
        const file: DisputeFile = {
          ...{ id: fileId, state: "staged", name, category: upload.category, bytes: contents.length, type, sha256 },
          ...{ uploadedAtMs: atMs, untilMs: atMs + STAGED_MS },
        };
        // A file that is being deleted does not exist, and cannot return.
        if (!hasRoomFor(record, file) || before?.state === "removed") return { answer: { type: "too_many_files", dispute: record } };
        return { type: "file.staged", atMs, file };
      },
      (dispute) => ({ type: "staged", dispute }),
    );
    if (staged === null || staged.type !== "staged") return staged;
    await files.put(id, fileId, contents, clock.nowMs());
    const kept = await workflow.apply(
      id,
      (record, atMs) => (fileOf(record, fileId)?.state === "staged" ? { type: "file.added", atMs, fileId } : null),
      operation,
    );
    if (kept === null) return null;
    if (fileOf(kept.record, fileId)?.state === "kept") return { type: "added", dispute: kept.record, fileId };
    // The dispute was answered, decided or expired during the upload.
    await files.remove(id, fileId);
    return notAnswerable(kept.record);
  }

  const removeFile: Disputes["removeFile"] = async (owner, id, fileId, operation) => {
    const found = await findOwned(owner, id);
    if (found === null || fileOf(found.record, fileId) === undefined) return null;
    // The deadline runner deletes the contents (dispute-deadlines.ts).
    return answer<{ type: "removed" | "frozen"; dispute: DisputeRecord }>(
      ...([owner, id, operation] as const),
      (dispute, atMs) => {
        const file = fileOf(dispute, fileId);
        if (file === undefined || file.state === "removed") return { answer: { type: "removed", dispute } };
        if (isFrozen(dispute, fileId)) return { answer: { type: "frozen", dispute } };
        if (file.state === "staged") throw new RelayError("conflict", "The file is being stored", { retryAfterSeconds: 2 });
        return { type: "file.removed", atMs, fileId };
      },
      (dispute) => ({ type: "removed", dispute }),
    );
  };

  async function* piecesOf(disputeId: string, file: DisputeFile): AsyncGenerator<Uint8Array> {
    let left = file.bytes;
    for (let index = 0; left > 0; index += 1) {
      const piece = await files.piece(disputeId, file.id, index);
      if (piece === null || piece.length === 0) throw new RelayError("unavailable", "A part of the file is missing");
      left -= piece.length;
      yield piece;
    }
  }

  const readFile = async (owner: MerchantScope, id: string, fileId: string): Promise<DisputeContents | null> => {
    const stored = await findOwned(owner, id);
    const file = stored === null ? undefined : fileOf(stored.record, fileId);
    return file?.state === "kept" ? { file, pieces: () => piecesOf(id, file) } : null;
  };

  const challenge: Disputes["challenge"] = (owner, id, response, by, operation) => {
    const submissionId = prefixedId("dps_", digest(`dispute submission ${id} ${operation.id}`));
    const given = checkedDraft({ statement: response.statement, fields: response.fields ?? {} });
    return answer<{ type: "submitted" | "no_evidence" | "too_many"; dispute: DisputeRecord }>(
      ...([owner, id, operation] as const),
      (dispute, atMs) => {
        if (dispute.submissions.some((one) => one.id === submissionId)) return { answer: { type: "submitted", dispute } };
        const kept = dispute.files.filter(({ state }) => state === "kept").map((file) => file.id);
        const fileIds = response.fileIds === null ? kept : [...new Set(response.fileIds)];
        if (isAnswerable(dispute) && !fileIds.every((fileId) => kept.includes(fileId)))
          throw invalid("fileIds", "must name files of this dispute");
        const statement = response.statement === null ? dispute.draft.statement : given.statement;
        const fields = response.fields === null ? dispute.draft.fields : given.fields;
        if (isAnswerable(dispute) && statement === null && fileIds.length === 0) return { answer: { type: "no_evidence", dispute } };
        if (isAnswerable(dispute) && dispute.submissions.length >= DISPUTE_SUBMISSIONS_MAX)
          return { answer: { type: "too_many", dispute } };
        return {
          ...{ type: "response.submitted", atMs },
          submission: {
            ...{ id: submissionId, state: "owed", by, submittedAtMs: atMs, respondByMs: dispute.respondByMs, statement, fields, fileIds },
            ...{ checks: 0, nextAtMs: atMs, endedAtMs: null },
          },
        };
      },
      (dispute) => ({ type: "submitted", dispute }),
    );
  };

  const accept: Disputes["accept"] = (owner, id, by, operation) =>
    answer(
      ...([owner, id, operation] as const),
      (dispute, atMs) =>
        dispute.outcome?.by === "accepted" ? { answer: { type: "accepted", dispute } as const } : { type: "liability.accepted", atMs, by },
      (dispute) => ({ type: "accepted", dispute }) as const,
    );

  async function list(owner: MerchantScope, query: DisputeQuery): ReturnType<Disputes["list"]> {
    const { cursor, q, ...rest } = query;
    if (q !== null) {
      const items = (await findByQuery(owner, q.trim())).filter((record) => matchesQuery(record, query)).slice(0, query.limit);
      return { items, next: null };
    }
    const page = await pageOfDisputes(store, owner, { ...rest, after: cursor === null ? null : placeOfCursor(cursor, CURSOR_ID) });
    return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
  }

  async function findByQuery(owner: MerchantScope, q: string): Promise<readonly DisputeRecord[]> {
    const stored = await store.load(q);
    if (stored !== null) return isInScope(stored.record, owner) ? [stored.record] : [];
    const [ofCase, ofPayment] = await Promise.all([disputesOfCase(store, owner, q), disputesOfPayment(store, owner.merchantId, q)]);
    const found = new Map([...ofCase, ...ofPayment].map((record) => [record.id, record]));
    return [...found.values()].filter((record) => isInScope(record, owner)).sort((one, other) => other.createdAtMs - one.createdAtMs);
  }

  const disputes: Disputes = {
    find: async (owner, id) => (await findOwned(owner, id))?.record ?? null,
    list,
    stats: async (owner, month) => {
      const summaries = await disputeSummaries(store, owner, 0, DISPUTE_STATS_MAX);
      return disputeStats(summaries, { atMs: clock.nowMs(), month, complete: summaries.length < DISPUTE_STATS_MAX });
    },
    ofPayment: async (owner, uuid) => (await disputesOfPayment(store, owner.merchantId, uuid)).filter((record) => isInScope(record, owner)),
    ...{ saveDraft, addFile, removeFile, readFile, challenge, accept },
  };

  const received: DisputeFeed["received"] = (party, given, operation) =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const id = disputeIdOf(given.network, given.networkCaseId, digest);
      const existing = await store.load(id);
      if (existing !== null) {
        if (isInScope(existing.record, party) && isSameCase(existing.record, given)) return existing.record;
        throw new RelayError("conflict", "This network has another dispute with this number");
      }
      const atMs = clock.nowMs();
      const checked = checkedCase(given, atMs);
      const { merchantId, partnerId, livemode } = party;
      const fresh: DisputeRecord = {
        ...checked,
        ...{
          schema: 1,
          id,
          merchantId,
          partnerId,
          livemode,
          state: "OPEN",
          draft: { statement: null, fields: {} },
          files: [],
          submissions: [],
        },
        ...{ outcome: null, reminders: remindersFrom(checked.respondByMs, atMs), createdAtMs: atMs, updatedAtMs: atMs, events: 0 },
        nextAtMs: null,
      };
      const step = stepDispute({ ...fresh, nextAtMs: nextAtMs(fresh) }, { type: "case.received", atMs });
      const created = await workflow.create(step, { type: "case.received", atMs }, operation);
      if (created.type === "conflict") return CONFLICT;
      if (created.type === "guarded") throw new RelayError("conflict", "The payment already has the maximum number of disputes");
      return created.record;
    });

  /** `isAsReported` returns whether the dispute already is as the network reports. */
  async function applyReport(
    network: string,
    networkCaseId: string,
    eventOf: (record: DisputeRecord, atMs: number) => DisputeEvent,
    isAsReported: (record: DisputeRecord) => boolean,
    operation: RequestContext,
  ): Promise<Fed | null> {
    const id = disputeIdOf(network, networkCaseId, digest);
    // A deadline that passed earlier is stored first, because it changes what the state accepts.
    if ((await workflow.current(id)) === null) return null;
    const stepped = await workflow.apply(id, (record, atMs) => (isAsReported(record) ? null : eventOf(record, atMs)), operation);
    if (stepped === null) return null;
    const isDone = stepped.type === "accepted" || isAsReported(stepped.record);
    return { type: isDone ? "done" : "refused", dispute: stepped.record };
  }

  const feed: DisputeFeed = {
    received,
    evidenceRequested: async (network, networkCaseId, { respondByMs, stage }, operation) => {
      if (stage !== null && !DISPUTE_STAGES.includes(stage)) throw invalid("stage", `must be one of ${DISPUTE_STAGES.join(", ")}`);
      checkRespondBy(respondByMs, clock.nowMs());
      return applyReport(
        ...([network, networkCaseId] as const),
        (_, atMs) => ({ type: "evidence.requested", atMs, respondByMs, stage }),
        (record) => record.state === "EVIDENCE_REQUIRED" && record.respondByMs === respondByMs && (stage ?? record.stage) === record.stage,
        operation,
      );
    },
    refused: (network, networkCaseId, operation) =>
      applyReport(
        ...([network, networkCaseId] as const),
        (_, atMs) => ({ type: "network.refused", atMs, submissionId: null, delivered: true }),
        ({ state, submissions }) => state !== "UNDER_REVIEW" && submissions.at(-1)?.state === "refused",
        operation,
      ),
    verdict: (network, networkCaseId, result, operation) =>
      applyReport(
        ...([network, networkCaseId] as const),
        (_, atMs) => ({ type: "verdict.received", atMs, result }),
        ({ outcome }) => outcome?.by === "network" && outcome.result === result,
        operation,
      ),
    byId: async (id) => (await store.load(id))?.record ?? null,
  };

  return { disputes, feed };
}

type Staged =
  | { readonly type: "staged"; readonly dispute: DisputeRecord }
  | { readonly type: "too_many_files"; readonly dispute: DisputeRecord }
  | { readonly type: "added"; readonly dispute: DisputeRecord; readonly fileId: string };

function isSameCase(record: DisputeRecord, { uuid, amountMinor, currency }: DisputeCase): boolean {
  const isSamePayment = record.uuid === uuid || (record.uuid !== null && uuid !== null && isSameUuid(record.uuid, uuid));
  return isSamePayment && record.amountMinor === amountMinor && record.currency === currency;
}

function notAnswerable(dispute: DisputeRecord): NotAnswerable {
  return { type: dispute.state === "EXPIRED" ? "deadline_passed" : "not_open", dispute };
}

function matchesQuery({ state, stage, category, terminalId, currency }: DisputeRecord, query: DisputeQuery): boolean {
  if ((query.currency ?? currency) !== currency) return false;
  if (query.state !== null && query.state !== state) return false;
  if (query.stage !== null && query.stage !== stage) return false;
  if (query.category !== null && query.category !== category) return false;
  return query.terminalId === null || query.terminalId === terminalId;
}

function tooLarge(): RelayError {
  return new RelayError("payload_too_large", `A file may have at most ${DISPUTE_FILE_BYTES_MAX / 1_048_576} MB`);
}

/** A list of disputes and alerts continues after either of them (cases/case-list.ts). */
const CURSOR_ID = /^(?:dp|al)_[a-z0-9]{24}$/;
