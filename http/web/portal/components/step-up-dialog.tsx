import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { SessionStateJson } from "../../../surfaces/merchant/schemas.ts";
import { onCalls, post } from "../api/client.ts";
import { answerWithPasskey } from "../api/passkeys.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { session, takeSession } from "../state/session.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { Form, FormActions } from "./form.tsx";

/** Who waits for a fresh second factor. Calls that need one at the same time share the question. */
const asked = signal<{ answered: Promise<boolean>; answer(done: boolean): void } | null>(null);

onCalls({
  stepUp: () => {
    if (asked.value === null) {
      let answer: (done: boolean) => void = () => {};
      const answered = new Promise<boolean>((resolve) => {
        answer = resolve;
      });
      asked.value = {
        answered,
        answer: (done) => {
          asked.value = null;
          answer(done);
        },
      };
    }
    return asked.value.answered;
  },
});

/** Asks for a fresh second factor when a call needs one; the call then goes on. */
export function StepUpDialog() {
  const { value } = asked;
  return value === null ? null : <StepUpForm answer={value.answer} />;
}

function StepUpForm({ answer }: { answer: (done: boolean) => void }) {
  const { stepUp, fields, app } = text();
  const { methods = [], passkeys = false } = session.value ?? {};
  const hasCode = methods.includes("totp");
  const hasPasskey = passkeys && methods.includes("passkey");
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const withCode = useAction(async () => {
    await takeSession(await post<SessionStateJson>("/session/step-up", { code: code.trim() }));
    answer(true);
  });
  const withPasskey = useAction(async () => {
    await takeSession(await answerWithPasskey("/session/step-up"));
    answer(true);
  });
  return (
    <Dialog title={stepUp.title} onClose={() => answer(false)}>
      <Form
        error={withCode.error ?? withPasskey.error}
        busy={withCode.busy}
        onSubmit={() => {
          if (!hasCode) return;
          const form = /^\s*\d{6}\s*$/.test(code);
          setWrong(form ? null : fields.codeForm);
          if (form) void withCode.run();
        }}
      >
        <p class="lead">{stepUp.text}</p>
        {hasCode && (
          <TextField
            label={fields.code}
            hint={fields.codeHint}
            value={code}
            onInput={setCode}
            error={wrong}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={16}
            mono
            autoFocus
          />
        )}
        <FormActions>
          <Button onClick={() => answer(false)}>{app.cancel}</Button>
          {hasPasskey && (
            <Button icon="key" kind={hasCode ? "secondary" : "primary"} busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
              {stepUp.passkey}
            </Button>
          )}
          {hasCode && (
            <Button type="submit" kind="primary" busy={withCode.busy}>
              {stepUp.confirm}
            </Button>
          )}
        </FormActions>
      </Form>
    </Dialog>
  );
}
