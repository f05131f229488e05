import { isUtf8 } from "node:buffer";

/** The text of a header that may be UTF-8, as terminals write it; the server reads each byte as one character (ISO 8859-1). */
export function headerText(value: string): string {
  if (isAscii(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}

/** Every poll calls this, and for a short text a loop is faster than a regular expression. */
function isAscii(text: string): boolean {
  let at = 0;
  while (at < text.length && text.charCodeAt(at) < 0x80) at += 1;
  return at === text.length;
}
