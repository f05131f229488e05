import { useState } from "preact/hooks";

export interface FormValues<Values, Name extends string> {
  /** What is written at present. */
  values: Values;
  change(changes: Partial<Values>): void;
  /** What is wrong with one of them; nothing is said of it before somebody has tried to send it. */
  problem(name: Name): string | null;
  /** Sends it where nothing is wrong, and else says what is. */
  submit(send: () => unknown): void;
}

/** What a person writes into a form, and whether it can be sent. */
export function useFormValues<Values extends object, Name extends string = never>(
  initial: Values,
  problemsOf: (values: Values) => Readonly<Record<Name, string | null>>,
): FormValues<Values, Name> {
  const [values, setValues] = useState(initial);
  const [checked, setChecked] = useState(false);
  const problems = problemsOf(values);
  const isRight = Object.values(problems).every((problem) => problem === null);
  return {
    values,
    change: (changes) => setValues((before) => ({ ...before, ...changes })),
    problem: (name) => (checked ? problems[name] : null),
    submit: (send) => {
      setChecked(true);
      if (isRight) send();
    },
  };
}
