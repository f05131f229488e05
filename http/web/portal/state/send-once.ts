import { useRef } from "preact/hooks";
import { type FailureCode, PortalError } from "../api/errors.ts";

const KEY_BYTES = 16;

/** Nobody guesses it, and no two forms have the same. `randomUUID` is there only under TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Refusals by their status that are none: it is done already, or just now. */
const MAY_BE_DONE: ReadonlySet<string> = new Set<FailureCode>(["outcome_unknown", "idempotency_key_in_use"]);

/** Whether it is known that the call did nothing; without an answer, and when a part of the relay or the gateway was away, it may have. */
function wasRefused(error: unknown): boolean {
  return error instanceof PortalError && error.status >= 400 && error.status < 500 && !MAY_BE_DONE.has(error.code);
}

/**
 * For what creates or moves something: gives `send` a key (`Idempotency-Key`) that stays the same when a form is sent again because its answer did not
 * arrive, so that it is done once. Other contents, or another attempt after a refusal, have another key.
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
