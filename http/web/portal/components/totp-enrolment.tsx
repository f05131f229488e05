import { useState } from "preact/hooks";
import type { TotpBegunJson } from "../../../surfaces/merchant/sign-in/schemas.ts";
import { post } from "../api/client.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { atDoor } from "../state/door.ts";
import { useResource } from "../state/resource.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { TextField } from "./field.tsx";
import { codeProblem } from "./field-problems.ts";
import { Form } from "./form.tsx";
import { Loaded } from "./panel.tsx";
import { Skeleton } from "./skeleton.tsx";

/**
 * Sets up an authenticator app: shows its key as a picture and as text, and asks for a first code.
 * Nothing changes before the code is accepted.
 */
export function TotpEnrolment<Enrolled>({ onDone }: { onDone: (enrolled: Enrolled) => void }) {
  const begun = useResource("totp", (signal) => post<TotpBegunJson>(`${atDoor().factors}/totp`, undefined, { signal }));
  return (
    <Loaded of={begun} skeleton={<Skeleton lines={5} />}>
      {(totp) => <Steps totp={totp} onDone={onDone} />}
    </Loaded>
  );
}

function Steps<Enrolled>({ totp, onDone }: { totp: TotpBegunJson; onDone: (enrolled: Enrolled) => void }) {
  const { enrol, fields } = text();
  const [code, setCode] = useState("");
  const [checked, setChecked] = useState(false);
  const problem = codeProblem(code);
  const confirm = useAction(async () =>
    onDone(await post<Enrolled>(`${atDoor().factors}/totp/confirm`, { code: code.replace(/\s/g, "") })),
  );
  return (
    <ol class="steps">
      <li class="step">
        <span class="step-number" aria-hidden="true">
          1
        </span>
        <div class="step-body">
          <div>
            <h2>{enrol.step1}</h2>
            <p class="list-text">{enrol.step1Hint}</p>
          </div>
          <img class="qr" src={totp.qr} alt={enrol.qrAlt} width={184} height={184} />
          <div>
            <p class="list-text">{enrol.cannotScan}</p>
            <p class="secret">{(totp.secret.match(/.{1,4}/g) ?? []).join(" ")}</p>
          </div>
          <div>
            <CopyButton value={totp.secret} small />
          </div>
        </div>
      </li>
      <li class="step">
        <span class="step-number" aria-hidden="true">
          2
        </span>
        <div class="step-body">
          <h2>{enrol.step2}</h2>
          <Form
            error={confirm.error}
            busy={confirm.busy}
            onSubmit={() => {
              setChecked(true);
              if (problem === null) void confirm.run();
            }}
          >
            <TextField
              label={fields.code}
              value={code}
              onInput={setCode}
              error={checked ? problem : null}
              autoComplete="one-time-code"
              inputMode="numeric"
              maxLength={16}
              mono
            />
            <Button type="submit" kind="primary" wide busy={confirm.busy}>
              {enrol.confirm}
            </Button>
          </Form>
        </div>
      </li>
    </ol>
  );
}
