import { type ErrorCode, RelayError } from "../../engine/kernel/errors.ts";

/** One transfer through a port: all messages of one turn, and the number of messages processed from the other side so far. */
export interface Batch {
  consumed: number;
  messages: Message[];
}

export type Message =
  /** `mayGo`: a `gone` may follow. */
  | { type: "request"; id: number; kind: string; body: unknown; mayGo?: true }
  /** Nobody waits for the response to this request any more. */
  | { type: "gone"; id: number }
  | { type: "send"; kind: string; body: unknown }
  | { type: "response"; id: number; body: unknown }
  | { type: "failure"; id: number; failure: Failure };

/** The transferred form of an error: only what the caller may know. */
export interface Failure {
  code: ErrorCode;
  publicMessage: string;
  retryAfterSeconds: number | undefined;
}

/**
 * The transferred part of an error; null for an error that is not a RelayError, which is a defect of this thread and not shown to the
 * requester.
 */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof RelayError)) return null;
  return { code: error.code, publicMessage: error.message, retryAfterSeconds: error.retryAfterSeconds };
}

export const INTERNAL: Failure = { code: "internal", publicMessage: "Internal error", retryAfterSeconds: undefined };

export function errorOf({ code, publicMessage, retryAfterSeconds }: Failure): RelayError {
  return new RelayError(code, publicMessage, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
