import { RelayError } from "../kernel/errors.ts";

/**
 * Terminal families differ in how proprietary tags reach them and in whether they know the tag services. A terminal whose family is unknown gets the tags both
 * ways.
 */
export interface TerminalFamily {
  /** Member that carries the tags to this family. */
  tagTransport: "privativeTags" | "additionalField47data";
  /** False: VERIFYTAG is refused, PAYTAG is carried out as PAYCC by the terminal. */
  tagServices: boolean;
}

export const TERMINAL_FAMILIES = {
  "privative-tags": { tagTransport: "privativeTags", tagServices: true },
  "field-47": { tagTransport: "additionalField47data", tagServices: true },
  "no-tags": { tagTransport: "additionalField47data", tagServices: false },
} as const satisfies Record<string, TerminalFamily>;

export type TerminalFamilyName = keyof typeof TERMINAL_FAMILIES;

export function isTerminalFamily(text: string): text is TerminalFamilyName {
  return Object.hasOwn(TERMINAL_FAMILIES, text);
}

/** Proprietary tags of the payment request, in the ascending order in which they are encoded. */
export const TAGS = ["DF8102", "DF8103", "DF8105", "DF8109"] as const;
export type Tag = (typeof TAGS)[number];

/** Hex digits of one tag's value: 255 bytes, more than any of these tags holds, and what one octet of BER length can say. */
export const TAG_HEX_DIGITS_MAX = 510;

/** The tags that a request gave, as given. */
export type TagValues = { readonly [T in Tag]?: string };

/** The members that carry tags to a terminal. */
export interface TagMembers {
  privativeTags?: string;
  additionalField47data?: string;
}

/** Under what name a request gives each. Written out: a name that is put together has to be looked up among all names, each time. */
const MEMBERS = { DF8102: "tagDF8102", DF8103: "tagDF8103", DF8105: "tagDF8105", DF8109: "tagDF8109" } as const satisfies Record<
  Tag,
  string
>;

const HEX = /^(?:[0-9A-Fa-f]{2})+$/;

/** Token modes of DF8109: no token, generate one, request only. Another one would reach the terminal as if it were understood. */
const TOKEN_MODES: readonly string[] = ["30", "32", "36"];

/**
 * Reads `tagDF8102` and its kin from a request: an even number of hex digits (of `tagDF8109` one of its modes), or null for absent. Nothing is encoded
 * here, values already are hex. Throws RelayError `invalid_request` naming the member.
 */
export function readTags(body: { readonly [member: string]: unknown }): TagValues {
  const values: { [T in Tag]?: string } = {};
  for (const tag of TAGS) {
    const member = MEMBERS[tag];
    const value = body[member];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string" || !isValueOf(tag, value))
      throw new RelayError("invalid_request", `${member} must be ${demandOf(tag)}, or null`);
    values[tag] = value;
  }
  return values;
}

function isValueOf(tag: Tag, value: string): boolean {
  return tag === "DF8109" ? TOKEN_MODES.includes(value) : value.length <= TAG_HEX_DIGITS_MAX && HEX.test(value);
}

function demandOf(tag: Tag): string {
  return tag === "DF8109" ? "30, 32 or 36" : `an even number of hex digits, at most ${TAG_HEX_DIGITS_MAX}`;
}

/** Writes the tags for a terminal of this family; both ways where the family is unknown, and nothing where no tag was given. */
export function encodeTags(values: TagValues, family: TerminalFamily | null): TagMembers {
  const given: { tag: Tag; value: string }[] = [];
  for (const tag of TAGS) {
    const value = values[tag];
    if (value !== undefined) given.push({ tag, value });
  }
  if (given.length === 0) return {};
  const members: TagMembers = {};
  if (family === null || family.tagTransport === "privativeTags") {
    members.privativeTags = given.map(({ tag, value }) => `${tag}=${value}`).join("##");
  }
  if (family === null || family.tagTransport === "additionalField47data") {
    members.additionalField47data = given.map(({ tag, value }) => `${tag}${berLength(value.length / 2)}${value.toUpperCase()}`).join("");
  }
  return members;
}

/** BER length octets as hex: one octet up to 127, then 81 and one octet. */
function berLength(bytes: number): string {
  const octet = bytes.toString(16).toUpperCase().padStart(2, "0");
  return bytes < 0x80 ? octet : `81${octet}`;
}
