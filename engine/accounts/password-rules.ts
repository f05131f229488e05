import { COMMON_PASSWORDS, COMMON_WORDS } from "./guessed-passwords.ts";

const COMMON: ReadonlySet<string> = new Set(COMMON_PASSWORDS);

/** What people write for letters. */
const ALSO: Readonly<Record<string, string>> = { a: "4@", e: "3", i: "1!", o: "0", s: "5$", t: "7" };

/** Letters that have to be left once words that everyone tries, and the person's own, are taken out. */
const LETTERS_LEFT_MIN = 4;

/** Without them so many digits and signs: no date, no phone number, no amount. */
const WITHOUT_LETTERS_MIN = 20;

/** Different characters that a password has to have. */
const DIFFERENT_MIN = 5;

/** A shorter word of a name stands in too many passwords to say something. */
const OWN_WORD_LENGTH_MIN = 3;

/**
 * Whether a password is one that everyone tries: one of the list, a few characters again and again, a run of the keyboard, or nothing but common words
 * and the person's own (its e-mail address, the name of its merchant) with digits and signs between them. `own`: names as they are.
 */
export function isCommonPassword(password: string, own: readonly string[]): boolean {
  const text = password.toLowerCase();
  if (COMMON.has(text) || new Set(text).size < DIFFERENT_MIN || isRepeated(text) || isRun(text)) return true;
  // Longest first: `password` is no `pass` with a rest.
  const words = [...COMMON_WORDS, ...own.flatMap(ownWords)].sort((one, other) => other.length - one.length);
  const left = text.replace(new RegExp(words.map(patternOf).join("|"), "gu"), " ");
  const letters = left.match(/\p{L}/gu)?.length ?? 0;
  return letters < LETTERS_LEFT_MIN && left.replace(/[\p{L}\s]/gu, "").length < WITHOUT_LETTERS_MIN;
}

/** The word, also with digits and signs for letters. */
function patternOf(word: string): string {
  return [...word]
    .map((letter) => (letter in ALSO ? `[${letter}${ALSO[letter]}]` : `\\u{${letter.codePointAt(0)?.toString(16)}}`))
    .join("");
}

/** `abc123abc123`: a part of at most half of it, again and again. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length);
    if (part.repeat(Math.ceil(text.length / length)).startsWith(text)) return true;
  }
  return false;
}

const ROWS = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "azertyuiop", "abcdefghijklmnopqrstuvwxyz"];
const NEXT = new Set(ROWS.flatMap((row) => [...row].flatMap((character, at) => pairsOf(character, row[at + 1]))));

function pairsOf(one: string, next: string | undefined): string[] {
  return next === undefined ? [] : [one + next, next + one];
}

/** Mostly neighbours on the keyboard or in the alphabet: at most one step in four leads elsewhere. */
function isRun(text: string): boolean {
  let steps = 0;
  for (let at = 1; at < text.length; at += 1) if (NEXT.has(text.slice(at - 1, at + 1)) || text[at] === text[at - 1]) steps += 1;
  return steps >= (text.length - 1) * 0.75;
}

function ownWords(name: string): string[] {
  const [local = name] = name.toLowerCase().split("@");
  const words = [local, ...name.toLowerCase().split(/[^\p{L}\p{N}]+/u)];
  return words.filter((word) => word.length >= OWN_WORD_LENGTH_MIN);
}
