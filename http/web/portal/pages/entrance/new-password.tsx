import { useState } from "preact/hooks";
import { TextField } from "../../components/field.tsx";
import { newPasswordProblem } from "../../components/field-problems.ts";
import { text } from "../../i18n/texts.ts";

/** Asks for a new password twice. */
export function useNewPassword() {
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const [checked, setChecked] = useState(false);
  const { fields } = text();
  const short = newPasswordProblem(password);
  const differs = password === repeated ? null : fields.passwordsDiffer;
  return {
    password,
    /** Shows mistakes from now on. Returns true if there are none. */
    check: (): boolean => {
      setChecked(true);
      return short === null && differs === null;
    },
    inputs: (
      <>
        <TextField
          label={fields.newPassword}
          hint={fields.passwordHint}
          type="password"
          name="new-password"
          autoComplete="new-password"
          maxLength={128}
          value={password}
          onInput={setPassword}
          error={checked ? short : null}
        />
        <TextField
          label={fields.repeatPassword}
          type="password"
          name="repeat-password"
          autoComplete="new-password"
          maxLength={128}
          value={repeated}
          onInput={setRepeated}
          error={checked && short === null ? differs : null}
        />
      </>
    ),
  };
}
