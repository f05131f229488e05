import { currencyDecimals, decimalsOf } from "../../../../engine/kernel/money.ts";
import { moneyText } from "../../../../engine/kernel/money-text.ts";
import { timeZone } from "../state/time-zone.ts";
import { locale } from "./texts.ts";

/**
 * The locale that formats amounts and dates: 1.234,56 € and 26 nov 2026 in Italian. English uses
 * the British order, which its readers here expect.
 */
const TAGS = { it: "it-IT", en: "en-GB" } as const;

/**
 * Caches `Intl` objects, because they are slow to create and a table needs a hundred equal ones.
 * The cache has about a dozen entries, one for each language, zone and form.
 */
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

/** Italian otherwise groups the digits of numbers from 10.000 only. */
const GROUPED = "always";

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const [tag, zone] = [TAGS[locale.value], timeZone.value];
  const key = `${tag} ${zone} ${JSON.stringify(options)}`;
  const known = made.get(key);
  if (known instanceof Intl.DateTimeFormat) return known;
  const format = new Intl.DateTimeFormat(tag, { ...options, timeZone: zone });
  made.set(key, format);
  return format;
}

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const tag = TAGS[locale.value];
  const key = `${tag} ${JSON.stringify(options)}`;
  const known = made.get(key);
  if (known instanceof Intl.NumberFormat) return known;
  const format = new Intl.NumberFormat(tag, { useGrouping: GROUPED, ...options });
  made.set(key, format);
  return format;
}

export function formatMoney(minor: number, currency: string): string {
  return moneyText(minor, currency, numbers);
}

/** Formats an amount for small spaces, such as an axis: `€12.5K`. */
export function formatMoneyShort(minor: number, currency: string): string {
  if (currencyDecimals(currency) === null) return numbers({ notation: "compact" }).format(minor);
  const value = minor / 10 ** decimalsOf(currency);
  return numbers({ style: "currency", currency, notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/**
 * Formats an amount that the relay writes for programs, such as `10.50 EUR`, for people. Any other
 * text is returned unchanged.
 */
export function formatWrittenMoney(amount: string): string {
  const [, major, currency] = /^(-?\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(amount) ?? [];
  if (major === undefined || currency === undefined) return amount;
  return moneyText(Math.round(Number(major) * 10 ** decimalsOf(currency)), currency, numbers);
}

export function formatNumber(value: number, digits?: number): string {
  return numbers(digits === undefined ? {} : { maximumFractionDigits: digits }).format(value);
}

/** Formats a number for an axis: `12K`. */
export function formatNumberShort(value: number): string {
  return numbers({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** Formats a share from 0 to 1. */
export function formatPercent(share: number, digits = 1): string {
  return numbers({ style: "percent", maximumFractionDigits: digits }).format(share);
}

/** Formats a time in the installation's time zone: `26 Nov 2026, 14:05`. */
export function formatDateTime(iso: string): string {
  return dates({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(iso));
}

/** Formats an exact time, with seconds and the name of the zone. */
export function formatExactTime(iso: string): string {
  return dates({
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(new Date(iso));
}

export function formatDate(iso: string): string {
  return dates({ day: "numeric", month: "short", year: "numeric" }).format(new Date(iso));
}

/** Returns the parts of a calendar leaf: `26` and `Nov`. */
export function calendarDay(iso: string): { day: string; month: string } {
  const at = new Date(iso);
  return { day: dates({ day: "numeric" }).format(at), month: dates({ month: "short" }).format(at) };
}

/** Formats a time of a known day: `14:05`. */
export function formatHour(iso: string): string {
  return dates({ hour: "2-digit", minute: "2-digit" }).format(new Date(iso));
}

export function formatTime(iso: string): string {
  return dates({ hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(iso));
}

/** Returns the installation's time zone as people know it: `Europe/Rome (CET)`. */
export function zoneName(): string {
  const zone = timeZone.value;
  const part = dates({ timeZoneName: "short" })
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName");
  return part === undefined || part.value === zone ? zone : `${zone} (${part.value})`;
}
