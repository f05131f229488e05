import { createHash } from "node:crypto";
import { senderOf } from "../../engine/access/caller.ts";
import type { ExecuteOnce, OnceAnswer } from "../../engine/idempotency/execute-once.ts";
import { type ErrorCode, RelayError } from "../../engine/kernel/errors.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { AnyReply, BoundEndpoint, Input } from "./endpoint.ts";

/** Long enough for any uuid, hash or order number; the relay keeps a digest of it. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/** How long a caller waits before it repeats a request whose first attempt is still in progress. */
const RETRY_AFTER_SECONDS = 1;

/** Reads the key from the header; null stays null. Throws RelayError `invalid_request`; the value is not quoted. */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  if (KEY.test(header)) return header;
  throw new RelayError(
    "invalid_request",
    `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters, no spaces`,
  );
}

/** For a response that is a stored one. */
export const REPLAYED_HEADERS = { "Idempotent-Replayed": "true" } as const;

export interface IdempotencyOptions {
  executeOnce: ExecuteOnce;
  ids: Ids;
}

/**
 * Makes an endpoint that declares `idempotency` execute once per key: the same request again gets the stored status and body, another
 * request 409, and a request whose first attempt is still in progress 409 with `Retry-After`. The handler gets the id of the execution as
 * `operationId`. Other endpoints are returned unchanged.
 */
export function idempotent(endpoint: BoundEndpoint, { executeOnce, ids }: IdempotencyOptions): BoundEndpoint {
  const { idempotency } = endpoint;
  if (idempotency === undefined) return endpoint;
  if (endpoint.auth === "none") throw new Error(`${endpoint.name}: an idempotency key belongs to a caller`);
  return {
    ...endpoint,
    run: async (input) => {
      if (input.idempotencyKey === null) return endpoint.run({ ...input, operationId: ids.uuid() });
      const outcome = await executeOnce(
        { scope: scopeOf(endpoint, input, input.idempotencyKey), fingerprint: fingerprintOf(input), sealed: idempotency === "sealed" },
        (operationId) => execute(endpoint, { ...input, operationId }),
      );
      switch (outcome.type) {
        case "answered":
          return repliedBy(outcome.text, outcome.replayed);
        case "differs":
          throw new RelayError("conflict", "Idempotency-Key: was used for a request with another body");
        case "running":
          throw new RelayError("conflict", "Idempotency-Key: the first request with this key is still in progress", {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          });
      }
    },
  };
}

/** A stored error of an earlier request with the same key. */
export class ReplayedError extends RelayError {}

/** Whether an error is final; otherwise the same request may succeed later. */
const IS_FINAL: Readonly<Record<ErrorCode, boolean>> = {
  invalid_request: true,
  unauthorized: false,
  forbidden: true,
  not_found: true,
  method_not_allowed: true,
  upgrade_required: true,
  duplicate: true,
  conflict: true,
  terminal_queue_full: false,
  rate_limited: false,
  too_busy: false,
  payload_too_large: true,
  unsupported_media_type: true,
  expectation_failed: true,
  request_timeout: false,
  unavailable: false,
  internal: false,
};

/** A stored response: the handler's reply, or the error that it threw. */
type StoredAnswer = { reply: AnyReply } | { error: { code: ErrorCode; message: string } };

async function execute(endpoint: BoundEndpoint, input: Input): Promise<OnceAnswer> {
  try {
    const reply = await endpoint.run(input);
    return { text: answerText({ reply }), final: reply.status < 500 && reply.status !== 408 && reply.status !== 429 };
  } catch (error) {
    // An error with a time to retry is not final.
    if (!(error instanceof RelayError) || !IS_FINAL[error.code] || error.retryAfterSeconds !== undefined) throw error;
    return { text: answerText({ error: { code: error.code, message: error.message } }), final: true };
  }
}

function answerText(answer: StoredAnswer): string {
  return JSON.stringify(answer);
}

function repliedBy(text: string, replayed: boolean): AnyReply {
  const answer: StoredAnswer = JSON.parse(text);
  if ("error" in answer) throw new (replayed ? ReplayedError : RelayError)(answer.error.code, answer.error.message);
  const { reply } = answer;
  return replayed ? { ...reply, headers: { ...reply.headers, ...REPLAYED_HEADERS } } : reply;
}

function scopeOf({ method, path }: BoundEndpoint, { params, caller }: Input, key: string): string {
  // Administrators are one sender. Who may only look has keys apart from the others: its 403 must not be stored for them, nor their reply be its.
  const sender = caller.type === "administrator" && caller.role === "read-only" ? "administrator:read-only" : senderOf(caller);
  return digestOf([sender, method, path, params, key]);
}

/** The request in a form that does not depend on the order of members or on spaces. */
function fingerprintOf({ query, body }: Input): string {
  return digestOf([query, body ?? null]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex");
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
