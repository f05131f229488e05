import { createHash } from "node:crypto";

/** A strong tag of what an answer says, whenever it was made. */
export function etagOf(data: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 27)}"`;
}

/** Whether the caller already has it. A proxy that compresses by itself makes the tag a weak one. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? "").split(",").some((tag) => [etag, "*"].includes(tag.trim().replace(/^W\//, "")));
}
