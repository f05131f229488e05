import { useState } from "preact/hooks";
import { post } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { Dialog } from "../../../portal/components/dialog.tsx";
import { Form, FormActions } from "../../../portal/components/form.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { useNewPassword } from "../../../portal/pages/entrance/new-password.tsx";
import { Setting } from "../../../portal/pages/settings/setting.tsx";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";
import { words } from "../../i18n/texts.ts";

/** The password. The owner of the configuration has it there, and is told so. */
export function ChangePassword() {
  const { settings } = text();
  const { account: own } = words();
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
        {own.passwordText}
      </Setting>
      {open && (
        <Dialog title={settings.changePassword} onClose={() => setOpen(false)}>
          <PasswordForm onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const { settings, app } = text();
  const { account: own } = words();
  const { password, check, inputs } = useNewPassword();
  const change = useAction(async () => {
    await post("/administrators/me/password", { password });
    onClose();
    toast(settings.passwordChanged);
  });
  const isConfigured = hasCode(change.error, "conflict");
  return (
    <Form error={isConfigured ? null : change.error} busy={change.busy} onSubmit={() => check() && void change.run()}>
      {isConfigured && (
        <Banner kind="warning" alert>
          {own.configured}
        </Banner>
      )}
      {inputs}
      <FormActions>
        <Button onClick={onClose}>{app.cancel}</Button>
        <Button type="submit" kind="primary" busy={change.busy}>
          {settings.changePassword}
        </Button>
      </FormActions>
    </Form>
  );
}
