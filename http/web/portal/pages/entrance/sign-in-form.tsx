import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { answerWithPasskey, isPasskeyGivenUp } from "../../api/passkeys.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { requiredProblem } from "../../components/field-problems.ts";
import { Form } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";

export interface SignInFormProps {
  /** The field that identifies the person. */
  field: { label: string; name: string; type?: "email"; inputMode?: "email"; maxLength: number };
  /** Returns what is wrong with the field's value; null for nothing. */
  problemOf(who: string): string | null;
  /** Whether a person can sign in with a passkey. */
  passkeys: boolean;
  /** Starts the session. `who` has no surrounding spaces. */
  signIn(who: string, password: string): Promise<unknown>;
  /** The person who probably signs in. */
  likely?: string;
  /** The content below the form. */
  children?: ComponentChildren;
}

/** Asks for a name and a password, or a passkey. The stage of the session decides what follows. */
export function SignInForm({ field, problemOf, passkeys, signIn, likely = "", children }: SignInFormProps) {
  const { signIn: words, fields } = text();
  const [who, setWho] = useState(likely);
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);
  const problems = { who: problemOf(who), password: requiredProblem(password) };
  const withPassword = useAction(() => signIn(who.trim(), password));
  const withPasskey = useAction(() => answerWithPasskey("/session/passkey"));
  return (
    <>
      <Form
        error={withPassword.error ?? (isPasskeyGivenUp(withPasskey.error) ? null : withPasskey.error)}
        busy={withPassword.busy}
        onSubmit={() => {
          setChecked(true);
          withPasskey.forgetError();
          if (problems.who === null && problems.password === null) void withPassword.run();
        }}
      >
        {isPasskeyGivenUp(withPasskey.error) && (
          <Banner kind="warning" alert>
            {words.passkeyFailed}
          </Banner>
        )}
        <TextField {...field} autoComplete="username" value={who} onInput={setWho} error={checked ? problems.who : null} />
        <TextField
          label={fields.password}
          type="password"
          name="password"
          autoComplete="current-password"
          maxLength={1_024}
          value={password}
          onInput={setPassword}
          error={checked ? problems.password : null}
          autoFocus={likely !== ""}
        />
        <Button type="submit" kind="primary" wide busy={withPassword.busy}>
          {words.submit}
        </Button>
      </Form>
      {passkeys && (
        <>
          <p class="or">{words.or}</p>
          <Button icon="key" wide busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
            {words.passkey}
          </Button>
        </>
      )}
      {children}
    </>
  );
}
