import type { AdminSessionStateJson } from "../../../../surfaces/admin/session-schemas.ts";
import { post } from "../../../portal/api/client.ts";
import { requiredProblem } from "../../../portal/components/field-problems.ts";
import { SignInForm } from "../../../portal/pages/entrance/sign-in-form.tsx";
import { words } from "../../i18n/texts.ts";
import { session, takeSession } from "../../state/session.ts";

/** Name and password, or a passkey alone. */
export function SignInPage() {
  const { entrance } = words();
  return (
    <SignInForm
      field={{ label: entrance.username, name: "username", maxLength: 64 }}
      problemOf={(username) => requiredProblem(username.trim())}
      passkeys={session.value?.passkeys === true}
      signIn={async (username, password) => takeSession(await post<AdminSessionStateJson>("/session", { username, password }))}
    >
      <p class="muted">{entrance.forgotten}</p>
    </SignInForm>
  );
}
