import type { ErrorCode } from "../../../../engine/kernel/errors.ts";
import type { PortalCode } from "../../../surfaces/merchant/envelope.ts";

/**
 * The codes of an answer, and two that only the page knows: no answer (`offline`) or none in time
 * (`timeout`).
 */
export type FailureCode = PortalCode | ErrorCode | "offline" | "timeout";

/**
 * A failed call. Programs decide by `code`. People see the catalogue's text for it, or `message`.
 */
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

/** Whether a call was aborted because its answer is no longer needed. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whether a later attempt may succeed. */
export function isPassing(error: unknown): boolean {
  return error instanceof PortalError && (error.status === 503 || error.status === 429 || error.status === 0);
}
