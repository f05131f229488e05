import { joined } from "../kernel/collect-upload.ts";
import { latin1, type ReadImage } from "./image-bytes.ts";

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Markers that begin no segment: restarts within a scan, and two that pictures do not have. */
const isBare = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;
/** The header of a frame has the dimensions. Three numbers in the range are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/**
 * Segments of applications that affect the picture: the pixels' shape, a profile of colours, and
 * Adobe's transformation.
 */
function isKept(marker: number, contents: Uint8Array, at: number): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  const name = latin1(contents, at, at + 12);
  return marker === 0xe0 || (marker === 0xe2 && name.startsWith("ICC_PROFILE\0")) || (marker === 0xee && name.startsWith("Adobe"));
}

/** Reads the segments of a JPEG file. The mark of its end must be at the end of the file. */
export function readJpeg(contents: Uint8Array): ReadImage | "damaged" {
  const kept = [contents.subarray(0, 2)];
  let size: { width: number; height: number } | null = null;
  let hasScan = false;
  for (let at = 2; at + 1 < contents.length; ) {
    const marker = contents[at + 1] ?? 0;
    if (contents[at] !== 0xff || isBare(marker)) return "damaged";
    // A marker may be preceded by any number of these bytes.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) {
      if (at + 2 !== contents.length || size === null || !hasScan) return "damaged";
      return { ...size, contents: joined([...kept, contents.subarray(at)]) };
    }
    const length = uint16(contents, at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > contents.length) return "damaged";
    if (isFrame(marker)) {
      if (size !== null || length < 8 || contents[at + 4] !== 8) return "damaged";
      size = { height: uint16(contents, at + 5), width: uint16(contents, at + 7) };
    }
    const next = marker === START_OF_SCAN ? endOfScan(contents, end) : end;
    if (marker === START_OF_SCAN) {
      if (size === null) return "damaged";
      hasScan = true;
    }
    if (isKept(marker, contents, at + 4)) kept.push(contents.subarray(at, next));
    at = next;
  }
  return "damaged";
}

/** In the data of a scan, 0 follows each byte 255 that begins no marker. */
function endOfScan(contents: Uint8Array, from: number): number {
  for (let at = from; at + 1 < contents.length; at += 1) {
    const next = contents[at + 1] ?? 0;
    if (contents[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return contents.length;
}

function uint16(contents: Uint8Array, at: number): number {
  return ((contents[at] ?? 0) << 8) | (contents[at + 1] ?? 0);
}
