import { useState } from "preact/hooks";
import type { PlanJson, PlansJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { patch, remove } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import type { Resource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { PlanState } from "./plan-list.tsx";
import { planInWords, subscriptionsHref } from "./words.ts";

export interface PlanDrawerProps {
  id: string;
  plans: Resource<PlansJson>;
  onClose: () => void;
  onSubscribe: () => void;
}

/** Shows the terms of one plan, and whether it accepts subscriptions. */
export function PlanDrawer({ id, plans, ...props }: PlanDrawerProps) {
  const { plans: words, subscriptions } = text();
  return (
    <Drawer title={words.one} onClose={props.onClose}>
      <Loaded of={plans} skeleton={<Skeleton lines={6} />}>
        {({ items }) => {
          const plan = items.find((one) => one.id === id);
          return plan === undefined ? (
            <EmptyState icon="search" title={words.unknownTitle}>
              {subscriptions.unknownIdText}
            </EmptyState>
          ) : (
            <Detail plan={plan} {...props} onChanged={plans.reload} />
          );
        }}
      </Loaded>
    </Drawer>
  );
}

function Detail({ plan, ...actions }: { plan: PlanJson; onClose: () => void; onChanged: () => void; onSubscribe: () => void }) {
  const { plans: words, subscriptions } = text();
  const { id, name, amountMinor, currency, interval, count, trialDays, active, createdAt } = plan;
  return (
    <>
      <div class="sum">
        <p class="sum-amount">
          <Amount minor={amountMinor} currency={currency} strong />
        </p>
        <p class="muted">{subscriptions.perInterval(interval, count)}</p>
        <PlanState active={active} />
        <p class="break">{name}</p>
      </div>
      <div class="in-words">
        <p>{planInWords(plan)}</p>
        <p class="muted">{words.monthEnds}</p>
      </div>
      <dl class="facts">
        <dt>{words.trial}</dt>
        <dd>{trialDays === 0 ? words.noTrial : subscriptions.days(trialDays)}</dd>
        <dt>{words.created}</dt>
        <dd>{formatExactTime(createdAt)}</dd>
      </dl>
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{id}</span>
        <CopyButton value={id} small />
      </div>
      <Actions plan={plan} {...actions} />
    </>
  );
}

function Actions({
  plan,
  onClose,
  onChanged,
  onSubscribe,
}: {
  plan: PlanJson;
  onClose: () => void;
  onChanged: () => void;
  onSubscribe: () => void;
}) {
  const { plans: words, subscriptions } = text();
  const [asking, setAsking] = useState<"deactivate" | "remove" | null>(null);
  const { id, name, active, used } = plan;
  const path = `/plans/${encodeURIComponent(id)}`;
  const setActive = async (wanted: boolean): Promise<void> => {
    await patch<PlanJson>(path, { active: wanted });
    toast(wanted ? words.activated : words.deactivated);
    onChanged();
  };
  const activate = useAction(() => setActive(true));
  return (
    <section class="form section" aria-label={subscriptions.actions}>
      {activate.error !== null && (
        <Banner kind="danger" alert>
          {errorText(activate.error)}
        </Banner>
      )}
      <div class="button-row">
        <ButtonLink icon="subscriptions" href={subscriptionsHref("subscriptions", { query: `planId=${id}` })}>
          {words.itsSubscriptions}
        </ButtonLink>
        {may("operate") && active && (
          <>
            <Button icon="plus" onClick={onSubscribe}>
              {words.subscribe}
            </Button>
            <Button onClick={() => setAsking("deactivate")}>{words.deactivate}</Button>
          </>
        )}
        {may("operate") && !active && (
          <Button busy={activate.busy} onClick={() => void activate.run()}>
            {words.activate}
          </Button>
        )}
        {may("operate") && !used && (
          <Button kind="danger-quiet" onClick={() => setAsking("remove")}>
            {words.remove}
          </Button>
        )}
      </div>
      {asking === "deactivate" && (
        <ConfirmDialog
          title={words.deactivateTitle(name)}
          confirm={words.deactivate}
          act={() => setActive(false)}
          onClose={() => setAsking(null)}
        >
          {words.deactivateText}
        </ConfirmDialog>
      )}
      {asking === "remove" && (
        <ConfirmDialog
          title={words.removeTitle(name)}
          confirm={words.remove}
          danger
          act={async () => {
            try {
              await remove(path);
            } catch (error) {
              // The plan has a subscription now, or another person changed it first.
              if (hasCode(error, "plan_used") || hasCode(error, "not_found")) onChanged();
              throw error;
            }
            toast(words.removed);
            onClose();
            onChanged();
          }}
          onClose={() => setAsking(null)}
        >
          {words.removeText}
        </ConfirmDialog>
      )}
    </section>
  );
}
