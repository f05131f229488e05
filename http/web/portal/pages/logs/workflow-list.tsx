import { useState } from "preact/hooks";
import type { WorkflowLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/table.tsx";
import { text } from "../../i18n/texts.ts";
import { c } from "../../list/columns.tsx";
import { FilteredList, useList } from "../../list/list-page.tsx";
import type { Filters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, logFields, TwoLines } from "./log-parts.tsx";
import { objectTypeText, outcomeKind, outcomeText, stepHref, WORKFLOW_LIST } from "./words.ts";

/** Lists steps, newest first. */
export function WorkflowList() {
  const { logs: words } = text();
  const list = useList(WORKFLOW_LIST);
  const [opened, setOpened] = useState<WorkflowLogJson | null>(null);
  return (
    <div class="tab-page">
      <FilteredList<WorkflowLogJson, typeof WORKFLOW_LIST>
        list={WORKFLOW_LIST}
        state={list}
        texts={{ ...words, title: words.workflow }}
        icon="logs"
        fields={logFields()}
        columns={columnsOf(list.filters)}
        keyOf={({ id }) => id}
        onOpen={setOpened}
        phone="cards"
      />
      {opened !== null && (
        <EntryDrawer
          title={opened.event}
          entry={opened}
          object={objectTypeText(opened.objectType)}
          href={stepHref(opened)}
          facts={[[words.states, <States key="states" step={opened} />]]}
          filters={list.filters}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

function columnsOf(filters: Filters): Column<WorkflowLogJson>[] {
  const { logs: words } = text();
  return [
    c.time("at", words.time),
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
      priority: 3,
    },
    { key: "outcome", header: words.outcome, cell: ({ outcome }) => <Badge kind={outcomeKind(outcome)}>{outcomeText(outcome)}</Badge> },
  ];
}

function States({ step: { from, to } }: { step: WorkflowLogJson }) {
  return <span class="mono muted">{from === null || from === to ? to : `${from} → ${to}`}</span>;
}
