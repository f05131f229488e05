import { useState } from "preact/hooks";
import type { CallLogJson } from "../../../../surfaces/merchant/schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { type Filters, useFilters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, LogFilters, NoEntries } from "./log-filters.tsx";
import { callHref, FILTERS, outcomeKind, outcomeText, queryOf, targetText } from "./words.ts";

/** Requests to others, newest first. */
export function CallList() {
  const { logs: words } = text();
  const filters = useFilters(FILTERS);
  const [opened, setOpened] = useState<CallLogJson | null>(null);
  const query = queryOf(filters.values, "calls");
  return (
    <>
      <LogFilters filters={filters} tab="calls" />
      <LiveList<CallLogJson>
        key={JSON.stringify(query)}
        path="/logs/calls"
        query={query}
        end={words.end}
        empty={<NoEntries filters={filters} />}
      >
        {(items) => (
          <Table caption={words.calls} columns={columnsOf(filters)} rows={items} keyOf={({ id }) => id} onOpen={setOpened} phone="lines" />
        )}
      </LiveList>
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
    </>
  );
}

function columnsOf(filters: Filters): Column<CallLogJson>[] {
  const { logs: words } = text();
  return [
    { key: "at", header: words.time, cell: ({ at }) => <Time at={at} as="exact" /> },
    {
      key: "call",
      header: words.call,
      cell: ({ target, operation }) => (
        <>
          {targetText(target)} <span class="mono break">{operation}</span>
        </>
      ),
    },
    {
      key: "object",
      header: words.object,
      cell: ({ objectId }) => <IdFilter id={objectId} onChoose={(id) => filters.set({ objectId: id })} />,
      deskOnly: true,
    },
    { key: "host", header: words.host, cell: ({ host }) => <span class="clip">{host === "" ? "–" : host}</span>, deskOnly: true },
    {
      key: "answer",
      header: words.answer,
      cell: ({ httpStatus, ms }) =>
        `${httpStatus === null ? words.noAnswer : `HTTP ${httpStatus}`} · ${words.milliseconds(formatNumber(ms))}`,
    },
    { key: "outcome", header: words.outcome, cell: ({ outcome }) => <Badge kind={outcomeKind(outcome)}>{outcomeText(outcome)}</Badge> },
  ];
}
