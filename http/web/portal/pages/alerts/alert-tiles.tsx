import type { DisputeStatsJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { get } from "../../api/client.ts";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tile, Tiles } from "../../components/tile.tsx";
import { formatMoney, formatNumber, formatPercent } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { useResource } from "../../state/resource.ts";
import { useRounds } from "../../state/rounds.ts";

const LIVE_MS = 15_000;

/** Sums up the merchant's alerts. Each figure links to the list that it counts. */
export function AlertTiles({ round }: { round: number }) {
  const stats = useResource("disputes stats", (signal) => get<DisputeStatsJson>("/disputes/stats", { signal }), { everyMs: LIVE_MS });
  useRounds(round, stats.reload);
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

function Figures({ stats: { alerts, escalated } }: { stats: DisputeStatsJson }) {
  const { tiles } = text().alerts;
  const of = (state: string) => alerts.counts[state] ?? 0;
  const amounts = (state: string) =>
    alerts.amounts
      .filter((sum) => sum.state === state)
      .map(({ amountMinor, currency }) => formatMoney(amountMinor, currency))
      .join(" · ") || undefined;
  return (
    <Tiles>
      <Tile
        label={tiles.pending}
        value={formatNumber(of("PENDING"))}
        note={of("PENDING") === 0 ? tiles.nothing : amounts("PENDING")}
        href={listHref("alerts", { state: "PENDING" })}
      />
      <Tile
        label={tiles.refunded}
        value={formatNumber(of("REFUNDED"))}
        note={amounts("REFUNDED")}
        href={listHref("alerts", { state: "REFUNDED" })}
      />
      <Tile
        label={tiles.prevented}
        value={alerts.preventionRate === null ? "–" : formatPercent(alerts.preventionRate)}
        note={alerts.preventionRate === null ? tiles.noneEnded : tiles.preventedText}
        href={listHref("alerts", { state: "PREVENTED" })}
      />
      <Tile label={tiles.escalated} value={formatNumber(escalated)} note={tiles.escalatedText} href="/portal/disputes" />
    </Tiles>
  );
}
