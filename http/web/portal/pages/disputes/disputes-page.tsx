import { useLocation } from "preact-iso/router";
import type { DisputeStatsJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { get } from "../../api/client.ts";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { useList } from "../../list/list-page.tsx";
import { useResource } from "../../state/resource.ts";
import { ExportButton } from "../exports/export-button.tsx";
import type { PageProps } from "../page-props.ts";
import { Board } from "./board.tsx";
import { DisputeDrawer } from "./dispute-drawer.tsx";
import { DisputeList } from "./dispute-list.tsx";
import { StatTiles } from "./stat-tiles.tsx";
import { DISPUTE_LIST, disputesHref } from "./words.ts";

/** The interval at which the figures and the board are loaded while the page is visible. */
const LIVE_MS = 15_000;

/**
 * Shows disputes as a board by due time or as a list with filters. The address holds the view, the
 * filters and the opened dispute.
 */
export function DisputesPage({ id }: PageProps) {
  const { disputes: words } = text();
  const list = useList(DISPUTE_LIST);
  const { query: address, route } = useLocation();
  const stats = useResource("disputes stats", (signal) => get<DisputeStatsJson>("/disputes/stats", { signal }), { everyMs: LIVE_MS });
  const isList = address["view"] === "list";
  const query = new URLSearchParams({ ...(isList ? { view: "list" } : {}), ...list.filters.values }).toString();
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews list="disputes" query={isList ? query : ""} />
          <ExportButton list="disputes" query={isList ? list.query : {}} />
        </>
      }
    >
      <StatTiles stats={stats} />
      <Tabs
        label={words.view}
        tabs={[
          { key: "board", label: words.board },
          { key: "list", label: words.list },
        ]}
        selected={isList ? "list" : "board"}
        onSelect={(chosen) => route(chosen === "list" ? disputesHref({}) : listHref("disputes"))}
      >
        <div class="tab-page">
          {isList ? <DisputeList state={list} query={query} /> : <Board everyMs={LIVE_MS} round={list.round} stats={stats.data} />}
        </div>
      </Tabs>
      {id !== null && (
        <DisputeDrawer
          key={id}
          id={id}
          onClose={() => route(listHref("disputes", query))}
          onChanged={() => {
            list.changed();
            stats.reload();
          }}
        />
      )}
    </Page>
  );
}
