import { useState } from "preact/hooks";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/schemas.ts";
import { post } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { Form, FormActions } from "../../components/form.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";

/** Sends the link by mail, to its customer or to somebody else. */
export function SendDialog({
  link,
  onClose,
  onSent,
}: {
  link: PaymentLinkJson;
  onClose: () => void;
  onSent: (link: PaymentLinkJson) => void;
}) {
  const { paymentLinks: words, fields, users, app } = text();
  const known = may("see personal data") ? (link.customerEmail ?? "") : "";
  const [email, setEmail] = useState(known);
  const [language, setLanguage] = useState(locale.value);
  const [checked, setChecked] = useState(false);
  const problem = emailProblem(email);
  const sendOnce = useSendOnce();
  const send = useAction(async () => {
    const body = { email: email.trim(), locale: language };
    const path = `/payment-links/${encodeURIComponent(link.id)}/send`;
    const sent = await sendOnce(body, (idempotencyKey) => post<PaymentLinkJson>(path, body, { idempotencyKey }));
    toast(words.sent(body.email));
    onSent(sent);
    onClose();
  });
  return (
    <Dialog title={words.sendTitle} onClose={onClose}>
      <Form
        error={send.error}
        busy={send.busy}
        onSubmit={() => {
          setChecked(true);
          if (problem === null) void send.run();
        }}
      >
        <p class="lead">{words.sendText}</p>
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
        <LanguageField label={users.mailLanguage} value={language} onChange={setLanguage} />
        <FormActions>
          <Button onClick={onClose}>{app.cancel}</Button>
          <Button type="submit" kind="primary" icon="mail" busy={send.busy}>
            {words.sendNow}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
