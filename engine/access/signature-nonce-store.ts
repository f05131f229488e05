import { available, type Kv } from "../kernel/kv.ts";

/** Remembers signed requests, so that one that is sent again is not taken again; for all nodes. */
export interface SignatureNonces {
  /** True for the first time within `lifetimeMs`. `nonce`: a digest in hex. Rejects with RelayError `unavailable` when the store cannot answer. */
  take(nonce: string, lifetimeMs: number): Promise<boolean>;
}

const NONCES = "signature/";

/** Signed requests that were taken, on the key-value store: `signature/<digest>`, each until nobody can send it again. */
export function createSignatureNonceStore(kv: Kv, nowMs: () => number): SignatureNonces {
  return {
    take: (nonce, lifetimeMs) =>
      available(async () => {
        const key = NONCES + nonce;
        const operations = [{ type: "put", key, value: "1", expiresAtMs: nowMs() + lifetimeMs } as const];
        const result = await kv.commit({ checks: [{ key, version: 0 }], operations });
        return result.type === "committed";
      }),
  };
}
