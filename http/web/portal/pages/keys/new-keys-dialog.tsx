import { useState } from "preact/hooks";
import type { NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField } from "../../components/field.tsx";
import { text } from "../../i18n/texts.ts";
import { useObjectAddress } from "../../state/object-address.ts";
import { merchant } from "../../state/session.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";

/** The new pair, whose secret is shown this once: it stays until the person says that it is saved. */
export function NewKeysDialog({ keys: { publishableKey, secretKey }, onSaved }: { keys: NewKeysJson; onSaved: () => void }) {
  const { keys: words, recovery } = text();
  const [saved, setSaved] = useState(false);
  const file = `${words.fileHead(merchant.value?.merchantName ?? "")}\n\n${words.publishable}: ${publishableKey}\n${words.secret}: ${secretKey}\n`;
  const address = useObjectAddress(file);
  useUnsavedGuard(!saved, () => {});
  return (
    <Dialog title={words.madeTitle}>
      <div class="form">
        <Banner kind="warning">{words.madeText}</Banner>
        <div>
          <h3>{words.secret}</h3>
          <p class="key-once">
            <code>{secretKey}</code>
          </p>
        </div>
        <div class="button-row">
          <CopyButton value={secretKey} label={words.copySecret} />
          {address !== null && (
            <ButtonLink icon="download" href={address} download={words.fileName}>
              {words.download}
            </ButtonLink>
          )}
        </div>
        <div>
          <h3>{words.publishable}</h3>
          <p class="key-once">
            <code>{publishableKey}</code>
          </p>
        </div>
        <CheckField label={words.saved} checked={saved} onChange={setSaved} />
        <Button kind="primary" wide disabled={!saved} onClick={onSaved}>
          {recovery.done}
        </Button>
      </div>
    </Dialog>
  );
}
