import { type Static, Type } from "@sinclair/typebox";
import type { OutgoingFile } from "../endpoint/endpoint.ts";

const header = (description: string) => Type.Optional(Type.String({ maxLength: 1_024, description }));

/** What a request says of the forms that it takes, and of what it has. */
export const CacheRequest = Type.Object({
  "accept-encoding": header("gzip and br are known."),
  "if-none-match": header("304 if this ETag still matches."),
});
export type CacheRequest = Static<typeof CacheRequest>;

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
