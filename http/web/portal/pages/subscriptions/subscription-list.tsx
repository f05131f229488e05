import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { SUBSCRIPTION_LIST as FILTERS } from "../../../../surfaces/merchant/subscriptions/list.ts";
import type { PlanJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import type { SubscriptionJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { Clip } from "../../components/clip.tsx";
import { formatDate } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import type { ListDeclaration } from "../../list/declaration.ts";
import { FilteredList, type ListState } from "../../list/list-page.tsx";
import { may } from "../../state/session.ts";
import { SubscriptionState } from "./subscription-state.ts";
import { nextOf, planChoice, subscriptionsHref } from "./words.ts";

export const SUBSCRIPTION_LIST = {
  page: "subscriptions",
  path: "/subscriptions",
  filters: {
    ...FILTERS,
    state: {
      type: "word",
      // The states that need somebody stand first.
      words: ["PAST_DUE", "INCOMPLETE", "TRIALING", "ACTIVE", "PAUSED", "CANCELLED"] satisfies readonly SubscriptionJson["state"][],
    },
  },
} as const satisfies ListDeclaration;

export interface SubscriptionListProps {
  state: ListState;
  /** Inactive plans are among them, because their subscriptions continue. */
  plans: readonly PlanJson[];
  /** The button that creates a subscription, for people who may. */
  create: ComponentChildren;
}

/** The merchant's subscriptions, newest first. */
export function SubscriptionList({ state, plans, create }: SubscriptionListProps) {
  const { subscriptions: words } = text();
  const { route } = useLocation();
  return (
    <FilteredList<SubscriptionJson, typeof SUBSCRIPTION_LIST>
      list={SUBSCRIPTION_LIST}
      state={state}
      texts={{ ...words, emptyText: may("operate") ? words.emptyText : words.emptyLookText }}
      icon="subscriptions"
      fields={{
        state: { label: words.state, words: words.states },
        planId: { label: words.plan, choices: plans.map(planChoice) },
        from: { label: words.since },
        customerEmail: { label: words.customerEmail, hint: words.searchEmailHint },
      }}
      columns={[
        {
          key: "customer",
          header: words.customer,
          cell: ({ customer }) => (
            <span class="customer">
              <Clip>{customer.name}</Clip>
              <Clip look="customer-email">{customer.email}</Clip>
            </span>
          ),
        },
        c.amountOf(words.amount, ({ plan }) => plan),
        { key: "next", header: words.next, cell: (subscription) => <NextText subscription={subscription} /> },
        c.state("state", words.state, SubscriptionState),
        desk({ key: "plan", header: words.plan, cell: ({ plan }) => <Clip look="clip-short">{plan.name}</Clip> }),
      ]}
      keyOf={({ id }) => id}
      onOpen={({ id }) => route(subscriptionsHref("subscriptions", { id, query: state.filters.query }))}
      action={create}
    />
  );
}

function NextText({ subscription }: { subscription: SubscriptionJson }) {
  const next = nextOf(subscription);
  if (next === null) return <>–</>;
  return <time dateTime={next.at}>{text().subscriptions.nexts[next.what](formatDate(next.at))}</time>;
}
