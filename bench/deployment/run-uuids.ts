import { randomBytes } from "node:crypto";

const INDEX_DIGITS = 8;

/** Uuids of one run: they share a prefix, so that sums can leave them out, and number its payments. */
export interface RunUuids {
  /** As in `load-20261127t101500-3fa2b7c1-`. */
  readonly prefix: string;
  uuidOf(index: number): string;
  /** Which payment it is, or null for a uuid of anybody else. */
  indexOf(uuid: string): number | null;
}

/** `random`: 8 hex digits that tell runs of the same second apart. */
export function createRunUuids(startedAt: Date, random = randomBytes(4).toString("hex")): RunUuids {
  const second = startedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").toLowerCase();
  const prefix = `load-${second}-${random}-`;
  return {
    prefix,
    uuidOf: (index) => prefix + String(index).padStart(INDEX_DIGITS, "0"),
    indexOf: (uuid) => {
      const digits = uuid.startsWith(prefix) ? uuid.slice(prefix.length) : "";
      return /^\d{8}$/.test(digits) ? Number(digits) : null;
    },
  };
}
