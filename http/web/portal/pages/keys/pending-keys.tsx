import { useState } from "preact/hooks";
import type { KeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { post, remove } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";

/**
 * Shows keys that the partner requested. An owner can confirm them early, and anyone who may
 * administer keys can reject them.
 */
export function PendingKeys({ pending, onDecided }: { pending: NonNullable<KeysJson["pending"]>; onDecided: () => void }) {
  const { keys: words } = text();
  const [asking, setAsking] = useState<"confirm" | "refuse" | null>(null);
  const { publishableKey, secretKeyPrefix, createdAt, appliesAt } = pending;
  const decide = async () => {
    if (asking === "confirm") await post("/keys/pending/confirm", { publishableKey });
    else await remove("/keys/pending");
    onDecided();
  };
  return (
    <Banner kind="warning">
      <p>{words.pending(formatDateTime(createdAt), formatDateTime(appliesAt))}</p>
      <p>
        <code>{publishableKey}</code>, <code>{secretKeyPrefix}…</code>
      </p>
      <div class="button-row">
        {may("administer owners") && <Button onClick={() => setAsking("confirm")}>{words.confirmPending}</Button>}
        <Button kind="danger" onClick={() => setAsking("refuse")}>
          {words.refusePending}
        </Button>
      </div>
      {asking !== null && (
        <ConfirmDialog
          title={asking === "confirm" ? words.confirmPendingTitle : words.refusePendingTitle}
          confirm={asking === "confirm" ? words.confirmPending : words.refusePending}
          danger
          act={decide}
          onClose={() => setAsking(null)}
        >
          {asking === "confirm" ? words.confirmPendingText : words.refusePendingText}
        </ConfirmDialog>
      )}
    </Banner>
  );
}
