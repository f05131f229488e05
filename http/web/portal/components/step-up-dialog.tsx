import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { onCalls } from "../api/client.ts";
import { answerWithPasskey } from "../api/passkeys.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { atDoor } from "../state/door.ts";
import { returning } from "../state/returning.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { codeProblem, requiredProblem } from "./field-problems.ts";
import { Form, FormActions } from "./form.tsx";

/** The calls that wait for a fresh second factor. Calls at the same time share one question. */
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

/** Asks for a fresh second factor when a call requires one. The call then continues. */
export function StepUpDialog() {
  const { value } = asked;
  return value === null ? null : <StepUpForm answer={value.answer} />;
}

function StepUpForm({ answer }: { answer: (done: boolean) => void }) {
  const { stepUp, fields, app } = text();
  const door = atDoor();
  const { stage, methods = [], passkeys = false } = door.person() ?? {};
  const hasCode = methods.includes("totp");
  const hasPasskey = passkeys && methods.includes("passkey");
  // Without an authenticator app or a usable passkey, only a recovery code is left.
  const recovers = !hasCode && !hasPasskey;
  // Without a session the question has no meaning. A new sign-in has asked for a second factor.
  const isReturning = returning.value !== null;
  const wasReturning = useRef(false);
  useEffect(() => {
    if (stage !== "full") answer(false);
    else if (wasReturning.current && !isReturning) answer(true);
    wasReturning.current = isReturning;
  }, [stage, isReturning, answer]);
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const withCode = useAction(async () => {
    await door.prove("/session/step-up", recovers ? { recoveryCode: code.trim() } : { code: code.replace(/\s/g, "") });
    answer(true);
  });
  const withPasskey = useAction(async () => {
    await answerWithPasskey("/session/step-up");
    answer(true);
  });
  return (
    <Dialog title={stepUp.title} unsaved={null} onClose={() => answer(false)}>
      <Form
        error={withCode.error ?? withPasskey.error}
        busy={withCode.busy}
        onSubmit={() => {
          const problem = recovers ? requiredProblem(code.trim()) : codeProblem(code);
          setWrong(problem);
          if (problem === null) void withCode.run();
        }}
      >
        <p class="lead">{stepUp.text}</p>
        {(hasCode || recovers) && (
          <TextField
            label={recovers ? fields.recoveryCode : fields.code}
            hint={recovers ? fields.recoveryCodeHint : fields.codeHint}
            value={code}
            onInput={setCode}
            error={wrong}
            autoComplete={recovers ? "off" : "one-time-code"}
            inputMode={recovers ? "text" : "numeric"}
            maxLength={64}
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
          {(hasCode || recovers) && (
            <Button type="submit" kind="primary" busy={withCode.busy}>
              {stepUp.confirm}
            </Button>
          )}
        </FormActions>
      </Form>
    </Dialog>
  );
}
