import { createHash, randomBytes } from "node:crypto";
import { ZIP_SIGNATURE } from "../../engine/apps/app-version.ts";

/** A package of a roll-out: bytes that begin as those of an app do and are otherwise random, so that nothing on the way makes them fewer. */
export interface TrialPackage {
  bytes: Buffer;
  md5: string;
  sha256: string;
}

export function createPackage(length: number): TrialPackage {
  const bytes = randomBytes(Math.max(length, ZIP_SIGNATURE.length));
  bytes.set(ZIP_SIGNATURE);
  return { bytes, md5: createHash("md5").update(bytes).digest("hex"), sha256: createHash("sha256").update(bytes).digest("hex") };
}
