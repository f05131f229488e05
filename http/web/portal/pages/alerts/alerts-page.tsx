import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import type { PageProps } from "../page-props.ts";
import { AlertDrawer } from "./alert-drawer.tsx";
import { AlertList } from "./alert-list.tsx";
import { AlertTiles } from "./alert-tiles.tsx";
import { RulesPanel } from "./rules-panel.tsx";
import { FILTERS, RULES_HREF } from "./words.ts";

/** Complaints before they are disputes, and the rules by which some are refunded by themselves. Tabs, filters and the opened alert stand in the address. */
export function AlertsPage({ id }: PageProps) {
  const { alerts: words } = text();
  const { query, route } = useLocation();
  const filters = useFilters(FILTERS);
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const isRules = query["tab"] === "rules" && id === null;
  return (
    <Page title={words.title} lead={words.lead} actions={isRules ? undefined : <SavedViews list="alerts" query={filters.query} />}>
      <Tabs
        label={words.title}
        tabs={[
          { key: "alerts", label: words.tabs.alerts },
          { key: "rules", label: words.tabs.rules },
        ]}
        selected={isRules ? "rules" : "alerts"}
        onSelect={(chosen) => route(chosen === "rules" ? RULES_HREF : "/portal/alerts")}
      >
        <div class="tab-page">
          {isRules ? (
            <RulesPanel />
          ) : (
            <>
              <AlertTiles round={round} />
              <AlertList filters={filters} round={round} />
            </>
          )}
        </div>
      </Tabs>
      {id !== null && (
        <AlertDrawer
          key={id}
          id={id}
          onClose={() => route(`/portal/alerts${filters.query === "" ? "" : `?${filters.query}`}`)}
          onChanged={() => setRound((before) => before + 1)}
        />
      )}
    </Page>
  );
}
