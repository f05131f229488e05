import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { PlansJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { get } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useList } from "../../list/list-page.tsx";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { ExportButton } from "../exports/export-button.tsx";
import type { PageProps } from "../page-props.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { DunningPolicy } from "./dunning-policy.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { PlanDrawer } from "./plan-drawer.tsx";
import { PlanList } from "./plan-list.tsx";
import { SubscriptionDrawer } from "./subscription-drawer.tsx";
import { SUBSCRIPTION_LIST, SubscriptionList } from "./subscription-list.tsx";
import { subscriptionsHref, type TabName } from "./words.ts";

const TABS = ["subscriptions", "plans", "dunning"] as const;

/**
 * Shows subscriptions, plans and the retry policy. The address holds the tab, the filters and the
 * opened object.
 */
export function SubscriptionsPage({ id }: PageProps) {
  const { subscriptions: words, plans: planWords } = text();
  const { query, route } = useLocation();
  const list = useList(SUBSCRIPTION_LIST);
  const plans = useResource("plans", (signal) => get<PlansJson>("/plans", { signal }));
  /** The open dialog: a new plan, or a new subscription with or without a chosen plan. */
  const [making, setMaking] = useState<{ planId: string | null } | "plan" | null>(null);
  const tab: TabName = TABS.find((name) => name === query["tab"]) ?? "subscriptions";
  const create = may("operate") ? (
    <Button kind="primary" icon="plus" onClick={() => setMaking(tab === "plans" ? "plan" : { planId: null })}>
      {tab === "plans" ? planWords.create : words.create}
    </Button>
  ) : undefined;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {tab === "subscriptions" && (
            <>
              <SavedViews list="subscriptions" query={list.filters.query} />
              <ExportButton list="subscriptions" query={list.query} />
            </>
          )}
          {tab !== "dunning" && create}
        </>
      }
    >
      <Tabs
        label={words.title}
        tabs={TABS.map((key) => ({ key, label: words.tabs[key] }))}
        selected={tab}
        onSelect={(chosen) => route(subscriptionsHref(chosen))}
      >
        <div class="tab-page">
          {tab === "subscriptions" && <SubscriptionList state={list} plans={plans.data?.items ?? []} create={create} />}
          {tab === "plans" && <PlanList plans={plans} create={create} />}
          {tab === "dunning" && <DunningPolicy collections={plans.data?.collections ?? ["LINK"]} />}
        </div>
      </Tabs>
      {tab === "subscriptions" && id !== null && (
        <SubscriptionDrawer
          key={id}
          id={id}
          onClose={() => route(subscriptionsHref("subscriptions", { query: list.filters.query }))}
          onChanged={list.changed}
        />
      )}
      {tab === "plans" && id !== null && (
        <PlanDrawer
          key={id}
          id={id}
          plans={plans}
          onClose={() => route(subscriptionsHref("plans"))}
          onSubscribe={() => setMaking({ planId: id })}
        />
      )}
      {making === "plan" && (
        <PlanDialog
          onClose={() => setMaking(null)}
          onCreated={(plan) => {
            setMaking(null);
            plans.reload();
            toast(planWords.createdDone(plan.name));
          }}
        />
      )}
      {making !== null && making !== "plan" && (
        <CreateDialog
          planId={making.planId}
          plans={plans}
          onClose={() => setMaking(null)}
          onPlans={() => {
            setMaking(null);
            route(subscriptionsHref("plans"));
          }}
          onCreated={(created) => {
            setMaking(null);
            list.changed();
            toast(words.created);
            route(subscriptionsHref("subscriptions", { id: created.id }));
          }}
        />
      )}
    </Page>
  );
}
