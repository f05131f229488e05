import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Chart } from "../../components/chart.tsx";
import { DayField } from "../../components/day-field.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { addDays, formatDay, today } from "../../i18n/days.ts";
import { formatMoney, formatTime } from "../../i18n/format.ts";
import { isDay } from "../../i18n/is-day.ts";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";
import { EndOfDay } from "./end-of-day.tsx";
import { FigureTiles } from "./figure-tiles.tsx";
import { currenciesOf } from "./figures.ts";
import { Tasks } from "./tasks.tsx";

/** The interval at which live figures are loaded while the page is visible. */
const LIVE_MS = 5_000;

/** Shows one day of the shop, compared with the same weekday a week before. */
export function OverviewPage() {
  const { overview: words } = text();
  const { values, set } = useFilters(["day"]);
  const wanted = values["day"] ?? "";
  const day = isDay(wanted) ? wanted : today();
  const isToday = day === today();
  const overview = useResource(
    `overview ${day}`,
    (signal) => get<OverviewJson>("/overview", { signal, query: isToday ? {} : { day } }),
    isToday ? { everyMs: LIVE_MS } : {},
  );
  const go = (to: string) => set({ day: to === today() ? null : to });
  return (
    <Page
      title={words.title}
      lead={formatDay(day)}
      actions={
        <>
          <DayField
            label={words.day}
            value={day}
            max={today()}
            previous={words.previousDay}
            next={words.nextDay}
            onPrevious={() => go(addDays(day, -1))}
            onNext={isToday ? null : () => go(addDays(day, 1))}
            onChange={go}
          />
          <div class="desk-only">
            <Button icon="print" onClick={() => window.print()}>
              {words.print}
            </Button>
          </div>
        </>
      }
    >
      <Loaded
        of={overview}
        skeleton={
          <Panel>
            <Skeleton lines={6} />
          </Panel>
        }
      >
        {(data) => <Day data={data} isToday={isToday} />}
      </Loaded>
    </Page>
  );
}

function Day({ data, isToday }: { data: OverviewJson; isToday: boolean }) {
  const { overview: words, app } = text();
  const currencies = currenciesOf(data);
  if (!data.figuresAvailable) {
    return (
      <>
        <Banner kind="warning">{words.figuresAway}</Banner>
        <Tasks data={data} />
      </>
    );
  }
  if (currencies.length === 0) {
    return (
      <>
        <FigureTiles data={data} currency="EUR" isOnly />
        <Panel>
          <EmptyState icon="receipt" title={isToday ? words.emptyToday : words.emptyDay}>
            {isToday ? words.emptyTodayText : words.emptyDayText}
          </EmptyState>
        </Panel>
        <Tasks data={data} />
      </>
    );
  }
  return (
    <>
      {currencies.map((currency) => (
        <FigureTiles key={currency} data={data} currency={currency} isOnly={currencies.length === 1} />
      ))}
      {currencies.length > 1 && <Banner>{words.perCurrency}</Banner>}
      <Tasks data={data} />
      {currencies.map((currency) => (
        <Panel
          key={currency}
          title={currencies.length === 1 ? words.byHour : `${words.byHour} · ${currency}`}
          hint={isToday ? `${words.against} · ${app.updated(formatTime(data.asOf))}` : words.againstWhole}
        >
          <Hours data={data} currency={currency} isToday={isToday} />
        </Panel>
      ))}
      {currencies.map((currency) => (
        <EndOfDay key={currency} data={data} currency={currency} isOnly={currencies.length === 1} />
      ))}
    </>
  );
}

/** Shows 8 to 18 o'clock at least, and further hours only as far as they have payments. */
function Hours({ data, currency, isToday }: { data: OverviewJson; currency: string; isToday: boolean }) {
  const { overview: words } = text();
  const [now, before] = [data.hours, data.hoursBefore].map((hours) =>
    hours.filter((hour) => hour.currency === currency && hour.approved + hour.declined > 0),
  );
  const all = [...(now ?? []), ...(before ?? [])].map(({ hour }) => hour);
  const first = Math.min(...all, 8);
  const last = Math.max(...all, 18);
  const hours = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const volume = (of: OverviewJson["hours"] | undefined, hour: number) => of?.find((one) => one.hour === hour)?.volumeMinor ?? 0;
  return (
    <Chart
      title={words.byHour}
      labels={hours.map((hour) => `${String(hour).padStart(2, "0")}:00`)}
      labelsTitle={words.hour}
      format={(value) => formatMoney(value, currency)}
      formatAxis={(value) => formatMoney(value, currency)}
      series={[
        { label: isToday ? words.today : words.thisDay, kind: "bars", values: hours.map((hour) => volume(now, hour)) },
        { label: words.weekBefore, kind: "dashes", values: hours.map((hour) => volume(before, hour)) },
      ]}
    />
  );
}
