import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { Time } from "../../components/time.tsx";
import { formatDate, formatDateTime, formatExactTime, formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { Charges } from "./charges.tsx";
import { RetryCalendar } from "./retry-calendar.tsx";
import { SubscriptionActions } from "./subscription-actions.tsx";
import { SubscriptionState } from "./subscription-state.ts";
import { firstPaymentUntil, isBlocked, pendingOf, reasonOf, subscriptionsHref } from "./words.ts";

/** Shows everything about one subscription, and what can be done with it. */
export function SubscriptionDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { subscriptions: words } = text();
  return (
    <ObjectDrawer<SubscriptionDetailJson>
      title={words.one}
      path={`/subscriptions/${encodeURIComponent(id)}`}
      unknown={{ title: words.unknownTitle, text: words.unknownIdText }}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(subscription, { reload }) => <Detail subscription={subscription} onReload={reload} />}
    </ObjectDrawer>
  );
}

function Detail({ subscription, onReload }: { subscription: SubscriptionDetailJson; onReload: () => void }) {
  const { subscriptions: words } = text();
  const { id, plan, state, customer, url } = subscription;
  return (
    <>
      <div class="sum">
        <p class="sum-amount">
          <Amount minor={plan.amountMinor} currency={plan.currency} strong />
        </p>
        <p class="muted">{words.perInterval(plan.interval, plan.count)}</p>
        <SubscriptionState state={state} />
        <p class="break">
          {customer.name} · {plan.name}
        </p>
      </div>
      <WhatHappened subscription={subscription} />
      <SubscriptionActions subscription={subscription} onChanged={onReload} />
      <RetryCalendar subscription={subscription} />
      <Facts subscription={subscription} />
      {url !== null && state !== "CANCELLED" && <CustomersPage url={url} />}
      <Charges key={id} subscription={subscription} />
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{id}</span>
        <CopyButton value={id} small />
      </div>
    </>
  );
}

/** Explains what is unusual about the subscription and what happens next. */
function WhatHappened({ subscription }: { subscription: SubscriptionDetailJson }) {
  const { subscriptions: words } = text();
  const { state, cancelsAtPeriodEnd, cancelledBy, pausedBy, periodUntil, dunning, unpaid, charges } = subscription;
  const isTwice = charges.some(({ attempts }) => attempts.filter((attempt) => attempt.state === "done").length > 1);
  const isLate = charges[0]?.late === true;
  const reason = unpaid === null ? null : reasonOf(unpaid);
  return (
    <>
      {isTwice && <Banner kind="danger">{words.twiceText}</Banner>}
      {isLate && <Banner kind="warning">{words.lateText}</Banner>}
      {isBlocked(subscription) && <Banner kind="warning">{words.unknownText}</Banner>}
      {state === "PAST_DUE" && unpaid !== null && (
        <Banner kind="danger">
          <p>{words.pastDueText(formatMoney(unpaid.amountMinor, unpaid.currency), formatDateTime(dunning?.failedAt ?? unpaid.dueAt))}</p>
          {reason !== null && <p>{words.lastFailure(reason)}</p>}
          {unpaid.hard && <p>{words.attemptStates.hard}</p>}
          {dunning?.stays === true && <p>{words.pastDueStays}</p>}
        </Banner>
      )}
      {state === "ACTIVE" && unpaid !== null && !isBlocked(subscription) && (
        <Banner>{words.dueText(formatMoney(unpaid.amountMinor, unpaid.currency), formatDate(unpaid.dueAt))}</Banner>
      )}
      {state === "INCOMPLETE" && (
        <Banner kind="warning">
          <p>{words.incompleteText(formatDateTime(firstPaymentUntil(subscription)))}</p>
          {reason !== null && <p>{words.lastFailure(reason)}</p>}
        </Banner>
      )}
      {state === "TRIALING" && !cancelsAtPeriodEnd && <Banner>{words.trialText(formatDate(periodUntil))}</Banner>}
      {state !== "CANCELLED" && cancelsAtPeriodEnd && (
        <Banner kind="warning">
          {cancelledBy === "customer" ? words.endingByCustomer(formatDate(periodUntil)) : words.endingText(formatDate(periodUntil))}
        </Banner>
      )}
      {state === "PAUSED" && (
        <Banner>
          {pausedBy !== null && <p>{words.pausedBy[pausedBy]}.</p>}
          <p>{pendingOf(subscription) === null ? words.pausedText : words.pausedUnknown}</p>
        </Banner>
      )}
      {state === "CANCELLED" && cancelledBy !== null && <Banner>{words.cancelledBy[cancelledBy]}.</Banner>}
    </>
  );
}

function Facts({ subscription }: { subscription: SubscriptionDetailJson }) {
  const { subscriptions: words, settings } = text();
  const { customer, collection, methodId, plan, planId, createdAt, createdBy, creator, cycle, periodFrom, periodUntil } = subscription;
  const { state, nextDueAt, cancelledAt, pausedAt } = subscription;
  const creators: Readonly<Record<SubscriptionDetailJson["creator"], string>> = {
    user: createdBy,
    former_user: words.formerUser,
    key: words.byKey,
    agent: createdBy,
  };
  return (
    <dl class="facts">
      {nextDueAt !== null && (
        <>
          <dt>{words.nextPayment}</dt>
          <dd>
            <Time at={nextDueAt} as="date" />
          </dd>
        </>
      )}
      {state !== "CANCELLED" && (
        <>
          <dt>{cycle === 0 ? words.trialPeriod : words.period}</dt>
          <dd>{words.fromUntil(formatDate(periodFrom), formatDate(periodUntil))}</dd>
        </>
      )}
      <dt>{words.plan}</dt>
      <dd class="break">
        <a href={subscriptionsHref("plans", { id: planId })}>{plan.name}</a>
      </dd>
      <dt>{words.collection}</dt>
      <dd>
        {words.collections[collection]}
        {methodId !== null && (
          <>
            <br />
            <span class="mono break">{methodId}</span>
          </>
        )}
      </dd>
      <dt>{words.customer}</dt>
      <dd class="break">{customer.name}</dd>
      <dt>{words.customerEmail}</dt>
      <dd class="break">{customer.email}</dd>
      <dt>{words.language}</dt>
      <dd>{settings.languages[customer.locale]}</dd>
      <dt>{words.since}</dt>
      <dd>{formatExactTime(createdAt)}</dd>
      <dt>{words.createdBy}</dt>
      <dd class="break">{creators[creator]}</dd>
      {pausedAt !== null && (
        <>
          <dt>{words.paused}</dt>
          <dd>{formatExactTime(pausedAt)}</dd>
        </>
      )}
      {cancelledAt !== null && (
        <>
          <dt>{words.cancelled}</dt>
          <dd>{formatExactTime(cancelledAt)}</dd>
        </>
      )}
    </dl>
  );
}

function CustomersPage({ url }: { url: string }) {
  const { subscriptions: words } = text();
  return (
    <section class="share-link">
      <h3>{words.pageTitle}</h3>
      <p class="muted">{words.pageText}</p>
      <code class="mono">{url}</code>
      <div class="button-row">
        <CopyButton value={url} label={words.copyPage} />
        <ButtonLink icon="device" href={url} newTab>
          {words.openPage}
        </ButtonLink>
      </div>
    </section>
  );
}
