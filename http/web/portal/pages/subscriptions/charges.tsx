import { useState } from "preact/hooks";
import type {
  SubscriptionAttemptJson,
  SubscriptionChargeJson,
  SubscriptionDetailJson,
} from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { get } from "../../api/client.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Time } from "../../components/time.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDate } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import { useAction } from "../../state/action.ts";
import { reasonOf } from "./words.ts";

/**
 * Lists the charges, newest first, with the outcome of each attempt. Older ones are loaded on
 * request and only once, because they no longer change.
 */
export function Charges({ subscription }: { subscription: SubscriptionDetailJson }) {
  const { subscriptions: words } = text();
  const { id, charges, chargesNext } = subscription;
  const [older, setOlder] = useState<{ charges: SubscriptionChargeJson[]; next: number | null } | null>(null);
  const next = older === null ? chargesNext : older.next;
  const more = useAction(async (beforeCycle: number) => {
    const page = await get<SubscriptionDetailJson>(`/subscriptions/${encodeURIComponent(id)}`, { query: { beforeCycle } });
    setOlder((before) => ({ charges: [...(before?.charges ?? []), ...page.charges], next: page.chargesNext }));
  });
  // A new cycle moves the first page by one, so a charge may be on both pages.
  const shown = [...charges, ...(older?.charges ?? []).filter(({ cycle }) => !charges.some((charge) => charge.cycle === cycle))];
  return (
    <section>
      <h3>{words.payments}</h3>
      {shown.length === 0 && <p class="muted">{words.noPayments}</p>}
      <div class="charges">
        {shown.map((charge) => (
          <Charge key={charge.cycle} charge={charge} />
        ))}
        {more.error !== null && (
          <Banner kind="danger" alert>
            {errorText(more.error)}
          </Banner>
        )}
        {next !== null && (
          <Button busy={more.busy} onClick={() => void more.run(next)}>
            {words.olderPayments}
          </Button>
        )}
      </div>
    </section>
  );
}

function Charge({ charge }: { charge: SubscriptionChargeJson }) {
  const { subscriptions: words } = text();
  const { cycle, periodFrom, periodUntil, amountMinor, currency, state, attempts } = charge;
  return (
    <article class="charge" aria-label={words.chargeOf(cycle)}>
      <div class="charge-head">
        <p>
          <strong>{words.chargeOf(cycle)}</strong> · <Amount minor={amountMinor} currency={currency} />
        </p>
        <ChargeState charge={charge} />
      </div>
      <p class="muted">{words.fromUntil(formatDate(periodFrom), formatDate(periodUntil))}</p>
      {state === "VOID" && <p class="muted">{words.voidText}</p>}
      <ol class="timeline">
        {attempts.map((attempt, index) => (
          <li key={attempt.id}>
            <AttemptText attempt={attempt} cycle={cycle} number={index + 1} />
            <Time at={attempt.endedAt ?? attempt.askedAt} />
          </li>
        ))}
      </ol>
    </article>
  );
}

function ChargeState({ charge: { state, late, failedAt } }: { charge: SubscriptionChargeJson }) {
  const { subscriptions: words } = text();
  if (late) return <Badge kind="warn">{words.paidLate}</Badge>;
  const kinds: Readonly<Record<SubscriptionChargeJson["state"], BadgeKind>> = {
    OPEN: failedAt === null ? "accent" : "bad",
    PAID: "good",
    VOID: "neutral",
  };
  return <Badge kind={kinds[state]}>{words.chargeStates[state]}</Badge>;
}

function AttemptText({ attempt, cycle, number }: { attempt: SubscriptionAttemptJson; cycle: number; number: number }) {
  const { subscriptions: words } = text();
  const { state, means, code, hard, paymentLinkId } = attempt;
  const reason = reasonOf(attempt);
  return (
    <div class="timeline-what">
      <p>
        {words.attemptStates[state]}
        {state !== "open" && ` · ${words.means[means]}`}
      </p>
      {state === "failed" && <p class="muted break">{code === null ? words.lost : reason}</p>}
      {hard && <p class="muted">{words.attemptStates.hard}</p>}
      {paymentLinkId !== null && (
        <a href={objectHref("payment-links", paymentLinkId)} aria-label={words.itsLinkOf(cycle, number)}>
          {words.itsLink}
        </a>
      )}
    </div>
  );
}
