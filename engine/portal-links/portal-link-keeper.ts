import type { CommitPart } from "../kernel/commit-part.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

/** A step of a portal link, as far as it is kept account of. */
export interface KeptStep {
  /** The record as it becomes. */
  readonly record: PortalLinkRecord;
  /** What it replaces; null for a new one. */
  readonly before: PortalLinkRecord | null;
  readonly atMs: number;
}

/** What is stored with a step of a portal link, and who is told once it is. */
export interface KeptBeside extends CommitPart {
  committed?(): void;
}

/** Somebody who keeps account of portal links beside them, as the credentials of agents do of what their links come to. */
export interface PortalLinkKeeper {
  /** Whether there is anything to keep of a step. */
  keeps(step: KeptStep): boolean;
  /** What is stored with the step or not at all. Reads what it needs anew; where one of its checks does not hold, it is asked again. */
  beside(step: KeptStep): Promise<KeptBeside>;
  /** Runs work of which it is asked in turn, so that what changes one account in this thread does not conflict with itself. */
  inTurn<T>(record: PortalLinkRecord, work: () => Promise<T>): Promise<T>;
}
