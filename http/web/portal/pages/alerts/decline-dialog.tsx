import { useState } from "preact/hooks";
import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { post } from "../../api/client.ts";
import { PortalError } from "../../api/errors.ts";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";

const REASON_LENGTH_MAX = 255;

/** Ends an alert without a refund, after a question. */
export function DeclineDialog({ alert: { id }, onClose, onSettled }: { alert: AlertJson; onClose: () => void; onSettled: () => void }) {
  const { alerts: words } = text();
  const [reason, setReason] = useState("");
  const sendOnce = useSendOnce();
  const decline = useAction(async () => {
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    try {
      const path = `/alerts/${encodeURIComponent(id)}/decline`;
      await sendOnce(body, (idempotencyKey) => post<AlertJson>(path, body, { idempotencyKey }));
    } catch (error) {
      // Whatever was found out stands behind the question already.
      if (error instanceof PortalError && error.status === 409) onSettled();
      throw error;
    }
    toast(words.declineDone);
    onSettled();
    onClose();
  });
  return (
    <FormDialog
      title={words.declineTitle}
      action={decline}
      onSubmit={decline.run}
      submit={words.declineNow}
      kind="danger"
      onClose={onClose}
    >
      <p class="lead">{words.declineText}</p>
      <TextField
        label={words.declineReason}
        hint={words.declineReasonHint}
        optional
        autoComplete="off"
        maxLength={REASON_LENGTH_MAX}
        value={reason}
        onInput={setReason}
        autoFocus
      />
    </FormDialog>
  );
}
