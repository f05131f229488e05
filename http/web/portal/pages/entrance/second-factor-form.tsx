import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { answerWithPasskey, isPasskeyGivenUp } from "../../api/passkeys.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { codeProblem, requiredProblem } from "../../components/field-problems.ts";
import { Form } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { atDoor, type Person } from "../../state/door.ts";

const ICONS = { totp: "phone", passkey: "key", recovery: "receipt" } as const;

type Way = "totp" | "passkey" | "recovery";

/**
 * The steps of sign-in over a page: its first step, and then the second factor. Each focuses its
 * first field.
 */
export function Steps({ person, children }: { person: Person; children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  const isSecond = person.stage === "factor";
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for each step.
  useEffect(() => element.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus(), [isSecond]);
  return (
    <div ref={element} class="sign-in-steps">
      {isSecond ? <SecondFactorForm person={person} /> : children}
    </div>
  );
}

/** Asks for a second factor of the account. Recovery codes are always accepted. */
export function SecondFactorForm({ person: { methods, passkeys } }: { person: Person }) {
  const { secondFactor, fields, signIn } = text();
  const { prove } = atDoor();
  const ways: Way[] = [
    ...(methods.includes("totp") ? (["totp"] as const) : []),
    ...(passkeys && methods.includes("passkey") ? (["passkey"] as const) : []),
    "recovery",
  ];
  const [way, setWay] = useState<Way>(ways[0] ?? "recovery");
  const [value, setValue] = useState("");
  const [checked, setChecked] = useState(false);
  const problem = way === "totp" ? codeProblem(value) : requiredProblem(value.trim());
  const withCode = useAction(async () => {
    const written = value.trim();
    const body = way === "totp" ? { code: written.replace(/\s/g, "") } : { recoveryCode: written };
    await prove("/session/second-factor", body);
  });
  const withPasskey = useAction(() => answerWithPasskey("/session/passkey"));
  const error = way === "passkey" ? (isPasskeyGivenUp(withPasskey.error) ? null : withPasskey.error) : withCode.error;
  const labels: Record<Way, string> = {
    totp: secondFactor.withCode,
    passkey: secondFactor.withPasskey,
    recovery: secondFactor.withRecovery,
  };
  const choose = (other: Way): void => {
    setWay(other);
    setValue("");
    setChecked(false);
    withCode.forgetError();
    withPasskey.forgetError();
  };
  return (
    <>
      <Form
        error={error}
        busy={withCode.busy || withPasskey.busy}
        onSubmit={() => {
          if (way === "passkey") {
            void withPasskey.run();
            return;
          }
          setChecked(true);
          if (problem === null) void withCode.run();
        }}
      >
        {way === "passkey" && isPasskeyGivenUp(withPasskey.error) && (
          <Banner kind="warning" alert>
            {signIn.passkeyFailed}
          </Banner>
        )}
        {way === "totp" && (
          <TextField
            key="totp"
            label={fields.code}
            hint={fields.codeHint}
            value={value}
            onInput={setValue}
            error={checked ? problem : null}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={16}
            mono
            autoFocus
          />
        )}
        {way === "recovery" && (
          <TextField
            key="recovery"
            label={fields.recoveryCode}
            hint={fields.recoveryCodeHint}
            value={value}
            onInput={setValue}
            error={checked ? problem : null}
            name="recovery-code"
            autoComplete="off"
            maxLength={64}
            mono
            autoFocus
          />
        )}
        <Button type="submit" kind="primary" wide icon={way === "passkey" ? "key" : undefined} busy={withCode.busy || withPasskey.busy}>
          {way === "passkey" ? secondFactor.withPasskey : secondFactor.submit}
        </Button>
      </Form>
      {ways.length > 1 && <p class="or">{signIn.or}</p>}
      <div class="form">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} icon={ICONS[other]} wide onClick={() => choose(other)}>
              {labels[other]}
            </Button>
          ))}
      </div>
    </>
  );
}
