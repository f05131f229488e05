import { maskPans, maskSchemePans } from "./mask.ts";

/**
 * Returns the first `charsMax` characters (UTF-16 units) of a text without splitting a surrogate
 * pair.
 */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}

/**
 * Maximum length of a text by which a device identifies itself. A longer text is cut, since it is
 * no reason to reject the device.
 */
export const DEVICE_TEXT_CHARS_MAX = 256;

// These texts are cut after masking, so that the cut cannot remove a card number's check digit.

/**
 * Returns a device's free text about itself (user agent, manufacturer) as it is stored and shown.
 */
export function deviceWords(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskPans(text), charsMax);
}

/**
 * Returns a device's model, version or serial number as it is stored and shown. An IMEI also passes
 * Luhn and is not masked.
 */
export function deviceName(text: string, charsMax = DEVICE_TEXT_CHARS_MAX): string {
  return cutText(maskSchemePans(text), charsMax);
}
