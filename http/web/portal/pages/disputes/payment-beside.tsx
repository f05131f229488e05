import type { TransactionDetailJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { get } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Amount } from "../../components/amount.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import { type Resource, useResource } from "../../state/resource.ts";
import { Declined } from "../transactions/declined.tsx";
import { TransactionStatus } from "../transactions/transaction-status.tsx";
import { declineFactsOf, methodName } from "../transactions/words.ts";

/** Loads the disputed payment. The data is null if the payment is unknown. */
export function usePayment(uuid: string | null): Resource<TransactionDetailJson | null> {
  return useResource(`transaction ${uuid ?? "none"}`, async (signal) =>
    uuid === null ? null : await get<TransactionDetailJson>(`/transactions/${encodeURIComponent(uuid)}`, { signal }),
  );
}

/** Shows the disputed payment in the drawer. */
export function PaymentBeside({ uuid, payment }: { uuid: string | null; payment: Resource<TransactionDetailJson | null> }) {
  const { disputes: words } = text();
  return (
    <section class="form section">
      <h3>{words.payment}</h3>
      {uuid === null ? <p class="muted">{words.paymentUnknown}</p> : <Payment uuid={uuid} payment={payment} />}
    </section>
  );
}

function Payment({ uuid, payment }: { uuid: string; payment: Resource<TransactionDetailJson | null> }) {
  const { disputes: words } = text();
  const isAway = payment.data === null && (hasCode(payment.error, "not_found") || hasCode(payment.error, "unavailable"));
  return (
    <>
      {isAway ? (
        <>
          <p class="muted">{words.paymentAway}</p>
          <p class="mono break">{uuid}</p>
        </>
      ) : (
        <Loaded of={payment} skeleton={<Skeleton lines={4} />}>
          {(data) => data !== null && <PaymentFacts payment={data} />}
        </Loaded>
      )}
      <div class="button-row">
        <ButtonLink icon="transactions" small href={objectHref("transactions", uuid)}>
          {words.itsTransaction}
        </ButtonLink>
      </div>
    </>
  );
}

function PaymentFacts({ payment }: { payment: TransactionDetailJson }) {
  const { transactions: words } = text();
  const { amountMinor, refundedMinor, currency, method, brand, maskedPan, createdAt, terminalId, authCode, entry } = payment;
  const card = [brand, maskedPan].filter((part) => part !== null).join(" ");
  return (
    <dl class="facts">
      <dt>{words.columns.amount}</dt>
      <dd>
        <Amount minor={amountMinor} currency={currency} />
      </dd>
      <dt>{words.columns.status}</dt>
      <dd>
        <TransactionStatus item={payment} />
        {payment.status === "KO" && <Declined facts={declineFactsOf(payment)} />}
      </dd>
      <dt>{words.columns.time}</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      <dt>{words.columns.method}</dt>
      <dd>{methodName(method)}</dd>
      {card !== "" && (
        <>
          <dt>{words.columns.card}</dt>
          <dd class="break">{card}</dd>
        </>
      )}
      {entry !== null && (
        <>
          <dt>{words.entry}</dt>
          <dd>{words.entries[entry]}</dd>
        </>
      )}
      <dt>{words.columns.terminal}</dt>
      <dd class="break">{terminalId}</dd>
      {authCode !== null && (
        <>
          <dt>{words.columns.authCode}</dt>
          <dd class="mono">{authCode}</dd>
        </>
      )}
      <dt>{words.columns.refunded}</dt>
      <dd>{refundedMinor === 0 ? text().app.none : <Amount minor={refundedMinor} currency={currency} />}</dd>
    </dl>
  );
}
