import { useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { atDoor } from "../state/door.ts";
import { useObjectAddress } from "../state/object-address.ts";
import { Banner } from "./banner.tsx";
import { Button, ButtonLink } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { CheckField } from "./field.tsx";

/** Shows recovery codes once. It continues only when the person confirms that they are saved. */
export function RecoveryCodeList({ codes, onSaved, busy = false }: { codes: readonly string[]; onSaved: () => void; busy?: boolean }) {
  const { recovery } = text();
  const [saved, setSaved] = useState(false);
  const file = `${recovery.fileHead(atDoor().person()?.name ?? "")}\n\n${codes.join("\n")}\n`;
  const address = useObjectAddress(file);
  return (
    <div class="form">
      <Banner kind="warning">{recovery.text}</Banner>
      <div class="print-alone">
        <ul class="codes" aria-label={recovery.list}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div class="button-row no-print">
        <CopyButton value={codes.join("\n")} label={recovery.copy} />
        {address !== null && (
          <ButtonLink icon="download" href={address} download={recovery.fileName}>
            {recovery.download}
          </ButtonLink>
        )}
        <Button icon="print" onClick={() => window.print()}>
          {recovery.print}
        </Button>
      </div>
      <CheckField label={recovery.saved} checked={saved} onChange={setSaved} />
      <Button kind="primary" wide disabled={!saved} busy={busy} onClick={onSaved}>
        {recovery.done}
      </Button>
    </div>
  );
}
