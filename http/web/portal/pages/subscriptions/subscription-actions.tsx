import { useState } from "preact/hooks";
import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { GATEWAY_DEADLINE_MS, post } from "../../api/client.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatDate, formatHour } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { isBlocked, meansOfRetry, pendingOf } from "./words.ts";

type Act = "retry" | "pause" | "resume" | "cancel";

/** What is asked of the relay for a subscription: once, however often it is pressed, and shown as it then is. */
export type ChangeSubscription = (act: Act, body?: object) => Promise<void>;

/** What can be done with a subscription in its state, by who may. */
export function SubscriptionActions({ subscription, onChanged }: { subscription: SubscriptionDetailJson; onChanged: () => void }) {
  const { subscriptions: words } = text();
  const [asking, setAsking] = useState<Act | null>(null);
  const sendOnce = useSendOnce();
  const { id, state, cancelsAtPeriodEnd, retryFrom } = subscription;
  const isOver = state === "CANCELLED";
  // A question that is being answered stays, and says what has become of it meanwhile.
  if (!may("operate") || (isOver && asking === null)) return null;
  const change: ChangeSubscription = async (act, body) => {
    const path = `/subscriptions/${encodeURIComponent(id)}/${act}`;
    try {
      await sendOnce([act, body], (idempotencyKey) =>
        post<SubscriptionDetailJson>(path, body, { idempotencyKey, deadlineMs: GATEWAY_DEADLINE_MS }),
      );
    } catch (error) {
      // It was paid, or somebody else was first: what is behind the question is to say so.
      if (error instanceof PortalError && error.status === 409) onChanged();
      throw error;
    }
    onChanged();
  };
  const mayRetry = state === "PAST_DUE" || state === "INCOMPLETE";
  const isUnknown = isBlocked(subscription);
  const close = () => setAsking(null);
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
      {asking === "retry" && <RetryDialog subscription={subscription} change={change} onClose={close} />}
      {asking === "pause" && <PauseDialog subscription={subscription} change={change} onClose={close} />}
      {asking === "resume" && <ResumeDialog subscription={subscription} change={change} onClose={close} />}
      {asking === "cancel" && <CancelDialog subscription={subscription} change={change} onClose={close} />}
    </section>
  );
}

export interface QuestionProps {
  subscription: SubscriptionDetailJson;
  change: ChangeSubscription;
  onClose: () => void;
}

function RetryDialog({ subscription, change, onClose }: QuestionProps) {
  const { subscriptions: words } = text();
  // As it was when it was asked: the question does not change while it is read.
  const [means] = useState(() => meansOfRetry(subscription));
  return (
    <ConfirmDialog
      title={words.retryTitle}
      confirm={words.retry}
      act={async () => {
        try {
          await change("retry");
        } catch (error) {
          // Which has other words where a link is sent.
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

function PauseDialog({ subscription, change, onClose }: QuestionProps) {
  const { subscriptions: words } = text();
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

/** Of a pause, or of a cancellation that has not come yet. */
function ResumeDialog({ subscription, change, onClose }: QuestionProps) {
  const { subscriptions: words } = text();
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
