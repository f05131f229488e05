import { useState } from "preact/hooks";
import type { HeatmapReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { get } from "../../api/client.ts";
import { HeatTable } from "../../components/heat-table.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Segments } from "../../components/segments.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatMoneyShort, formatNumber } from "../../i18n/format.ts";
import { useResource } from "../../state/resource.ts";
import { queryOf, type Shown } from "./filters.ts";
import { Definitions } from "./parts.tsx";
import { analyticsText } from "./texts.ts";

const MEASURES = ["approved", "volumeMinor"] as const;
type Measure = (typeof MEASURES)[number];

/** These hours are shown even if they have no payments. */
const OPEN_FROM = 8;
const OPEN_UNTIL = 18;

/** Shows the average payments in each hour of each day of the week. */
export function BusyHours({ shown, currency }: { shown: Shown; currency: string }) {
  const { payments: words, figures } = analyticsText();
  const [measure, setMeasure] = useState<Measure>("approved");
  // The table has no intervals and no comparison, because two tables of colours are hard to
  // compare.
  const { compare: _, granularity: __, ...query } = queryOf(shown);
  const report = useResource(`analytics heatmap ${JSON.stringify(query)}`, (signal) =>
    get<HeatmapReportJson>("/analytics/heatmap", { signal, query }),
  );
  return (
    <Panel
      title={words.busy}
      hint={words.busyHint}
      actions={
        <Segments
          label={words.busyMeasure}
          value={measure}
          options={MEASURES.map((value) => ({ value, label: words.measures[value] }))}
          onChange={setMeasure}
        />
      }
    >
      <Loaded of={report} skeleton={<Skeleton lines={1} tall />}>
        {({ series }) => <Hours cells={series} currency={currency} measure={measure} />}
      </Loaded>
      <Definitions of={[figures.payments[measure]]} />
    </Panel>
  );
}

function Hours({ cells, currency, measure }: { cells: HeatmapReportJson["series"]; currency: string; measure: Measure }) {
  const { payments: words } = analyticsText();
  const averageAt = (hour: number, weekday: number): number => {
    const cell = cells.find((one) => one.hour === hour && one.weekday === weekday);
    const sum = cell?.figures.find((one) => one.currency === currency)?.[measure] ?? 0;
    return cell === undefined || cell.days === 0 ? 0 : sum / cell.days;
  };
  const busy = cells.filter(({ figures }) => figures.some((one) => one.currency === currency && one.approved > 0)).map(({ hour }) => hour);
  // The table leaves out the hours of a night without payments.
  const first = Math.min(OPEN_FROM, ...busy);
  const last = Math.max(OPEN_UNTIL, ...busy);
  return (
    <HeatTable
      caption={`${words.busy}: ${words.measures[measure]}`}
      columns={words.weekdays.map((label, index) => ({ label, short: words.weekdaysShort[index] ?? label }))}
      rowsTitle={words.hour}
      rows={Array.from({ length: last - first + 1 }, (_, index) => first + index).map((hour) => ({
        label: `${String(hour).padStart(2, "0")}:00`,
        values: words.weekdays.map((_, index) => averageAt(hour, index + 1)),
      }))}
      format={(value) => (measure === "approved" ? formatNumber(value, value < 10 ? 1 : 0) : formatMoneyShort(value, currency))}
      few={words.few}
      many={words.many}
    />
  );
}
