import { text } from "../i18n/texts.ts";

/**
 * This equals `PASSWORD_LENGTH_MIN` of the engine, which makes the decision. The page reports a
 * mistake before anything is sent.
 */
const PASSWORD_LENGTH_MIN = 12;

/** Returns what is wrong with an address; null for nothing. */
export function emailProblem(email: string): string | null {
  const { fields } = text();
  if (email.trim() === "") return fields.required;
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? null : fields.emailForm;
}

export function requiredProblem(value: string): string | null {
  return value === "" ? text().fields.required : null;
}

export function newPasswordProblem(password: string): string | null {
  return password.length < PASSWORD_LENGTH_MIN ? text().fields.passwordShort : null;
}

export function codeProblem(code: string): string | null {
  return /^\s*\d{3}\s?\d{3}\s*$/.test(code) ? null : text().fields.codeForm;
}
