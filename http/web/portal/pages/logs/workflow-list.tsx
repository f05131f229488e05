import { useState } from "preact/hooks";
import type { WorkflowLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { type Filters, useFilters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, LogFilters, NoEntries, TwoLines } from "./log-filters.tsx";
import { FILTERS, objectTypeText, outcomeKind, outcomeText, queryOf, stepHref } from "./words.ts";

/** Steps, newest first. */
export function WorkflowList() {
  const { logs: words } = text();
  const filters = useFilters(FILTERS);
  const [opened, setOpened] = useState<WorkflowLogJson | null>(null);
  return (
    <div class="tab-page">
      <LogFilters filters={filters} tab="workflow" />
      <ObjectList<WorkflowLogJson>
        path="/logs/workflow"
        query={queryOf(filters.values, "workflow")}
        filters={filters}
        end={words.end}
        empty={<NoEntries />}
        noMatchText={words.noMatchText}
        caption={words.workflow}
        columns={columnsOf(filters)}
        keyOf={({ id }) => id}
        onOpen={setOpened}
      />
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
    </div>
  );
}

function columnsOf(filters: Filters): Column<WorkflowLogJson>[] {
  const { logs: words } = text();
  return [
    { key: "at", header: words.time, cell: ({ at }) => <Time at={at} /> },
    {
      key: "event",
      header: words.event,
      cell: (step) => (
        <TwoLines>
          <span class="mono">{step.event}</span>
          <States step={step} />
        </TwoLines>
      ),
    },
    {
      key: "object",
      header: words.object,
      cell: ({ objectType, objectId }) => (
        <TwoLines>
          <span>{objectTypeText(objectType)}</span>
          <IdFilter id={objectId} onChoose={(id) => filters.set({ objectId: id })} />
        </TwoLines>
      ),
    },
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
  return <span class="mono muted">{from === null || from === to ? to : `${from} → ${to}`}</span>;
}
