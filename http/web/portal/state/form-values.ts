import { useState } from "preact/hooks";

export interface FormValues<Values, Name extends string> {
  values: Values;
  change(changes: Partial<Values>): void;
  /** The mistake in a member; null before the first attempt to send the form. */
  problem(name: Name): string | null;
  /** Sends the form if it has no mistakes, and shows them otherwise. */
  submit(send: () => unknown): void;
}

/** Holds the values of a form, and checks them before it is sent. */
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
