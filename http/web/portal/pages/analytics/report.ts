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

/** The common members of reports with a series. Each figure is in one currency. */
export interface SeriesReport<Figures> extends Period<Figures> {
  granularity: Granularity;
  previous: Period<Figures> | null;
  timeZone: string;
  asOf: string;
}

/** The period that a figure is compared with. */
export type Compared = Exclude<Comparison, "none">;

export interface ComparedPeriod {
  compared: Compared;
  /** It has too little data for a comparison. */
  isSparse: boolean;
}

/** The data of figures and charts in one currency. */
export interface InCurrency<Figures> {
  granularity: Granularity;
  points: readonly (Point<Figures> & { of: Figures | null })[];
  total: Figures | null;
  /**
   * The earlier period; null if nothing is compared. Its points have the order of the current ones;
   * a point is null if there is no earlier one.
   */
  before: ({ points: readonly ({ of: Figures | null } | null)[]; total: Figures | null; days: string } & ComparedPeriod) | null;
  currency: string;
}

type OfCurrency = { currency: string };

/**
 * Returns the currencies of a report, largest first. Currencies of the earlier period only come
 * last.
 */
export function currenciesOf<Figures extends OfCurrency>(
  { totals, previous }: Pick<SeriesReport<Figures>, "totals" | "previous">,
  weigh: (figures: Figures) => number,
): string[] {
  const weights = new Map<string, number>();
  for (const { currency } of previous?.totals ?? []) weights.set(currency, 0);
  for (const figures of totals) weights.set(figures.currency, (weights.get(figures.currency) ?? 0) + weigh(figures));
  return [...weights].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([currency]) => currency);
}

/** Returns a report in one currency. Figures of different currencies are never added up. */
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
            isSparse: isSparse(activeParts(series, pick), activeParts(previous.series, pick)),
            points: earlierOf(granularity, report, previous).map((point) => point && { of: pick(point.figures) }),
            total: pick(previous.totals),
            days: formatDays(previous.from, previous.to),
          }
        : null,
  };
}

/** An earlier period is not compared if it has fewer active parts than this share. */
const SPARSE_SHARE = 0.2;

/** Whether the earlier period is almost empty, so that a percentage would mean nothing. */
export function isSparse(activeNow: number, activeBefore: number): boolean {
  return activeBefore < activeNow * SPARSE_SHARE;
}

/** Counts the parts of a period with any figure that is not zero. */
function activeParts<Figures extends OfCurrency>(
  series: readonly Point<Figures>[],
  pick: (all: readonly Figures[]) => Figures | null,
): number {
  return series.filter(({ figures }) => Object.values(pick(figures) ?? {}).some((value) => typeof value === "number" && value !== 0))
    .length;
}

/** The unit of a figure. A `share` is from 0 to 1. */
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
      // Dispute rates are tenths of a percent.
      return formatPercent(value, value !== 0 && value < 0.01 ? 2 : 1);
    case "minutes":
      if (value >= 2 * DAY_MIN) return words.days(formatNumber(value / DAY_MIN, 1));
      return value >= 2 * HOUR_MIN ? words.hours(formatNumber(value / HOUR_MIN, 1)) : words.minutes(formatNumber(value, 0));
    case "days":
      return words.days(formatNumber(value, 1));
  }
}

/** Writes a figure in a short form. */
export function shortText(value: number, kind: Kind, currency: string): string {
  if (kind === "money") return formatMoneyShort(value, currency);
  return kind === "count" ? formatNumberShort(value) : figureText(value, kind, currency);
}

/** Names an interval in full and for an axis. With `severalDays`, an hour includes its day. */
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
      // The first and the last month may be incomplete.
      return { name: isWholeMonth(from, to) ? formatMonth(from) : formatDays(from, to), short: formatMonth(from, { short: true }) };
  }
}

function isWholeMonth(from: string, to: string): boolean {
  const next = new Date(Date.parse(`${to}T12:00:00Z`) + 86_400_000).getUTCDate();
  return from.endsWith("-01") && next === 1;
}
