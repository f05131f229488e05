import type { ErrorCode } from "../../../../engine/kernel/errors.ts";
import type { PortalCode } from "../../../surfaces/merchant/envelope.ts";

/** What an answer may say, and what only the page knows: that there was no answer (`offline`), or none in time (`timeout`). */
export type FailureCode = PortalCode | ErrorCode | "offline" | "timeout";

/** A call that did not succeed. `code` is what programs decide by; people get the text of the catalogues, and where there is none `message`. */
export class PortalError extends Error {
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.name = "PortalError";
    this.code = code;
    this.status = status;
  }
}

export function hasCode(error: unknown, code: FailureCode): boolean {
  return error instanceof PortalError && error.code === code;
}

/** Whether a call was given up because nobody waits for its answer any more. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whether to ask again later may help. */
export function isPassing(error: unknown): boolean {
  return error instanceof PortalError && (error.status === 503 || error.status === 429 || error.status === 0);
}
