import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { Time } from "../../components/time.tsx";
import { declineLine } from "../../i18n/decline-text.ts";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import { RefundButton } from "../transactions/refund.tsx";
import type { Attempt } from "./words.ts";

/** Lists the visits to the payment page and their outcomes, oldest first. */
export function Attempts({ link, onRefunded }: { link: PaymentLinkJson; onRefunded: () => void }) {
  const { paymentLinks: words } = text();
  return (
    <section>
      <h3>{words.attempts}</h3>
      {link.attempts.length === 0 ? (
        <p class="muted">{words.noAttempts}</p>
      ) : (
        <ol class="timeline">
          {link.attempts.map((attempt, index) => (
            <li key={attempt.uuid}>
              <div class="timeline-what">
                <AttemptText attempt={attempt} number={index + 1} />
                <RefundOf attempt={attempt} link={link} onRefunded={onRefunded} />
              </div>
              <Time at={attempt.endedAt ?? attempt.createdAt} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function AttemptText({ attempt, number }: { attempt: Attempt; number: number }) {
  const { paymentLinks: words } = text();
  const { state, uuid, paidMinor, paidCurrency, last4, message } = attempt;
  const hasEnded = state === "paid" || state === "failed";
  return (
    <>
      <p>
        {words.attemptStates[state]}
        {paidMinor !== null && paidCurrency !== null && ` · ${formatMoney(paidMinor, paidCurrency)}`}
        {last4 !== null && ` · ···· ${last4}`}
      </p>
      {state === "failed" && message !== null && <p class="muted break">{declineLine({ message })}</p>}
      {hasEnded && (
        <a href={objectHref("transactions", uuid)} aria-label={words.itsTransactionOf(number)}>
          {words.itsTransaction}
        </a>
      )}
    </>
  );
}

function RefundOf({ attempt, link, onRefunded }: { attempt: Attempt; link: PaymentLinkJson; onRefunded: () => void }) {
  const { paymentLinks: words } = text();
  const { state, refund, uuid, paidMinor, paidCurrency } = attempt;
  if (state !== "paid") return null;
  return (
    <>
      {refund !== "none" && <p class="muted">{words.refundStates[refund]}</p>}
      <RefundButton
        uuid={uuid}
        amountMinor={paidMinor ?? link.amountMinor}
        currency={paidCurrency ?? link.currency}
        isUnknown={refund === "unknown"}
        isOffered={refund !== "done"}
        onSettled={onRefunded}
      />
    </>
  );
}
