import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { DisputeStatsJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { get } from "../../api/client.ts";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";
import { ExportButton } from "../exports/export-button.tsx";
import type { PageProps } from "../page-props.ts";
import { Board } from "./board.tsx";
import { DisputeDrawer } from "./dispute-drawer.tsx";
import { DisputeList } from "./dispute-list.tsx";
import { FILTERS, queryOf } from "./filters.ts";
import { StatTiles } from "./stat-tiles.tsx";

/** What is summed up and what the board shows is asked for so often while somebody looks. */
const LIVE_MS = 15_000;

/** What customers dispute: a board by due time, or a list with filters. Which of them, the filters and the opened dispute stand in the address. */
export function DisputesPage({ id }: PageProps) {
  const { disputes: words } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const stats = useResource("disputes stats", (signal) => get<DisputeStatsJson>("/disputes/stats", { signal }), { everyMs: LIVE_MS });
  const isList = filters.values["view"] === "list";
  const here = `/portal/disputes${filters.query === "" ? "" : `?${filters.query}`}`;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews list="disputes" query={isList ? filters.query : ""} />
          <ExportButton list="disputes" query={isList ? queryOf(filters.values) : {}} />
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
        onSelect={(chosen) => route(chosen === "list" ? "/portal/disputes?view=list" : "/portal/disputes")}
      >
        <div class="tab-page">
          {isList ? <DisputeList filters={filters} round={round} /> : <Board everyMs={LIVE_MS} round={round} stats={stats.data} />}
        </div>
      </Tabs>
      {id !== null && (
        <DisputeDrawer
          key={id}
          id={id}
          onClose={() => route(here)}
          onChanged={() => {
            setRound((before) => before + 1);
            stats.reload();
          }}
        />
      )}
    </Page>
  );
}
