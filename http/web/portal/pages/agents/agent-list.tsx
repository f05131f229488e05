import { useLocation } from "preact-iso/router";
import type { AgentCredentialJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField } from "../../components/field.tsx";
import { FilterBar, FilterFoot } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { UsageMeter } from "../../components/usage-bar.tsx";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { AgentState } from "./agent-state.tsx";
import { agentsHref, isUsable, queryOf, STATES } from "./words.ts";

/** Credentials of agents, newest first, those that have ended too. */
export function AgentList({ filters, round, onCreate }: { filters: Filters; round: number; onCreate: () => void }) {
  const { agents: words } = text();
  const { route } = useLocation();
  const mayCreate = may("administer agents");
  return (
    <>
      <FilterBar count={filters.count}>
        <FilterFields filters={filters} />
      </FilterBar>
      <ObjectList<AgentCredentialJson>
        path="/agent-credentials"
        query={queryOf(filters.values)}
        filters={filters}
        round={round}
        end={words.end}
        empty={
          <EmptyState
            icon="agent"
            title={words.emptyTitle}
            action={
              mayCreate ? (
                <Button kind="primary" icon="plus" onClick={onCreate}>
                  {words.create}
                </Button>
              ) : undefined
            }
          >
            {mayCreate ? words.emptyText : words.emptyLookText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => route(agentsHref(id, filters.query))}
        phone="lines"
      />
    </>
  );
}

function FilterFields({ filters }: { filters: Filters }) {
  const { agents: words, app } = text();
  return (
    <>
      <div class="filters">
        <SelectField
          label={words.state}
          value={filters.values["state"] ?? ""}
          options={[{ value: "", label: app.all }, ...STATES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(state) => filters.set({ state })}
        />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}

function columnsOf(): Column<AgentCredentialJson>[] {
  const { agents: words, app } = text();
  return [
    {
      key: "name",
      header: words.name,
      cell: ({ name, last4 }) => (
        <span class="two-lines">
          <span class="clip">{name}</span>
          <span class="second-line mono">···· {last4}</span>
        </span>
      ),
    },
    { key: "state", header: words.state, cell: ({ state }) => <AgentState state={state} /> },
    { key: "total", header: words.totalUse, cell: (credential) => <TotalUse credential={credential} /> },
    {
      key: "expires",
      header: words.expires,
      // When it would have is of no interest any more.
      cell: ({ expiresAt, state }) => (state === "REVOKED" ? "–" : <Time at={expiresAt} as="date" />),
    },
    { key: "today", header: words.todayUse, cell: (credential) => <TodayUse credential={credential} />, deskOnly: true },
    {
      key: "used",
      header: words.lastUsed,
      cell: ({ details }) => (details?.lastUsedAt == null ? app.never : <Time at={details.lastUsedAt} />),
      deskOnly: true,
    },
  ];
}

function TotalUse({ credential: { limits, details } }: { credential: AgentCredentialJson }) {
  const { agents: words } = text();
  if (limits === null || details === undefined) return <span class="muted">{words.noLinks}</span>;
  return <Used label={words.totalUse} used={details.usage.totalMinor} max={limits.totalMinor} currency={limits.currency} />;
}

function TodayUse({ credential }: { credential: AgentCredentialJson }) {
  const { limits, details } = credential;
  if (limits === null || details === undefined || !isUsable(credential)) return <>–</>;
  return <Used label={text().agents.todayUse} used={details.usage.todayMinor} max={limits.perDayMinor} currency={limits.currency} />;
}

function Used({ label, used, max, currency }: { label: string; used: number; max: number; currency: string }) {
  return (
    <span class="usage-cell">
      <span class="nowrap">{text().agents.of(formatMoney(used, currency), formatMoney(max, currency))}</span>
      <UsageMeter label={label} used={used} max={max} />
    </span>
  );
}
