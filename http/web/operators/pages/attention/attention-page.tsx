import { useState } from "preact/hooks";
import type { AttentionItemJson } from "../../../../surfaces/admin/attention.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { Clip } from "../../../portal/components/clip.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { SelectField } from "../../../portal/components/field.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { type Column, Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatDateTime } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { AttentionDrawer } from "./attention-drawer.tsx";
import { type Attention, countsOf, loadAttention, sorted } from "./items.ts";

const EVERY_MS = 30_000;

/** So many are shown at first, and with each click more. */
const SHOWN = 50;

/** What a person has to look at, what it means, and what to do about it. */
export function AttentionPage() {
  const { attention: own } = words();
  const found = useResource("attention", loadAttention, { everyMs: EVERY_MS });
  return (
    <Page
      title={own.title}
      lead={own.lead}
      actions={
        <Button icon="refresh" busy={found.loading && found.data !== null} onClick={found.reload}>
          {own.refresh}
        </Button>
      }
    >
      <Loaded of={found}>{(attention) => <AttentionLists attention={attention} onChanged={found.reload} />}</Loaded>
    </Page>
  );
}

function AttentionLists({ attention: { items, isCut }, onChanged }: { attention: Attention; onChanged: () => void }) {
  const { attention: own } = words();
  const { app } = text();
  const { values, set } = useFilters(["kind", "order"]);
  const [shown, setShown] = useState(SHOWN);
  const [opened, setOpened] = useState<AttentionItemJson | null>(null);
  const counts = countsOf(items);
  if (items.length === 0) {
    return (
      <Panel>
        <EmptyState icon="check" title={own.emptyTitle}>
          {own.emptyText}
        </EmptyState>
      </Panel>
    );
  }
  // A kind of which nothing is left is as good as none chosen.
  const kind = counts.find((one) => one.kind === values["kind"])?.kind ?? "";
  const order = values["order"] === "oldest" ? "oldest" : "newest";
  const rows = sorted(items, kind, order);
  return (
    <>
      {isCut && <Banner kind="warning">{own.cut(items.length)}</Banner>}
      <ul class="kinds" aria-label={own.byKind}>
        {counts.map((one) => {
          const { title, means } = own.kinds[one.kind];
          return (
            <li key={one.kind}>
              <button
                type="button"
                class="kind"
                aria-pressed={one.kind === kind}
                onClick={() => set({ kind: one.kind === kind ? null : one.kind })}
              >
                <span class="kind-head">
                  <span class="kind-title">{title}</span>
                  <Badge kind="warn" dot={false}>
                    {one.count}
                  </Badge>
                </span>
                <span class="kind-text">{means}</span>
                <span class="kind-foot">{own.since(formatDateTime(one.since))}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {kind !== "" && (
        <Panel title={own.kinds[kind].title} hint={own.kinds[kind].means}>
          <h3>{own.whatToDo}</h3>
          <p>{own.kinds[kind].todo}</p>
        </Panel>
      )}
      <Panel
        flush
        title={own.count(rows.length)}
        actions={
          <SelectField
            label={own.order}
            value={order}
            options={[
              { value: "newest", label: own.newest },
              { value: "oldest", label: own.oldest },
            ]}
            onChange={(chosen) => set({ order: chosen === "newest" ? null : chosen })}
          />
        }
      >
        <Table caption={own.title} columns={columnsOf()} rows={rows.slice(0, shown)} keyOf={({ id }) => id} onOpen={setOpened} />
        {rows.length > shown && (
          <div class="table-more">
            <Button onClick={() => setShown(shown + SHOWN)}>{app.loadMore}</Button>
          </div>
        )}
      </Panel>
      {opened !== null && (
        <AttentionDrawer
          item={opened}
          onClose={() => setOpened(null)}
          onDone={() => {
            setOpened(null);
            onChanged();
          }}
        />
      )}
    </>
  );
}

function columnsOf(): Column<AttentionItemJson>[] {
  const { attention: own } = words();
  return [
    { key: "at", header: own.time, cell: ({ at }) => <Time at={at} /> },
    { key: "kind", header: own.kind, cell: ({ kind }) => <span class="whole-words">{own.kinds[kind].title}</span> },
    { key: "terminal", header: own.terminal, cell: ({ terminalId }) => <span class="nowrap">{terminalId || "–"}</span> },
    { key: "uuid", header: own.uuid, cell: ({ uuid }) => <Clip look="mono">{uuid ?? "–"}</Clip>, priority: 3 },
    { key: "detail", header: own.detail, cell: ({ detail }) => <Clip look="clip-rest">{detail}</Clip>, priority: 3 },
  ];
}
