import type { Comparison, Granularity } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { formatDayOfYear, formatDays, formatMonth, formatShortDay } from "../../i18n/days.ts";
import { formatHour, formatMoney, formatMoneyShort, formatNumber, formatNumberShort, formatPercent } from "../../i18n/format.ts";
import { earlierOf } from "./earlier.ts";
import { analyticsText } from "./texts.ts";

/** One interval of a report. */
export interface Point<Figures> {
  start: string;
  from: string;
  to: string;
  figures: Figures[];
}

interface Period<Figures> {
  from: string;
  to: string;
  series: Point<Figures>[];
  totals: Figures[];
}

/** What the reports with a series have in common; figures are of one currency each. */
export interface SeriesReport<Figures> extends Period<Figures> {
  granularity: Granularity;
  previous: Period<Figures> | null;
  timeZone: string;
  asOf: string;
}

/** What a figure is compared with. */
export type Compared = Exclude<Comparison, "none">;

/** What figures and charts of one currency are made of. */
export interface InCurrency<Figures> {
  granularity: Granularity;
  points: readonly (Point<Figures> & { of: Figures | null })[];
  total: Figures | null;
  /** Its points stand against those of the present in order, null where there was none; null where nothing is compared. */
  before: { compared: Compared; points: readonly ({ of: Figures | null } | null)[]; total: Figures | null; days: string } | null;
  currency: string;
}

type OfCurrency = { currency: string };

/** The currencies of a report, that with the most first; those that there were only before come last. */
export function currenciesOf<Figures extends OfCurrency>(
  { totals, previous }: Pick<SeriesReport<Figures>, "totals" | "previous">,
  weigh: (figures: Figures) => number,
): string[] {
  const weights = new Map<string, number>();
  for (const { currency } of previous?.totals ?? []) weights.set(currency, 0);
  for (const figures of totals) weights.set(figures.currency, (weights.get(figures.currency) ?? 0) + weigh(figures));
  return [...weights].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([currency]) => currency);
}

/** A report as it is in one currency: those of different ones are never added up. */
export function inCurrency<Figures extends OfCurrency>(
  report: SeriesReport<Figures>,
  currency: string,
  compare: Comparison,
): InCurrency<Figures> {
  const pick = (figures: readonly Figures[]) => figures.find((one) => one.currency === currency) ?? null;
  const { series, totals, previous, granularity } = report;
  return {
    granularity,
    currency,
    points: series.map((point) => ({ ...point, of: pick(point.figures) })),
    total: pick(totals),
    before:
      previous !== null && compare !== "none"
        ? {
            compared: compare,
            points: earlierOf(granularity, report, previous).map((point) => point && { of: pick(point.figures) }),
            total: pick(previous.totals),
            days: formatDays(previous.from, previous.to),
          }
        : null,
  };
}

/** How a figure is written. `share`: from 0 to 1. */
export type Kind = "money" | "count" | "share" | "minutes" | "days";

const HOUR_MIN = 60;
const DAY_MIN = 24 * HOUR_MIN;

export function figureText(value: number | null, kind: Kind, currency: string): string {
  if (value === null) return "–";
  const words = analyticsText();
  switch (kind) {
    case "money":
      return formatMoney(value, currency);
    case "count":
      return formatNumber(value);
    case "share":
      // A dispute rate is a matter of tenths of a percent.
      return formatPercent(value, value !== 0 && value < 0.01 ? 2 : 1);
    case "minutes":
      if (value >= 2 * DAY_MIN) return words.days(formatNumber(value / DAY_MIN, 1));
      return value >= 2 * HOUR_MIN ? words.hours(formatNumber(value / HOUR_MIN, 1)) : words.minutes(formatNumber(value, 0));
    case "days":
      return words.days(formatNumber(value, 1));
  }
}

/** The same where there is little room. */
export function shortText(value: number, kind: Kind, currency: string): string {
  if (kind === "money") return formatMoneyShort(value, currency);
  return kind === "count" ? formatNumberShort(value) : figureText(value, kind, currency);
}

/** How an interval is called: in full, and on an axis. `severalDays`: an hour alone would not say which. */
export function pointNames(
  { start, from, to }: Pick<Point<unknown>, "start" | "from" | "to">,
  granularity: Granularity,
  severalDays: boolean,
): { name: string; short: string } {
  switch (granularity) {
    case "hour": {
      const hour = formatHour(start);
      return {
        name: severalDays ? `${formatShortDay(from)}, ${hour}` : hour,
        short: severalDays ? `${formatDayOfYear(from)} ${hour}` : hour,
      };
    }
    case "day":
      return { name: formatShortDay(from), short: formatDayOfYear(from) };
    case "week":
      return { name: formatDays(from, to), short: formatDayOfYear(from) };
    case "month":
      // The first and the last one may be a part of it only.
      return { name: isWholeMonth(from, to) ? formatMonth(from) : formatDays(from, to), short: formatMonth(from, { short: true }) };
  }
}

function isWholeMonth(from: string, to: string): boolean {
  const next = new Date(Date.parse(`${to}T12:00:00Z`) + 86_400_000).getUTCDate();
  return from.endsWith("-01") && next === 1;
}
