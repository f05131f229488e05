import type { Commit, Operation } from "./kv.ts";

/**
 * The commit additions of one subject to the commit of another: entries to store, and checks that
 * keys have not changed since they were read.
 */
export interface CommitPart {
  readonly checks: Commit["checks"];
  readonly operations: readonly Operation[];
}

export const NO_PART: CommitPart = { checks: [], operations: [] };
