import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import type { PlanJson, PlansJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import type { Resource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { subscriptionsHref } from "./words.ts";

/** Lists the merchant's plans, active ones first. */
export function PlanList({ plans, create }: { plans: Resource<PlansJson>; create: ComponentChildren }) {
  const { plans: words, subscriptions } = text();
  const { route } = useLocation();
  return (
    <Panel flush>
      <Loaded of={plans} skeleton={<Skeleton lines={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="subscriptions" title={words.emptyTitle} action={create}>
              {may("operate") ? words.emptyText : words.emptyLookText}
            </EmptyState>
          ) : (
            <>
              <Table
                caption={subscriptions.tabs.plans}
                columns={columnsOf()}
                rows={[...items].sort((one, other) => Number(other.active) - Number(one.active))}
                keyOf={({ id }) => id}
                onOpen={({ id }) => route(subscriptionsHref("plans", { id }))}
                phone="lines"
              />
              <p class="table-end">{words.end(items.length)}</p>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

export function PlanState({ active }: { active: boolean }) {
  const { states } = text().plans;
  return <Badge kind={active ? "good" : "neutral"}>{active ? states.active : states.inactive}</Badge>;
}

function columnsOf(): Column<PlanJson>[] {
  const { plans: words, subscriptions } = text();
  return [
    c.clip("name", words.name),
    c.amount(words.amount),
    { key: "interval", header: words.interval, cell: ({ interval, count }) => subscriptions.perInterval(interval, count) },
    { key: "state", header: words.state, cell: ({ active }) => <PlanState active={active} /> },
    desk({
      key: "trial",
      header: words.trial,
      cell: ({ trialDays }) => (trialDays === 0 ? words.noTrial : subscriptions.days(trialDays)),
    }),
    desk(c.time("createdAt", words.created, "date")),
  ];
}
