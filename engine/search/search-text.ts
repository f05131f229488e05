import { AMOUNT_MINOR_MAX, IDENTIFIER_LENGTH_MAX } from "../kernel/limits.ts";
import type { WantedAmount } from "../payments/merchant-transactions.ts";

/** What a text that a person typed may mean. Several meanings are possible at once. */
export interface SearchText {
  /** The text without spaces around it. */
  readonly text: string;
  /** An e-mail address. Then it means nothing else. */
  readonly email: string | null;
  /** An id or its beginning, an authorization code, or the last four digits of a card. */
  readonly identifier: string | null;
  readonly amounts: readonly WantedAmount[];
}

/** A shorter beginning of an id would find too much. */
export const IDENTIFIER_LENGTH_MIN = 4;

/** The shortest text that has a meaning. */
export const SEARCH_LENGTH_MIN = 2;
/** The longest e-mail address has this length. */
export const SEARCH_LENGTH_MAX = 254;

const IDENTIFIER = new RegExp(`^[A-Za-z0-9._-]{${IDENTIFIER_LENGTH_MIN},${IDENTIFIER_LENGTH_MAX}}$`);
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Currencies have these numbers of decimals (money.ts). */
const DECIMALS = [2, 0, 3, 4];

/** Returns the possible meanings of a text. */
export function readSearchText(typed: string): SearchText {
  const text = typed.trim();
  if (EMAIL.test(text)) return { text, email: text, identifier: null, amounts: [] };
  return { text, email: null, identifier: IDENTIFIER.test(text) ? text : null, amounts: amountsIn(text) };
}

/**
 * Reads an amount with a point or a comma before the decimals, with or without groups of thousands
 * and a currency: `20.51`, `20,51`, `1.234,50`, `€ 7`. A separator that may group thousands or
 * start the decimals is read in both ways.
 */
function amountsIn(text: string): WantedAmount[] {
  const compact = text.replaceAll(/[\s'\u2019]/g, "").replace(/^(?:[A-Za-z]{3}|\p{Sc})|(?:[A-Za-z]{3}|\p{Sc})$/u, "");
  if (!/^\d{1,3}(?:[.,]?\d+)*$/.test(compact)) return [];
  const readings = [split(compact, compact.search(/[.,]\d*$/))];
  if (/^\d{1,3}(?:[.,]\d{3})+$/.test(compact)) readings.push(split(compact, -1));
  const amounts = readings.flatMap((reading) => (reading === null ? [] : DECIMALS.flatMap((decimals) => amountOf(reading, decimals))));
  return amounts.filter(
    (one, index) => amounts.findIndex((other) => other.minor === one.minor && other.decimals === one.decimals) === index,
  );
}

interface Reading {
  readonly whole: string;
  readonly fraction: string;
}

/** Splits the text at the separator of the decimals; -1: there are none. */
function split(compact: string, at: number): Reading | null {
  const whole = at < 0 ? compact : compact.slice(0, at);
  // Separators before the decimals group three digits each, and are all the same.
  if (/[.,]/.test(whole) && !/^\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+)$/.test(whole)) return null;
  if (at >= 0 && whole.includes(compact.charAt(at))) return null;
  return { whole: whole.replaceAll(/[.,]/g, ""), fraction: at < 0 ? "" : compact.slice(at + 1).replace(/0+$/, "") };
}

function amountOf({ whole, fraction }: Reading, decimals: number): WantedAmount[] {
  if (fraction.length > decimals) return [];
  const minor = Number(whole + fraction.padEnd(decimals, "0"));
  return minor > AMOUNT_MINOR_MAX ? [] : [{ minor, decimals }];
}
