import { useLocation } from "preact-iso/router";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { type Filters, useFilters } from "../../state/filters.ts";
import { AgentsReport } from "./agents-report.tsx";
import { DisputesReport } from "./disputes-report.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { FILTERS, isOfPayments, type Shown, shownBy, TABS, type TabName } from "./filters.ts";
import { LinksReport } from "./links-report.tsx";
import { MethodsReport } from "./methods-report.tsx";
import { PaymentsReport } from "./payments-report.tsx";
import { DAYS_MAX, problemOf } from "./period.ts";
import type { ReportProps } from "./report-frame.tsx";
import { SubscriptionsReport } from "./subscriptions-report.tsx";
import { TerminalsReport } from "./terminals-report.tsx";
import { analyticsText, useAnalyticsTexts } from "./texts.ts";

/**
 * Shows figures of a period and what they consist of. The address holds the tab and the filters.
 */
export function AnalyticsPage() {
  return useAnalyticsTexts() ? (
    <Reports />
  ) : (
    <Page title={text().nav.analytics}>
      <Panel>
        <Skeleton lines={6} />
      </Panel>
    </Page>
  );
}

function Reports() {
  const words = analyticsText();
  const { route } = useLocation();
  const all = useFilters(FILTERS);
  const shown = shownBy(all.values);
  const { tab } = shown;
  const here = (chosen: TabName, query: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams({ ...query, ...(chosen === "payments" ? {} : { tab: chosen }) }).toString();
    return `/portal/analytics${search === "" ? "" : `?${search}`}`;
  };
  const { tab: _, ...narrowing } = all.values;
  // Filters that this report ignores are not counted. They apply again on a tab that uses them.
  const counted = Object.keys(narrowing).filter(
    (name) => name !== "days" && (isOfPayments(tab) || (name !== "terminalId" && name !== "method")),
  );
  const filters: Filters = { ...all, count: counted.length, clear: () => route(here(tab, {}), true) };
  return (
    <Page title={words.title} lead={words.lead} actions={<SavedViews list="analytics" query={all.query} />}>
      <Tabs
        label={words.title}
        tabs={TABS.map((key) => ({ key, label: words.tabs[key] }))}
        selected={tab}
        onSelect={(chosen) => route(here(chosen, narrowing))}
      >
        <div class="tab-page">
          <FilterBar count={filters.count}>
            <FilterFields filters={filters} shown={shown} />
          </FilterBar>
          <Report shown={shown} onCurrency={(currency) => all.set({ currency })} />
        </div>
      </Tabs>
    </Page>
  );
}

function Report(props: ReportProps) {
  const problem = problemOf(props.shown.days);
  const words = analyticsText();
  if (problem !== null) {
    return (
      <Panel>
        <EmptyState icon="calendar" title={words.emptyTitle}>
          {{ reversed: words.rangeReversed, long: words.rangeLong(DAYS_MAX) }[problem]}
        </EmptyState>
      </Panel>
    );
  }
  const Shown = REPORTS[props.shown.tab];
  return <Shown {...props} />;
}

const REPORTS: Readonly<Record<Shown["tab"], (props: ReportProps) => preact.JSX.Element>> = {
  payments: PaymentsReport,
  methods: MethodsReport,
  terminals: TerminalsReport,
  links: LinksReport,
  disputes: DisputesReport,
  subscriptions: SubscriptionsReport,
  agents: AgentsReport,
};
