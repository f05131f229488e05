import type { Credentials } from "./request.ts";

/** What the supervisor writes to the child's standard input, as one line of JSON; then the input stays open as long as the child may live. */
export interface ChildConfig {
  directory: string;
  host: string;
  port: number;
  credentials: Credentials;
}

/** What the child tells its supervisor. `fatal`: trying again makes no sense (the engine does not run on this platform). */
export type ChildMessage = { type: "ready"; port: number } | { type: "failed"; reason: string; fatal: boolean };
