import type { ReconciledDayJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import { methodText } from "../../i18n/method-text.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import { stateText } from "./words.ts";

type CorrectionJson = ReconciledDayJson["corrections"]["items"][number];

/** Lists the changes since the day was closed, oldest first. */
export function Corrections({ corrections: { count, items } }: Pick<ReconciledDayJson, "corrections">) {
  const { reconciliation: words } = text();
  return (
    <section class="day-table">
      <h3>{words.corrections}</h3>
      <p class="muted">{count === 0 ? words.noCorrections : words.correctionsHelp}</p>
      {items.length > 0 && (
        <Table
          caption={words.corrections}
          rows={items}
          keyOf={(correction) => JSON.stringify(correction)}
          columns={[
            { key: "what", header: words.what, cell: (correction) => <Subject correction={correction} /> },
            { key: "before", header: words.before, align: "right", cell: (correction) => figureText(correction, "before") },
            { key: "after", header: words.after, align: "right", cell: (correction) => figureText(correction, "after") },
            { key: "at", header: words.noticed, cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
      {count > items.length && <p class="muted">{words.moreCorrections(count - items.length)}</p>}
    </section>
  );
}

function Subject({ correction: { of, terminalId, method, status, state, uuid } }: { correction: CorrectionJson }) {
  const { reconciliation: words, transactions } = text();
  const parts = [
    method === null ? null : methodText(method),
    status === null ? null : transactions.statuses[status],
    state === null ? null : stateText(of === "refunds" ? "refunds" : "links", state),
    terminalId,
  ];
  return (
    <span class="two-lines">
      <span>{words.subjects[of]}</span>
      <span class="second-line break">{parts.filter((part) => part !== null).join(" · ")}</span>
      {uuid !== null && (
        <a class="mono break" href={objectHref("transactions", uuid)}>
          {uuid}
        </a>
      )}
    </span>
  );
}

/**
 * Shows a figure as a number and a sum. For a single payment it shows whether the day contains it.
 */
function figureText({ uuid, currency, ...figures }: CorrectionJson, when: "before" | "after"): string {
  const { reconciliation: words } = text();
  const { count, amountMinor } = figures[when];
  if (uuid !== null) return count > 0 ? words.named : words.notNamed;
  return currency === null ? formatNumber(count) : `${formatNumber(count)} · ${formatMoney(amountMinor, currency)}`;
}
