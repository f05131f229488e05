import { useState } from "preact/hooks";
import type { TransactionDetailJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { Time } from "../../components/time.tsx";
import { formatDateTime, formatExactTime, formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";
import type { DrawerProps } from "../../list/list-page.tsx";
import { may } from "../../state/session.ts";
import { AlertState } from "../alerts/alert-state.ts";
import { DisputeState } from "../disputes/dispute-state.ts";
import { paymentLinkOf } from "../payment-links/words.ts";
import { Declined } from "./declined.tsx";
import { ReceiptDialog } from "./receipt-dialog.tsx";
import { RefundButton } from "./refund.tsx";
import { TransactionStatus } from "./transaction-status.tsx";
import { declineFactsOf, methodName } from "./words.ts";

/** Shows everything about one transaction. */
export function TransactionDrawer({ id, onClose, onChanged }: DrawerProps) {
  const { transactions: words } = text();
  return (
    <ObjectDrawer<TransactionDetailJson>
      title={words.one}
      path={`/transactions/${encodeURIComponent(id)}`}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      live={false}
      lines={7}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(data, { reload }) => <Detail data={data} onChanged={reload} />}
    </ObjectDrawer>
  );
}

function Detail({ data, onChanged }: { data: TransactionDetailJson; onChanged: () => void }) {
  const { transactions: words } = text();
  const linkId = paymentLinkOf(data.uuid);
  const [printing, setPrinting] = useState(false);
  const { amountMinor, currency, message, uuid } = data;
  return (
    <>
      <div class="sum">
        <p class="sum-amount">
          <Amount minor={amountMinor} currency={currency} strong />
        </p>
        <TransactionStatus item={data} />
        {data.status === "KO" ? <Declined facts={declineFactsOf(data)} /> : message !== null && <p class="muted">{message}</p>}
      </div>
      {!data.isPayment && <Banner>{words.notPaymentText}</Banner>}
      {data.amountDiffers && <Banner kind="warning">{words.amountDiffers}</Banner>}
      {data.unsolicited && <Banner kind="warning">{words.unsolicited}</Banner>}
      <dl class="facts">{factsOf(data).map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}</dl>
      <div class="uuid">
        <span class="field-label">{words.uuid}</span>
        <span class="mono">{uuid}</span>
        <CopyButton value={uuid} small />
      </div>
      <Complaints data={data} />
      <Timeline timeline={data.timeline} currency={currency} />
      <Refund data={data} onChanged={onChanged} />
      <div class="button-row">
        {linkId !== null && (
          <ButtonLink icon="link" href={objectHref("payment-links", linkId)}>
            {words.itsLink}
          </ButtonLink>
        )}
        <Button icon="print" onClick={() => setPrinting(true)}>
          {words.receipt}
        </Button>
      </div>
      {printing && <ReceiptDialog uuid={uuid} onClose={() => setPrinting(false)} />}
    </>
  );
}

/** Lists the disputes and alerts about the payment. */
function Complaints({ data: { disputes, alerts } }: { data: TransactionDetailJson }) {
  const { transactions: words, disputes: ofDispute, alerts: ofAlert } = text();
  if (disputes.length === 0 && alerts.length === 0) return null;
  return (
    <section class="form">
      <h3>{words.complaints}</h3>
      <ul class="complaints">
        {disputes.map(({ id, status, respondBy }) => (
          <li key={id}>
            <DisputeState state={status} />
            <a href={objectHref("disputes", id)}>{words.itsDispute}</a>
            {isToAnswer(status) && <span class="second-line">{ofDispute.dueAt(formatDateTime(respondBy))}</span>}
          </li>
        ))}
        {alerts.map(({ id, state, respondBy }) => (
          <li key={id}>
            {state === "PENDING" ? <DisputeState state="ALERT" /> : <AlertState state={state} />}
            <a href={objectHref("alerts", id)}>{words.itsAlert}</a>
            {state === "PENDING" && <span class="second-line">{ofAlert.dueAt(formatDateTime(respondBy))}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function isToAnswer(status: TransactionDetailJson["disputes"][number]["status"]): boolean {
  return status === "OPEN" || status === "EVIDENCE_REQUIRED";
}

/**
 * Offers the refund, or explains why there is none. While the outcome of an earlier refund is
 * unknown, the same button asks again.
 */
function Refund({ data: { uuid, amountMinor, currency, refund }, onChanged }: { data: TransactionDetailJson; onChanged: () => void }) {
  const { transactions: words } = text();
  const isUnknown = refund.reason === "outcome_unknown";
  const isOffered = refund.possible || isUnknown;
  return (
    <section class="refund">
      <h3>{words.refund}</h3>
      <p class="muted">{refund.possible ? (may("refund") ? words.refundPossible : words.refundRole) : refundText(refund.reason)}</p>
      <RefundButton {...{ uuid, amountMinor, currency, isUnknown, isOffered }} onSettled={onChanged} />
    </section>
  );
}

function factsOf(data: TransactionDetailJson): [string, string][] {
  const { transactions: words } = text();
  const card = [data.brand, data.maskedPan].filter((part) => part !== null).join(" ");
  const isRefunded = data.refundState !== "NONE";
  const all: [string, string | null][] = [
    [words.columns.refunded, isRefunded ? formatMoney(data.refundedMinor, data.currency) : null],
    [words.columns.net, isRefunded ? formatMoney(data.netMinor, data.currency) : null],
    [words.columns.time, formatExactTime(data.createdAt)],
    [words.columns.method, methodName(data.method)],
    [words.columns.card, card === "" ? null : card],
    [words.entry, data.entry === null ? null : words.entries[data.entry]],
    [words.columns.terminal, data.terminalId],
    [words.columns.authCode, data.authCode],
    [words.stan, data.stan],
    // Declined shows it beside the reason.
    [words.actionCode, data.status === "KO" ? null : data.actionCode],
    [words.satispayId, data.satispay?.paymentId ?? null],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
}

function refundText(reason: string | null): string {
  const { transactions: words } = text();
  const reasons: Readonly<Record<string, string>> = words.refundReasons;
  return reasons[reason ?? "other"] ?? words.refundReasons.other;
}

function Timeline({ timeline, currency }: Pick<TransactionDetailJson, "timeline" | "currency">) {
  const { transactions: words } = text();
  if (timeline.length === 0) return null;
  return (
    <section>
      <h3>{words.timeline}</h3>
      <ol class="timeline">
        {timeline.map(({ what, at, amountMinor, state }) => (
          <li key={`${what} ${at}`}>
            <span class="timeline-what">
              {words.happened[what]}
              {amountMinor !== null && ` · ${formatMoney(amountMinor, currency)}`}
              {state !== null && <span class="muted"> · {stateText(state)}</span>}
            </span>
            <Time at={at} as="time" />
          </li>
        ))}
      </ol>
    </section>
  );
}

function stateText(state: string): string {
  const states: Readonly<Record<string, string>> = text().transactions.states;
  return states[state] ?? state;
}
