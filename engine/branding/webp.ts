import { joined } from "../kernel/collect-upload.ts";
import { latin1, type ReadImage } from "./image-bytes.ts";

const HEAD_BYTES = 12;
/** Type and length of a chunk. */
const CHUNK_BYTES = 8;

const ANIMATION_FLAG = 0x02;
/** The flags of metadata (XMP and EXIF), which is left out. */
const METADATA_FLAGS = 0x04 | 0x08;

/** The chunks that the picture needs. */
const KEPT = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ICCP"]);

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reads the chunks of a WebP file, which must fill exactly the length that it states. */
export function readWebp(contents: Uint8Array): ReadImage | "damaged" | "animated" {
  const view = new DataView(contents.buffer, contents.byteOffset, contents.byteLength);
  if (contents.length < HEAD_BYTES + CHUNK_BYTES || view.getUint32(4, true) !== contents.length - 8) return "damaged";
  const kept: Uint8Array[] = [];
  let canvas: Size | null = null;
  let picture: Size | null = null;
  let at = HEAD_BYTES;
  while (at < contents.length) {
    if (at + CHUNK_BYTES > contents.length) return "damaged";
    const type = latin1(contents, at, at + 4);
    const length = view.getUint32(at + 4, true);
    const end = at + CHUNK_BYTES + length + (length % 2);
    if (end > contents.length) return "damaged";
    const data = contents.subarray(at + CHUNK_BYTES, at + CHUNK_BYTES + length);
    if (type === "ANIM" || type === "ANMF") return "animated";
    if (type === "VP8X") {
      if (at !== HEAD_BYTES || length < 10) return "damaged";
      if (((data[0] ?? 0) & ANIMATION_FLAG) !== 0) return "animated";
      canvas = { width: uint24(data, 4) + 1, height: uint24(data, 7) + 1 };
    } else if (type === "VP8 " || type === "VP8L") {
      if (picture !== null) return "damaged";
      picture = type === "VP8 " ? lossySize(data) : losslessSize(data);
      if (picture === null) return "damaged";
    }
    if (KEPT.has(type)) kept.push(type === "VP8X" ? withoutMetadata(contents.subarray(at, end)) : contents.subarray(at, end));
    at = end;
  }
  if (picture === null || (canvas !== null && (canvas.width !== picture.width || canvas.height !== picture.height))) return "damaged";
  return { ...picture, contents: fileOf(contents, kept) };
}

/** A key frame states its size after a start code. Its first part must be in the chunk. */
function lossySize(data: Uint8Array): Size | null {
  if (data.length < 10 || ((data[0] ?? 1) & 1) !== 0 || latin1(data, 3, 6) !== "\x9d\x01\x2a") return null;
  if (10 + (uint24(data, 0) >> 5) > data.length) return null;
  return { width: uint16(data, 6) & 0x3fff, height: uint16(data, 8) & 0x3fff };
}

function losslessSize(data: Uint8Array): Size | null {
  if (data.length < 6 || data[0] !== 0x2f) return null;
  const bits = uint24(data, 1) | ((data[4] ?? 0) << 24);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function withoutMetadata(chunk: Uint8Array): Uint8Array {
  const copy = new Uint8Array(chunk);
  copy[CHUNK_BYTES] = (copy[CHUNK_BYTES] ?? 0) & ~METADATA_FLAGS;
  return copy;
}

function fileOf(contents: Uint8Array, kept: readonly Uint8Array[]): Uint8Array {
  const all = joined([contents.subarray(0, HEAD_BYTES), ...kept]);
  new DataView(all.buffer).setUint32(4, all.length - 8, true);
  return all;
}

function uint16(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8);
}

function uint24(data: Uint8Array, at: number): number {
  return uint16(data, at) | ((data[at + 2] ?? 0) << 16);
}
