import { useState } from "preact/hooks";
import type { MeJson, RecoveryCodesJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { post, remove } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { requiredProblem } from "../../components/field-problems.ts";
import { Form, FormActions } from "../../components/form.tsx";
import { RecoveryCodeList } from "../../components/recovery-codes.tsx";
import { TotpEnrolment } from "../../components/totp-enrolment.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { atDoor } from "../../state/door.ts";
import { toast } from "../../state/toasts.ts";
import { useNewPassword } from "../entrance/new-password.tsx";
import { Setting } from "./setting.tsx";

/** The answer to an enrolment, for a merchant's user or an administrator. */
export interface EnrolledAnswer {
  recoveryCodes: readonly string[] | null;
}

export interface SettingProps {
  me: Pick<MeJson, "totp" | "passkeys" | "recoveryCodesLeft">;
  onChanged: () => void;
}

export function ChangePassword() {
  const { settings, app } = text();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Setting
        icon="shield"
        title={settings.password}
        actions={
          <Button small onClick={() => setOpen(true)}>
            {settings.changePassword}
          </Button>
        }
      >
        {settings.passwordText}
      </Setting>
      {open && (
        <Dialog title={settings.changePassword} onClose={() => setOpen(false)}>
          <PasswordForm cancel={app.cancel} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function PasswordForm({ cancel, onClose }: { cancel: string; onClose: () => void }) {
  const { settings, fields } = text();
  const [present, setPresent] = useState("");
  const [checked, setChecked] = useState(false);
  const { password: newPassword, check, inputs } = useNewPassword();
  const change = useAction(async () => {
    await post("/me/password", { password: present, newPassword });
    onClose();
    toast(settings.passwordChanged);
  });
  const problem = requiredProblem(present);
  return (
    <Form
      error={change.error}
      busy={change.busy}
      onSubmit={() => {
        setChecked(true);
        const isNewFine = check();
        if (isNewFine && problem === null) void change.run();
      }}
    >
      <TextField
        label={fields.currentPassword}
        type="password"
        name="current-password"
        autoComplete="current-password"
        value={present}
        onInput={setPresent}
        error={checked ? problem : null}
        autoFocus
      />
      {inputs}
      <FormActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button type="submit" kind="primary" busy={change.busy}>
          {settings.changePassword}
        </Button>
      </FormActions>
    </Form>
  );
}

export function Totp({ me, onChanged }: SettingProps) {
  const { settings, users } = text();
  const [open, setOpen] = useState<"set up" | "remove" | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { factors, reload } = atDoor();
  const done = async ({ recoveryCodes }: EnrolledAnswer): Promise<void> => {
    await reload();
    setOpen(null);
    setCodes(recoveryCodes);
    toast(settings.totpAdded);
    onChanged();
  };
  return (
    <>
      <Setting
        icon="phone"
        title={settings.totp}
        badge={me.totp ? <Badge kind="good">{users.hasFactor}</Badge> : null}
        actions={
          <>
            <Button small onClick={() => setOpen("set up")}>
              {me.totp ? settings.replace : settings.setUp}
            </Button>
            {me.totp && (
              <Button small onClick={() => setOpen("remove")}>
                {settings.turnOff}
              </Button>
            )}
          </>
        }
      >
        {me.totp ? settings.totpOn : settings.totpOff}
      </Setting>
      {open === "set up" && (
        <Dialog title={settings.totp} onClose={() => setOpen(null)}>
          <TotpEnrolment onDone={(enrolled: EnrolledAnswer) => void done(enrolled)} />
        </Dialog>
      )}
      {open === "remove" && (
        <ConfirmDialog
          title={settings.totpRemoveTitle}
          confirm={settings.turnOff}
          danger
          act={async () => {
            await remove(`${factors}/totp`);
            await reload();
            toast(settings.totpRemoved);
            onChanged();
          }}
          onClose={() => setOpen(null)}
        >
          {settings.totpRemoveText}
        </ConfirmDialog>
      )}
      {codes !== null && <NewCodes codes={codes} onSaved={() => setCodes(null)} />}
    </>
  );
}

export function RecoveryCodes({ me, onChanged }: SettingProps) {
  const { settings } = text();
  const [asking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <>
      <Setting
        icon="receipt"
        title={settings.recovery}
        actions={
          <Button small onClick={() => setAsking(true)}>
            {settings.renewRecovery}
          </Button>
        }
      >
        {settings.recoveryLeft(me.recoveryCodesLeft)}
      </Setting>
      {asking && (
        <ConfirmDialog
          title={settings.renewRecoveryTitle}
          confirm={settings.renewRecovery}
          act={async () => {
            const { recoveryCodes } = await post<RecoveryCodesJson>(`${atDoor().factors}/recovery-codes`);
            setCodes(recoveryCodes);
            onChanged();
          }}
          onClose={() => setAsking(false)}
        >
          {settings.renewRecoveryText}
        </ConfirmDialog>
      )}
      {codes !== null && <NewCodes codes={codes} onSaved={() => setCodes(null)} />}
    </>
  );
}

/**
 * Shows new recovery codes. The dialog closes only when the person confirms that they are saved.
 */
export function NewCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const { recovery } = text();
  return (
    <Dialog title={recovery.title}>
      <RecoveryCodeList codes={codes} onSaved={onSaved} />
    </Dialog>
  );
}
