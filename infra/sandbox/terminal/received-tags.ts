import type { TerminalFamilyName } from "../../../engine/payments/tags.ts";

/** The tags of a command as a terminal of this family reads them, hex by tag; from either member if the family is not given. */
export function readReceivedTags(
  members: { readonly [member: string]: unknown },
  family: TerminalFamilyName | null,
): { [tag: string]: string } {
  const { privativeTags, additionalField47data } = members;
  if (family !== "field-47" && family !== "no-tags" && typeof privativeTags === "string") return readPrivativeTags(privativeTags);
  if (family !== "privative-tags" && typeof additionalField47data === "string") return readField47(additionalField47data);
  return {};
}

function readPrivativeTags(text: string): { [tag: string]: string } {
  return Object.fromEntries(text.split("##").map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
}

/** BER-TLV with tags of three bytes (DF 81 xx) and lengths of one or two. */
function readField47(hex: string): { [tag: string]: string } {
  const tags: { [tag: string]: string } = {};
  for (let at = 0; at + 8 <= hex.length; ) {
    const tag = hex.slice(at, at + 6);
    const long = hex.slice(at + 6, at + 8) === "81";
    const lengthEnd = at + (long ? 10 : 8);
    const valueEnd = lengthEnd + 2 * Number.parseInt(hex.slice(lengthEnd - 2, lengthEnd), 16);
    tags[tag] = hex.slice(lengthEnd, valueEnd);
    at = valueEnd;
  }
  return tags;
}
