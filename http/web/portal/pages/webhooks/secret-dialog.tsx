import { useState } from "preact/hooks";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField } from "../../components/field.tsx";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";

/**
 * Shows a secret once. The dialog closes only when the person confirms that the secret is saved.
 * The previous secret also signs until `formerUntil`.
 */
export function SecretDialog({ secret, formerUntil, onDone }: { secret: string; formerUntil: string | null; onDone: () => void }) {
  const { webhooks: words } = text();
  const [kept, setKept] = useState(false);
  return (
    <Dialog title={words.secretTitle}>
      <div class="form">
        <Banner kind="warning">{words.secretOnce}</Banner>
        <div class="share-link">
          <code class="mono" data-secret="">
            {secret}
          </code>
          <div class="button-row">
            <CopyButton value={secret} label={words.copySecret} />
          </div>
        </div>
        <p class="lead">{words.secretUse}</p>
        {formerUntil !== null && <Banner>{words.formerUntil(formatDateTime(formerUntil))}</Banner>}
        <CheckField label={words.secretKept} checked={kept} onChange={setKept} />
        <Button kind="primary" wide disabled={!kept} onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </Dialog>
  );
}
