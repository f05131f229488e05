import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatDay } from "../../i18n/days.ts";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { methodName } from "../transactions/words.ts";
import type { SumsJson } from "./figures.ts";
import { sumsIn } from "./figures.ts";

interface Row extends SumsJson {
  key: string;
  name: string;
  /** Null for the total, which links to the whole list of the day. */
  filter: Readonly<Record<string, string>> | null;
}

/** Shows the total of a day by method and by terminal, to compare with the till. */
export function EndOfDay({ data, currency, isOnly }: { data: OverviewJson; currency: string; isOnly: boolean }) {
  const { overview: words } = text();
  const of = <One extends SumsJson>(all: readonly One[]) =>
    all.filter((one) => one.currency === currency).sort((one, other) => other.volumeMinor - one.volumeMinor);
  const total: Row = { ...sumsIn(currency, data.today), key: "", name: words.total, filter: null };
  const methods: Row[] = of(data.byMethod).map((sums) => ({
    ...sums,
    key: sums.method,
    name: methodName(sums.method),
    filter: { method: sums.method },
  }));
  const terminals: Row[] = of(data.byTerminal).map((sums) => ({
    ...sums,
    key: sums.terminalId,
    name: sums.terminalId,
    filter: { terminalId: sums.terminalId },
  }));
  const title = data.complete ? words.endOfDay : words.soFar;
  return (
    <Panel
      flush
      title={isOnly ? title : `${title} · ${currency}`}
      hint={formatDay(data.day)}
      actions={data.complete ? <Badge kind="good">{words.closed}</Badge> : <Badge kind="accent">{words.open}</Badge>}
    >
      <div class="end-of-day">
        <SumTable caption={words.byMethod} first={words.method} rows={[...methods, total]} day={data.day} />
        <SumTable caption={words.byTerminal} first={words.terminal} rows={[...terminals, total]} day={data.day} />
      </div>
    </Panel>
  );
}

function SumTable({ caption, first, rows, day }: { caption: string; first: string; rows: readonly Row[]; day: string }) {
  const { overview: words } = text();
  const columns: Column<Row>[] = [
    {
      key: "name",
      header: first,
      cell: ({ name, filter, currency }) => (
        <a class={filter === null ? "total" : undefined} href={listHref("transactions", { from: day, to: day, currency, ...filter })}>
          {name}
        </a>
      ),
    },
    { key: "approved", header: words.approvedCount, align: "right", cell: ({ approved }) => formatNumber(approved) },
    { key: "declined", header: words.declinedCount, align: "right", cell: ({ declined }) => formatNumber(declined) },
    {
      key: "volume",
      header: words.volume,
      align: "right",
      cell: ({ volumeMinor, currency, filter }) => <Amount minor={volumeMinor} currency={currency} strong={filter === null} />,
    },
  ];
  return (
    <section>
      <h3>{caption}</h3>
      <Table caption={caption} columns={columns} rows={rows} keyOf={({ key }) => key} />
    </section>
  );
}
