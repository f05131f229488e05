import { useState } from "preact/hooks";
import type { AuditItemJson } from "../../../../surfaces/merchant/log-schemas.ts";
import { Banner } from "../../components/banner.tsx";
import { Clip } from "../../components/clip.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField } from "../../components/field.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { DayFields } from "../../components/period-field.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { c, desk, stateBadge } from "../../list/columns.tsx";
import type { ListDeclaration } from "../../list/declaration.ts";
import { useList } from "../../list/list-page.tsx";

const AUDIT_LIST = {
  page: "audit",
  path: "/audit",
  filters: {
    from: { type: "day" },
    to: { type: "day" },
    outcome: { type: "word", words: ["done", "refused", "begun"] satisfies readonly AuditItemJson["outcome"][] },
  },
} as const satisfies ListDeclaration;

/** Lists who changed what, newest first. */
export function AuditPage() {
  const { audit: words, app } = text();
  const { filters, query } = useList(AUDIT_LIST);
  const [opened, setOpened] = useState<AuditItemJson | null>(null);
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel>
        <div class="filters">
          <DayFields filters={filters} />
          <SelectField
            label={words.outcome}
            value={filters.values["outcome"] ?? ""}
            options={[
              { value: "", label: app.all },
              ...AUDIT_LIST.filters.outcome.words.map((value) => ({ value: value as string, label: words.outcomes[value] })),
            ]}
            onChange={(outcome) => filters.set({ outcome })}
          />
        </div>
      </Panel>
      <LiveList<AuditItemJson>
        key={JSON.stringify(query)}
        path="/audit"
        query={query}
        live={false}
        empty={
          <EmptyState icon="audit" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
      >
        {(items) => <Table caption={words.title} columns={columnsOf()} rows={items} keyOf={({ id }) => id} onOpen={setOpened} />}
      </LiveList>
      {opened !== null && <AuditDrawer item={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function columnsOf(): Column<AuditItemJson>[] {
  const { audit: words } = text();
  return [
    c.time("at", words.time),
    { key: "actor", header: words.actor, cell: ({ actor }) => actorText(actor) },
    { key: "action", header: words.action, cell: ({ action }) => actionText(action) },
    desk({ key: "subject", header: words.subject, cell: ({ subject }) => <Clip>{subject === "" ? "–" : subject}</Clip> }),
    c.state("outcome", words.outcome, Outcome),
  ];
}

/** Describes the action in words. An action without a text is shown unchanged. */
function actionText(action: string): string {
  const actions: Readonly<Record<string, string>> = text().audit.actions;
  return actions[action] ?? action;
}

/** Shows a person's address. The log describes other actors in English. */
function actorText(actor: string): string {
  const actors: Readonly<Record<string, string>> = text().audit.actors;
  return actors[actor] ?? actor;
}

const Outcome = stateBadge((all) => all.audit.outcomes, { done: "good", refused: "bad", begun: "warn" });

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
          <Outcome state={item.outcome} />
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
