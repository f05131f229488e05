import { useState } from "preact/hooks";
import type { AdminSessionStateJson } from "../../../../surfaces/admin/session-schemas.ts";
import { post } from "../../../portal/api/client.ts";
import { answerWithPasskey, isPasskeyGivenUp } from "../../../portal/api/passkeys.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { requiredProblem } from "../../../portal/components/field-problems.ts";
import { Form } from "../../../portal/components/form.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { Entrance } from "../../../portal/pages/entrance/entrance.tsx";
import { useAction } from "../../../portal/state/action.ts";
import { words } from "../../i18n/texts.ts";
import { session, takeSession } from "../../state/session.ts";

/** Name and password, or a passkey alone. What follows is decided by the stage of the session (app.tsx). */
export function SignInPage() {
  const { signIn, fields } = text();
  const { entrance } = words();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);
  const problems = { username: requiredProblem(username.trim()), password: requiredProblem(password) };
  const withPassword = useAction(async () =>
    takeSession(await post<AdminSessionStateJson>("/session", { username: username.trim(), password })),
  );
  const withPasskey = useAction(() => answerWithPasskey("/session/passkey"));
  return (
    <Entrance title={signIn.title} lead={signIn.lead}>
      <Form
        error={withPassword.error ?? (isPasskeyGivenUp(withPasskey.error) ? null : withPasskey.error)}
        busy={withPassword.busy}
        onSubmit={() => {
          setChecked(true);
          withPasskey.forgetError();
          if (problems.username === null && problems.password === null) void withPassword.run();
        }}
      >
        {isPasskeyGivenUp(withPasskey.error) && (
          <Banner kind="warning" alert>
            {signIn.passkeyFailed}
          </Banner>
        )}
        <TextField
          label={entrance.username}
          name="username"
          autoComplete="username"
          maxLength={64}
          value={username}
          onInput={setUsername}
          error={checked ? problems.username : null}
        />
        <TextField
          label={fields.password}
          type="password"
          name="password"
          autoComplete="current-password"
          maxLength={1_024}
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
      <p class="muted">{entrance.forgotten}</p>
    </Entrance>
  );
}
