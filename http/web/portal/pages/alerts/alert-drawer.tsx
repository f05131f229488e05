import { useState } from "preact/hooks";
import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import type { TransactionDetailJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { useIsOver } from "../../components/countdown.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { formatExactTime } from "../../i18n/format.ts";
import { methodText } from "../../i18n/method-text.ts";
import { text } from "../../i18n/texts.ts";
import { actionDialog } from "../../list/action-dialog.tsx";
import { may } from "../../state/session.ts";
import { PaymentBeside, usePayment } from "../disputes/payment-beside.tsx";
import { AlertState } from "./alert-state.ts";
import { RefundDialog } from "./refund-dialog.tsx";
import { refusedText } from "./refused-text.ts";

const REASON_LENGTH_MAX = 255;

const DeclineDialog = actionDialog<AlertJson, "reason">({
  endpoint: ({ id }) => `/alerts/${encodeURIComponent(id)}/decline`,
  fields: { reason: { lengthMax: REASON_LENGTH_MAX } },
  words: ({ alerts: words }) => ({
    title: words.declineTitle,
    text: words.declineText,
    confirm: words.declineNow,
    done: words.declineDone,
    fields: { reason: { label: words.declineReason, hint: words.declineReasonHint } },
  }),
});

/** Shows everything about one alert, next to its payment, and offers the decision. */
export function AlertDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { alerts: words } = text();
  return (
    <ObjectDrawer<AlertJson>
      title={words.one}
      path={`/alerts/${encodeURIComponent(id)}`}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(alert, { reload }) => <Detail alert={alert} onChanged={reload} />}
    </ObjectDrawer>
  );
}

function Detail({ alert, onChanged }: { alert: AlertJson; onChanged: () => void }) {
  const { alerts: words, disputes } = text();
  const { id, state, amountMinor, currency, category, respondBy, uuid, method } = alert;
  const isOver = useIsOver(respondBy);
  const payment = usePayment(uuid);
  // A terminal's payment is refunded at the terminal. The method already says so before the payment
  // is loaded, so the page never offers a refund that would be rejected.
  const isOfTerminal = (method !== null && method !== "PAYBYLINK") || payment.data?.refund.reason === "not_refundable_here";
  return (
    <>
      <div class="sum">
        <p class="sum-amount">
          <Amount minor={amountMinor} currency={currency} strong />
        </p>
        <div class="badges">
          <AlertState state={state} />
          {state === "PENDING" && !isOver && <DueTime until={respondBy} />}
        </div>
        <p>{disputes.categories[category]}</p>
      </div>
      <WhatToKnow alert={alert} isOver={isOver} isOfTerminal={isOfTerminal} />
      <Decision
        alert={alert}
        payment={payment.data}
        isOver={isOver}
        isOfTerminal={isOfTerminal}
        onChanged={() => {
          payment.reload();
          onChanged();
        }}
      />
      <Facts alert={alert} />
      <PaymentBeside uuid={uuid} payment={payment} />
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{id}</span>
        <CopyButton value={id} small />
      </div>
    </>
  );
}

/** Explains the alert's state and the reason for it. */
function WhatToKnow({ alert, isOver, isOfTerminal }: { alert: AlertJson; isOver: boolean; isOfTerminal: boolean }) {
  const { say } = text().alerts;
  const { state, refund, rule, end, source } = alert;
  const isRefunding = refund?.state === "requested";
  switch (state) {
    case "AUTO_REFUND":
      return (
        <Banner>
          <p>{say.autoRefund}</p>
          {rule !== null && <p>{say.byRule(rule)}</p>}
        </Banner>
      );
    case "REFUNDED":
      return (
        <Banner kind="success">
          <p>{refund?.moved === false ? say.refundedBefore : say.refunded}</p>
          {rule !== null && <p>{say.byRule(rule)}</p>}
        </Banner>
      );
    case "PREVENTED":
      return refund?.state === "done" && refund.moved ? (
        <Banner kind="danger">{say.preventedRefunded}</Banner>
      ) : (
        <Banner kind="success">{say.prevented}</Banner>
      );
    case "DECLINED":
      return (
        <Banner>
          <p>{end?.by === "deadline" ? say.expired : end?.by === "invalid" ? say.invalid : say.declined}</p>
          {end?.reason != null && <p class="break">{say.declinedReason(end.reason)}</p>}
          {refund?.state === "done" && refund.moved && <p>{say.movedAfterEnd}</p>}
        </Banner>
      );
    case "PENDING":
      if (isRefunding) return <Banner kind="warning">{say.refunding}</Banner>;
      if (isOver) return <Banner kind="danger">{say.timeOver}</Banner>;
      return (
        <>
          <Banner kind="warning">{source === "RDR" ? say.network : say.pending}</Banner>
          <RefundObstacles alert={alert} isOfTerminal={isOfTerminal} />
        </>
      );
  }
}

/** Explains why the payment has not been refunded yet. */
function RefundObstacles({ alert: { refund, ruleHeld, uuid, source }, isOfTerminal }: { alert: AlertJson; isOfTerminal: boolean }) {
  const { say } = text().alerts;
  return (
    <>
      {isOfTerminal && source !== "RDR" && <Banner>{say.onTerminal}</Banner>}
      {refund?.state === "refused" && !isOfTerminal && <Banner kind="danger">{refusedText(refund.detail)}</Banner>}
      {ruleHeld === "daily_cap" && <Banner>{say.heldCap}</Banner>}
      {ruleHeld === "under_dispute" && <Banner>{say.heldDispute}</Banner>}
      {uuid === null && source !== "RDR" && <Banner>{say.noPayment}</Banner>}
    </>
  );
}

function Decision({
  alert,
  payment,
  isOver,
  isOfTerminal,
  onChanged,
}: {
  alert: AlertJson;
  payment: TransactionDetailJson | null;
  isOver: boolean;
  isOfTerminal: boolean;
  onChanged: () => void;
}) {
  const { alerts: words } = text();
  const { state, refund, source, uuid } = alert;
  const [asking, setAsking] = useState<"refund" | "decline" | null>(null);
  const isRefunding = refund?.state === "requested";
  const isOpen = state === "PENDING" && (!isOver || isRefunding);
  const mayRefund = may("refund") && source !== "RDR" && uuid !== null && !isOfTerminal;
  return (
    <>
      {isOpen && !may("refund") && <p class="muted">{words.say.role}</p>}
      {isOpen && (
        <div class="button-row">
          {mayRefund && (
            <Button kind={isRefunding ? "secondary" : "primary"} icon="refund" onClick={() => setAsking("refund")}>
              {isRefunding ? words.askAgain : words.refund}
            </Button>
          )}
          {may("operate") && !isRefunding && (
            <Button kind="danger-quiet" onClick={() => setAsking("decline")}>
              {words.decline}
            </Button>
          )}
        </div>
      )}
      {asking === "refund" && <RefundDialog alert={alert} payment={payment} onClose={() => setAsking(null)} onSettled={onChanged} />}
      {asking === "decline" && <DeclineDialog target={alert} onClose={() => setAsking(null)} onSettled={onChanged} />}
    </>
  );
}

function Facts({ alert }: { alert: AlertJson }) {
  const { alerts: words, disputes, paymentLinks } = text();
  const { source, networkRef, createdAt, respondBy, method, terminalId, refund, end } = alert;
  const by =
    refund === null ? null : { rule: words.byRule, user: refund.by, former_user: paymentLinks.formerUser, key: words.byKey }[refund.byType];
  return (
    <dl class="facts">
      <dt>{words.source}</dt>
      <dd>{words.sources[source]}</dd>
      <dt>{words.reference}</dt>
      <dd class="mono break">{networkRef}</dd>
      <dt>{words.received}</dt>
      <dd>{formatExactTime(createdAt)}</dd>
      <dt>{words.due}</dt>
      <dd>{formatExactTime(respondBy)}</dd>
      {method !== null && (
        <>
          <dt>{words.method}</dt>
          <dd>{methodText(method)}</dd>
        </>
      )}
      {terminalId !== null && (
        <>
          <dt>{disputes.terminal}</dt>
          <dd class="break">{terminalId}</dd>
        </>
      )}
      {by !== null && (
        <>
          <dt>{words.refundBy}</dt>
          <dd class="break">{by}</dd>
        </>
      )}
      {end !== null && (
        <>
          <dt>{words.ended}</dt>
          <dd>{formatExactTime(end.at)}</dd>
        </>
      )}
    </dl>
  );
}
