import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { post } from "../../api/client.ts";
import { TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";

/** Sends the link by mail, to its customer or to another address. */
export function SendDialog({
  link,
  onClose,
  onSent,
}: {
  link: PaymentLinkJson;
  onClose: () => void;
  onSent: (link: PaymentLinkJson) => void;
}) {
  const { paymentLinks: words, fields, users } = text();
  const form = useFormValues({ email: may("see personal data") ? (link.customerEmail ?? "") : "", locale: locale.value }, ({ email }) => ({
    email: emailProblem(email),
  }));
  const sendOnce = useSendOnce();
  const send = useAction(async () => {
    const body = { ...form.values, email: form.values.email.trim() };
    const path = `/payment-links/${encodeURIComponent(link.id)}/send`;
    const sent = await sendOnce(body, (idempotencyKey) => post<PaymentLinkJson>(path, body, { idempotencyKey }));
    toast(words.sent(body.email));
    onSent(sent);
    onClose();
  });
  return (
    <FormDialog
      title={words.sendTitle}
      action={send}
      onSubmit={() => form.submit(send.run)}
      submit={words.sendNow}
      icon="mail"
      onClose={onClose}
    >
      <p class="lead">{words.sendText}</p>
      <TextField
        label={fields.email}
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        value={form.values.email}
        onInput={(email) => form.change({ email })}
        error={form.problem("email")}
        autoFocus
      />
      <LanguageField label={users.mailLanguage} value={form.values.locale} onChange={(chosen) => form.change({ locale: chosen })} />
    </FormDialog>
  );
}
