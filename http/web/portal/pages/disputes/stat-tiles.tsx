import type { DisputeStatsJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Banner } from "../../components/banner.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tile, Tiles } from "../../components/tile.tsx";
import { formatMoney, formatNumber, formatPercent } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import type { Resource } from "../../state/resource.ts";
import { DUE_DAYS_MAX, disputesHref } from "./words.ts";

/** Sums up the merchant's disputes. Each figure links to the list that it counts. */
export function StatTiles({ stats }: { stats: Resource<DisputeStatsJson> }) {
  return (
    <Loaded
      of={stats}
      skeleton={
        <Panel>
          <Skeleton lines={2} />
        </Panel>
      }
    >
      {(data) => <Figures stats={data} />}
    </Loaded>
  );
}

function Figures({ stats }: { stats: DisputeStatsJson }) {
  const { disputes: words } = text();
  const { counts, winRate, month, complete } = stats;
  // An alert is usually due within a day, so nothing is calm while one waits.
  const dueSoon = stats.dueSoon + stats.alerts.dueSoon;
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const toAnswer = of("OPEN", "EVIDENCE_REQUIRED");
  const ended = of("WON", "LOST", "EXPIRED");
  return (
    <>
      <Tiles>
        <Tile
          label={words.tiles.toAnswer}
          value={formatNumber(toAnswer)}
          note={amountsText(stats, ["OPEN", "EVIDENCE_REQUIRED"])}
          href={disputesHref({ dueWithinDays: DUE_DAYS_MAX, includeAlerts: "false" })}
        />
        <Tile
          label={words.tiles.dueSoon}
          value={formatNumber(dueSoon)}
          note={dueSoon === 0 ? words.tiles.nothingDue : words.tiles.lookAtOnce}
          href={disputesHref({ dueWithinDays: "3" })}
        />
        <Tile
          label={words.tiles.underReview}
          value={formatNumber(of("UNDER_REVIEW"))}
          note={amountsText(stats, ["UNDER_REVIEW"])}
          href={disputesHref({ status: "UNDER_REVIEW" })}
        />
        <Tile
          label={words.tiles.winRate}
          value={winRate === null ? "–" : formatPercent(winRate)}
          note={winRate === null ? words.tiles.noneEnded : words.tiles.ofEnded(of("WON"), ended)}
          href={disputesHref({ status: "WON" })}
        />
        <Tile
          label={words.tiles.month}
          value={formatNumber(month.count)}
          note={month.rate === null ? undefined : words.tiles.rate(formatPercent(month.rate, 2))}
          href={disputesHref({ from: `${month.month}-01`, includeAlerts: "false" })}
        />
      </Tiles>
      {!complete && <Banner>{words.tiles.incomplete}</Banner>}
    </>
  );
}

/** Shows a sum for each currency. Sums of different currencies are never added up. */
function amountsText({ amounts }: DisputeStatsJson, states: readonly string[]): string | undefined {
  const sums = new Map<string, number>();
  for (const { status, currency, amountMinor } of amounts) {
    if (states.includes(status)) sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  }
  return sums.size === 0 ? undefined : [...sums].map(([currency, minor]) => formatMoney(minor, currency)).join(" · ");
}
