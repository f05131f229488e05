import type { RelayError } from "../../../engine/kernel/errors.ts";
import type { IdempotencyPolicy } from "../../endpoint/endpoint.ts";
import { formOf } from "../../endpoint/form-body.ts";

/** As the compatible platform keeps keys. */
const LIFETIME_MS = 86_400_000;

/** What a surface adds: its own errors, in its own words. */
export interface CompatIdempotencyWords {
  /** Whether an error stands, so that the same request again gets the same answer: of the errors that the surface throws itself. */
  isFinal(error: RelayError): boolean;
  /** Whether an error says that nothing was done. */
  frees(error: RelayError): boolean;
  differs(): RelayError;
  running(): RelayError;
  /** The request id of the platform's form, of a request of ours. */
  requestIdOf(requestId: string): string;
}

/**
 * Keys as the compatible platform has them: a day, for one merchant in one environment, whatever the path. So the path is part of what is compared. Pages
 * have keys of their own: a publishable key and a client secret are known to whoever has the page.
 */
export function compatIdempotency({ isFinal, frees, differs, running, requestIdOf }: CompatIdempotencyWords): IdempotencyPolicy {
  return {
    lifetimeMs: LIFETIME_MS,
    parameterName: "CompatIdempotencyKey",
    description:
      "A unique value that you choose for this operation, valid for 24 hours for all paths of a merchant. If the same request is sent again with this key, the relay returns the stored response (with `Idempotent-Replayed: true`, and `Original-Request` with the id of the first request) and does not execute the request again. Another request with the same key is rejected with 400; while the first request is in progress, a repetition is rejected with 409. Responses of 400 for parameters, 401, 404, 409, 429 and of 500 or more are not stored.",
    scopeOf: (_endpoint, { caller, body }) => {
      if (caller.type === "merchantKey") {
        const { merchantId, livemode, kind } = caller.merchant;
        return ["merchant", merchantId, livemode, kind];
      }
      const { key = "", client_secret: clientSecret = "" } = body === undefined ? {} : formOf(body);
      return ["page", key, clientSecret];
    },
    fingerprintOf: ({ method, path }, { params, query, body }) => [method, path, params, query, body ?? null],
    isFinal,
    frees,
    isFinalReply: (status) => status < 400 || status === 402,
    differs,
    running,
    replayHeaders: (requestId) => ({
      "Idempotent-Replayed": "true",
      ...(requestId === "" ? {} : { "Original-Request": requestIdOf(requestId) }),
    }),
  };
}
