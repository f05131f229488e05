/** Magic number; version 1 with independent blocks; blocks of at most 4 MiB; the check of these two bytes. */
const FRAME_HEADER = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73);
const BLOCK_BYTES_MAX = 4 * 1_048_576;
/** In a block's length: its data are stored as they are. */
const STORED = 0x8000_0000;

/** Content-Encoding lz4, for who reads nothing else: LZ4's own frame, of stored blocks. */
export function lz4Frame(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [FRAME_HEADER];
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES_MAX) {
    const block = bytes.subarray(from, from + BLOCK_BYTES_MAX);
    parts.push(lengthOf(block.length + STORED), block);
  }
  return Buffer.concat([...parts, lengthOf(0)]);
}

function lengthOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
