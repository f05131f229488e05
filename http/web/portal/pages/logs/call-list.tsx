import { useState } from "preact/hooks";
import type { CallLogJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { Clip } from "../../components/clip.tsx";
import type { Column } from "../../components/table.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { c } from "../../list/columns.tsx";
import { FilteredList, useList } from "../../list/list-page.tsx";
import type { Filters } from "../../state/filters.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { IdFilter, logFields, TwoLines } from "./log-parts.tsx";
import { CALL_LIST, callHref, outcomeKind, outcomeText, targetText } from "./words.ts";

/** Lists calls to other systems, newest first. */
export function CallList() {
  const { logs: words } = text();
  const list = useList(CALL_LIST);
  const [opened, setOpened] = useState<CallLogJson | null>(null);
  return (
    <div class="tab-page">
      <FilteredList<CallLogJson, typeof CALL_LIST>
        list={CALL_LIST}
        state={list}
        texts={{ ...words, title: words.calls }}
        icon="logs"
        fields={logFields()}
        columns={columnsOf(list.filters)}
        keyOf={({ id }) => id}
        onOpen={setOpened}
        phone="cards"
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
          filters={list.filters}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

function columnsOf(filters: Filters): Column<CallLogJson>[] {
  const { logs: words } = text();
  return [
    c.time("at", words.time),
    {
      key: "call",
      header: words.call,
      cell: ({ target, operation, host }) => (
        <TwoLines>
          <span>
            {targetText(target)} <span class="mono">{operation}</span>
          </span>
          <Clip look="muted">{host}</Clip>
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
