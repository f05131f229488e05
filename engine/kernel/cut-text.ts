import { maskPans, maskSchemePans } from "./mask.ts";

/** A text's first characters (UTF-16 units), at most so many; a pair of them that is one character goes as a whole. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}

/** Characters of a text by which a device says what it is. More tells operators nothing, and is no reason to refuse the device. */
export const DEVICE_TEXT_CHARS_MAX = 256;

// Cut after masking, so that no cut takes a card number's check digit away.

/** What a device says of itself in free words (user agent, manufacturer), as it is stored and shown. */
export function deviceWords(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskPans(text), charsMax);
}

/** A device's model, version, serial number or the like, as it is stored and shown. An IMEI passes Luhn too, and stays. */
export function deviceName(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskSchemePans(text), charsMax);
}
