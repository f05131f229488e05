import {
  DISPUTE_REMINDERS_MS,
  DISPUTE_SUBMISSIONS_MAX,
  type DisputeFile,
  type DisputeRecord,
  type DisputeSubmission,
  isAnswerable,
} from "./dispute.ts";
import type { Of } from "./events.ts";
import { DISPUTE_FILE_BYTES_MAX, DISPUTE_FILES_BYTES_MAX, DISPUTE_FILES_MAX } from "./words.ts";

const MINUTE_MS = 60_000;

/** After this time without an outcome, another shard may track the response. */
const SENDING_LEASE_MS = 2 * MINUTE_MS;
/** The pauses between checks of an unknown arrival. The last one repeats. */
const CHECKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 720 * MINUTE_MS] as const;

/** After so many checks (some hours) an operator is notified. */
export const SENDING_FLAG_CHECKS = 4;

export function isInTime({ respondByMs }: Pick<DisputeRecord, "respondByMs">, atMs: number): boolean {
  return atMs < respondByMs;
}

/** Missed reminders are not sent later. */
export function remindersFrom(respondByMs: number, atMs: number): number[] {
  return DISPUTE_REMINDERS_MS.filter((leadMs) => respondByMs - leadMs > atMs);
}

/** Returns the due reminder that is nearest to the deadline. Missed ones are skipped. */
export function reminderDue(record: DisputeRecord, atMs: number): number | null {
  const due = record.reminders.filter((leadMs) => record.respondByMs - leadMs <= atMs);
  return due.length === 0 ? null : Math.min(...due);
}

export function fileOf({ files }: DisputeRecord, fileId: string): DisputeFile | undefined {
  return files.find(({ id }) => id === fileId);
}

/** Parallel uploads count too, so they cannot exceed the limits. */
export function hasRoomFor({ files }: DisputeRecord, { bytes, id }: Pick<DisputeFile, "bytes" | "id">): boolean {
  const others = files.filter((file) => file.id !== id);
  const sum = others.reduce((total, file) => total + file.bytes, bytes);
  return bytes <= DISPUTE_FILE_BYTES_MAX && others.length < DISPUTE_FILES_MAX && sum <= DISPUTE_FILES_BYTES_MAX;
}

export function isFrozen({ submissions }: DisputeRecord, fileId: string): boolean {
  return submissions.some(({ fileIds }) => fileIds.includes(fileId));
}

export function mayStage(record: DisputeRecord, { file }: Of<"file.staged">): boolean {
  const before = fileOf(record, file.id);
  return (before === undefined || before.state === "staged") && hasRoomFor(record, file);
}

export function mayAdd(record: DisputeRecord, { fileId }: Of<"file.added">): boolean {
  return fileOf(record, fileId)?.state === "staged";
}

export function mayRemove(record: DisputeRecord, { fileId }: Of<"file.removed">): boolean {
  return fileOf(record, fileId)?.state === "kept" && !isFrozen(record, fileId);
}

/** After this time no upload can complete the file, so its contents may be deleted. */
export function isAbandoned(record: DisputeRecord, { fileId, atMs }: Of<"file.abandoned">): boolean {
  const file = fileOf(record, fileId);
  return file?.state === "staged" && (file.untilMs ?? 0) <= atMs;
}

export function mayDrop(record: DisputeRecord, { fileId }: Of<"file.dropped">): boolean {
  return fileOf(record, fileId)?.state === "removed";
}

export function maySubmit(record: DisputeRecord, { submission, atMs }: Of<"response.submitted">): boolean {
  const { statement, fileIds } = submission;
  if (!isInTime(record, atMs) || record.submissions.length >= DISPUTE_SUBMISSIONS_MAX) return false;
  if (submission.respondByMs !== record.respondByMs || record.submissions.some(({ id }) => id === submission.id)) return false;
  if (statement === null && fileIds.length === 0) return false;
  return fileIds.every((id) => fileOf(record, id)?.state === "kept");
}

export function submissionOf({ submissions }: DisputeRecord, submissionId: string | null): DisputeSubmission | undefined {
  return submissions.find(({ id }) => id === submissionId);
}

export function isUnsettled({ state }: DisputeSubmission): boolean {
  return state === "owed" || state === "asked";
}

/** A response is never sent late, and only while it is the last one. */
export function mayBeginSending(record: DisputeRecord, { submissionId, atMs }: Of<"sending.begun">): boolean {
  const submission = submissionOf(record, submissionId);
  return submission !== undefined && isUnsettled(submission) && isLast(record, submissionId) && atMs < submission.respondByMs;
}

export function mayCheckSending(record: DisputeRecord, { submissionId, atMs }: Of<"sending.checked">): boolean {
  const submission = submissionOf(record, submissionId);
  return submission?.state === "asked" && (submission.nextAtMs ?? 0) <= atMs;
}

export function maySettle(record: DisputeRecord, { submissionId }: Of<"network.accepted" | "network.refused">): boolean {
  const submission = submissionOf(record, submissionId);
  return submission !== undefined && isUnsettled(submission);
}

export function isLast({ submissions }: DisputeRecord, submissionId: string): boolean {
  return submissions.at(-1)?.id === submissionId;
}

/** A network cannot reject a response whose sending has not begun. */
export function refusesLast(record: DisputeRecord, event: Of<"network.refused">): boolean {
  if (event.submissionId !== null) return isLast(record, event.submissionId) && maySettle(record, event);
  return record.submissions.length > 0 && record.submissions.at(-1)?.state !== "owed";
}

export function withSubmission(
  record: DisputeRecord,
  submissionId: string | null,
  change: (submission: DisputeSubmission) => Partial<DisputeSubmission>,
): readonly DisputeSubmission[] {
  return record.submissions.map((one) => (one.id === submissionId ? { ...one, ...change(one) } : one));
}

export function begunAt(atMs: number): Partial<DisputeSubmission> {
  return { state: "asked", nextAtMs: atMs + SENDING_LEASE_MS };
}

export function checkedAt({ checks }: DisputeSubmission, atMs: number): Partial<DisputeSubmission> {
  const pauseMs = CHECKS_MS[Math.min(checks, CHECKS_MS.length - 1)] ?? SENDING_LEASE_MS;
  return { checks: checks + 1, nextAtMs: atMs + pauseMs };
}

export function nextAtMs(record: Omit<DisputeRecord, "nextAtMs">): number | null {
  const { respondByMs, reminders, submissions, files, mailOwed = null } = record;
  const times = [
    ...(isAnswerable(record) ? [respondByMs, ...reminders.map((leadMs) => respondByMs - leadMs)] : []),
    ...(isAnswerable(record) && mailOwed !== null ? [mailOwed.atMs] : []),
    ...submissions.flatMap(({ nextAtMs: next }) => (next === null ? [] : [next])),
    ...files.flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs])),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
