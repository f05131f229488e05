import type { ReconciledDayJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { methodText } from "../../i18n/method-text.ts";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { currenciesOf, type Sums, sumsBy } from "./figures.ts";
import { stateText } from "./words.ts";

/**
 * The key of all terminals together, if they have no lines of their own. No terminal has an empty
 * id.
 */
const ALL_TERMINALS = "";

/** Shows the payments by method and by terminal for each currency. */
export function PaymentTables({ data }: { data: ReconciledDayJson }) {
  const { reconciliation: words } = text();
  const { day, payments } = data;
  const currencies = currenciesOf(data);
  if (payments.length === 0) return <p class="muted">{words.noPayments}</p>;
  return currencies.map((currency) => {
    const suffix = currencies.length === 1 ? "" : ` · ${currency}`;
    const href = (filter: Readonly<Record<string, string>>) => listHref("transactions", { from: day, to: day, currency, ...filter });
    return (
      <div key={currency} class="day-tables">
        <SumTable
          caption={words.byMethod + suffix}
          first={words.method}
          currency={currency}
          rows={sumsBy(data, currency, ({ method }) => method)}
          nameOf={({ key }) => <a href={href({ method: key })}>{methodText(key)}</a>}
        />
        <SumTable
          caption={words.byTerminal + suffix}
          first={words.terminal}
          currency={currency}
          rows={sumsBy(data, currency, ({ terminalId }) => terminalId ?? ALL_TERMINALS)}
          nameOf={({ key }) => (key === ALL_TERMINALS ? words.allTerminals : <a href={href({ terminalId: key })}>{key}</a>)}
        />
      </div>
    );
  });
}

function SumTable({
  caption,
  first,
  currency,
  rows,
  nameOf,
}: {
  caption: string;
  first: string;
  currency: string;
  rows: readonly Sums[];
  nameOf: Column<Sums>["cell"];
}) {
  const { reconciliation: words } = text();
  return (
    <section class="day-table">
      <h3>{caption}</h3>
      <Table
        caption={caption}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { key: "name", header: first, cell: nameOf },
          { key: "approved", header: words.approved, align: "right", cell: ({ approved }) => formatNumber(approved) },
          { key: "declined", header: words.declined, align: "right", cell: ({ declined }) => formatNumber(declined) },
          {
            key: "sum",
            header: words.approvedSum,
            align: "right",
            cell: ({ approvedMinor }) => <Amount minor={approvedMinor} currency={currency} />,
          },
          {
            key: "refunded",
            header: words.refunded,
            align: "right",
            cell: ({ refundedMinor }) => (refundedMinor === 0 ? "–" : <Amount minor={refundedMinor} currency={currency} />),
          },
          {
            key: "net",
            header: words.net,
            align: "right",
            cell: ({ approvedMinor, refundedMinor }) => <Amount minor={approvedMinor - refundedMinor} currency={currency} strong />,
          },
        ]}
      />
    </section>
  );
}

/** Counts links or refunds by state. Shows nothing if there are none. */
export function StateTable({ of, title, lines }: { of: "links" | "refunds"; title: string; lines: ReconciledDayJson["links"] }) {
  const { reconciliation: words } = text();
  if (lines.length === 0) return null;
  return (
    <section class="day-table">
      <h3>{title}</h3>
      <Table
        caption={title}
        rows={lines}
        keyOf={({ state, currency }) => `${state} ${currency}`}
        columns={[
          { key: "state", header: words.state, cell: ({ state }) => stateText(of, state) },
          { key: "count", header: words.count, align: "right", cell: ({ count }) => formatNumber(count) },
          {
            key: "sum",
            header: words.sum,
            align: "right",
            cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} strong />,
          },
        ]}
      />
    </section>
  );
}
