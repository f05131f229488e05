import { currencyDecimals, decimalsOf } from "../../../../engine/kernel/money.ts";
import { moneyText } from "../../../../engine/kernel/money-text.ts";
import { timeZone } from "../state/time-zone.ts";
import { locale } from "./texts.ts";

/** How a language is written where amounts and dates stand: 1.234,56 € and 26 nov 2026 in Italian. English has the day first, as its readers here expect. */
const TAGS = { it: "it-IT", en: "en-GB" } as const;

/** `Intl` objects are slow to make, and a table needs a hundred of the same. One for each language, zone and form: a dozen. */
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

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
  const format = new Intl.NumberFormat(tag, options);
  made.set(key, format);
  return format;
}

export function formatMoney(minor: number, currency: string): string {
  return moneyText(minor, currency, numbers);
}

/** An amount where there is little room, such as on an axis: `€12.5K`. */
export function formatMoneyShort(minor: number, currency: string): string {
  if (currencyDecimals(currency) === null) return numbers({ notation: "compact" }).format(minor);
  const value = minor / 10 ** decimalsOf(currency);
  return numbers({ style: "currency", currency, notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** An amount as the relay writes it for programs, `10.50 EUR`, as people read it; what is no such amount stays as it is. */
export function formatWrittenMoney(amount: string): string {
  const [, major, currency] = /^(-?\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(amount) ?? [];
  if (major === undefined || currency === undefined) return amount;
  return moneyText(Math.round(Number(major) * 10 ** decimalsOf(currency)), currency, numbers);
}

export function formatNumber(value: number, digits?: number): string {
  return numbers(digits === undefined ? {} : { maximumFractionDigits: digits }).format(value);
}

/** `12K`, on an axis. */
export function formatNumberShort(value: number): string {
  return numbers({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** `share` from 0 to 1. */
export function formatPercent(share: number, digits = 1): string {
  return numbers({ style: "percent", maximumFractionDigits: digits }).format(share);
}

/** `26 Nov 2026, 14:05`, in the installation's time zone. */
export function formatDateTime(iso: string): string {
  return dates({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(iso));
}

/** The same with seconds and the zone's name, where an exact time is looked for. */
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

/** The leaf of a calendar: `26` and `Nov`. */
export function calendarDay(iso: string): { day: string; month: string } {
  const at = new Date(iso);
  return { day: dates({ day: "numeric" }).format(at), month: dates({ month: "short" }).format(at) };
}

/** `14:05`, of a day that is known. */
export function formatHour(iso: string): string {
  return dates({ hour: "2-digit", minute: "2-digit" }).format(new Date(iso));
}

export function formatTime(iso: string): string {
  return dates({ hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(iso));
}

/** The installation's time zone as people call it: `Europe/Rome (CET)`. */
export function zoneName(): string {
  const zone = timeZone.value;
  const part = dates({ timeZoneName: "short" })
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName");
  return part === undefined || part.value === zone ? zone : `${zone} (${part.value})`;
}
