import { useRef } from "preact/hooks";
import { type FailureCode, PortalError } from "../api/errors.ts";

const KEY_BYTES = 16;

/** Returns a random key that no two forms share. `randomUUID` exists only under TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Errors that have a status of a rejection although the operation may have been executed. */
const MAY_BE_DONE: ReadonlySet<string> = new Set<FailureCode>(["outcome_unknown", "idempotency_key_in_use"]);

/**
 * Whether the call certainly did nothing. Without an answer, or if a part of the relay or the
 * gateway was unavailable, it may have been executed.
 */
function wasRefused(error: unknown): boolean {
  return error instanceof PortalError && error.status >= 400 && error.status < 500 && !MAY_BE_DONE.has(error.code);
}

/**
 * Gives `send` an `Idempotency-Key`, for calls that create or move something. The key stays the
 * same when a form is sent again after a lost answer, so the operation is executed once. Other
 * contents or an attempt after a rejection get a new key.
 */
export function useSendOnce(): <T>(contents: unknown, send: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const last = useRef<{ contents: string; key: string } | null>(null);
  return async (contents, send) => {
    const written = JSON.stringify(contents);
    if (last.current?.contents !== written) last.current = { contents: written, key: newKey() };
    try {
      return await send(last.current.key);
    } catch (error) {
      if (wasRefused(error)) last.current = null;
      throw error;
    }
  };
}
