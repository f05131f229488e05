import type { ComponentChildren } from "preact";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Segments } from "../../components/segments.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatDays, today } from "../../i18n/days.ts";
import { formatTime, zoneName } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { queryOf, type Shown } from "./filters.ts";
import { currenciesOf, type InCurrency, inCurrency, type SeriesReport } from "./report.ts";
import { analyticsText } from "./texts.ts";

/** The interval at which a period that has not ended is loaded again while the page is visible. */
const LIVE_MS = 60_000;

export interface ReportProps {
  shown: Shown;
  onCurrency: (currency: string) => void;
}

/**
 * Loads the report of a tab and shows it in one currency. The head shows the days and the other
 * currencies.
 */
export function ReportFrame<Figures extends { currency: string }, Json extends SeriesReport<Figures>>({
  shown,
  onCurrency,
  weigh,
  also,
  children,
}: ReportProps & {
  /** The currency with the largest weight is shown first. */
  weigh: (figures: Figures) => number;
  /** Figures without a currency. They are shown below even if there are none with a currency. */
  also?: (report: Json) => ComponentChildren;
  children: (report: Json, view: InCurrency<Figures>) => ComponentChildren;
}) {
  const { tab, days } = shown;
  const query = queryOf(shown);
  const report = useResource(
    `analytics ${tab} ${JSON.stringify(query)}`,
    (signal) => get<Json>(`/analytics/${tab}`, { signal, query }),
    days.to >= today() ? { everyMs: LIVE_MS } : {},
  );
  return (
    <Loaded of={report} skeleton={<Loading />}>
      {(data) => {
        const currencies = currenciesOf<Figures>(data, weigh);
        const [first] = currencies;
        const currency = currencies.find((one) => one === shown.currency) ?? first;
        return (
          <>
            <Head report={data} shown={shown} currencies={currencies} currency={currency} onCurrency={onCurrency} />
            {currency === undefined ? (
              <Panel>
                <EmptyState icon="chart" title={analyticsText().emptyTitle}>
                  {analyticsText().emptyText}
                </EmptyState>
              </Panel>
            ) : (
              children(data, inCurrency<Figures>(data, currency, shown.compare))
            )}
            {also?.(data)}
          </>
        );
      }}
    </Loaded>
  );
}

function Head({
  report: { previous, asOf },
  shown: { days },
  currencies,
  currency,
  onCurrency,
}: {
  report: Pick<SeriesReport<unknown>, "previous" | "asOf">;
  shown: Shown;
  currencies: readonly string[];
  currency: string | undefined;
  onCurrency: (currency: string) => void;
}) {
  const words = analyticsText();
  return (
    <>
      <div class="report-head">
        <p>
          <strong>{formatDays(days.from, days.to)}</strong>
          {previous !== null && <> {words.comparedWith(formatDays(previous.from, previous.to))}</>}
          <span class="report-note">
            {words.zone(zoneName())} · {text().app.updated(formatTime(asOf))}
          </span>
        </p>
        {currencies.length > 1 && currency !== undefined && (
          <Segments
            label={words.currency}
            value={currency}
            options={currencies.map((value) => ({ value, label: value }))}
            onChange={onCurrency}
          />
        )}
      </div>
      {currencies.length > 1 && <Banner>{words.currencies}</Banner>}
      {previous !== null && days.to >= today() && <Banner>{words.unfinished}</Banner>}
    </>
  );
}

function Loading() {
  return (
    <>
      <div class="tiles tiles-four">
        {Array.from({ length: 4 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items are equal.
          <div key={index} class="tile">
            <Skeleton lines={2} />
          </div>
        ))}
      </div>
      <Panel>
        <Skeleton lines={1} tall />
      </Panel>
    </>
  );
}
