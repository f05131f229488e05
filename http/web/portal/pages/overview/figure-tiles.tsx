import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";
import { Tile, type TileProps, Tiles } from "../../components/tile.tsx";
import { formatMoney, formatNumber, formatPercent } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { approvalRate, averageMinor, sumsIn } from "./figures.ts";

/**
 * Shows the day's figures in one currency, compared with the week before. Each figure links to the
 * list that it counts.
 */
export function FigureTiles({ data, currency, isOnly }: { data: OverviewJson; currency: string; isOnly: boolean }) {
  const { overview: words } = text();
  const now = sumsIn(currency, data.today);
  const before = sumsIn(currency, data.before);
  const ofDay = { from: data.day, to: data.day, ...(isOnly ? {} : { currency }) };
  const [average, averageBefore] = [averageMinor(now), averageMinor(before)];
  const [rate, rateBefore] = [approvalRate(now), approvalRate(before)];
  const { online, total } = data.terminals;
  return (
    <Tiles>
      <Tile
        label={isOnly ? words.volume : `${words.volume} · ${currency}`}
        value={formatMoney(now.volumeMinor, currency)}
        change={relative(now.volumeMinor, before.volumeMinor)}
        href={listHref("transactions", { ...ofDay, status: "OK" })}
      />
      <Tile
        label={words.payments}
        value={formatNumber(now.approved)}
        change={relative(now.approved, before.approved)}
        href={listHref("transactions", { ...ofDay, status: "OK" })}
      />
      <Tile
        label={words.approvalRate}
        value={rate === null ? "–" : formatPercent(rate)}
        change={points(rate, rateBefore)}
        note={words.declined(now.declined)}
        href={listHref("transactions", { ...ofDay, status: "KO" })}
      />
      <Tile
        label={words.average}
        value={average === null ? "–" : formatMoney(average, currency)}
        change={average === null || averageBefore === null ? null : relative(average, averageBefore)}
        href={listHref("transactions", { ...ofDay, status: "OK" })}
      />
      {isOnly && (
        <Tile
          label={words.terminals}
          value={words.ofTotal(online, total)}
          note={total === 0 ? words.noTerminals : online === total ? words.allOnline : words.someOffline(total - online)}
          href="/portal/terminals"
        />
      )}
    </Tiles>
  );
}

/** Returns the change in percent of the week before; null if neither week has anything. */
function relative(now: number, before: number): NonNullable<TileProps["change"]> | null {
  if (before === 0) return now === 0 ? null : { text: text().overview.noData, direction: "same", good: null };
  const share = (now - before) / before;
  const rounded = Math.round(share * 100);
  return {
    text: text().overview.change(formatPercent(Math.abs(rounded) / 100, 0)),
    direction: rounded > 0 ? "up" : rounded < 0 ? "down" : "same",
    good: rounded === 0 ? null : rounded > 0,
  };
}

function points(now: number | null, before: number | null): NonNullable<TileProps["change"]> | null {
  if (now === null || before === null) return null;
  const difference = Math.round((now - before) * 1_000) / 10;
  return {
    text: text().overview.points(formatNumber(Math.abs(difference))),
    direction: difference > 0 ? "up" : difference < 0 ? "down" : "same",
    good: difference === 0 ? null : difference > 0,
  };
}
