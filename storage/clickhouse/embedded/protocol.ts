import type { Credentials } from "./request.ts";

/**
 * The configuration that the supervisor writes to the child's standard input, as one line of JSON. The input then stays open as long as the
 * child should run.
 */
export interface ChildConfig {
  directory: string;
  host: string;
  port: number;
  credentials: Credentials;
}

/** A message from the child to its supervisor. `fatal`: a retry makes no sense (the engine does not run on this platform). */
export type ChildMessage = { type: "ready"; port: number } | { type: "failed"; reason: string; fatal: boolean };
