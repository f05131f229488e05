import { maskPans, maskSchemePans } from "./mask.ts";

/** The first `charsMax` characters (UTF-16 units) of a text; a surrogate pair is not split. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}

/** Maximum length of a text by which a device identifies itself. A longer text is cut: it is no reason to refuse the device. */
export const DEVICE_TEXT_CHARS_MAX = 256;

// Cut after masking, so that the cut cannot remove a card number's check digit.

/** A device's free text about itself (user agent, manufacturer), in the form that is stored and shown. */
export function deviceWords(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskPans(text), charsMax);
}

/**
 * A device's model, version, serial number or similar, in the form that is stored and shown. An IMEI also passes Luhn and is not masked.
 */
export function deviceName(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskSchemePans(text), charsMax);
}
