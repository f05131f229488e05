import { useState } from "preact/hooks";
import { addPasskey, isPasskeyGivenUp } from "../api/passkeys.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { requiredProblem } from "./field-problems.ts";
import { Form } from "./form.tsx";

/** Asks for the name of a passkey, which the browser then creates. */
export function PasskeyEnrolment<Enrolled>({ onDone }: { onDone: (enrolled: Enrolled) => void }) {
  const { enrol } = text();
  const [name, setName] = useState(enrol.passkeyDefault);
  const add = useAction(async () => onDone(await addPasskey<Enrolled>(name.trim())));
  const problem = requiredProblem(name.trim());
  return (
    <Form
      error={isPasskeyGivenUp(add.error) ? null : add.error}
      busy={add.busy}
      onSubmit={() => {
        if (problem === null) void add.run();
      }}
    >
      {isPasskeyGivenUp(add.error) && (
        <Banner kind="warning" alert>
          {enrol.passkeyFailed}
        </Banner>
      )}
      <p class="lead">{enrol.passkeyText}</p>
      <TextField label={enrol.passkeyName} hint={enrol.passkeyNameHint} value={name} onInput={setName} error={problem} maxLength={64} />
      <Button type="submit" kind="primary" icon="key" wide busy={add.busy}>
        {enrol.addPasskey}
      </Button>
    </Form>
  );
}
