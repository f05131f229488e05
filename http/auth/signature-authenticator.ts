import type { Caller } from "../../engine/access/caller.ts";
import type { SignatureNonces } from "../../engine/access/signature-nonce-store.ts";
import type { Refusal } from "./credential-source.ts";
import { sha256Hex } from "./digest.ts";
import { SIGNATURE_SKEW_MAX_MS, type SignedRequest, verifySignature } from "./http-signature.ts";

/** Whose signatures count, by their keyId: lookups in memory. */
export interface SignatureKeys {
  /** Null for a key that does not exist, or may not be used now. */
  byKeyId(keyId: string): { secret: string; caller: Caller } | null;
}

export interface SignatureAuthenticator {
  /** Rejects with RelayError `unavailable` when it cannot be said whether the request was sent before. */
  authenticate(request: SignedRequest): Promise<Caller | Refusal>;
}

/** Authenticates requests by their HTTP signature (http-signature.ts), each of them once. */
export function createSignatureAuthenticator(options: {
  keys: SignatureKeys;
  nonces: SignatureNonces;
  /** The clock that signers date by: this machine's. */
  nowMs(): number;
}): SignatureAuthenticator {
  return {
    authenticate: async (request) => {
      const verdict = verifySignature(request, (keyId) => options.keys.byKeyId(keyId)?.secret ?? null, options.nowMs());
      if (verdict.type === "refused") return refused(verdict.reason);
      const key = options.keys.byKeyId(verdict.keyId);
      if (key === null) return refused("The signature does not match the request.");
      // A date may lie ahead by as much as behind.
      const first = await options.nonces.take(sha256Hex(`${verdict.keyId} ${verdict.nonce}`), 2 * SIGNATURE_SKEW_MAX_MS);
      return first ? key.caller : refused("The same request was sent before: its date and salt were already used. Sign it again.");
    },
  };
}

function refused(message: string): Refusal {
  return { type: "refused", code: "unauthorized", message };
}
