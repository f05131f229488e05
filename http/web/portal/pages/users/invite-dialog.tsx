import type { MerchantRole } from "../../../../../engine/access/merchant-user-grant.ts";
import { post } from "../../api/client.ts";
import { ChoiceField, TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import { toast } from "../../state/toasts.ts";
import { roleChoices } from "./roles.ts";

export function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: () => void }) {
  const { users: words, fields } = text();
  const form = useFormValues({ email: "", role: "VIEWER" as MerchantRole, locale: locale.value }, ({ email }) => ({
    email: emailProblem(email),
  }));
  const { values, change } = form;
  const invite = useAction(async () => {
    const email = values.email.trim();
    await post("/users", { ...values, email });
    toast(words.invited(email));
    onInvited();
  });
  return (
    <FormDialog
      title={words.invite}
      action={invite}
      onSubmit={() => form.submit(invite.run)}
      submit={words.send}
      icon="mail"
      onClose={onClose}
    >
      <p class="lead">{words.inviteText}</p>
      <TextField
        label={fields.email}
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        value={values.email}
        onInput={(email) => change({ email })}
        error={form.problem("email")}
        autoFocus
      />
      <ChoiceField label={fields.role} value={values.role} options={roleChoices()} onChange={(role) => change({ role })} />
      <LanguageField label={words.mailLanguage} value={values.locale} onChange={(chosen) => change({ locale: chosen })} />
    </FormDialog>
  );
}
