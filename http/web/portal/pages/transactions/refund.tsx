import { useState } from "preact/hooks";
import type { RefundJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { GATEWAY_DEADLINE_MS, post } from "../../api/client.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";

export interface RefundProps {
  uuid: string;
  amountMinor: number;
  currency: string;
  /** An earlier refund was sent and its outcome is unknown. */
  isUnknown?: boolean;
  /**
   * Whether the payment can be refunded. An open dialog stays when this changes, because it shows
   * the outcome.
   */
  isOffered: boolean;
  /** Runs when an outcome is known, to load the payment again. */
  onSettled: () => void;
}

/**
 * Refunds the whole payment after a confirmation. Shows nothing if the person's role may not
 * refund.
 */
export function RefundButton(props: RefundProps) {
  const { transactions: words } = text();
  const [asking, setAsking] = useState(false);
  if (!may("refund")) return null;
  return (
    <>
      {props.isOffered && (
        <div class="button-row">
          <Button icon="refund" small onClick={() => setAsking(true)}>
            {props.isUnknown === true ? words.refundAskAgain : words.refundDo}
          </Button>
        </div>
      )}
      {asking && <RefundDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}

function RefundDialog({ uuid, amountMinor, currency, isUnknown = false, onSettled, onClose }: RefundProps & { onClose: () => void }) {
  const { transactions: words, app } = text();
  const [reason, setReason] = useState("");
  const amount = formatMoney(amountMinor, currency);
  const sendOnce = useSendOnce();
  const refund = useAction(async () => {
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    try {
      const done = await sendOnce({ uuid, ...body }, (idempotencyKey) =>
        post<RefundJson>(`/transactions/${encodeURIComponent(uuid)}/refund`, body, { idempotencyKey, deadlineMs: GATEWAY_DEADLINE_MS }),
      );
      toast(words.refundDone(formatMoney(done.amountMinor, done.currency)));
    } catch (error) {
      // A conflict means that the payment has changed, so the view behind the dialog loads it
      // again.
      if (error instanceof PortalError && error.status === 409) onSettled();
      throw error;
    }
    onSettled();
    onClose();
  });
  const outcome = outcomeOf(refund.error);
  const isOpen = outcome === "unknown" || (isUnknown && refund.error === null);
  return (
    <Dialog title={words.refundTitle(amount)} onClose={onClose}>
      <Form onSubmit={() => void refund.run()} error={outcome === "other" ? refund.error : null} busy={refund.busy}>
        {isOpen ? (
          <Banner kind="warning" alert={outcome === "unknown"}>
            {words.refundUnknown}
          </Banner>
        ) : outcome === "already" ? (
          <Banner kind="success" alert>
            {words.refundReasons.already_refunded}
          </Banner>
        ) : outcome === "refused" ? (
          <Banner kind="danger" alert>
            {words.refundRefused(gatewayWords(refund.error))}
          </Banner>
        ) : (
          <p class="lead">{words.refundText(amount)}</p>
        )}
        {outcome !== "already" && (
          <TextField label={words.refundReason} hint={words.refundReasonHint} optional maxLength={255} value={reason} onInput={setReason} />
        )}
        <FormActions>
          <Button onClick={onClose}>{outcome === "already" ? app.close : app.cancel}</Button>
          {outcome !== "already" && (
            <Button type="submit" kind={isOpen ? "primary" : "danger"} busy={refund.busy}>
              {isOpen ? words.refundAskAgain : words.refundNow(amount)}
            </Button>
          )}
        </FormActions>
      </Form>
    </Dialog>
  );
}

function outcomeOf(error: unknown): "none" | "unknown" | "already" | "refused" | "other" {
  if (error === null) return "none";
  if (hasCode(error, "outcome_unknown") || !wasAnswered(error)) return "unknown";
  if (hasCode(error, "already_refunded")) return "already";
  return hasCode(error, "refund_refused") ? "refused" : "other";
}

/** Returns the gateway's message without the words that the relay puts before it. */
function gatewayWords(error: unknown): string {
  return error instanceof PortalError ? error.message.replace(/^The gateway refused: /, "") : "";
}

/**
 * Returns false if the refund may have been executed: no answer came, or a part of the relay was
 * unavailable.
 */
function wasAnswered(error: unknown): boolean {
  return error instanceof PortalError && error.status > 0 && error.status < 500;
}
