import type { OutgoingFile } from "../endpoint/endpoint.ts";

/** What a request says of the forms that it takes, and of what it has. */
export interface CacheRequest {
  "accept-encoding"?: string;
  "if-none-match"?: string;
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
