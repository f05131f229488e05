import { useState } from "preact/hooks";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { CopyButton } from "../../../portal/components/copy.tsx";
import { Dialog } from "../../../portal/components/dialog.tsx";
import { CheckField } from "../../../portal/components/field.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { useUnsavedGuard } from "../../../portal/state/unsaved.ts";
import type { MachineTokenWithSecretJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";

/** The token, which is shown this once: it stays until the person says that it is saved. */
export function TokenDialog({ made: { machineToken, token }, onSaved }: { made: MachineTokenWithSecretJson; onSaved: () => void }) {
  const { machines: own } = words();
  const { recovery } = text();
  const [saved, setSaved] = useState(false);
  useUnsavedGuard(!saved, () => {});
  return (
    <Dialog title={own.madeTitle(machineToken.name)}>
      <div class="form">
        <Banner kind="warning">{own.madeText}</Banner>
        <p class="key-once">
          <code data-secret="">{token}</code>
        </p>
        <div class="button-row">
          <CopyButton value={token} label={own.copy} />
        </div>
        <CheckField label={own.saved} checked={saved} onChange={setSaved} />
        <Button kind="primary" wide disabled={!saved} onClick={onSaved}>
          {recovery.done}
        </Button>
      </div>
    </Dialog>
  );
}
