import { useState } from "preact/hooks";
import { ChoiceField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { formatDate } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";
import { type QuestionProps, useChange } from "./change-subscription.ts";

/**
 * Cancels a subscription at once or at the end of its period, and explains the consequences first.
 */
export function CancelDialog(question: QuestionProps) {
  const { subscriptions: words } = text();
  const { subscription, onClose } = question;
  const change = useChange(question);
  const [{ state, cancelsAtPeriodEnd, periodUntil }] = useState(subscription);
  // A subscription without its first payment has no period yet. If it already ends with its period,
  // only an immediate cancellation is left.
  const hasChoice = state !== "INCOMPLETE" && !cancelsAtPeriodEnd;
  const [when, setWhen] = useState<"end" | "now">(hasChoice ? "end" : "now");
  const cancel = useAction(async () => {
    await change("cancel", { atPeriodEnd: when === "end" });
    toast(words.cancelDone[when]);
    onClose();
  });
  return (
    <FormDialog
      title={words.cancelTitle}
      action={cancel}
      onSubmit={cancel.run}
      submit={words.cancelDo[when]}
      kind="danger"
      cancel={words.cancelNot}
      onClose={onClose}
    >
      {hasChoice ? (
        <ChoiceField
          label={words.cancelWhen}
          value={when}
          options={[
            { value: "end", label: words.cancelAtEnd, hint: words.cancelAtEndHint(formatDate(periodUntil)) },
            { value: "now", label: words.cancelNow, hint: words.cancelNowHint },
          ]}
          onChange={setWhen}
        />
      ) : (
        <p class="lead">{words.cancelNowHint}</p>
      )}
      <p class="muted">{words.cancelNothingBack}</p>
    </FormDialog>
  );
}
