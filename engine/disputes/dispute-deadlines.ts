import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import type { DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createWorkflowDeadlines } from "../workflow/workflow-deadlines.ts";
import type { DisputeRecord, DisputeSubmission } from "./dispute.ts";
import type { DisputeFileStore } from "./dispute-file-store.ts";
import type { DisputeNetwork, NetworkResponse } from "./dispute-network.ts";
import { isUnsettled, submissionOf } from "./rules.ts";
import { DISPUTE_WORKFLOW, type DisputeWorkflow } from "./workflow.ts";

export interface DisputeDeadlinesOptions {
  workflow: DisputeWorkflow;
  files: Pick<DisputeFileStore, "remove">;
  network: DisputeNetwork;
  clock: Clock;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/**
 * Does what disputes need without a request, on their home shard. The record stores all of it, so
 * another node continues after a crash.
 */
export function createDisputeDeadlines(options: DisputeDeadlinesOptions): DeadlineRunner {
  const { workflow, files, network, clock, homes, self, failed } = options;
  const { store } = workflow;

  async function fire(id: string): Promise<void> {
    const stored = await store.load(id);
    const next = stored?.record.nextAtMs ?? null;
    if (stored === null || next === null || next > clock.nowMs()) return;
    await workflow.apply(id, (_, atMs) => ({ type: "deadline.passed", atMs }), null);
    await cleanUpFiles(id, stored.record);
    for (const submission of stored.record.submissions) if (isDue(submission, clock.nowMs())) await send(id, submission.id);
  }

  /**
   * First the file can no longer be added, then its contents are deleted, and its name goes last.
   * After a crash the next check continues.
   */
  async function cleanUpFiles(id: string, { files: all }: DisputeRecord): Promise<void> {
    for (const { id: fileId, untilMs } of all) {
      if (untilMs === null || untilMs > clock.nowMs()) continue;
      const abandoned = await workflow.apply(id, (_, atMs) => ({ type: "file.abandoned", atMs, fileId }), null);
      if (abandoned?.record.files.find((file) => file.id === fileId)?.state !== "removed") continue;
      await files.remove(id, fileId);
      await workflow.apply(id, (_, atMs) => ({ type: "file.dropped", atMs, fileId }), null);
    }
  }

  /** Only the shard that has stored its intention sends or asks, so two shards never both do. */
  async function send(id: string, submissionId: string): Promise<void> {
    const stored = await store.load(id);
    const submission = stored === null ? undefined : submissionOf(stored.record, submissionId);
    if (submission === undefined || !isDue(submission, clock.nowMs())) return;
    if (submission.state === "owed") return begin(id, submission);
    const checked = await workflow.apply(
      id,
      (record, atMs) => (isUnchanged(record, submission) ? { type: "sending.checked", atMs, submissionId } : null),
      null,
    );
    const current = checked?.type === "accepted" ? submissionOf(checked.record, submissionId) : undefined;
    if (checked === null || current === undefined) return;
    const state = await network.verify(responseOf(checked.record, current));
    if (state === "absent") await begin(id, current);
    else await settle(id, submissionId, state);
  }

  /** `seen` is the response when the network certainly did not have it. */
  async function begin(id: string, seen: DisputeSubmission): Promise<void> {
    const { id: submissionId } = seen;
    const begun = await workflow.apply(
      id,
      (record, atMs) => (isUnchanged(record, seen) ? { type: "sending.begun", atMs, submissionId } : null),
      null,
    );
    if (begun === null) return;
    if (begun.type === "refused") {
      // The network does not have the response and does not get it, unless another shard tracks it.
      await workflow.apply(
        id,
        (record, atMs) => (isUnchanged(record, seen) ? { type: "network.refused", atMs, submissionId, delivered: false } : null),
        null,
      );
      return;
    }
    const submission = submissionOf(begun.record, submissionId);
    // Storing may have taken long. A later check finds that the network does not have the response.
    if (submission === undefined || clock.nowMs() >= submission.respondByMs) return;
    const state = await network.submit(responseOf(begun.record, submission));
    if (state !== "absent") await settle(id, submissionId, state);
  }

  async function settle(id: string, submissionId: string, state: "taken" | "refused" | "unknown"): Promise<void> {
    if (state === "unknown") return;
    await workflow.apply(
      id,
      (_, atMs) =>
        state === "taken"
          ? { type: "network.accepted", atMs, submissionId }
          : { type: "network.refused", atMs, submissionId, delivered: true },
      null,
    );
  }

  return createWorkflowDeadlines(DISPUTE_WORKFLOW, { store, homes, self, clock, failed, fire });
}

function isDue({ nextAtMs }: DisputeSubmission, atMs: number): boolean {
  return nextAtMs !== null && nextAtMs <= atMs;
}

function isUnchanged(record: DisputeRecord, { id, state, checks, nextAtMs }: DisputeSubmission): boolean {
  const now = submissionOf(record, id);
  return now !== undefined && isUnsettled(now) && now.state === state && now.checks === checks && now.nextAtMs === nextAtMs;
}

function responseOf(record: DisputeRecord, submission: DisputeSubmission): NetworkResponse {
  const { network, networkCaseId, merchantId, livemode, id: disputeId } = record;
  return { network, networkCaseId, merchantId, livemode, disputeId, submission, notAfterMs: submission.respondByMs };
}
