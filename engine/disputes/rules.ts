import {
  DISPUTE_FILE_BYTES_MAX,
  DISPUTE_FILES_BYTES_MAX,
  DISPUTE_FILES_MAX,
  DISPUTE_REMINDERS_MS,
  DISPUTE_SUBMISSIONS_MAX,
  type DisputeFile,
  type DisputeRecord,
  type DisputeSubmission,
  isAnswerable,
} from "./dispute.ts";
import type { Of } from "./events.ts";

const MINUTE_MS = 60_000;

/** Who was about to give the network a response has this long to say what came of it. */
const SENDING_LEASE_MS = 2 * MINUTE_MS;
/** When the network is asked about a response whose arrival is not known, after each time that it did not say; the last one again and again. */
const CHECKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 720 * MINUTE_MS] as const;

/** Unsettled for so many checks (some hours), an operator is told. */
export const SENDING_FLAG_CHECKS = 4;

/** From the deadline's moment on it is too late. */
export function isInTime({ respondByMs }: Pick<DisputeRecord, "respondByMs">, atMs: number): boolean {
  return atMs < respondByMs;
}

/** The reminders that are still to come at this time; none of them is made up for. */
export function remindersFrom(respondByMs: number, atMs: number): number[] {
  return DISPUTE_REMINDERS_MS.filter((leadMs) => respondByMs - leadMs > atMs);
}

/** The reminder that is due: of several that were missed, the one nearest to the deadline. Null for none. */
export function reminderDue(record: DisputeRecord, atMs: number): number | null {
  const due = record.reminders.filter((leadMs) => record.respondByMs - leadMs <= atMs);
  return due.length === 0 ? null : Math.min(...due);
}

export function fileOf({ files }: DisputeRecord, fileId: string): DisputeFile | undefined {
  return files.find(({ id }) => id === fileId);
}

/** Whether there is room for one more; what is being stored counts, so that nobody gets past the limit by doing it at once. */
export function hasRoomFor({ files }: DisputeRecord, { bytes, id }: Pick<DisputeFile, "bytes" | "id">): boolean {
  const others = files.filter((file) => file.id !== id);
  const sum = others.reduce((total, file) => total + file.bytes, bytes);
  return bytes <= DISPUTE_FILE_BYTES_MAX && others.length < DISPUTE_FILES_MAX && sum <= DISPUTE_FILES_BYTES_MAX;
}

/** Whether it is part of what was submitted. */
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

/** Its time is over: nobody is storing it any more. From then on it cannot be added, so its contents may be deleted. */
export function isAbandoned(record: DisputeRecord, { fileId, atMs }: Of<"file.abandoned">): boolean {
  const file = fileOf(record, fileId);
  return file?.state === "staged" && (file.untilMs ?? 0) <= atMs;
}

export function mayDrop(record: DisputeRecord, { fileId }: Of<"file.dropped">): boolean {
  return fileOf(record, fileId)?.state === "removed";
}

/** Within its time, with something in it, and of files that are there. */
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

/** Never after its time, and only while it is the one that is wanted. */
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

/** Whether it is the response that is under review, or was. */
export function isLast({ submissions }: DisputeRecord, submissionId: string): boolean {
  return submissions.at(-1)?.id === submissionId;
}

/** Whether the response under review is refused; what was never begun to be sent, nobody can refuse. */
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

/** When the relay looks at it next by itself: the earliest of its reminders, its deadline, a mail that found no room, what is being sent, and what of its files is to be tidied up. */
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
