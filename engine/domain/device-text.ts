/** Characters of a text by which a device says what it is. More tells operators nothing, and is no reason to refuse the device. */
export const DEVICE_TEXT_CHARS_MAX = 256;

/** What a device says of itself, as it is stored and shown. */
export function deviceText(text: string): string {
  return text.length <= DEVICE_TEXT_CHARS_MAX ? text : text.slice(0, DEVICE_TEXT_CHARS_MAX);
}
