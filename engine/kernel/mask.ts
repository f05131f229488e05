/**
 * Card numbers never reach the store, the log or an operator's page (PCI DSS 3.4: at most the first six and last four digits are shown).
 * Everything here takes time linear in its input.
 */

/** Replaces a secret (track data, card verification value, PIN). */
export const MASKED = "****";

/** Maximum nesting; deeper values are replaced, so that a hostile body cannot exhaust the stack. */
export const MASK_DEPTH_MAX = 32;

/** UUIDs of any version, which are left as they are: their digit groups are not card numbers. */
const UUID = /((?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f]))/;
/** Twelve digits or more with at most two spaces or dashes between them. Digits and separators are disjoint, so nothing backtracks far. */
const DIGITS = /\d(?:[ \-\u00a0\u2010-\u2013]{0,2}\d){11,}/g;
const TRACK_1 = /%?[Bb](\d{12,19})\^[^^\n]{0,40}\^[^?\n]*\??/g;
const TRACK_2 = /;?(\d{12,19})=\d{4,}\??/g;
const TRACK_2_EMV = /(\d{12,19})[Dd]\d{7,}[Ff]?/g;

/** Cards of the international schemes and Maestro, by prefix and length; for members where a plain Luhn match would hit one number in ten. */
const SCHEME_CARD =
  /^(?:4(?:\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14,17}|(?:5[06-8]|6\d)\d{14,17})$/;

/** Replaces every card number of 12 to 19 digits (Luhn) in a text, also one written in groups or as track data. UUIDs stay. */
export function maskPans(text: string): string {
  return maskWhere(text, passesLuhn);
}

/** The same for identifiers (merchant ids, scanned values): only what also has the prefix and length of a payment scheme's card. */
export function maskSchemePans(text: string): string {
  return maskWhere(text, (digits) => SCHEME_CARD.test(digits) && passesLuhn(digits));
}

/**
 * Masks a value that is declared to be a card number, whatever its check digit: at most the first six and last four digits stay. A value
 * with at most four digits, or with at most ten and mask characters, is not changed.
 */
export function maskPanValue(text: string): string {
  const digits = text.replace(/\D/g, "");
  if (digits.length <= 4) return text;
  if (digits.length <= 10 && /[*#xX•·]{2}/.test(text)) return text;
  return digits.length < 12 ? `${"*".repeat(digits.length - 4)}${digits.slice(-4)}` : maskedForm(digits);
}

/**
 * A JSON value with every card number masked: in strings, numbers and member names, by Luhn; whole values by their member's name where it
 * says card number, track, card verification value or PIN. Members named `uuid` and amounts stay as they are.
 */
export function maskJson(value: unknown): unknown {
  return maskValue(value, "free", 0);
}

/** A name and its value in a text of another form: `"pan": "4111"`, `pan=4111`, `<pan>4111`. */
const NAMED_VALUE = /(["']?)([A-Za-z][\w.-]{0,63})\1(\s{0,8}[:=]\s{0,8}|>)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,;&"'<>{}[\]]+)/g;

/**
 * Masks a text of unknown form: every card number by Luhn, and whole values by the name before them, as in `maskJson`. A text that is JSON
 * is masked like `maskJson`.
 */
export function maskText(text: string): string {
  try {
    return JSON.stringify(maskJson(JSON.parse(text)));
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
  if (Array.isArray(value)) return value.map((item) => maskValue(item, rule, depth + 1));
  // A card object under "pan" keeps the rule of its parent; identifiers and amounts are single values.
  const inherited = rule === "pan" || rule === "secret" ? rule : "free";
  const masked: [string, unknown][] = [];
  for (const [member, inner] of Object.entries(value)) {
    if (member === "__proto__") continue;
    const own = ruleOf(member);
    masked.push([maskPans(member), maskValue(inner, own === "free" || inherited === "secret" ? inherited : own, depth + 1)]);
  }
  return Object.fromEntries(masked);
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
  // A JSON number beyond the range of a double (1e400) is stored as null, and has to be equal to that when it is received again.
  if (!Number.isFinite(value)) return null;
  const text = String(value);
  // Beyond safe integers the last digits are rounded, so Luhn says nothing any more: masked by its length alone.
  const rounded = rule === "free" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d{12,19}$/.test(text);
  const masked = rounded ? maskedForm(text.replace("-", "")) : maskString(text, rule);
  return masked === text ? value : masked;
}

const PAN_NAMES = new Set(["cardnumber", "cardno", "pannumber", "maskedpan", "panmasked", "cardpan", "primaryaccountnumber"]);
const SECRET_NAMES = new Set(["securitycode", "cardsecuritycode", "trackdata", "magstripe", "pinblock", "pindata"]);
const SECRET_WORD = /^(?:track[123]?|cvv2?|cvc2?|cav2?|pin)$/;

/** The masking rule for a member's name; names are split into words, so that `company` is not a `pan`. */
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
  return text
    .split(UUID)
    .map((part, index) => (index % 2 === 1 ? part : maskPart(part, isPan)))
    .join("");
}

/**
 * Whether there are twelve consecutive digits or separators between digits. It is false for most texts, after reading only some of their
 * characters and without an allocation, since every poll of a terminal calls it. Each window of twelve characters is read from its end; a
 * character that does not match says where the next window begins.
 */
function mayHoldPan(text: string): boolean {
  for (let end = 11; end < text.length; ) {
    let at = end;
    while (at > end - 12 && isDigitOrBetween(text.charCodeAt(at))) at -= 1;
    if (at === end - 12) return true;
    end = at + 12;
  }
  return false;
}

/** The characters of DIGITS. */
function isDigitOrBetween(code: number): boolean {
  if (code > 0x39) return code >= 0xa0 && (code === 0xa0 || (code >= 0x2010 && code <= 0x2013));
  return code >= 0x30 || code === 0x20 || code === 0x2d;
}

function maskPart(text: string, isPan: (digits: string) => boolean): string {
  if (text.length < 12) return text;
  return text
    .replace(TRACK_1, (_match, pan: string) => `${maskedForm(pan)}^${MASKED}`)
    .replace(TRACK_2, (_match, pan: string) => `${maskedForm(pan)}=${MASKED}`)
    .replace(TRACK_2_EMV, (match, pan: string) => (passesLuhn(pan) ? `${maskedForm(pan)}=${MASKED}` : match))
    .replace(DIGITS, (match) => maskGroups(match, isPan));
}

/**
 * Digits in groups: every sequence of whole groups that is a card number is masked; where such sequences overlap, all of them as one, so
 * that a number that happens to be beside a card number never reveals a part of it. From each group at most 19 digits are read.
 */
function maskGroups(text: string, isPan: (digits: string) => boolean): string {
  const pieces = text.split(/(\D+)/);
  let masked = "";
  let hidden = "";
  let hiddenUntil = -1;
  for (let start = 0; start < pieces.length; start += 2) {
    const end = longestPan(pieces, start, isPan);
    if (end > hiddenUntil) hiddenUntil = end;
    if (start > hiddenUntil) {
      masked += pieces[start] ?? "";
    } else {
      hidden += pieces[start] ?? "";
      if (start < hiddenUntil) continue;
      masked += maskedForm(hidden);
      hidden = "";
    }
    masked += pieces[start + 1] ?? "";
  }
  return masked;
}

/** The last group of the longest card number that starts with this group; -1 where none does. Every second piece is a group. */
function longestPan(pieces: readonly string[], start: number, isPan: (digits: string) => boolean): number {
  let digits = "";
  let last = -1;
  for (let end = start; end < pieces.length; end += 2) {
    digits += pieces[end] ?? "";
    if (digits.length > 19) break;
    if (digits.length >= 12 && isPan(digits)) last = end;
  }
  return last;
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
