import type { DisputeActor, DisputeDraft, DisputeFile, DisputeStage, DisputeSubmission } from "./dispute.ts";

/** What can happen to a dispute. Each event carries when, wall time in milliseconds UTC. */
export type DisputeEvent =
  | { type: "case.received"; atMs: number }
  /** The network wants (more) evidence; `stage` null: the same. */
  | { type: "evidence.requested"; atMs: number; respondByMs: number; stage: DisputeStage | null }
  | { type: "draft.saved"; atMs: number; draft: DisputeDraft }
  /** There is room for a file, whose contents are stored next. */
  | { type: "file.staged"; atMs: number; file: DisputeFile }
  /** Its contents are whole. */
  | { type: "file.added"; atMs: number; fileId: string }
  | { type: "file.removed"; atMs: number; fileId: string }
  /** Its contents were never whole. */
  | { type: "file.abandoned"; atMs: number; fileId: string }
  /** The contents of one that was removed are gone. */
  | { type: "file.dropped"; atMs: number; fileId: string }
  | { type: "response.submitted"; atMs: number; submission: DisputeSubmission }
  /** The network is given a response; stored before it is. */
  | { type: "sending.begun"; atMs: number; submissionId: string }
  /** The network is asked whether it has a response; stored before it is. */
  | { type: "sending.checked"; atMs: number; submissionId: string }
  /** The network has a response. */
  | { type: "network.accepted"; atMs: number; submissionId: string }
  /** It does not take a response; `delivered` false: it has never got it, and it is too late for that. */
  | { type: "network.refused"; atMs: number; submissionId: string | null; delivered: boolean }
  | { type: "liability.accepted"; atMs: number; by: DisputeActor }
  | { type: "verdict.received"; atMs: number; result: "WON" | "LOST" }
  | { type: "deadline.passed"; atMs: number };

export type DisputeNews = "dispute.created" | "dispute.evidence_required" | "dispute.updated" | "dispute.closed";

/** What is stored with the step, or told of it. */
export type DisputeEffect =
  | { type: "tell"; params: { news: DisputeNews } }
  /** Its people are written to: there is a case. */
  | { type: "mailReceived"; params: Record<string, never> }
  /** Its people are written to: so long before the deadline; null: there is a case. */
  | { type: "mailReminder"; params: { leadMs: number | null } }
  /** An operator is to look at it: a response did not reach the network in time. */
  | { type: "flagUndelivered"; params: Record<string, never> };

/** The event of a type. */
export type Of<Type extends DisputeEvent["type"]> = Extract<DisputeEvent, { type: Type }>;
