import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import type { TransactionDetailJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { GATEWAY_DEADLINE_MS, post } from "../../api/client.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { refusedText } from "./refused-text.ts";

/**
 * Refunds the whole payment after a confirmation. While the gateway's outcome is unknown, the same
 * button asks the gateway again.
 */
export function RefundDialog({
  alert,
  payment,
  onClose,
  onSettled,
}: {
  alert: AlertJson;
  /** Null if the payment cannot be read. */
  payment: Pick<TransactionDetailJson, "amountMinor" | "currency"> | null;
  onClose: () => void;
  onSettled: () => void;
}) {
  const { alerts: words, app } = text();
  const { id } = alert;
  const complained = formatMoney(alert.amountMinor, alert.currency);
  // The whole payment is refunded, even if the complaint is about a part of it.
  const amount = payment === null ? complained : formatMoney(payment.amountMinor, payment.currency);
  const sendOnce = useSendOnce();
  const refund = useAction(async () => {
    try {
      const path = `/alerts/${encodeURIComponent(id)}/refund`;
      await sendOnce(id, (idempotencyKey) => post<AlertJson>(path, undefined, { idempotencyKey, deadlineMs: GATEWAY_DEADLINE_MS }));
    } catch (error) {
      // A conflict means that the alert has changed, so the drawer behind the dialog loads it
      // again.
      if (error instanceof PortalError && error.status === 409) onSettled();
      throw error;
    }
    toast(words.refundDone(amount));
    onSettled();
    onClose();
  });
  const isUnknown = refund.error === null ? alert.refund?.state === "requested" : isOpen(refund.error);
  const wasRefused = hasCode(refund.error, "refund_refused");
  // The alert has ended in another way or cannot be refunded here, so a retry would not help.
  const isOver = refund.error !== null && ENDS.some((code) => hasCode(refund.error, code));
  return (
    <Dialog title={words.refundTitle(amount)} onClose={onClose}>
      <Form onSubmit={() => void refund.run()} error={isUnknown || wasRefused ? null : refund.error} busy={refund.busy}>
        {wasRefused && (
          <Banner kind="danger" alert>
            {refusedText(gatewayWords(refund.error))}
          </Banner>
        )}
        {isUnknown ? (
          <Banner kind="warning" alert={refund.error !== null}>
            {words.refundUnknown}
          </Banner>
        ) : (
          !isOver && (
            <>
              <p class="lead">{words.refundText(amount)}</p>
              {amount !== complained && <Banner kind="warning">{words.refundWhole(complained)}</Banner>}
            </>
          )
        )}
        <FormActions>
          <Button onClick={onClose}>{isOver ? app.close : app.cancel}</Button>
          {!isOver && (
            <Button type="submit" kind={isUnknown ? "primary" : "danger"} busy={refund.busy}>
              {isUnknown ? words.askAgain : words.refundNow(amount)}
            </Button>
          )}
        </FormActions>
      </Form>
    </Dialog>
  );
}

const ENDS = [
  "not_pending",
  "under_dispute",
  "no_payment",
  "network_refunds",
  "not_refundable_here",
  "not_paid",
  "partial_refund",
] as const;

/**
 * Returns true if the refund may have been executed: no answer came, or a part of the relay was
 * unavailable.
 */
function isOpen(error: unknown): boolean {
  if (hasCode(error, "outcome_unknown")) return true;
  return !(error instanceof PortalError && error.status > 0 && error.status < 500);
}

/** Returns the gateway's message without the words that the relay puts before it. */
function gatewayWords(error: unknown): string {
  return error instanceof PortalError ? error.message.replace(/^The payment was not refunded: /, "") : "";
}
