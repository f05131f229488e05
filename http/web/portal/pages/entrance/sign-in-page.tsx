import type { SessionStateJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { post } from "../../api/client.ts";
import { emailProblem } from "../../components/field-problems.ts";
import { text } from "../../i18n/texts.ts";
import { session, takeSession } from "../../state/session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Signs in with an e-mail address and a password, or with a passkey. */
export function SignInPage() {
  const { signIn, fields } = text();
  return (
    <SignInForm
      field={{ label: fields.email, name: "email", type: "email", inputMode: "email", maxLength: 254 }}
      problemOf={emailProblem}
      passkeys={session.value?.passkeys === true}
      signIn={async (email, password) => takeSession(await post<SessionStateJson>("/session", { email, password }))}
    >
      <p>
        <a href="/portal/forgot">{signIn.forgot}</a>
      </p>
    </SignInForm>
  );
}
