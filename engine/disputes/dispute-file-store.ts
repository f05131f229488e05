import { available, type Kv } from "../kernel/kv.ts";

/** In Base64 such a piece is below the limit of a value in the store. */
const CHUNK_BYTES = 512 * 1024;
/** Permits 10 MB and some reserve. */
const CHUNKS_MAX = 32;

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface DisputeFileStore {
  /** Overwrites earlier contents of this id. */
  put(disputeId: string, fileId: string, contents: Uint8Array, atMs: number): Promise<void>;
  /** Counts pieces from 0. Returns null after the last one. */
  piece(disputeId: string, fileId: string, index: number): Promise<Uint8Array | null>;
  remove(disputeId: string, fileId: string): Promise<void>;
}

export interface DisputeFileStoreOptions {
  kv: Kv;
  /** Exceeds the retention of a dispute that no longer changes. */
  keptMs: number;
}

/** Contents are stored as `dispute-file/<dispute>/<file>/<two digits>`, in Base64. */
export function createDisputeFileStore({ kv, keptMs }: DisputeFileStoreOptions): DisputeFileStore {
  return {
    put: (disputeId, fileId, contents, atMs) =>
      available(async () => {
        const pieces = Math.ceil(contents.length / CHUNK_BYTES);
        if (pieces === 0 || pieces > CHUNKS_MAX) throw new RangeError(`a file of ${contents.length} bytes`);
        // Each piece is a commit, and no other value is larger. So pieces are stored one by one.
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
