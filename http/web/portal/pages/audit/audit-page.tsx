import { useState } from "preact/hooks";
import type { AuditItemJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { get } from "../../api/client.ts";
import type { ListJson } from "../../api/types.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatExactTime } from "../../i18n/format.ts";
import { isDay } from "../../i18n/is-day.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFilters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";

type List = ListJson<AuditItemJson>;

const PAGE = 50;
const FILTERS = ["from", "to", "outcome"] as const;

/** Who changed what, newest first. */
export function AuditPage() {
  const { audit: words, app, transactions } = text();
  const { values, set } = useFilters(FILTERS);
  const query = Object.fromEntries(Object.entries(values).filter(([name, value]) => name === "outcome" || isDay(value)));
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel>
        <div class="filters filters-few">
          <TextField label={transactions.from} type="date" value={values["from"] ?? ""} onInput={(from) => set({ from })} />
          <TextField label={transactions.to} type="date" value={values["to"] ?? ""} onInput={(to) => set({ to })} />
          <SelectField
            label={words.outcome}
            value={values["outcome"] ?? ""}
            options={[
              { value: "", label: app.all },
              { value: "done", label: words.outcomes.done },
              { value: "refused", label: words.outcomes.refused },
              { value: "begun", label: words.outcomes.begun },
            ]}
            onChange={(outcome) => set({ outcome })}
          />
        </div>
      </Panel>
      <AuditList key={JSON.stringify(query)} query={query} />
    </Page>
  );
}

function AuditList({ query }: { query: Readonly<Record<string, string>> }) {
  const { audit: words, app } = text();
  const [older, setOlder] = useState<List | null>(null);
  const [opened, setOpened] = useState<AuditItemJson | null>(null);
  const first = useResource(`audit ${JSON.stringify(query)}`, (signal) =>
    get<List>("/audit", { signal, query: { ...query, limit: PAGE } }),
  );
  const more = useAction(async (cursor: string) => {
    const page = await get<List>("/audit", { query: { ...query, limit: PAGE, cursor } });
    setOlder((before) => ({ items: [...(before?.items ?? []), ...page.items], next: page.next }));
  });
  return (
    <Panel flush>
      <Loaded of={first} skeleton={<Skeleton lines={6} />}>
        {(page) => {
          const items = [...page.items, ...(older?.items ?? [])];
          const next = older === null ? page.next : older.next;
          if (items.length === 0) {
            return (
              <EmptyState icon="audit" title={words.emptyTitle}>
                {words.emptyText}
              </EmptyState>
            );
          }
          return (
            <>
              <Table caption={words.title} columns={columnsOf()} rows={items} keyOf={({ id }) => id} onOpen={setOpened} />
              {more.error !== null && (
                <div class="panel-note">
                  <Banner kind="danger" alert>
                    {errorText(more.error)}
                  </Banner>
                </div>
              )}
              {next !== null && (
                <div class="table-more">
                  <Button busy={more.busy} onClick={() => void more.run(next)}>
                    {app.loadMore}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
      {opened !== null && <AuditDrawer item={opened} onClose={() => setOpened(null)} />}
    </Panel>
  );
}

function columnsOf(): Column<AuditItemJson>[] {
  const { audit: words } = text();
  return [
    { key: "at", header: words.time, cell: ({ at }) => <Time at={at} /> },
    { key: "actor", header: words.actor, cell: ({ actor }) => actorText(actor) },
    { key: "action", header: words.action, cell: ({ action }) => actionText(action) },
    {
      key: "subject",
      header: words.subject,
      cell: ({ subject }) => <span class="clip">{subject === "" ? "–" : subject}</span>,
      deskOnly: true,
    },
    { key: "outcome", header: words.outcome, cell: (item) => <Outcome item={item} /> },
  ];
}

/** The action in words, where there are some; else as the log names it. */
function actionText(action: string): string {
  const actions: Readonly<Record<string, string>> = text().audit.actions;
  return actions[action] ?? action;
}

/** A person by the address; others are told by what they are, which the log says in English. */
function actorText(actor: string): string {
  const actors: Readonly<Record<string, string>> = text().audit.actors;
  return actors[actor] ?? actor;
}

function Outcome({ item: { outcome } }: { item: AuditItemJson }) {
  const kinds: Readonly<Record<AuditItemJson["outcome"], BadgeKind>> = { done: "good", refused: "bad", begun: "warn" };
  return <Badge kind={kinds[outcome]}>{text().audit.outcomes[outcome]}</Badge>;
}

function AuditDrawer({ item, onClose }: { item: AuditItemJson; onClose: () => void }) {
  const { audit: words } = text();
  return (
    <Drawer title={actionText(item.action)} onClose={onClose}>
      <dl class="facts">
        <dt>{words.time}</dt>
        <dd>{formatExactTime(item.at)}</dd>
        <dt>{words.actor}</dt>
        <dd>{actorText(item.actor)}</dd>
        <dt>{words.outcome}</dt>
        <dd>
          <Outcome item={item} />
        </dd>
        {item.code !== null && (
          <>
            <dt>{words.code}</dt>
            <dd class="mono">{item.code}</dd>
          </>
        )}
        <dt>{words.subject}</dt>
        <dd class="break">{item.subject === "" ? "–" : item.subject}</dd>
        {item.note !== null && (
          <>
            <dt>{words.note}</dt>
            <dd class="break">{item.note}</dd>
          </>
        )}
        <dt>{words.members}</dt>
        <dd>{item.members.length === 0 ? "–" : item.members.join(", ")}</dd>
        <dt>{words.address}</dt>
        <dd>{item.ipAddress ?? words.notShown}</dd>
        <dt>{words.request}</dt>
        <dd class="mono break">{item.requestId}</dd>
      </dl>
      {item.outcome === "begun" && <Banner kind="warning">{words.begunHelp}</Banner>}
    </Drawer>
  );
}
