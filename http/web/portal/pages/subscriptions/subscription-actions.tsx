import { useState } from "preact/hooks";
import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatDate, formatHour } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { type Act, type QuestionProps, useChange } from "./change-subscription.ts";
import { isBlocked, meansOfRetry, pendingOf } from "./words.ts";

/** Offers the actions that the subscription's state and the person's role permit. */
export function SubscriptionActions({ subscription, onChanged }: { subscription: SubscriptionDetailJson; onChanged: () => void }) {
  const { subscriptions: words } = text();
  const [asking, setAsking] = useState<Act | null>(null);
  const { state, cancelsAtPeriodEnd, retryFrom } = subscription;
  const isOver = state === "CANCELLED";
  // An open dialog stays, and shows if the subscription has changed meanwhile.
  if (!may("operate") || (isOver && asking === null)) return null;
  const mayRetry = state === "PAST_DUE" || state === "INCOMPLETE";
  const isUnknown = isBlocked(subscription);
  const question: QuestionProps = { subscription, onChanged, onClose: () => setAsking(null) };
  return (
    <section class="stack" aria-label={words.actions}>
      <div class="button-row">
        {mayRetry && (
          <Button kind="primary" icon="refresh" disabled={isUnknown || retryFrom !== null} onClick={() => setAsking("retry")}>
            {words.retry}
          </Button>
        )}
        {state === "PAUSED" && (
          <Button kind="primary" disabled={pendingOf(subscription) !== null} onClick={() => setAsking("resume")}>
            {words.resume}
          </Button>
        )}
        {state !== "PAUSED" && cancelsAtPeriodEnd && <Button onClick={() => setAsking("resume")}>{words.keep}</Button>}
        {(state === "TRIALING" || state === "ACTIVE" || state === "PAST_DUE") && (
          <Button onClick={() => setAsking("pause")}>{words.pause}</Button>
        )}
        {!isOver && (
          <Button kind="danger-quiet" onClick={() => setAsking("cancel")}>
            {words.cancel}
          </Button>
        )}
      </div>
      {mayRetry && isUnknown && <p class="muted">{words.retryUnknown}</p>}
      {mayRetry && !isUnknown && retryFrom !== null && <p class="muted">{words.retryAgainAt(formatHour(retryFrom))}</p>}
      {asking === "retry" && <RetryDialog {...question} />}
      {asking === "pause" && <PauseDialog {...question} />}
      {asking === "resume" && <ResumeDialog {...question} />}
      {asking === "cancel" && <CancelDialog {...question} />}
    </section>
  );
}

function RetryDialog(question: QuestionProps) {
  const { subscriptions: words } = text();
  const { subscription, onClose } = question;
  const change = useChange(question);
  // The wording keeps the means of the moment when the dialog was opened.
  const [means] = useState(() => meansOfRetry(subscription));
  return (
    <ConfirmDialog
      title={words.retryTitle}
      confirm={words.retry}
      act={async () => {
        try {
          await change("retry");
        } catch (error) {
          // The limit has a text of its own, because a retry may send a link.
          if (hasCode(error, "too_many")) throw new PortalError("retry_too_many", 409, words.retryTooMany);
          throw error;
        }
        toast(words.retryDone[means]);
      }}
      onClose={onClose}
    >
      {words.retryTexts[means]}
    </ConfirmDialog>
  );
}

function PauseDialog(question: QuestionProps) {
  const { subscriptions: words } = text();
  const { subscription, onClose } = question;
  const change = useChange(question);
  const [hasUnpaid] = useState(subscription.unpaid !== null);
  return (
    <ConfirmDialog
      title={words.pauseTitle}
      confirm={words.pause}
      act={async () => {
        await change("pause");
        toast(words.pauseDone);
      }}
      onClose={onClose}
    >
      {words.pauseText}
      {hasUnpaid && ` ${words.pauseUnpaid}`}
    </ConfirmDialog>
  );
}

/** Ends a pause, or withdraws a scheduled cancellation. */
function ResumeDialog(question: QuestionProps) {
  const { subscriptions: words } = text();
  const { subscription, onClose } = question;
  const change = useChange(question);
  const [{ state, periodUntil, cancelledBy, unpaid }] = useState(subscription);
  const isPause = state === "PAUSED";
  return (
    <ConfirmDialog
      title={isPause ? words.resumeTitle : words.keepTitle}
      confirm={isPause ? words.resume : words.keep}
      act={async () => {
        await change("resume");
        toast(isPause ? words.resumeDone : words.keepDone);
      }}
      onClose={onClose}
    >
      {isPause ? words.resumeText : words.keepText(formatDate(periodUntil))}
      {isPause && unpaid !== null && ` ${words.resumeUnpaid}`}
      {!isPause && cancelledBy === "customer" && ` ${words.keepByCustomer}`}
    </ConfirmDialog>
  );
}
