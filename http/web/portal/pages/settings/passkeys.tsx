import { useState } from "preact/hooks";
import { remove } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { PasskeyEnrolment } from "../../components/passkey-enrolment.tsx";
import { formatDate } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { atDoor } from "../../state/door.ts";
import { toast } from "../../state/toasts.ts";
import { type EnrolledAnswer, NewCodes, type SettingProps } from "./security.tsx";
import { Setting } from "./setting.tsx";

export function Passkeys({ me, onChanged }: SettingProps) {
  const { settings } = text();
  const { person, factors, reload } = atDoor();
  const isPossible = person()?.passkeys === true;
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<MeJsonPasskey | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const done = async ({ recoveryCodes }: EnrolledAnswer): Promise<void> => {
    await reload();
    setAdding(false);
    setCodes(recoveryCodes);
    toast(settings.passkeyAdded);
    onChanged();
  };
  return (
    <>
      <Setting
        icon="key"
        title={settings.passkeys}
        actions={
          isPossible ? (
            <Button small onClick={() => setAdding(true)}>
              {settings.addPasskey}
            </Button>
          ) : undefined
        }
      >
        {isPossible ? settings.passkeysText : settings.passkeysOff}
      </Setting>
      {me.passkeys.length > 0 && (
        <ul class="inset" aria-label={settings.passkeys}>
          {me.passkeys.map((passkey) => (
            <li key={passkey.id} class="list-item">
              <div>
                <div class="list-title">{passkey.name}</div>
                <div class="list-text">
                  {settings.passkeyAddedAt(formatDate(passkey.createdAt))}
                  {", "}
                  {passkey.lastUsedAt === null ? settings.passkeyUnused : settings.passkeyUsedAt(formatDate(passkey.lastUsedAt))}
                </div>
              </div>
              <Button small label={settings.removePasskey(passkey.name)} onClick={() => setRemoving(passkey)}>
                {settings.turnOff}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {adding && (
        <Dialog title={settings.addPasskey} onClose={() => setAdding(false)}>
          <PasskeyEnrolment onDone={(enrolled: EnrolledAnswer) => void done(enrolled)} />
        </Dialog>
      )}
      {removing !== null && (
        <ConfirmDialog
          title={settings.removePasskeyTitle(removing.name)}
          confirm={settings.turnOff}
          danger
          act={async () => {
            await remove(`${factors}/passkeys/${encodeURIComponent(removing.id)}`);
            await reload();
            toast(settings.passkeyRemoved);
            onChanged();
          }}
          onClose={() => setRemoving(null)}
        >
          {settings.removePasskeyText}
        </ConfirmDialog>
      )}
      {codes !== null && <NewCodes codes={codes} onSaved={() => setCodes(null)} />}
    </>
  );
}

type MeJsonPasskey = SettingProps["me"]["passkeys"][number];
