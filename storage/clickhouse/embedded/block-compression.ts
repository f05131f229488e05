import { setImmediate as nextTurn } from "node:timers/promises";
import { cityHash128 } from "./city-hash.ts";

/**
 * ClickHouse's own compression of a body (`compress=1`): blocks of a checksum, a header and data. Drivers insist on it, and not on a smaller body, so that the data are
 * only marked as LZ4 wants them: one sequence of literals, which every LZ4 library reads.
 */
export type BlockMethod = "LZ4" | "NONE";

/** ClickHouse's own are of 1 MiB. The checksum of one of these takes some milliseconds, after which other queries have their turn. */
const BLOCK_BYTES = 262_144;

const CHECKSUM_BYTES = 16;
const HEADER_BYTES = 9;
const METHOD: Record<BlockMethod, number> = { NONE: 0x02, LZ4: 0x82 };

/** A length that does not fit into the four bits of LZ4's token goes on in bytes behind it. */
const TOKEN_LENGTH_MAX = 15;

/** The body in blocks; none for an empty one. */
export async function inBlocks(bytes: Uint8Array, method: BlockMethod): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    blocks.push(blockOf(bytes.subarray(from, from + BLOCK_BYTES), method));
    await nextTurn();
  }
  return Buffer.concat(blocks);
}

function blockOf(raw: Uint8Array, method: BlockMethod): Uint8Array {
  const prefix = method === "LZ4" ? literalsPrefix(raw.length) : [];
  const sizeBytes = HEADER_BYTES + prefix.length + raw.length;
  const block = new Uint8Array(CHECKSUM_BYTES + sizeBytes);
  const view = new DataView(block.buffer);
  block[CHECKSUM_BYTES] = METHOD[method];
  view.setUint32(CHECKSUM_BYTES + 1, sizeBytes, true);
  view.setUint32(CHECKSUM_BYTES + 5, raw.length, true);
  block.set(prefix, CHECKSUM_BYTES + HEADER_BYTES);
  block.set(raw, CHECKSUM_BYTES + HEADER_BYTES + prefix.length);
  const [low, high] = cityHash128(block.subarray(CHECKSUM_BYTES));
  view.setBigUint64(0, low, true);
  view.setBigUint64(8, high, true);
  return block;
}

/** What LZ4 has before the literals of its last sequence, which may be its only one. */
function literalsPrefix(length: number): number[] {
  if (length < TOKEN_LENGTH_MAX) return [length << 4];
  const prefix = [TOKEN_LENGTH_MAX << 4];
  let rest = length - TOKEN_LENGTH_MAX;
  for (; rest >= 255; rest -= 255) prefix.push(255);
  return [...prefix, rest];
}
