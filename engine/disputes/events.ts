import type { DisputeActor, DisputeDraft, DisputeFile, DisputeStage, DisputeSubmission } from "./dispute.ts";

/** The events of a dispute. `atMs` is wall time in milliseconds UTC. */
export type DisputeEvent =
  | { type: "case.received"; atMs: number }
  /** A null `stage` means that the stage is unchanged. */
  | { type: "evidence.requested"; atMs: number; respondByMs: number; stage: DisputeStage | null }
  | { type: "draft.saved"; atMs: number; draft: DisputeDraft }
  /** There is room for a file. Its contents are stored next. */
  | { type: "file.staged"; atMs: number; file: DisputeFile }
  | { type: "file.added"; atMs: number; fileId: string }
  | { type: "file.removed"; atMs: number; fileId: string }
  | { type: "file.abandoned"; atMs: number; fileId: string }
  | { type: "file.dropped"; atMs: number; fileId: string }
  | { type: "response.submitted"; atMs: number; submission: DisputeSubmission }
  /** It is stored before the response is sent. */
  | { type: "sending.begun"; atMs: number; submissionId: string }
  /** It is stored before the network is asked about the response. */
  | { type: "sending.checked"; atMs: number; submissionId: string }
  | { type: "network.accepted"; atMs: number; submissionId: string }
  /** If `delivered` is false, the network never got the response, and it is too late for it. */
  | { type: "network.refused"; atMs: number; submissionId: string | null; delivered: boolean }
  | { type: "liability.accepted"; atMs: number; by: DisputeActor }
  | { type: "verdict.received"; atMs: number; result: "WON" | "LOST" }
  | { type: "deadline.passed"; atMs: number };

export type DisputeNews = "dispute.created" | "dispute.evidence_required" | "dispute.updated" | "dispute.closed";

export type DisputeEffect =
  | { type: "tell"; params: { news: DisputeNews } }
  | { type: "mailReceived"; params: Record<string, never> }
  /** A null `leadMs` means the mail about a new case. */
  | { type: "mailReminder"; params: { leadMs: number | null } }
  /** An operator must check a response that did not reach the network in time. */
  | { type: "flagUndelivered"; params: Record<string, never> };

export type Of<Type extends DisputeEvent["type"]> = Extract<DisputeEvent, { type: Type }>;
