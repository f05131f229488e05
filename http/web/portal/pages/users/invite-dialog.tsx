import { useState } from "preact/hooks";
import type { MerchantRole } from "../../../../../engine/access/merchant-user-grant.ts";
import { post } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ChoiceField, TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { Form, FormActions } from "../../components/form.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";
import { roleChoices } from "./roles.ts";

export function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: () => void }) {
  const { users: words, fields, app } = text();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MerchantRole>("VIEWER");
  const [language, setLanguage] = useState(locale.value);
  const [checked, setChecked] = useState(false);
  const problem = emailProblem(email);
  const invite = useAction(async () => {
    const address = email.trim();
    await post("/users", { email: address, role, locale: language });
    toast(words.invited(address));
    onInvited();
  });
  return (
    <Dialog title={words.invite} onClose={onClose}>
      <Form
        error={invite.error}
        busy={invite.busy}
        onSubmit={() => {
          setChecked(true);
          if (problem === null) void invite.run();
        }}
      >
        <p class="lead">{words.inviteText}</p>
        <TextField
          label={fields.email}
          type="email"
          inputMode="email"
          autoComplete="off"
          maxLength={254}
          value={email}
          onInput={setEmail}
          error={checked ? problem : null}
          autoFocus
        />
        <ChoiceField label={fields.role} value={role} options={roleChoices()} onChange={setRole} />
        <LanguageField label={words.mailLanguage} value={language} onChange={setLanguage} />
        <FormActions>
          <Button onClick={onClose}>{app.cancel}</Button>
          <Button type="submit" kind="primary" icon="mail" busy={invite.busy}>
            {words.send}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
