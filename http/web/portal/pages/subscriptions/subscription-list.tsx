import { useLocation } from "preact-iso/router";
import type { PlanJson, SubscriptionJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
import { formatDate } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { FilterFields } from "./filter-fields.tsx";
import { queryOf } from "./filters.ts";
import { SubscriptionState } from "./subscription-state.tsx";
import { nextOf, subscriptionsHref } from "./words.ts";

export interface SubscriptionListProps {
  filters: Filters;
  plans: readonly PlanJson[];
  /** Counts what was changed here. */
  round: number;
  onCreate: () => void;
}

/** The merchant's subscriptions, newest first. */
export function SubscriptionList({ filters, plans, round, onCreate }: SubscriptionListProps) {
  const { subscriptions: words } = text();
  const { route } = useLocation();
  return (
    <>
      <FilterBar count={filters.count}>
        <FilterFields filters={filters} plans={plans} />
      </FilterBar>
      <ObjectList<SubscriptionJson>
        path="/subscriptions"
        query={queryOf(filters.values)}
        filters={filters}
        round={round}
        end={words.end}
        empty={
          <EmptyState
            icon="subscriptions"
            title={words.emptyTitle}
            action={
              may("operate") ? (
                <Button kind="primary" icon="plus" onClick={onCreate}>
                  {words.create}
                </Button>
              ) : undefined
            }
          >
            {may("operate") ? words.emptyText : words.emptyLookText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => route(subscriptionsHref("subscriptions", { id, query: filters.query }))}
        phone="lines"
      />
    </>
  );
}

function columnsOf(): Column<SubscriptionJson>[] {
  const { subscriptions: words } = text();
  return [
    {
      key: "customer",
      header: words.customer,
      cell: ({ customer }) => (
        <span class="customer">
          <span class="clip">{customer.name}</span>
          <span class="clip customer-email">{customer.email}</span>
        </span>
      ),
    },
    {
      key: "amount",
      header: words.amount,
      align: "right",
      cell: ({ plan }) => <Amount minor={plan.amountMinor} currency={plan.currency} strong />,
    },
    { key: "next", header: words.next, cell: (subscription) => <NextText subscription={subscription} /> },
    { key: "state", header: words.state, cell: ({ state }) => <SubscriptionState state={state} /> },
    {
      key: "plan",
      header: words.plan,
      cell: ({ plan }) => <span class="clip clip-short">{plan.name}</span>,
      deskOnly: true,
    },
  ];
}

function NextText({ subscription }: { subscription: SubscriptionJson }) {
  const next = nextOf(subscription);
  if (next === null) return <>–</>;
  return <time dateTime={next.at}>{text().subscriptions.nexts[next.what](formatDate(next.at))}</time>;
}
