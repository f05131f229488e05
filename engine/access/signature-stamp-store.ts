import { available, type Kv } from "../kernel/kv.ts";

/** Remembers signed requests, so that one that is sent again is not taken again; for all nodes. */
export interface SignatureStamps {
  /** True for the first time within `lifetimeMs`. `stamp`: a digest in hex. Rejects with RelayError `unavailable` when the store cannot answer. */
  take(stamp: string, lifetimeMs: number): Promise<boolean>;
}

const STAMPS = "signature/";

/** Signed requests that were taken, on the key-value store: `signature/<digest>`, each until nobody can send it again. */
export function createSignatureStampStore(kv: Kv, nowMs: () => number): SignatureStamps {
  return {
    take: (stamp, lifetimeMs) =>
      available(async () => {
        const key = STAMPS + stamp;
        const operations = [{ type: "put", key, value: "1", expiresAtMs: nowMs() + lifetimeMs } as const];
        const result = await kv.commit({ checks: [{ key, version: 0 }], operations });
        return result.type === "committed";
      }),
  };
}
