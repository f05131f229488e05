import { joined } from "../kernel/collect-upload.ts";
import { latin1, type ReadImage } from "./image-bytes.ts";

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
const HEADER_BYTES = 13;

/** The chunks that the picture needs. The others are text, times, metadata and unknown data. */
const KEPT = new Set(["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "pHYs"]);
const ANIMATION = new Set(["acTL", "fcTL", "fdAT"]);

/** The bit depths of each colour type (PNG specification, 11.2.1). */
const DEPTHS: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };

/**
 * Reads the chunks of a PNG file. Each checksum must be right, and the last chunk must end the
 * file.
 */
export function readPng(contents: Uint8Array): ReadImage | "damaged" | "animated" {
  const view = new DataView(contents.buffer, contents.byteOffset, contents.byteLength);
  const kept = [contents.subarray(0, SIGNATURE_BYTES)];
  const seen = new Set<string>();
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= contents.length; ) {
    const length = view.getUint32(at);
    const end = at + CHUNK_BYTES + length;
    if (end > contents.length) return "damaged";
    const type = latin1(contents, at + 4, at + 8);
    if (crc32(contents.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return "damaged";
    if (ANIMATION.has(type)) return "animated";
    if (seen.size === 0 ? type !== "IHDR" || length !== HEADER_BYTES : type === "IHDR") return "damaged";
    if (KEPT.has(type)) kept.push(contents.subarray(at, end));
    // An upper-case letter marks a chunk without which the picture cannot be read.
    else if (!/^[a-z][A-Za-z]{3}$/.test(type)) return "damaged";
    seen.add(type);
    if (type === "IEND") {
      if (end !== contents.length || length !== 0 || !seen.has("IDAT")) return "damaged";
      return headerOf(view, kept);
    }
    at = end;
  }
  return "damaged";
}

function headerOf(view: DataView, kept: readonly Uint8Array[]): ReadImage | "damaged" {
  const at = SIGNATURE_BYTES + 8;
  const [depth, colorType] = [view.getUint8(at + 8), view.getUint8(at + 9)];
  const [compression, filter, interlace] = [view.getUint8(at + 10), view.getUint8(at + 11), view.getUint8(at + 12)];
  if (DEPTHS[colorType]?.includes(depth) !== true || compression !== 0 || filter !== 0 || interlace > 1) return "damaged";
  return { width: view.getUint32(at), height: view.getUint32(at + 4), contents: joined(kept) };
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 255] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
