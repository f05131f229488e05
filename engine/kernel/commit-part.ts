import type { Commit, Operation } from "./kv.ts";

/** What one subject adds to a commit of another: entries to store, and keys that must be as they were read. */
export interface CommitPart {
  readonly checks: Commit["checks"];
  readonly operations: readonly Operation[];
}

export const NO_PART: CommitPart = { checks: [], operations: [] };
