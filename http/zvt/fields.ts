import { readVariableLength, variableLength } from "./bytes.ts";
import { berLength, readBerLength } from "./tlv.ts";

/** A data element of a command: its tag ("bitmap"), and its value without the length. */
export interface Field {
  tag: number;
  value: Uint8Array;
}

/** How the length of a bitmap is known: fixed (bytes), LLVAR, LLLVAR, or a TLV container with a BER length. */
type Form = number | "llvar" | "lllvar" | "tlv";

/** Every bitmap of PA00P015, by the way that its length is known. A parser that does not know a bitmap cannot find the next one. */
const FORMS: readonly [form: Form, tags: readonly number[]][] = [
  [
    1,
    [
      0x01, 0x02, 0x03, 0x05, 0x19, 0x27, 0x72, 0x73, 0x74, 0x75, 0x8a, 0x8c, 0xa0, 0xd0, 0xd2, 0xd3, 0xe0, 0xe9, 0xea, 0xf0, 0xf9, 0xfa,
      0xfb, 0xfc, 0xfd,
    ],
  ],
  [2, [0x0d, 0x0e, 0x17, 0x3a, 0x49, 0x87]],
  [3, [0x0b, 0x0c, 0x37, 0x3d, 0x88, 0xaa]],
  [4, [0x29, 0x70, 0x71]],
  [5, [0xba]],
  [6, [0x04]],
  [8, [0x3b, 0xeb]],
  [15, [0x2a]],
  ["llvar", [0x22, 0x23, 0x2d, 0x8b, 0xa7, 0xd1, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8]],
  ["llvar", [0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8]],
  ["lllvar", [0x24, 0x2e, 0x3c, 0x60, 0x9a, 0xaf]],
  ["tlv", [0x06]],
];

const FORM_OF = new Map(FORMS.flatMap(([form, tags]) => tags.map((tag) => [tag, form] as const)));

/** Each takes at least two bytes of a frame; a longer list than this is nonsense. */
const FIELDS_MAX = 256;

/** Bitmaps in the order in which they stand, or null where one is unknown or not whole. An empty TLV container is a field of no bytes. */
export function readFields(bytes: Uint8Array): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at];
    const form = tag === undefined ? undefined : FORM_OF.get(tag);
    if (tag === undefined || form === undefined || fields.length === FIELDS_MAX) return null;
    const length = readLength(form, bytes, at + 1);
    if (length === null) return null;
    const start = at + 1 + length.size;
    if (start + length.value > bytes.length) return null;
    fields.push({ tag, value: bytes.slice(start, start + length.value) });
    at = start + length.value;
  }
  return fields;
}

/** Throws RangeError for an unknown bitmap, and for a value that its form cannot hold: those are mistakes of the caller. */
export function writeFields(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(({ tag, value }) => {
      const form = FORM_OF.get(tag);
      const length = form === undefined ? null : lengthBytes(form, value.length);
      if (length === null) throw new RangeError(`bitmap ${tag.toString(16)} of ${value.length} bytes`);
      return [Uint8Array.of(tag), length, value];
    }),
  );
}

/** The first bitmap of this tag. */
export function fieldOf(fields: readonly Field[], tag: number): Uint8Array | undefined {
  return fields.find((field) => field.tag === tag)?.value;
}

function readLength(form: Form, bytes: Uint8Array, at: number): { value: number; size: number } | null {
  if (form === "tlv") return readBerLength(bytes, at);
  if (typeof form === "number") return { value: form, size: 0 };
  const size = form === "llvar" ? 2 : 3;
  const value = readVariableLength(bytes, at, size);
  return value === null ? null : { value, size };
}

function lengthBytes(form: Form, length: number): Uint8Array | null {
  if (form === "tlv") return berLength(length);
  if (typeof form === "number") return form === length ? new Uint8Array(0) : null;
  return variableLength(length, form === "llvar" ? 2 : 3);
}
