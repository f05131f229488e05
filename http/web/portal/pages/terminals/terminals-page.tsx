import { useLocation } from "preact-iso/router";
import type { TerminalItemJson, TerminalsJson } from "../../../../surfaces/merchant/terminal-schemas.ts";
import { get } from "../../api/client.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { listHref, objectHref } from "../../list/declaration.ts";
import { useResource } from "../../state/resource.ts";
import type { PageProps } from "../page-props.ts";
import { TransactionStatus } from "../transactions/transaction-status.tsx";

const LIVE_MS = 5_000;

/** Lists the merchant's terminals and whether each can be reached now. */
export function TerminalsPage({ id }: PageProps) {
  const { terminals: words, app } = text();
  const { route } = useLocation();
  const terminals = useResource("terminals", (signal) => get<TerminalsJson>("/terminals", { signal }), { everyMs: LIVE_MS });
  const { data } = terminals;
  const online = data?.items.filter(({ connectionStatus }) => connectionStatus === "ONLINE").length ?? 0;
  const opened = data?.items.find(({ terminalId }) => terminalId === id) ?? null;
  return (
    <Page title={words.title} lead={words.lead}>
      {data?.resultsAway === true && <Banner kind="warning">{words.resultsAway}</Banner>}
      <Panel
        flush
        {...(data === null || data.items.length === 0
          ? {}
          : { title: words.count(online, data.items.length), hint: app.updated(formatTime(data.asOf)) })}
      >
        <Loaded of={terminals}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="terminals" title={words.emptyTitle}>
                {words.emptyText}
              </EmptyState>
            ) : (
              <TerminalTable items={items} onOpen={({ terminalId }) => route(`/portal/terminals/${encodeURIComponent(terminalId)}`)} />
            )
          }
        </Loaded>
      </Panel>
      {opened !== null && <TerminalDrawer terminal={opened} onClose={() => route("/portal/terminals")} />}
      {opened === null && id !== null && data !== null && (
        <Drawer title={id} onClose={() => route("/portal/terminals")}>
          <EmptyState icon="search" title={words.unknownTitle}>
            {words.unknownText}
          </EmptyState>
        </Drawer>
      )}
    </Page>
  );
}

function TerminalTable({ items, onOpen }: { items: readonly TerminalItemJson[]; onOpen: (terminal: TerminalItemJson) => void }) {
  const { terminals: words } = text();
  const columns: Column<TerminalItemJson>[] = [
    { key: "id", header: words.terminal, cell: ({ terminalId }) => terminalId },
    { key: "status", header: words.status, cell: (terminal) => <Connection terminal={terminal} /> },
    { key: "seen", header: words.lastSeen, cell: (terminal) => <LastSeen terminal={terminal} /> },
    { key: "model", header: words.model, cell: ({ model }) => model ?? "–", priority: 3 },
    { key: "version", header: words.version, cell: ({ appVersion }) => appVersion ?? "–" },
    {
      key: "result",
      header: words.lastResult,
      align: "right",
      cell: ({ lastResult }) =>
        lastResult === null ? "–" : <Amount minor={lastResult.amountMinor} currency={lastResult.currency} strong />,
    },
  ];
  return <Table caption={words.title} columns={columns} rows={items} keyOf={({ terminalId }) => terminalId} onOpen={onOpen} />;
}

function Connection({ terminal: { connectionStatus } }: { terminal: TerminalItemJson }) {
  const kinds = { ONLINE: "good", OFFLINE: "bad", NEVER_CONNECTED: "neutral" } as const;
  return <Badge kind={kinds[connectionStatus]}>{text().terminals.statuses[connectionStatus]}</Badge>;
}

function LastSeen({ terminal: { connectionStatus, lastSeen } }: { terminal: TerminalItemJson }) {
  const { terminals: words } = text();
  if (connectionStatus === "ONLINE") return <span>{words.now}</span>;
  return lastSeen === null ? <span>{text().app.never}</span> : <Time at={lastSeen} />;
}

function TerminalDrawer({ terminal, onClose }: { terminal: TerminalItemJson; onClose: () => void }) {
  const { terminals: words } = text();
  const { terminalId, connectionType, connectedSince, model, appVersion, group, lastResult } = terminal;
  return (
    <Drawer title={terminalId} onClose={onClose}>
      <dl class="facts">
        <dt>{words.status}</dt>
        <dd>
          <Connection terminal={terminal} />
        </dd>
        <dt>{words.lastSeen}</dt>
        <dd>
          <LastSeen terminal={terminal} />
        </dd>
        {connectionType !== null && (
          <>
            <dt>{words.connection}</dt>
            <dd>{words.connections[connectionType]}</dd>
          </>
        )}
        {connectedSince !== null && (
          <>
            <dt>{words.connectedSince}</dt>
            <dd>
              <Time at={connectedSince} />
            </dd>
          </>
        )}
        <dt>{words.model}</dt>
        <dd>{model ?? "–"}</dd>
        <dt>{words.version}</dt>
        <dd>{appVersion ?? "–"}</dd>
        {group !== null && (
          <>
            <dt>{words.group}</dt>
            <dd>{group}</dd>
          </>
        )}
      </dl>
      {terminal.connectionStatus !== "ONLINE" && <Banner>{words.offlineHelp}</Banner>}
      <section>
        <h3>{words.lastResult}</h3>
        {lastResult === null ? (
          <p class="muted">{words.noResult}</p>
        ) : (
          <a class="result-link" href={objectHref("transactions", lastResult.uuid)}>
            <Amount minor={lastResult.amountMinor} currency={lastResult.currency} strong />
            <TransactionStatus item={lastResult} />
            <Time at={lastResult.createdAt} />
          </a>
        )}
      </section>
      <div class="button-row">
        <ButtonLink icon="transactions" href={listHref("transactions", { terminalId })}>
          {words.itsTransactions}
        </ButtonLink>
      </div>
    </Drawer>
  );
}
