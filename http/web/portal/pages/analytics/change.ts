import type { TileProps } from "../../components/tile.tsx";
import { formatNumber, formatPercent } from "../../i18n/format.ts";
import type { ComparedPeriod, Kind } from "./report.ts";
import { analyticsText } from "./texts.ts";

type Change = NonNullable<TileProps["change"]>;

/** The direction of a change that is good news; null if neither is. */
export type Better = "up" | "down" | null;

/** A larger change is not shown as a percentage, because it would mean little. */
const PERCENT_MAX = 9.99;

/**
 * Compares a figure with an earlier one: rates in points, other figures in percent. Returns null if
 * there is nothing to compare, and says so if the earlier period is almost empty.
 */
export function changeOf(
  now: number | null,
  before: number | null,
  kind: Kind,
  { compared, isSparse }: ComparedPeriod,
  better: Better,
): Change | null {
  if (now === null) return null;
  const { fromNothing, noData, changes } = analyticsText();
  if (isSparse) return { text: noData, direction: "same", good: null };
  if (before === null) return null;
  const words = changes[compared];
  if (kind === "share") {
    const points = (now - before) * 100;
    const digits = Math.abs(now) < 0.01 && Math.abs(before) < 0.01 ? 2 : 1;
    const rounded = Math.round(points * 10 ** digits) / 10 ** digits;
    return directed(rounded, words.points(formatNumber(Math.abs(rounded), digits)), better);
  }
  if (before === 0) return now === 0 ? null : { text: fromNothing, direction: "same", good: null };
  const share = (now - before) / Math.abs(before);
  const rounded = Math.round(share * 100) / 100;
  const percent = Math.abs(rounded) > PERCENT_MAX ? `> ${formatPercent(PERCENT_MAX, 0)}` : formatPercent(Math.abs(rounded), 0);
  return directed(rounded, words.percent(percent), better);
}

function directed(difference: number, words: string, better: Better): Change {
  if (difference === 0) return { text: analyticsText().same, direction: "same", good: null };
  return { text: words, direction: difference > 0 ? "up" : "down", good: goodness(difference, better) };
}

function goodness(difference: number, better: Better): boolean | null {
  return better === null ? null : difference > 0 === (better === "up");
}
