import { type ErrorCode, RelayError } from "../../engine/kernel/errors.ts";

/** What goes through a port at once: everything sent in one turn, and how many messages were taken in from the other side so far. */
export interface Batch {
  consumed: number;
  messages: Message[];
}

export type Message =
  | { type: "request"; id: number; kind: string; body: unknown }
  | { type: "send"; kind: string; body: unknown }
  | { type: "response"; id: number; body: unknown }
  | { type: "failure"; id: number; failure: Failure };

/** An error as it crosses: what the caller may know and nothing else. */
export interface Failure {
  code: ErrorCode;
  publicMessage: string;
  retryAfterSeconds: number | undefined;
}

/** What of an error crosses; null for one that is not a RelayError, which is a defect here and no business of the requester. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof RelayError)) return null;
  return { code: error.code, publicMessage: error.message, retryAfterSeconds: error.retryAfterSeconds };
}

export const INTERNAL: Failure = { code: "internal", publicMessage: "Internal error", retryAfterSeconds: undefined };

export function errorOf({ code, publicMessage, retryAfterSeconds }: Failure): RelayError {
  return new RelayError(code, publicMessage, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
