import { createHash } from "node:crypto";

/** A strong tag of what an answer says, whenever it was made. */
export function etagOf(data: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 27)}"`;
}
