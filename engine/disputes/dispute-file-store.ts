import { available, type Kv } from "../kernel/kv.ts";

/** Bytes of one entry; in Base64 they stay below what a value of the store may have. */
const CHUNK_BYTES = 512 * 1024;
/** Pieces of one file: 10 MB and some room. */
const CHUNKS_MAX = 32;

/**
 * The contents of files of disputes, in pieces that the key-value store takes. Which files there are is in the records of disputes. Every method rejects with RelayError `unavailable`
 * when the store cannot answer.
 */
export interface DisputeFileStore {
  /** Stores all of it; what was there under this id is overwritten. */
  put(disputeId: string, fileId: string, contents: Uint8Array, atMs: number): Promise<void>;
  /** Piece by piece, from 0 on; null behind the last one, and where there is none. */
  piece(disputeId: string, fileId: string, index: number): Promise<Uint8Array | null>;
  /** Nothing happens where there is none. */
  remove(disputeId: string, fileId: string): Promise<void>;
}

export interface DisputeFileStoreOptions {
  kv: Kv;
  /** How long contents are kept from when they came: longer than any dispute that is not touched any more. */
  keptMs: number;
}

/** Contents as `dispute-file/<dispute>/<file>/<two digits>`, in Base64. */
export function createDisputeFileStore({ kv, keptMs }: DisputeFileStoreOptions): DisputeFileStore {
  return {
    put: (disputeId, fileId, contents, atMs) =>
      available(async () => {
        const pieces = Math.ceil(contents.length / CHUNK_BYTES);
        if (pieces === 0 || pieces > CHUNKS_MAX) throw new RangeError(`a file of ${contents.length} bytes`);
        // One after the other: a piece is a commit of its own, and the largest of all that are stored.
        for (let index = 0; index < pieces; index += 1) {
          const bytes = contents.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
          const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
          const key = pieceKey(disputeId, fileId, index);
          await kv.commit({ checks: [], operations: [{ type: "put", key, value, expiresAtMs: atMs + keptMs }] });
        }
      }),
    piece: (disputeId, fileId, index) =>
      available(async () => {
        const entry = index < CHUNKS_MAX ? await kv.get(pieceKey(disputeId, fileId, index)) : null;
        return entry === null ? null : Buffer.from(entry.value, "base64");
      }),
    remove: (disputeId, fileId) =>
      available(async () => {
        const operations = Array.from({ length: CHUNKS_MAX }, (_, index) => ({
          type: "delete" as const,
          key: pieceKey(disputeId, fileId, index),
        }));
        await kv.commit({ checks: [], operations });
      }),
  };
}

function pieceKey(disputeId: string, fileId: string, index: number): string {
  return `dispute-file/${disputeId}/${fileId}/${String(index).padStart(2, "0")}`;
}
