import { useEffect, useState } from "preact/hooks";
import { FLEET_ACTIONS } from "../../../../../engine/fleet/words.ts";
import type { FleetSummaryJson, FleetTerminalJson } from "../../../../surfaces/admin/fleet/fleet-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { CheckField } from "../../../portal/components/field.tsx";
import { FilterBar } from "../../../portal/components/filter-bar.tsx";
import { LiveList } from "../../../portal/components/live-list.tsx";
import { type Column, Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { queryOf } from "../../../portal/list/declaration.ts";
import { FilterFields } from "../../../portal/list/filter-fields.tsx";
import { useFilters } from "../../../portal/state/filters.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { may } from "../../state/session.ts";
import { Connection } from "../terminals/connection.tsx";
import { ActDialog } from "./act-dialog.tsx";
import { countOf, FLEET_LIST, type Selection } from "./list.ts";

const EVERY_MS = 15_000;

const NONE: Selection = { type: "some", ids: [] };

type Action = (typeof FLEET_ACTIONS)[number];

/** The terminals that match, those that are selected, and what can be done with them. */
export function FleetTerminals({ onStarted }: { onStarted: (actionId: string) => void }) {
  const { fleet: own } = words();
  const { transactions: common } = text();
  const filters = useFilters(Object.keys(FLEET_LIST.filters));
  const query = queryOf(FLEET_LIST, filters.values, () => false);
  const key = JSON.stringify(query);
  const summary = useResource(`fleet ${key}`, (signal) => get<FleetSummaryJson>("/fleet", { signal, query }), { everyMs: EVERY_MS });
  const [selection, setSelection] = useState<Selection>(NONE);
  const [acting, setActing] = useState<Action | null>(null);
  // Another filter is another list, of which nothing is selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the filter.
  useEffect(() => setSelection(NONE), [key]);
  const { data } = summary;
  const choices = (found: FleetSummaryJson["versions"] | undefined) =>
    (found ?? []).map(({ value, terminals }) => ({ value, label: own.choice(value, formatNumber(terminals)) }));
  return (
    <>
      <FilterBar count={filters.count}>
        <FilterFields
          list={FLEET_LIST}
          filters={filters}
          seesPersonalData={false}
          fields={{
            q: { label: own.find, type: "search" },
            connection: { label: own.connection, words: own.connections },
            seen: { label: own.seen, words: own.seens },
            version: { label: own.version, choices: choices(data?.versions) },
            model: { label: own.model, choices: choices(data?.models) },
            group: { label: own.group, choices: choices(data?.groups) },
            merchantId: { label: own.merchant },
          }}
        />
      </FilterBar>
      {data?.complete === false && <Banner kind="warning">{own.incomplete}</Banner>}
      <LiveList<FleetTerminalJson>
        key={key}
        path={FLEET_LIST.path}
        query={query}
        end={own.end}
        empty={
          filters.count === 0 ? (
            <EmptyState icon="terminals" title={own.emptyTitle}>
              {own.emptyText}
            </EmptyState>
          ) : (
            <EmptyState icon="search" title={common.noMatchTitle} action={<Button onClick={filters.clear}>{common.clear}</Button>}>
              {common.noMatchText}
            </EmptyState>
          )
        }
      >
        {(items) => (
          <>
            {may("operator") && (
              <SelectionBar
                {...{ selection, setSelection, items }}
                onAct={setActing}
                matching={data?.matching ?? null}
                max={data?.actionTerminalsMax ?? 0}
                query={query}
              />
            )}
            <Table
              caption={own.terminals}
              rows={items}
              keyOf={({ terminalId }) => terminalId}
              columns={columnsOf(may("operator") ? { selection, setSelection } : null)}
            />
          </>
        )}
      </LiveList>
      {acting !== null && (
        <ActDialog type={acting} selection={selection} onClose={() => setActing(null)} onStarted={({ id }) => onStarted(id)} />
      )}
    </>
  );
}

interface Selected {
  selection: Selection;
  setSelection: (selection: Selection) => void;
}

function SelectionBar({
  selection,
  setSelection,
  items,
  matching,
  max,
  query,
  onAct,
}: Selected & {
  items: readonly FleetTerminalJson[];
  matching: number | null;
  max: number;
  query: Record<string, string>;
  onAct: (action: Action) => void;
}) {
  const { fleet: own } = words();
  const count = countOf(selection);
  const isTooMany = count > max;
  return (
    <div class="panel-note">
      <div class="button-row">
        <Button small onClick={() => setSelection({ type: "some", ids: items.map(({ terminalId }) => terminalId) })}>
          {own.selectShown(formatNumber(items.length))}
        </Button>
        {matching !== null && (
          <Button small onClick={() => setSelection({ type: "matching", query, count: matching })}>
            {own.selectMatching(formatNumber(matching))}
          </Button>
        )}
        {count > 0 && (
          <Button small onClick={() => setSelection(NONE)}>
            {own.selectNone}
          </Button>
        )}
      </div>
      {count > 0 && (
        <div class="selection">
          <p role="status">
            <strong>{selection.type === "some" ? own.selected(formatNumber(count)) : own.allMatching(formatNumber(count))}</strong>
          </p>
          {isTooMany && <Banner kind="warning">{own.tooMany(formatNumber(count), formatNumber(max))}</Banner>}
          <div class="button-row">
            {FLEET_ACTIONS.map((action) => (
              <Button
                key={action}
                disabled={isTooMany}
                kind={action === "RESTART" ? "danger-quiet" : "secondary"}
                onClick={() => onAct(action)}
              >
                {own.actions[action]}
              </Button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

function columnsOf(selected: Selected | null): Column<FleetTerminalJson>[] {
  const { fleet: own } = words();
  const { terminals: common, app } = text();
  return [
    ...(selected === null
      ? []
      : [
          {
            key: "select",
            header: own.select,
            cell: ({ terminalId }: FleetTerminalJson) => <SelectBox {...selected} terminalId={terminalId} />,
          },
        ]),
    {
      key: "id",
      header: common.terminal,
      cell: ({ terminalId }) => (
        <a class="mono" href={pageHref("terminals", terminalId)}>
          {terminalId}
        </a>
      ),
    },
    { key: "status", header: common.status, cell: (terminal) => <Connection terminal={terminal} /> },
    {
      key: "seen",
      header: common.lastSeen,
      cell: ({ connectionStatus, lastSeen }) =>
        connectionStatus === "ONLINE" ? common.now : lastSeen === undefined ? app.never : <Time at={lastSeen} />,
    },
    { key: "version", header: common.version, cell: ({ device }) => device.appVersion ?? "–" },
    { key: "model", header: common.model, cell: ({ device }) => device.deviceModel ?? "–", deskOnly: true },
    {
      key: "merchant",
      header: own.merchant,
      cell: ({ merchantId }) => (merchantId === null ? "–" : <a href={pageHref("merchants", merchantId)}>{merchantId}</a>),
      deskOnly: true,
    },
    { key: "group", header: own.group, cell: ({ group }) => group ?? "–", deskOnly: true },
  ];
}

/** One terminal of a selection. Where all that match are selected, a click selects this one alone. */
function SelectBox({ selection, setSelection, terminalId }: Selected & { terminalId: string }) {
  const { fleet: own } = words();
  const ids = selection.type === "some" ? selection.ids : [];
  const isSelected = selection.type === "matching" || ids.includes(terminalId);
  return (
    <CheckField
      label={<span class="visually-hidden">{own.selectOne(terminalId)}</span>}
      checked={isSelected}
      onChange={(checked) => setSelection({ type: "some", ids: checked ? [...ids, terminalId] : ids.filter((id) => id !== terminalId) })}
    />
  );
}
