import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { Form } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { Entrance } from "./entrance.tsx";

/** Asks for a link to set a new password. The answer does not reveal whether the account exists. */
export function ForgotPage() {
  const { forgot, fields } = text();
  const [email, setEmail] = useState("");
  const [checked, setChecked] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const problem = emailProblem(email);
  const send = useAction(async () => {
    await post("/password/forgot", { email: email.trim() });
    setSentTo(email.trim());
  });
  const back = <a href="/portal/sign-in">{forgot.back}</a>;
  if (sentTo !== null) {
    return (
      <Entrance key="sent" title={forgot.sentTitle} foot={back}>
        <Banner kind="success" alert>
          {forgot.sentText(sentTo)}
        </Banner>
      </Entrance>
    );
  }
  return (
    <Entrance title={forgot.title} lead={forgot.lead} foot={back}>
      <Form
        error={send.error}
        busy={send.busy}
        onSubmit={() => {
          setChecked(true);
          if (problem === null) void send.run();
        }}
      >
        <TextField
          label={fields.email}
          type="email"
          name="email"
          autoComplete="username"
          inputMode="email"
          maxLength={254}
          value={email}
          onInput={setEmail}
          error={checked ? problem : null}
        />
        <Button type="submit" kind="primary" wide busy={send.busy}>
          {forgot.submit}
        </Button>
      </Form>
    </Entrance>
  );
}
