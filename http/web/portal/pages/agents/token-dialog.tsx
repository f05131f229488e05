import { useState } from "preact/hooks";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField } from "../../components/field.tsx";
import { text } from "../../i18n/texts.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";
import { Connect } from "./connect.tsx";

/**
 * Shows the token once. The dialog closes only when the person confirms that the token is saved.
 */
export function TokenDialog({ token, onDone }: { token: string; onDone: () => void }) {
  const { agents: words } = text();
  const [kept, setKept] = useState(false);
  useUnsavedGuard(!kept, () => {});
  return (
    <Dialog title={words.readyTitle}>
      <div class="form">
        <Banner kind="warning">{words.tokenOnce}</Banner>
        <div class="share-link">
          <span class="field-label">{words.tokenLabel}</span>
          <code class="mono" data-secret="">
            {token}
          </code>
          <div class="button-row">
            <CopyButton value={token} label={words.copyToken} />
          </div>
        </div>
        <Connect token={token} />
        <CheckField label={words.tokenKept} checked={kept} onChange={setKept} />
        <Button kind="primary" wide disabled={!kept} onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </Dialog>
  );
}
