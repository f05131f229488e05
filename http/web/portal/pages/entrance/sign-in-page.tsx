import { useState } from "preact/hooks";
import type { SessionStateJson } from "../../../../surfaces/merchant/schemas.ts";
import { post } from "../../api/client.ts";
import { answerWithPasskey, isPasskeyGivenUp } from "../../api/passkeys.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { emailProblem, requiredProblem } from "../../components/field-problems.ts";
import { Form } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { session, takeSession } from "../../state/session.ts";
import { Entrance } from "./entrance.tsx";

/** E-mail and password, or a passkey alone. What follows is decided by the stage of the session (app.tsx). */
export function SignInPage() {
  const { signIn, fields } = text();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);
  const problems = { email: emailProblem(email), password: requiredProblem(password) };
  const withPassword = useAction(async () => takeSession(await post<SessionStateJson>("/session", { email: email.trim(), password })));
  const withPasskey = useAction(() => answerWithPasskey("/session/passkey"));
  return (
    <Entrance title={signIn.title} lead={signIn.lead}>
      <Form
        error={withPassword.error ?? (isPasskeyGivenUp(withPasskey.error) ? null : withPasskey.error)}
        busy={withPassword.busy}
        onSubmit={() => {
          setChecked(true);
          withPasskey.forgetError();
          if (problems.email === null && problems.password === null) void withPassword.run();
        }}
      >
        {isPasskeyGivenUp(withPasskey.error) && (
          <Banner kind="warning" alert>
            {signIn.passkeyFailed}
          </Banner>
        )}
        <TextField
          label={fields.email}
          type="email"
          name="email"
          autoComplete="username"
          inputMode="email"
          maxLength={254}
          value={email}
          onInput={setEmail}
          error={checked ? problems.email : null}
        />
        <TextField
          label={fields.password}
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          onInput={setPassword}
          error={checked ? problems.password : null}
        />
        <Button type="submit" kind="primary" wide busy={withPassword.busy}>
          {signIn.submit}
        </Button>
      </Form>
      {session.value?.passkeys === true && (
        <>
          <p class="or">{signIn.or}</p>
          <Button icon="key" wide busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
            {signIn.passkey}
          </Button>
        </>
      )}
      <p>
        <a href="/portal/forgot">{signIn.forgot}</a>
      </p>
    </Entrance>
  );
}
