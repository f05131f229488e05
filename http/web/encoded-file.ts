import type { OutgoingFile } from "../endpoint/endpoint.ts";

/** In which forms a file is held: compressed once, when it is read. */
export type Encoding = "identity" | "gzip" | "br";

/** What a request says of the forms that it takes, and of what it has. */
export interface CacheRequest {
  "accept-encoding"?: string;
  "if-none-match"?: string;
}

/** Whether the caller has the bytes of this tag. A proxy that compresses by itself makes the tag a weak one. */
export function isKnown(etag: string, headers: CacheRequest): boolean {
  return (headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The smallest form that the client takes; what it gives no weight is not taken. */
export function preferredEncoding(headers: CacheRequest): Encoding {
  const accepted = headers["accept-encoding"] ?? "";
  const names = accepted
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(?:\.0{1,3})?$/.test(part))
    .map((part) => part.replace(/;.*$/, "").trim());
  return names.includes("br") ? "br" : names.includes("gzip") ? "gzip" : "identity";
}

/** Bytes as the body of an answer. */
export function fromMemory(bytes: Uint8Array, contentType: string): OutgoingFile {
  return {
    contentType,
    offset: 0,
    length: bytes.byteLength,
    read: async (into, position) => {
      const part = bytes.subarray(position, position + into.byteLength);
      into.set(part);
      return part.byteLength;
    },
    close: () => {},
  };
}
