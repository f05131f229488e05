import { createHash } from "node:crypto";
import { senderOf } from "../../engine/access/caller.ts";
import type { ExecuteOnce, OnceAnswer } from "../../engine/idempotency/execute-once.ts";
import { type ErrorCode, RelayError } from "../../engine/kernel/errors.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { AnyReply, BoundEndpoint, IdempotencyPolicy, Input } from "./endpoint.ts";
import type { ErrorReply } from "./error-envelope.ts";

/** Long enough for any uuid, hash or order number. The relay stores a digest of it. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/** How long a caller waits before it repeats a request whose first attempt is still in progress. */
const RETRY_AFTER_SECONDS = 1;

export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Reads the key from the header; null stays null. Throws RelayError `invalid_request`, which does
 * not quote the value.
 */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null || isIdempotencyKey(header)) return header;
  throw new RelayError(
    "invalid_request",
    `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters, no spaces`,
  );
}

/** Marks a stored response. */
const REPLAYED_HEADERS = { "Idempotent-Replayed": "true" } as const;

export interface IdempotencyOptions {
  executeOnce: ExecuteOnce;
  ids: Ids;
}

/** Maps each code to whether it is final. After other errors the same request may succeed later. */
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
  head_too_large: true,
  unsupported_media_type: true,
  expectation_failed: true,
  request_timeout: false,
  unavailable: false,
  internal: false,
};

/** The policy of every surface that has none of its own: a key belongs to one path, for 30 days. */
export const USUAL_IDEMPOTENCY: IdempotencyPolicy = {
  parameterName: "IdempotencyKey",
  description:
    "A unique value that you choose for this operation, valid for 30 days. If the same request is sent again with this key, the relay returns the stored response (with `Idempotent-Replayed: true`) and does not execute the request again. A request with the same key and another body is rejected with 409. While the first request is in progress, a repetition is rejected with 409 and `Retry-After`. A response with a status of 500 or more is not stored: a request with the same key continues where the first attempt ended.",
  scopeOf: ({ method, path }, { params, caller }) => {
    // Administrators are one sender. Keys of the read-only role are separate, so that its 403 is
    // not stored for the others, and it does not get their replies.
    const sender = caller.type === "administrator" && caller.role === "read-only" ? "administrator:read-only" : senderOf(caller);
    // Keys of a merchant's people are separate from each other and from the secret key, because a
    // response may contain what only one person may see once.
    const person = caller.type === "merchantUser" ? [caller.user.userId] : [];
    return [sender, ...person, method, path, params];
  },
  fingerprintOf: (_endpoint, { query, bodySent }) => [query, bodySent ?? null],
  // An error with a time to retry is not final, and neither is one that ends when the person proves
  // a second factor.
  isFinal: (error) => IS_FINAL[error.code] && error.retryAfterSeconds === undefined && error.detail !== "step_up_required",
  isFinalReply: (status) => status < 500 && status !== 408 && status !== 429,
  differs: () => new RelayError("conflict", "Idempotency-Key: was used for a request with another body; use a new key for a new request"),
  running: () =>
    new RelayError("conflict", "Idempotency-Key: the first request with this key is still in progress; retry shortly", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
  replayHeaders: () => REPLAYED_HEADERS,
};

/**
 * Makes an endpoint that declares `idempotency` execute once per key, by its surface's policy. The
 * repeated request gets the stored status and body. A different request with the key, and a request
 * whose first attempt is still in progress, get the policy's errors. The handler gets the id of the
 * execution as `operationId`. A surface's `admit` is called first. Other endpoints are returned
 * unchanged.
 */
export function idempotent(endpoint: BoundEndpoint, options: IdempotencyOptions): BoundEndpoint {
  const once = executedOnce(endpoint, options);
  const { runAdmit } = endpoint;
  if (runAdmit === undefined) return once;
  return {
    ...once,
    run: async (input) => {
      const own = await runAdmit(input);
      const reply = await once.run(input);
      return own === undefined ? reply : { ...reply, headers: { ...reply.headers, ...own } };
    },
  };
}

function executedOnce(endpoint: BoundEndpoint, { executeOnce, ids }: IdempotencyOptions): BoundEndpoint {
  const { idempotency } = endpoint;
  if (idempotency === undefined) return endpoint;
  if (endpoint.auth === "none")
    throw new Error(`${endpoint.name}: only an endpoint with an authenticated caller can have idempotency keys`);
  const policy = endpoint.surface.idempotency ?? USUAL_IDEMPOTENCY;
  return {
    ...endpoint,
    run: async (input) => {
      const scope = input.idempotencyKey === null ? null : policy.scopeOf(endpoint, input);
      if (scope === null) return endpoint.run({ ...input, operationId: ids.uuid() });
      const outcome = await executeOnce(
        {
          scope: digestOf([...scope, input.idempotencyKey]),
          fingerprint: digestOf(policy.fingerprintOf(endpoint, input)),
          ...(policy.lifetimeMs === undefined ? {} : { lifetimeMs: policy.lifetimeMs }),
          frees: (error) => error instanceof RelayError && policy.frees?.(error) === true,
          sealed: idempotency === "sealed",
        },
        (operationId) => execute(endpoint, policy, { ...input, operationId }),
      );
      switch (outcome.type) {
        case "answered":
          return repliedBy(outcome.text, outcome.replayed ? policy : null);
        case "differs":
          throw policy.differs();
        case "running":
          throw policy.running();
      }
    },
  };
}

/** An error that this request or an earlier one with the same key has stored. */
export class StoredError extends RelayError {
  /** The surface's whole response, if the surface makes it itself. */
  readonly reply: ErrorReply | undefined;
  /** Mark a response that an earlier request stored. */
  readonly replayHeaders: { readonly [name: string]: string };

  constructor({ code, message, reply }: StoredFailure, replayHeaders: { readonly [name: string]: string }) {
    super(code, message);
    this.reply = reply;
    this.replayHeaders = replayHeaders;
  }
}

interface StoredFailure {
  code: ErrorCode;
  message: string;
  reply?: ErrorReply;
}

/**
 * A stored response: the handler's reply or the error that it threw, and the id of the first
 * request.
 */
type StoredAnswer = ({ reply: AnyReply } | { error: StoredFailure }) & { requestId?: string };

async function execute(endpoint: BoundEndpoint, policy: IdempotencyPolicy, input: Input): Promise<OnceAnswer> {
  const requestId = input.request.id;
  try {
    const reply = await endpoint.run(input);
    return { text: answerText({ reply, requestId }), final: policy.isFinalReply(reply.status) };
  } catch (error) {
    if (!(error instanceof RelayError) || !policy.isFinal(error)) throw error;
    const { envelope } = endpoint.surface;
    const reply = envelope.answer === undefined ? {} : { reply: envelope.answer(error, requestId) };
    return { text: answerText({ error: { code: error.code, message: error.message, ...reply }, requestId }), final: true };
  }
}

function answerText(answer: StoredAnswer): string {
  return JSON.stringify(answer);
}

/** `replayedBy` is null for the response of this request itself. */
function repliedBy(text: string, replayedBy: IdempotencyPolicy | null): AnyReply {
  const answer: StoredAnswer = JSON.parse(text);
  // Responses of previous versions have no request id.
  const replayHeaders = replayedBy?.replayHeaders(answer.requestId ?? "") ?? {};
  if ("error" in answer) throw new StoredError(answer.error, replayHeaders);
  const { reply } = answer;
  return replayedBy === null ? reply : { ...reply, headers: { ...reply.headers, ...replayHeaders } };
}

/** Returns the digest (hex) of values. The order of members does not change it. */
export function digestOf(value: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex");
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
