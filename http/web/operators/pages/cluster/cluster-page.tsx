import type { DashboardJson } from "../../../../surfaces/admin/dashboard.ts";
import { get } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Tile, Tiles } from "../../../portal/components/tile.tsx";
import { formatNumber, formatTime } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { NodesPanel } from "./nodes-panel.tsx";

const EVERY_MS = 5_000;

/** How the relay is: its nodes, and the figures of all of them together. */
export function ClusterPage() {
  const { cluster: own } = words();
  const { app } = text();
  const dashboard = useResource("dashboard", (signal) => get<DashboardJson>("/dashboard", { signal }), { everyMs: EVERY_MS });
  return (
    <Page title={own.title} lead={dashboard.data === null ? own.lead : `${own.lead} ${app.updated(formatTime(dashboard.data.at))}.`}>
      <Loaded of={dashboard}>{(data) => <Figures figures={data} />}</Loaded>
      <NodesPanel />
    </Page>
  );
}

function Figures({ figures: { terminals, commands, results, links, outbox } }: { figures: DashboardJson }) {
  const { cluster: own } = words();
  const { outbox: depth, depthCapped, oldestAgeSeconds, setAside } = { outbox: outbox.depth, ...outbox };
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, one) => total + one, 0);
  const approved = Object.values(results).reduce((total, { OK = 0 }) => total + OK, 0);
  const declined = Object.values(results).reduce((total, { KO = 0 }) => total + KO, 0);
  return (
    <>
      {setAside > 0 && <Banner kind="warning">{own.setAside(setAside)}</Banner>}
      {depth === null && <Banner kind="warning">{own.outboxUnknown}</Banner>}
      <Tiles>
        <Tile
          label={own.online}
          value={formatNumber(terminals.ONLINE)}
          note={own.offline(formatNumber(terminals.OFFLINE))}
          href={pageHref("terminals")}
        />
        <Tile
          label={own.waiting}
          value={formatNumber(commands.queued + commands.sent)}
          note={own.queuedAndSent(formatNumber(commands.queued), formatNumber(commands.sent))}
        />
        <Tile label={own.approved} value={formatNumber(approved)} note={own.declined(formatNumber(declined))} />
        <Tile label={own.links} value={formatNumber(links.PENDING)} note={own.linksEnded(formatNumber(sum(links.today)))} />
        <Tile
          label={own.outbox}
          value={depth === null ? "–" : `${formatNumber(depth)}${depthCapped === true ? "+" : ""}`}
          note={oldestAgeSeconds === null || depth === 0 ? "" : own.oldest(formatNumber(oldestAgeSeconds))}
        />
      </Tiles>
      <Panel flush title={own.endedToday} hint={own.endedHint}>
        <CountTable counts={commands.today} />
      </Panel>
    </>
  );
}

function CountTable({ counts }: { counts: Readonly<Record<string, number>> }) {
  const { cluster: own } = words();
  const rows = Object.entries(counts);
  if (rows.length === 0) return <p class="panel-note muted">{own.noneEnded}</p>;
  return (
    <Table
      caption={own.endedToday}
      rows={rows}
      keyOf={([state]) => state}
      columns={[
        { key: "state", header: own.state, cell: ([state]) => words().terminals.commandStates[state] ?? state },
        { key: "count", header: own.commands, align: "right", cell: ([, count]) => formatNumber(count) },
      ]}
    />
  );
}
