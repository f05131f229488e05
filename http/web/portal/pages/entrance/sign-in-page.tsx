import type { ComponentChildren } from "preact";
import { emailProblem } from "../../components/field-problems.ts";
import { text } from "../../i18n/texts.ts";
import type { Person } from "../../state/door.ts";
import { enter, session } from "../../state/session.ts";
import { Entrance } from "./entrance.tsx";
import { Steps } from "./second-factor-form.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** Signs in with an e-mail address and a password, or with a passkey. */
export function SignInPage() {
  const { signIn } = text();
  return (
    <Entrance title={signIn.title} lead={signIn.lead}>
      <SignIn>
        <p>
          <a href="/portal/forgot">{signIn.forgot}</a>
        </p>
      </SignIn>
    </Entrance>
  );
}

/** The steps of sign-in over a page, for `SignInAgain`. */
export function SignInSteps({ person }: { person: Person }) {
  return (
    <Steps person={person}>
      <SignIn likely={person.name} />
    </Steps>
  );
}

/** The first step of the sign-in of a merchant's user. */
function SignIn({ likely, children }: { likely?: string; children?: ComponentChildren }) {
  return (
    <SignInForm
      field={{ label: text().fields.email, name: "email", type: "email", inputMode: "email", maxLength: 254 }}
      problemOf={emailProblem}
      passkeys={session.value?.passkeys === true}
      signIn={(email, password) => enter("/session", { email, password })}
      {...(likely === undefined ? {} : { likely })}
    >
      {children}
    </SignInForm>
  );
}
