import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Images of 24 by 16 pixels that Chromium has made. */
export type ImageName = "logo.png" | "logo.jpg" | "lossy.webp" | "alpha.webp" | "lossless.webp";

export function image(name: ImageName): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

const PNG_HEAD_BYTES = 33;

/** The PNG with this chunk after its header. */
export function withPngChunk(type: string, data: Uint8Array, png = image("logo.png")): Buffer {
  return Buffer.concat([png.subarray(0, PNG_HEAD_BYTES), pngChunk(type, data), png.subarray(PNG_HEAD_BYTES)]);
}

/** The PNG with another size in its header. */
export function pngOfSize(width: number, height: number): Buffer {
  const png = image("logo.png");
  const header = Buffer.from(png.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([png.subarray(0, 8), pngChunk("IHDR", header), png.subarray(PNG_HEAD_BYTES)]);
}

/** The JPEG with this segment after its start. */
export function withJpegSegment(marker: number, data: string): Buffer {
  const jpeg = image("logo.jpg");
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(data, "latin1"), jpeg.subarray(2)]);
}

/** The JPEG with another size in the header of its frame. */
export function jpegOfSize(width: number, height: number): Buffer {
  const jpeg = Buffer.from(image("logo.jpg"));
  const at = jpeg.indexOf(Buffer.from([0xff, 0xc0, 0x00, 0x11]));
  jpeg.writeUInt16BE(height, at + 5);
  jpeg.writeUInt16BE(width, at + 7);
  return jpeg;
}

/** The WebP with this chunk at its end, and these flags in its header. */
export function withWebpChunk(type: string, data: string, flags: number): Buffer {
  const webp = image("alpha.webp");
  const head = Buffer.alloc(8);
  head.write(type, 0, "latin1");
  head.writeUInt32LE(data.length, 4);
  const all = Buffer.concat([webp, head, Buffer.from(data, "latin1")]);
  all.writeUInt32LE(all.length - 8, 4);
  all.writeUInt8(all.readUInt8(20) | flags, 20);
  return all;
}
