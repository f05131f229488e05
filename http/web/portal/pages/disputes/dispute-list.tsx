import { useLocation } from "preact-iso/router";
import type { DisputeItemJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Clip } from "../../components/clip.tsx";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import { FilteredList, type ListState } from "../../list/list-page.tsx";
import { DisputeState } from "./dispute-state.ts";
import { DISPUTE_LIST, DUE_DAYS_MAX, itemHref } from "./words.ts";

const DUE_DAYS = ["1", "3", "7", "30", DUE_DAYS_MAX] as const;

/** Lists disputes and alerts, newest first, or by due time when the filter asks for it. */
export function DisputeList({ state, query }: { state: ListState; query: string }) {
  const { disputes: words, transactions } = text();
  const { route } = useLocation();
  return (
    <FilteredList<DisputeItemJson, typeof DISPUTE_LIST>
      list={DISPUTE_LIST}
      state={state}
      texts={words}
      icon="dispute"
      fields={{
        q: { label: transactions.search, hint: words.searchHint, type: "search" },
        status: { label: words.state, words: words.states },
        category: { label: words.category, words: words.categories },
        stage: { label: words.stage, words: words.stages },
        dueWithinDays: {
          label: words.dueWithin,
          choices: DUE_DAYS.map((value) => ({ value, label: words.dueChoices[value] })),
          unlisted: words.dueDays,
        },
        from: { label: words.received },
        terminalId: { label: words.terminal },
        includeAlerts: { label: words.includeAlerts },
      }}
      columns={[
        {
          key: "category",
          header: words.category,
          cell: ({ category, stage }) => (
            <span class="two-lines">
              <span>{words.categories[category]}</span>
              {stage !== null && <span class="second-line">{words.stages[stage]}</span>}
            </span>
          ),
        },
        c.amount(words.amount),
        c.state("status", words.state, DisputeState),
        c.due(words.due, isToAnswer),
        desk(c.time("createdAt", words.received, "date")),
        desk({
          key: "case",
          header: words.caseId,
          cell: ({ network, networkCaseId }) => (
            <span class="two-lines">
              <span>{network}</span>
              <Clip look="muted mono clip-narrow">{networkCaseId}</Clip>
            </span>
          ),
        }),
      ]}
      keyOf={({ id }) => id}
      onOpen={(item) => route(itemHref(item, query))}
    />
  );
}

function isToAnswer({ status }: DisputeItemJson): boolean {
  return status === "ALERT" || status === "OPEN" || status === "EVIDENCE_REQUIRED";
}
