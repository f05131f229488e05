import { useState } from "preact/hooks";
import type { WorkflowLogJson } from "../../../../surfaces/merchant/schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { type Filters, useFilters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, LogFilters, NoEntries } from "./log-filters.tsx";
import { FILTERS, objectTypeText, outcomeKind, outcomeText, queryOf, stepHref } from "./words.ts";

/** Steps, newest first. */
export function WorkflowList() {
  const { logs: words } = text();
  const filters = useFilters(FILTERS);
  const [opened, setOpened] = useState<WorkflowLogJson | null>(null);
  const query = queryOf(filters.values, "workflow");
  return (
    <>
      <LogFilters filters={filters} tab="workflow" />
      <LiveList<WorkflowLogJson>
        key={JSON.stringify(query)}
        path="/logs/workflow"
        query={query}
        end={words.end}
        empty={<NoEntries filters={filters} />}
      >
        {(items) => (
          <Table
            caption={words.workflow}
            columns={columnsOf(filters)}
            rows={items}
            keyOf={({ id }) => id}
            onOpen={setOpened}
            phone="lines"
          />
        )}
      </LiveList>
      {opened !== null && (
        <EntryDrawer
          title={opened.event}
          entry={opened}
          object={objectTypeText(opened.objectType)}
          href={stepHref(opened)}
          facts={[[words.states, <States key="states" step={opened} />]]}
          filters={filters}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function columnsOf(filters: Filters): Column<WorkflowLogJson>[] {
  const { logs: words } = text();
  return [
    { key: "at", header: words.time, cell: ({ at }) => <Time at={at} as="exact" /> },
    { key: "event", header: words.event, cell: ({ event }) => <span class="mono break">{event}</span> },
    {
      key: "object",
      header: words.object,
      cell: ({ objectType, objectId }) => (
        <>
          {objectTypeText(objectType)} <IdFilter id={objectId} onChoose={(id) => filters.set({ objectId: id })} />
        </>
      ),
      deskOnly: true,
    },
    { key: "states", header: words.states, cell: (step) => <States step={step} /> },
    {
      key: "request",
      header: words.request,
      cell: ({ requestId }) => <IdFilter id={requestId} onChoose={(id) => filters.set({ requestId: id })} />,
      deskOnly: true,
    },
    { key: "outcome", header: words.outcome, cell: ({ outcome }) => <Badge kind={outcomeKind(outcome)}>{outcomeText(outcome)}</Badge> },
  ];
}

function States({ step: { from, to } }: { step: WorkflowLogJson }) {
  return <span class="mono">{from === null || from === to ? to : `${from} → ${to}`}</span>;
}
