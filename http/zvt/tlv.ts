/** TLV as ZVT has it: tags of one to three bytes, BER lengths, which are **big-endian** (the length of a frame is little-endian). */
export interface Tlv {
  /** The bytes of the tag as one number: 0x26, 0x1f10. */
  tag: number;
  value: Uint8Array;
}

/** Elements of one level; the longest container of a frame has fewer. */
const ELEMENTS_MAX = 256;

/** The elements of one level, or null where the bytes are not whole elements. A constructed element's value is read by another call. */
export function readTlvs(bytes: Uint8Array): Tlv[] | null {
  const elements: Tlv[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (elements.length === ELEMENTS_MAX) return null;
    const tag = readTag(bytes, at);
    if (tag === null) return null;
    const length = readBerLength(bytes, at + tag.size);
    if (length === null) return null;
    const start = at + tag.size + length.size;
    if (start + length.value > bytes.length) return null;
    elements.push({ tag: tag.value, value: bytes.slice(start, start + length.value) });
    at = start + length.value;
  }
  return elements;
}

export function writeTlvs(elements: readonly Tlv[]): Uint8Array {
  return Buffer.concat(elements.flatMap(({ tag, value }) => [tagBytes(tag), berLength(value.length), value]));
}

/** A BER length of one to three bytes, and the bytes that it takes. */
export function readBerLength(bytes: Uint8Array, at: number): { value: number; size: number } | null {
  const [first, second, third] = bytes.subarray(at, at + 3);
  if (first === undefined) return null;
  if (first < 0x80) return { value: first, size: 1 };
  if (first === 0x81 && second !== undefined) return { value: second, size: 2 };
  if (first === 0x82 && second !== undefined && third !== undefined) return { value: second * 256 + third, size: 3 };
  return null;
}

/** The shortest form. Throws RangeError above 65,535, which no frame can hold. */
export function berLength(length: number): Uint8Array {
  if (length > 0xffff) throw new RangeError("longer than a frame");
  if (length < 0x80) return Uint8Array.of(length);
  return length < 0x100 ? Uint8Array.of(0x81, length) : Uint8Array.of(0x82, length >> 8, length & 0xff);
}

function readTag(bytes: Uint8Array, at: number): { value: number; size: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  if ((first & 0x1f) !== 0x1f) return { value: first, size: 1 };
  const second = bytes[at + 1];
  if (second === undefined) return null;
  if (second < 0x80) return { value: first * 256 + second, size: 2 };
  const third = bytes[at + 2];
  return third === undefined || third >= 0x80 ? null : { value: (first * 256 + second) * 256 + third, size: 3 };
}

function tagBytes(tag: number): Uint8Array {
  if (tag < 0x100) return Uint8Array.of(tag);
  return tag < 0x10000 ? Uint8Array.of(tag >> 8, tag & 0xff) : Uint8Array.of(tag >> 16, (tag >> 8) & 0xff, tag & 0xff);
}
