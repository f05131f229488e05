/** The number types of ZVT: BCD, LLVAR and LLLVAR lengths. All functions are total: null says that the bytes are not what they should be. */

/** Decimal digits, two a byte, or null where a nibble is above 9. */
export function readDigits(bytes: Uint8Array): string | null {
  let digits = "";
  for (const byte of bytes) {
    if (byte >> 4 > 9 || (byte & 0x0f) > 9) return null;
    digits += String((byte >> 4) * 10 + (byte & 0x0f)).padStart(2, "0");
  }
  return digits;
}

/** A BCD number, or null where a nibble is above 9. At most seven bytes, so that it is exact. */
export function readBcd(bytes: Uint8Array): number | null {
  const digits = bytes.length > 7 ? null : readDigits(bytes);
  return digits === null ? null : Number(digits);
}

/** A whole number as BCD of this many bytes, or null where it does not fit. */
export function bcd(value: number, byteLength: number): Uint8Array | null {
  if (!Number.isSafeInteger(value) || value < 0) return null;
  const digits = String(value).padStart(2 * byteLength, "0");
  return digits.length > 2 * byteLength ? null : nibbles(digits);
}

/** Two characters a byte, each a hexadecimal digit: BCD where all are decimal, and the masked card number with its `E` and `F`. */
export function nibbles(text: string): Uint8Array | null {
  return text.length % 2 === 0 && /^[0-9A-Fa-f]*$/.test(text) ? Uint8Array.from(Buffer.from(text, "hex")) : null;
}

/** A length of LLVAR (two bytes, `Fx Fy`) or LLLVAR (three), or null where the bytes are not one. */
export function readVariableLength(bytes: Uint8Array, at: number, byteLength: 2 | 3): number | null {
  let length = 0;
  for (let index = at; index < at + byteLength; index += 1) {
    const byte = bytes[index];
    if (byte === undefined || byte >> 4 !== 0x0f || (byte & 0x0f) > 9) return null;
    length = length * 10 + (byte & 0x0f);
  }
  return length;
}

/** The bytes of an LLVAR or LLLVAR length, or null above 99 or 999. */
export function variableLength(length: number, byteLength: 2 | 3): Uint8Array | null {
  if (!Number.isSafeInteger(length) || length < 0 || length >= 10 ** byteLength) return null;
  return Uint8Array.from(String(length).padStart(byteLength, "0"), (digit) => 0xf0 | Number(digit));
}
