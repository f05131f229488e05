import { parseWithRepeated } from "./json-members.ts";

/**
 * These functions mask card numbers, which never reach the store, the log or an operator's page
 * (PCI DSS 3.4: at most the first six and last four digits are shown). All of them take time linear
 * in their input.
 */

/** Replaces a secret (track data, card verification value, PIN). */
export const MASKED = "****";

/** Maximum nesting. Deeper values are replaced, so that a hostile body cannot exhaust the stack. */
export const MASK_DEPTH_MAX = 32;

/**
 * Matches UUIDs of any version, whose digit groups are not card numbers, and possible IBANs. An
 * IBAN is not masked if its check digits are right.
 */
const KEPT =
  /(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])|(?<![A-Za-z0-9])([A-Z]{2}\d{2}[A-Z0-9]{11,30})(?![A-Za-z0-9])/g;
/** Every UUID and IBAN has one of these characters. */
const MAY_BE_KEPT = /[A-Z-]/;
/** Characters without a width, which may be hidden anywhere in a number. */
const UNSEEN = "\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff";
/** Characters between the groups of a number: white space, dashes, dots, slashes and commas. */
const BETWEEN = `\\s\\-.,/\\u2010-\\u2015\\u2212${UNSEEN}`;
/**
 * Matches twelve digits or more with at most eight separators between two of them. Digits and
 * separators are disjoint, so nothing backtracks far.
 */
const DIGITS = new RegExp(`\\d(?:[${BETWEEN}]{0,8}\\d){11,}`, "g");
const UNSEEN_CHARACTER = new RegExp(`[${UNSEEN}]`);
const BETWEEN_CHARACTER = new RegExp(`[${BETWEEN}]`);

const TRACK_1 = /%?[Bb](\d{12,19})\^[^^\n]{0,40}\^[^?\n]*\??/g;
const TRACK_2 = /;?(\d{12,19})=\d{4,}\??/g;
const TRACK_2_EMV = /(?<!\d)(\d{12,})[Dd]\d{7,}[Ff]?/g;
/**
 * EMV data in hexadecimal, with or without spaces between bytes: a card number (tag 5A), and data
 * like track 2 (57, 9F6B).
 */
const EMV_PAN = /(5[Aa] ?0[6-9Aa] ?)((?:\d ?){12,19})/g;
const EMV_TRACK_2 = /((?:57|9[Ff] ?6[Bb]) ?(?:0[89A-Fa-f]|1[0-3]) ?)((?:\d ?){12,19})[Dd]((?: ?[0-9A-Fa-f]){0,26})/g;

/** Each of these patterns requires one of these characters. */
const MAY_BE_CARD_DATA = /[=^DdAa]/;

/**
 * Matches cards of the international schemes and Maestro by prefix and length. It is for members
 * where a plain Luhn match would hit one number in ten.
 */
const SCHEME_CARD =
  /^(?:4(?:\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14,17}|(?:5[06-8]|6\d)\d{14,17})$/;

/**
 * Matches a card number within a longer run of digits, where each digit may begin one. It accepts
 * only issued prefixes in their usual length.
 */
const ISSUED_CARD = new RegExp(
  `^(?:${[
    "4\\d{15}",
    "(?:5[1-5]\\d\\d|222[1-9]|22[3-9]\\d|2[3-6]\\d\\d|27[01]\\d|2720)\\d{12}",
    "3[47]\\d{13}",
    "3(?:0[0-5]|6\\d)\\d{11}",
    "35(?:2[89]|[3-8]\\d)\\d{12}",
    "(?:6011|64[4-9]\\d|65\\d\\d|62\\d\\d)\\d{12}",
    "(?:5018|5020|5038|5893|6304|6759|676[1-3])\\d{12}",
  ].join("|")})$`,
);
/** A shorter run of digits is only tested as a whole. */
const WITHIN_MIN = 16;
/**
 * Numbers of 14 digits are searched in runs of 18 digits or more. A time of 17 digits is not a card
 * number, but a part of it could look like one.
 */
const ISSUED_LENGTHS: { readonly [firstDigit: string]: readonly { digits: number; withinMin: number }[] } = {
  "2": [{ digits: 16, withinMin: WITHIN_MIN }],
  "3": [
    { digits: 16, withinMin: WITHIN_MIN },
    { digits: 15, withinMin: WITHIN_MIN },
    { digits: 14, withinMin: 18 },
  ],
  "4": [{ digits: 16, withinMin: WITHIN_MIN }],
  "5": [{ digits: 16, withinMin: WITHIN_MIN }],
  "6": [{ digits: 16, withinMin: WITHIN_MIN }],
};

const NO_DIGIT = /\D/;

const DIGITS_MIN = 12;
const DIGITS_MAX = 19;

/**
 * Replaces every card number of 12 to 19 digits (Luhn) in a text, also in groups, as track data or
 * as EMV data. A number within a longer run of digits, or with unusual separators, must also have
 * the prefix and length of a payment scheme's card. UUIDs are not changed.
 */
export function maskPans(text: string): string {
  return maskWhere(text, passesLuhn);
}

/**
 * Masks identifiers (merchant ids, scanned values): only numbers that also have the prefix and
 * length of a payment scheme's card.
 */
export function maskSchemePans(text: string): string {
  return maskWhere(text, isSchemeCard);
}

/**
 * Returns true if a name contains a scheme's card number. Names are search keys and are therefore
 * not masked.
 */
export function holdsSchemePan(name: string): boolean {
  return maskSchemePans(name) !== name;
}

/** Masks texts and numbers of settings with unknown meaning, each as an identifier. */
export function maskSchemeValues<V>(values: { readonly [name: string]: V }): { [name: string]: V | string } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value !== "string" && typeof value !== "number") return [name, value];
      const text = String(value);
      const masked = maskSchemePans(text);
      return [name, masked === text ? value : masked];
    }),
  );
}

/**
 * Masks a value that is declared to be a card number, whatever its check digit. At most the first
 * six and last four digits remain. A value is not changed if it has at most four digits, or at most
 * ten and mask characters.
 */
export function maskPanValue(text: string): string {
  const digits = text.replace(/\D/g, "");
  if (digits.length <= 4) return text;
  if (digits.length <= 10 && /[*#xX•·]{2}/.test(text)) return text;
  return digits.length < 12 ? `${"*".repeat(digits.length - 4)}${digits.slice(-4)}` : maskedForm(digits);
}

/**
 * Masks every card number in a JSON value: in strings, numbers and member names by Luhn. It masks
 * whole values if the member's name indicates a card number, track, card verification value or PIN.
 * Members named `uuid` and amounts are not changed.
 */
export function maskJson(value: unknown): unknown {
  return maskValue(value, "free", 0);
}

/**
 * Matches a name and its value in a text of another form: `"pan": "4111"`, `pan=4111`, `<pan>4111`.
 */
const NAMED_VALUE = /(["']?)([A-Za-z][\w.-]{0,63})\1(\s{0,8}[:=]\s{0,8}|>)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,;&"'<>{}[\]]+)/g;

/**
 * Masks a text of unknown form: every card number by Luhn, and whole values by the name before
 * them, as in `maskJson`. It masks JSON text like `maskJson`. A member that occurs several times
 * becomes the list of its values.
 */
export function maskText(text: string): string {
  try {
    JSON.parse(text);
    return JSON.stringify(maskJson(parseWithRepeated(text, MASK_DEPTH_MAX + 1)));
  } catch {
    return maskPans(text.replace(NAMED_VALUE, maskNamed));
  }
}

function maskNamed(found: string, quote: string, name: string, between: string, value: string): string {
  const rule = ruleOf(name);
  if (rule !== "secret" && rule !== "pan") return found;
  const [open = "", inner = value, close = ""] = /^(["'])(.*?)(["']?)$/s.exec(value)?.slice(1) ?? [];
  return `${quote}${name}${quote}${between}${open}${maskString(inner, rule)}${close}`;
}

type Rule = "free" | "pan" | "secret" | "identifier" | "amount";

function maskValue(value: unknown, rule: Rule, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return maskString(value, rule);
    case "number":
      return maskNumber(value, rule);
    case "object":
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (depth >= MASK_DEPTH_MAX) return MASKED;
  return Array.isArray(value) ? maskItems(value, rule, depth) : maskMembers(value, rule, depth);
}

/** Returns the array itself if nothing in it is masked. */
function maskItems(items: readonly unknown[], rule: Rule, depth: number): readonly unknown[] {
  const masked = items.map((item) => maskValue(item, rule, depth + 1));
  return masked.every((item, index) => item === items[index]) ? items : masked;
}

/**
 * Returns the object itself if nothing in it is masked, which is the usual case. A copy costs more
 * than a check of its members.
 */
function maskMembers(object: object, rule: Rule, depth: number): object {
  // A card object under "pan" inherits the rule of its parent. Identifiers and amounts are single
  // values.
  const inherited = rule === "pan" || rule === "secret" ? rule : "free";
  const members = Object.entries(object);
  let masked: [string, unknown][] | null = null;
  for (const [index, [member, inner]] of members.entries()) {
    const { rule: own, masked: name } = nameOf(member);
    const value = maskValue(inner, own === "free" || inherited === "secret" ? inherited : own, depth + 1);
    if (masked === null && value === inner && name === member) continue;
    masked ??= members.slice(0, index);
    if (name !== null) masked.push([name, value]);
  }
  return masked === null ? object : Object.fromEntries(masked);
}

function maskString(text: string, rule: Rule): string {
  switch (rule) {
    case "secret":
      return text === "" ? text : MASKED;
    case "pan":
      return maskPanValue(text);
    case "identifier":
      return text;
    case "amount":
      return maskSchemePans(text);
    case "free":
      return maskPans(text);
  }
}

function maskNumber(value: number, rule: Rule): unknown {
  if (rule === "secret") return MASKED;
  // A JSON number beyond the range of a double (1e400) is stored as null, and must equal that when
  // it is received again.
  if (!Number.isFinite(value)) return null;
  // The digits of a fraction belong to a measurement.
  if (rule !== "pan" && !Number.isInteger(value) && Math.abs(value) < 10 ** (DIGITS_MIN - 1)) return value;
  const text = String(value);
  // Beyond safe integers the last digits are rounded and Luhn is meaningless, so the length alone
  // decides.
  const rounded = rule === "free" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d{12,19}$/.test(text);
  const masked = rounded ? maskedForm(text.replace("-", "")) : maskString(text, rule);
  return masked === text ? value : masked;
}

const PAN_NAMES = new Set(["cardnumber", "cardno", "pannumber", "maskedpan", "panmasked", "cardpan", "primaryaccountnumber"]);
const SECRET_NAMES = new Set(["securitycode", "cardsecuritycode", "trackdata", "magstripe", "pinblock", "pindata"]);
const SECRET_WORD = /^(?:track[123]?|cvv2?|cvc2?|cav2?|pin)$/;

/** The rule for a member's value, and the name as it is stored; null if the member is dropped. */
interface MemberName {
  rule: Rule;
  masked: string | null;
}

/** Terminals use a few dozen names, which are cached. Ever new names cost the analysis of each. */
const NAMES_KEPT_MAX = 512;
const NAME_KEPT_CHARS_MAX = 64;
const names = new Map<string, MemberName>();

function nameOf(member: string): MemberName {
  const known = names.get(member);
  if (known !== undefined) return known;
  const name = { rule: ruleOf(member), masked: member === "__proto__" ? null : maskPans(member) };
  // A masked name is not cached, since it contains a card number.
  if (member.length <= NAME_KEPT_CHARS_MAX && name.masked === member) {
    if (names.size === NAMES_KEPT_MAX) names.clear();
    names.set(member, name);
  }
  return name;
}

/**
 * Returns the masking rule for a member's name. Names are split into words, so that `company` is
 * not a `pan`.
 */
function ruleOf(member: string): Rule {
  if (member.length > 64) return "free";
  const words = member
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const joined = words.join("");
  if (SECRET_NAMES.has(joined) || words.some((word) => SECRET_WORD.test(word)) || /^track[123]?(?:data)?$/.test(joined)) return "secret";
  if (PAN_NAMES.has(joined) || words.includes("pan")) return "pan";
  if (joined === "uuid" || joined === "cancels") return "identifier";
  return words.includes("amount") ? "amount" : "free";
}

function maskWhere(text: string, isPan: (digits: string) => boolean): string {
  if (!mayHoldPan(text)) return text;
  if (!MAY_BE_KEPT.test(text)) return maskPart(text, isPan);
  let masked = "";
  let at = 0;
  for (const { 0: kept, 1: iban, index } of text.matchAll(KEPT)) {
    if (iban !== undefined && !isIban(iban)) continue;
    masked += maskPart(text.slice(at, index), isPan) + kept;
    at = index + kept.length;
  }
  return masked + maskPart(text.slice(at), isPan);
}

/**
 * Checks an IBAN by ISO 13616: the country and the check digits move to the end, letters count as
 * 10 to 35, and the remainder modulo 97 is 1.
 */
function isIban(text: string): boolean {
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest === 1;
}

/**
 * Returns true if a text has twelve digits with only separators between them. It is false for most
 * texts, after reading only some of their characters and without an allocation, since every poll of
 * a terminal calls it. Each window of twelve characters is read from its end, and a character that
 * does not match determines the start of the next window.
 */
function mayHoldPan(text: string): boolean {
  for (let end = DIGITS_MIN - 1; end < text.length; ) {
    let at = end;
    while (at > end - DIGITS_MIN && isDigitOrBetween(text.charCodeAt(at))) at -= 1;
    if (at === end - DIGITS_MIN) {
      let digits = 0;
      for (at += 1; at < text.length && isDigitOrBetween(text.charCodeAt(at)); at += 1) if (isDigit(text.charCodeAt(at))) digits += 1;
      if (digits >= DIGITS_MIN) return true;
    }
    end = at + DIGITS_MIN;
  }
  return false;
}

/** Tests for the characters of DIGITS, plain ASCII first. */
function isDigitOrBetween(code: number): boolean {
  if (code < 0x80) return (code >= 0x2c && code <= 0x39) || code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code > 0x3000 && code !== 0xfeff) return false;
  return BETWEEN_CHARACTER.test(String.fromCharCode(code));
}

function maskPart(text: string, isPan: (digits: string) => boolean): string {
  if (text.length < DIGITS_MIN) return text;
  return (MAY_BE_CARD_DATA.test(text) ? maskCardData(text) : text).replace(DIGITS, (match) => maskGroups(match, isPan));
}

function maskCardData(text: string): string {
  return text
    .replace(TRACK_1, (_match, pan: string) => `${maskedForm(pan)}^${MASKED}`)
    .replace(TRACK_2, (_match, pan: string) => `${maskedForm(pan)}=${MASKED}`)
    .replace(EMV_TRACK_2, maskEmvTrack2)
    .replace(EMV_PAN, maskEmvPan)
    .replace(TRACK_2_EMV, maskTrack2);
}

function maskEmvPan(match: string, head: string, value: string): string {
  // A number of odd length ends with the half byte F, which is not a digit. After a whole number
  // the next tag follows.
  const pan = value.replace(/\D/g, "").slice(0, valueDigits(head));
  return pan.length >= DIGITS_MIN && passesLuhn(pan) ? `${head}${maskedForm(pan)}${behind(value, pan.length)}` : match;
}

function maskEmvTrack2(match: string, head: string, value: string, data: string): string {
  const pan = value.replace(/\D/g, "");
  const left = valueDigits(head) - pan.length - 1;
  return left >= 0 && passesLuhn(pan) ? `${head}${maskedForm(pan)}=${MASKED}${behind(data, left)}` : match;
}

/** Returns the number of hexadecimal digits in the value after a tag and its length. */
function valueDigits(head: string): number {
  return 2 * Number.parseInt(head.replaceAll(" ", "").slice(-2), 16);
}

/** Returns the text after the first `count` hexadecimal digits. */
function behind(text: string, count: number): string {
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; at += 1) if (/[0-9A-Fa-f]/.test(text.charAt(at))) seen += 1;
  return text.slice(at);
}

/** Other data may directly precede the number. */
function maskTrack2(match: string, digits: string): string {
  for (let length = Math.min(DIGITS_MAX, digits.length); length >= DIGITS_MIN; length -= 1) {
    const pan = digits.slice(-length);
    if (passesLuhn(pan) && (length === digits.length || isSchemeCard(pan))) {
      return `${digits.slice(0, -length)}${maskedForm(pan)}=${MASKED}`;
    }
  }
  return match;
}

/**
 * The text between two digits: nothing, only invisible characters, a usual separator, or another
 * text.
 */
const JOINED = 0;
const UNSEEN_BETWEEN = 1;
const USUAL = 2;
const UNUSUAL = 3;

/**
 * Masks card numbers in groups of digits: every sequence of whole groups that is a card number, and
 * every scheme's number within a long group. Overlapping sequences are masked as one, so that a
 * number beside a card number never reveals a part of it. From each digit at most 19 digits are
 * read.
 */
function maskGroups(text: string, isPan: (digits: string) => boolean): string {
  if (text.length < WITHIN_MIN && !NO_DIGIT.test(text)) return isPan(text) ? maskedForm(text) : text;
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if (isDigit(text.charCodeAt(at))) places.push(at);
  const digits = places.length === text.length ? text : text.replace(/\D+/g, "");
  const gaps = gapsOf(text, places);

  let masked = "";
  let copied = 0;
  let hiddenFrom = 0;
  let hiddenUntil = 0;
  const hide = (): void => {
    if (hiddenUntil === hiddenFrom) return;
    masked += text.slice(copied, places[hiddenFrom]) + maskedForm(digits.slice(hiddenFrom, hiddenUntil));
    copied = (places[hiddenUntil - 1] ?? text.length) + 1;
  };
  let [runStart, runEnd] = [0, 0];
  for (let start = 0; start + DIGITS_MIN <= digits.length; start += 1) {
    if (start === runEnd) {
      runStart = start;
      runEnd += 1;
      while (runEnd < digits.length && (gaps[runEnd] ?? USUAL) < USUAL) runEnd += 1;
    }
    const whole = start === 0 || gaps[start] !== JOINED ? longestPan(digits, gaps, start, isPan) : -1;
    const end = runEnd - runStart < WITHIN_MIN ? whole : Math.max(whole, issuedWithin(digits, start, runEnd, runEnd - runStart));
    if (end <= hiddenUntil) continue;
    if (start >= hiddenUntil) {
      hide();
      hiddenFrom = start;
    }
    hiddenUntil = end;
  }
  hide();
  return masked + text.slice(copied);
}

/** Returns the kind of text before each digit. */
function gapsOf(text: string, places: readonly number[]): Uint8Array {
  const gaps = new Uint8Array(places.length);
  let end = (places[0] ?? 0) + 1;
  for (let index = 1; index < places.length; index += 1) {
    const place = places[index] ?? end;
    if (place > end) gaps[index] = gapOf(text, end, place);
    end = place + 1;
  }
  return gaps;
}

function gapOf(text: string, from: number, to: number): number {
  let seen = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 && UNSEEN_CHARACTER.test(text.charAt(at))) continue;
    seen += 1;
    if (seen > 2 || !isUsualBetween(code)) return UNUSUAL;
  }
  return seen === 0 ? UNSEEN_BETWEEN : USUAL;
}

/**
 * Card numbers are usually grouped by one or two of these. Other separators need more evidence
 * (`longestPan`).
 */
function isUsualBetween(code: number): boolean {
  return code === 0x20 || code === 0x2d || code === 0xa0 || (code >= 0x2010 && code <= 0x2013);
}

/**
 * Returns the end of the longest card number that starts with the group at `start`, or -1 if there
 * is none. With unusual separators it must be a scheme's number, and grouped like a card number.
 */
function longestPan(digits: string, gaps: Uint8Array, start: number, isPan: (digits: string) => boolean): number {
  let last = -1;
  let unusual = false;
  for (let end = start + 1; end - start <= DIGITS_MAX && end <= digits.length; end += 1) {
    if (end < digits.length && gaps[end] === JOINED) continue;
    if (end - start >= DIGITS_MIN) {
      const pan = digits.slice(start, end);
      if (unusual ? isSchemeCard(pan) && isCardGrouping(gaps, start, end) : isPan(pan)) last = end;
    }
    if (gaps[end] === UNUSUAL) unusual = true;
  }
  return last;
}

/**
 * Returns true if these digits are grouped as in `4111.1111.1111.1111` or `3782,822463,10005`, or
 * all groups but the last have one size, unlike a date, an amount or a measurement. Invisible
 * characters may be between groups or within one.
 */
function isCardGrouping(gaps: Uint8Array, start: number, end: number): boolean {
  return [UNSEEN_BETWEEN, USUAL].some((gapMin) => {
    const sizes: number[] = [];
    let groupStart = start;
    for (let index = start + 1; index < end; index += 1) {
      if ((gaps[index] ?? JOINED) < gapMin) continue;
      sizes.push(index - groupStart);
      groupStart = index;
    }
    const [first] = sizes;
    if (sizes.length > 1 && sizes.every((size) => size === first)) return true;
    return (first === 4 || first === 6) && sizes.every((size) => size >= 3);
  });
}

/**
 * Returns the end of a scheme's card number that starts at `start`, within a run of `runDigits`
 * digits that ends at `runEnd`, or -1 if there is none.
 */
function issuedWithin(digits: string, start: number, runEnd: number, runDigits: number): number {
  const lengths = ISSUED_LENGTHS[digits.charAt(start)];
  if (lengths === undefined) return -1;
  for (const { digits: length, withinMin } of lengths) {
    if (start + length > runEnd || runDigits < withinMin) continue;
    const pan = digits.slice(start, start + length);
    if (ISSUED_CARD.test(pan) && passesLuhn(pan)) return start + length;
  }
  return -1;
}

function isSchemeCard(digits: string): boolean {
  return SCHEME_CARD.test(digits) && passesLuhn(digits);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function maskedForm(digits: string): string {
  return `${digits.slice(0, 6)}${"*".repeat(digits.length - 10)}${digits.slice(-4)}`;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
