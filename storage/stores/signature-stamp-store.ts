import type { SignatureStamps } from "../../engine/ports/signature-stamps.ts";
import type { Kv } from "../kv/kv.ts";
import { available } from "./terminal-store.ts";

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
