import { useState } from "preact/hooks";
import { MERCHANT_ROLES, type MerchantRole } from "../../../../../engine/access/merchant-user-grant.ts";
import { post } from "../../../portal/api/client.ts";
import type { LocaleJson } from "../../../portal/api/types.ts";
import { Button } from "../../../portal/components/button.tsx";
import { Dialog } from "../../../portal/components/dialog.tsx";
import { SelectField, TextField } from "../../../portal/components/field.tsx";
import { emailProblem } from "../../../portal/components/field-problems.ts";
import { Form, FormActions } from "../../../portal/components/form.tsx";
import { LanguageField } from "../../../portal/components/language-field.tsx";
import { rightsText } from "../../../portal/i18n/rights.ts";
import { locale, text } from "../../../portal/i18n/texts.ts";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";

/** Invites somebody to a merchant's portal: its first owner, who then invites the others. */
export function InviteOwnerDialog({ path, onClose, onInvited }: { path: string; onClose: () => void; onInvited: () => void }) {
  const { users: common, fields, roles, app } = text();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MerchantRole>("OWNER");
  const [language, setLanguage] = useState<LocaleJson>(locale.value);
  const [checked, setChecked] = useState(false);
  const problem = emailProblem(email);
  const invite = useAction(async () => {
    await post(path, { email: email.trim(), role, locale: language });
    toast(common.invited(email.trim()));
    onInvited();
  });
  return (
    <Dialog title={common.invite} onClose={onClose}>
      <Form
        error={invite.error}
        busy={invite.busy}
        onSubmit={() => {
          setChecked(true);
          if (problem === null) void invite.run();
        }}
      >
        <p class="lead">{common.inviteText}</p>
        <TextField
          label={fields.email}
          type="email"
          name="email"
          autoComplete="off"
          inputMode="email"
          maxLength={254}
          value={email}
          onInput={setEmail}
          error={checked ? problem : null}
          autoFocus
        />
        <SelectField
          label={fields.role}
          value={role}
          hint={rightsText(role)}
          options={MERCHANT_ROLES.map((value) => ({ value, label: roles[value] }))}
          onChange={setRole}
        />
        <LanguageField label={common.mailLanguage} value={language} onChange={setLanguage} />
        <FormActions>
          <Button onClick={onClose}>{app.cancel}</Button>
          <Button type="submit" kind="primary" icon="mail" busy={invite.busy}>
            {common.send}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
