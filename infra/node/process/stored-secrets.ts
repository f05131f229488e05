import { RelayError } from "../../../engine/kernel/errors.ts";
import { available, type Kv } from "../../../engine/kernel/kv.ts";
import type { RotatingSecretBox } from "../boot/secret-box.ts";
import { MANY_SEALED_RECORDS, renewSealedRecords, SEALED_RECORDS } from "./sealed-records.ts";

/** A text encrypted with the installation's key: a key that cannot decrypt it cannot decrypt the others either. */
const PROOF = "g/secret-key";
const PROOF_TEXT = "terminal-relay";

export type StoredSecrets = { type: "readable"; renewed: number } | { type: "unreadable" };

/**
 * Checks whether the key is the one with which the stored secrets are encrypted, and encrypts again what is under a previous key. At a
 * node's start, before anything is served.
 */
export async function prepareStoredSecrets(kv: Kv, box: RotatingSecretBox): Promise<StoredSecrets> {
  if (!(await isReadable(kv, box))) return { type: "unreadable" };
  const kinds = [...SEALED_RECORDS, ...(box.rotates ? MANY_SEALED_RECORDS : []), { prefix: PROOF }];
  return { type: "readable", renewed: await renewSealedRecords(kv, kinds, box.renewed) };
}

async function isReadable(kv: Kv, box: RotatingSecretBox): Promise<boolean> {
  return available(async () => {
    const value = JSON.stringify({ schema: 1, sealed: box.seal(PROOF_TEXT, PROOF) });
    const operations = [{ type: "put", key: PROOF, value }] as const;
    const first = await kv.commit({ checks: [{ key: PROOF, version: 0 }], operations });
    if (first.type === "committed") return true;
    const stored = await kv.get(PROOF);
    if (stored === null) return false;
    try {
      return box.open(JSON.parse(stored.value).sealed, PROOF) === PROOF_TEXT;
    } catch (error) {
      if (error instanceof RelayError) return false;
      throw error;
    }
  });
}
