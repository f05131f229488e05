import type { ComponentChildren } from "preact";
import { text } from "../../i18n/texts.ts";
import type { FieldsOf } from "../../list/filter-fields.tsx";
import type { CALL_LIST, WORKFLOW_LIST } from "./words.ts";

/** The fields that both lists share. */
export function logFields(): FieldsOf<typeof CALL_LIST> & FieldsOf<typeof WORKFLOW_LIST> {
  const { logs: words } = text();
  return {
    objectId: { label: words.object, type: "search" },
    requestId: { label: words.request },
    outcome: { label: words.outcome, words: words.outcomes },
    from: "days",
  };
}

/** Shows an id that filters the list when it is pressed. */
export function IdFilter({ id, onChoose }: { id: string | null; onChoose: (id: string) => void }) {
  if (id === null) return <>–</>;
  return (
    <button type="button" class="text-button mono clip" title={text().logs.only(id)} onClick={() => onChoose(id)}>
      {id}
    </button>
  );
}

/** Shows two facts in one cell, one below the other. */
export function TwoLines({ children }: { children: ComponentChildren }) {
  return <div class="two-lines">{children}</div>;
}
