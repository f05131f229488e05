import type { ResentDeliveriesJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { post } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { toast } from "../../state/toasts.ts";

/**
 * One click makes at most this many calls, so that the page is not busy for minutes. The rest needs
 * another click.
 */
const CALLS_MAX = 50;

/** Sends all failed deliveries again, to one endpoint or to all of them (null). */
export function ResendFailedDialog({
  endpointId,
  onClose,
  onResent,
}: {
  endpointId: string | null;
  onClose: () => void;
  onResent: () => void;
}) {
  const { webhooks: words } = text();
  const resend = async (): Promise<void> => {
    let [resent, skipped] = [0, 0];
    let cursor: string | null = null;
    try {
      for (let calls = 0; calls < CALLS_MAX; calls += 1) {
        const answer: ResentDeliveriesJson = await post<ResentDeliveriesJson>("/webhooks/deliveries/resend-failed", {
          ...(endpointId === null ? {} : { endpointId }),
          ...(cursor === null ? {} : { cursor }),
        });
        resent += answer.resent;
        skipped += answer.skipped;
        cursor = answer.next;
        if (cursor === null) break;
      }
    } finally {
      // Deliveries that were sent before a failure stay sent.
      onResent();
    }
    toast(cursor === null ? words.resentFailed(resent, skipped) : words.resentSome(resent, skipped));
  };
  return (
    <ConfirmDialog title={words.resendFailed} confirm={words.resendFailedNow} act={resend} onClose={onClose}>
      {endpointId === null ? words.resendFailedText : words.resendFailedOfOne}
    </ConfirmDialog>
  );
}
