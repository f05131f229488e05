import { useState } from "preact/hooks";
import type { CallLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { type Filters, useFilters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, LogFilters, NoEntries, TwoLines } from "./log-filters.tsx";
import { callHref, FILTERS, outcomeKind, outcomeText, queryOf, targetText } from "./words.ts";

/** Requests to others, newest first. */
export function CallList() {
  const { logs: words } = text();
  const filters = useFilters(FILTERS);
  const [opened, setOpened] = useState<CallLogJson | null>(null);
  return (
    <div class="tab-page">
      <LogFilters filters={filters} tab="calls" />
      <ObjectList<CallLogJson>
        path="/logs/calls"
        query={queryOf(filters.values, "calls")}
        filters={filters}
        end={words.end}
        empty={<NoEntries />}
        noMatchText={words.noMatchText}
        caption={words.calls}
        columns={columnsOf(filters)}
        keyOf={({ id }) => id}
        onOpen={setOpened}
      />
      {opened !== null && (
        <EntryDrawer
          title={`${targetText(opened.target)}: ${opened.operation}`}
          entry={opened}
          object={null}
          href={callHref(opened)}
          facts={[
            [words.host, opened.host === "" ? "–" : opened.host],
            [words.answer, opened.httpStatus === null ? words.noAnswer : `HTTP ${opened.httpStatus}`],
            [words.duration, words.milliseconds(formatNumber(opened.ms))],
            [words.detail, opened.detail ?? "–"],
          ]}
          filters={filters}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

function columnsOf(filters: Filters): Column<CallLogJson>[] {
  const { logs: words } = text();
  return [
    { key: "at", header: words.time, cell: ({ at }) => <Time at={at} /> },
    {
      key: "call",
      header: words.call,
      cell: ({ target, operation, host }) => (
        <TwoLines>
          <span>
            {targetText(target)} <span class="mono">{operation}</span>
          </span>
          <span class="clip muted">{host}</span>
        </TwoLines>
      ),
    },
    {
      key: "object",
      header: words.object,
      cell: ({ objectId }) => <IdFilter id={objectId} onChoose={(id) => filters.set({ objectId: id })} />,
    },
    {
      key: "answer",
      header: words.answer,
      cell: ({ httpStatus, ms }) => (
        <TwoLines>
          <span class="nowrap">{httpStatus === null ? words.noAnswer : `HTTP ${httpStatus}`}</span>
          <span class="nowrap muted">{words.milliseconds(formatNumber(ms))}</span>
        </TwoLines>
      ),
    },
    { key: "outcome", header: words.outcome, cell: ({ outcome }) => <Badge kind={outcomeKind(outcome)}>{outcomeText(outcome)}</Badge> },
  ];
}
