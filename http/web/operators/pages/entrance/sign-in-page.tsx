import type { ComponentChildren } from "preact";
import { requiredProblem } from "../../../portal/components/field-problems.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { Entrance } from "../../../portal/pages/entrance/entrance.tsx";
import { Steps } from "../../../portal/pages/entrance/second-factor-form.tsx";
import { SignInForm } from "../../../portal/pages/entrance/sign-in-form.tsx";
import type { Person } from "../../../portal/state/door.ts";
import { words } from "../../i18n/texts.ts";
import { enter, session } from "../../state/session.ts";

/** Signs in with a name and a password, or with a passkey alone. */
export function SignInPage() {
  const { signIn } = text();
  return (
    <Entrance title={signIn.title} lead={signIn.lead}>
      <SignIn>
        <p class="muted">{words().entrance.forgotten}</p>
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

/** The first step of the sign-in of an administrator. */
function SignIn({ likely, children }: { likely?: string; children?: ComponentChildren }) {
  return (
    <SignInForm
      field={{ label: words().entrance.username, name: "username", maxLength: 64 }}
      problemOf={(username) => requiredProblem(username.trim())}
      passkeys={session.value?.passkeys === true}
      signIn={(username, password) => enter("/session", { username, password })}
      {...(likely === undefined ? {} : { likely })}
    >
      {children}
    </SignInForm>
  );
}
