import type { TerminalRecordJson } from "../../../../surfaces/admin/terminal-record.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { SelectField, TextField } from "../../../portal/components/field.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import type { Column } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { usePages } from "../../state/pages.ts";
import { Connection } from "./connection.tsx";
import { loadTerminals, PAGE } from "./list.ts";
import { TerminalDrawer } from "./terminal-drawer.tsx";

const EVERY_MS = 10_000;

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Every terminal that was ever seen, and whether it can be reached now. */
export function TerminalsPage({ id }: PageProps) {
  const { terminals: own } = words();
  const { app, terminals: common } = text();
  const { values, set, query } = useFilters(["q", "status"]);
  const written = values["q"] ?? "";
  const prefix = ID.test(written) ? written : "";
  const status = values["status"] ?? "";
  const pages = usePages<TerminalRecordJson>(`terminals ${prefix}`, PAGE, (last, signal) => loadTerminals(prefix, last, signal), {
    everyMs: EVERY_MS,
  });
  const rows = pages.items.filter((terminal) => matches(terminal, status));
  const go = (terminalId?: string) => navigate(`${pageHref("terminals", terminalId)}${query === "" ? "" : `?${query}`}`);
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel>
        <div class="filters filters-few">
          <TextField
            label={own.find}
            type="search"
            autoComplete="off"
            maxLength={64}
            value={written}
            onInput={(q) => set({ q: q.trim() })}
            error={written === "" || ID.test(written) ? null : own.idForm}
          />
          <SelectField
            label={common.status}
            value={status}
            options={[
              { value: "", label: app.all },
              { value: "ONLINE", label: common.statuses.ONLINE },
              { value: "OFFLINE", label: common.statuses.OFFLINE },
              { value: "NEVER_CONNECTED", label: common.statuses.NEVER_CONNECTED },
              { value: "denied", label: own.denied },
              { value: "waiting", label: own.withWaiting },
            ]}
            onChange={(chosen) => set({ status: chosen })}
          />
        </div>
      </Panel>
      <Panel flush {...(pages.first.data === null ? {} : { title: own.count(rows.length, pages.items.length, pages.hasMore) })}>
        <PagedTable
          pages={pages}
          rows={rows}
          caption={own.title}
          columns={columnsOf()}
          keyOf={({ terminalId }) => terminalId}
          onOpen={({ terminalId }) => go(terminalId)}
          empty={
            <EmptyState icon="terminals" title={own.emptyTitle}>
              {prefix === "" ? own.emptyText : own.noPrefix}
            </EmptyState>
          }
        />
      </Panel>
      {id !== null && <TerminalDrawer key={id} terminalId={id} onClose={() => go()} onChanged={pages.first.reload} />}
    </Page>
  );
}

function matches({ connectionStatus, denied, queued, awaitingResult }: TerminalRecordJson, status: string): boolean {
  if (status === "denied") return denied;
  if (status === "waiting") return queued + awaitingResult > 0;
  return status === "" || connectionStatus === status;
}

function columnsOf(): Column<TerminalRecordJson>[] {
  const { terminals: own } = words();
  const { terminals: common } = text();
  return [
    { key: "id", header: common.terminal, cell: ({ terminalId }) => <span class="mono">{terminalId}</span> },
    {
      key: "status",
      header: common.status,
      cell: (terminal) => (
        <span class="badges">
          <Connection terminal={terminal} />
          {terminal.denied && <Badge kind="bad">{own.denied}</Badge>}
        </span>
      ),
    },
    { key: "seen", header: common.lastSeen, cell: (terminal) => <LastSeen terminal={terminal} /> },
    { key: "version", header: common.version, cell: ({ device }) => device.appVersion ?? "–", priority: 3 },
    { key: "model", header: common.model, cell: ({ device }) => device.deviceModel ?? "–", priority: 3 },
    { key: "waiting", header: own.waiting, align: "right", cell: ({ queued, awaitingResult }) => queued + awaitingResult },
  ];
}

function LastSeen({ terminal: { connectionStatus, lastActivity, lastSeen } }: { terminal: TerminalRecordJson }) {
  const { terminals: common, app } = text();
  const [at, otherwise] = connectionStatus === "ONLINE" ? [lastActivity, common.now] : [lastSeen, app.never];
  return at === undefined ? <span>{otherwise}</span> : <Time at={at} />;
}
