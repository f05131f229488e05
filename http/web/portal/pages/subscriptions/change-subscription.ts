import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { GATEWAY_DEADLINE_MS, post } from "../../api/client.ts";
import { PortalError } from "../../api/errors.ts";
import { useSendOnce } from "../../state/send-once.ts";

export type Act = "retry" | "pause" | "resume" | "cancel";

export interface QuestionProps {
  subscription: SubscriptionDetailJson;
  onChanged: () => void;
  onClose: () => void;
}

/**
 * Returns a function that sends the change of a dialog once, however often its button is pressed.
 * Each dialog has its own keys, because the same change may be wanted again later.
 */
export function useChange({ subscription: { id }, onChanged }: QuestionProps): (act: Act, body?: object) => Promise<void> {
  const sendOnce = useSendOnce();
  return async (act, body) => {
    const path = `/subscriptions/${encodeURIComponent(id)}/${act}`;
    try {
      await sendOnce([act, body], (idempotencyKey) =>
        post<SubscriptionDetailJson>(path, body, { idempotencyKey, deadlineMs: GATEWAY_DEADLINE_MS }),
      );
    } catch (error) {
      // The subscription was paid or changed meanwhile, so the drawer behind the dialog loads it
      // again.
      if (error instanceof PortalError && error.status === 409) onChanged();
      throw error;
    }
    onChanged();
  };
}
