import { createHash } from "node:crypto";

/** Returns a strong tag that depends on the data only, and not on the time. */
export function etagOf(data: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 27)}"`;
}
