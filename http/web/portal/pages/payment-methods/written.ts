import type { PaymentMethodJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { text } from "../../i18n/texts.ts";
import { charactersOf } from "./characters.ts";

type Member = NonNullable<PaymentMethodJson["members"]>[number];

/** A member of a service without predefined members. */
export interface FreeMember {
  /** Identifies the member in the rendered list. It is not stored. */
  id: number;
  name: string;
  value: string;
  /** The mask of the stored value; null for a new member. */
  stored: string | null;
}

/** The contents of the form. Stored secrets are empty until a new value is typed. */
export interface Written {
  mode: "sandbox" | "live" | null;
  values: Readonly<Record<string, string>>;
  free: readonly FreeMember[];
}

/** Certificates and keys have many lines. No value of a single line is this long. */
const LINES_FROM_LENGTH = 1_000;

export function hasLines({ maxLength }: Pick<Member, "maxLength">): boolean {
  return maxLength >= LINES_FROM_LENGTH;
}

/** The form counts down only limits up to this one, because people reach them. */
const COUNTED_TO_LENGTH = 100;

export function isCounted({ maxLength }: Pick<Member, "maxLength">): boolean {
  return maxLength <= COUNTED_TO_LENGTH;
}

/** These limits apply to members without rules of their own. The relay makes the decision. */
export const FREE_MEMBERS_MAX = 32;
export const FREE_LENGTH_MAX = 4_096;
const FREE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

export function writtenOf({ mode, members, values }: PaymentMethodJson): Written {
  return {
    mode,
    values: Object.fromEntries((members ?? []).map(({ name, secret }) => [name, secret ? "" : (values[name] ?? "")])),
    free: members === null ? Object.entries(values).map(([name, stored], id) => ({ id, name, value: "", stored })) : [],
  };
}

/**
 * Returns the whole configuration to send. An unchanged secret is left out, or sent as its mask
 * where leaving it out would remove it.
 */
export function bodyOf({ members }: PaymentMethodJson, { mode, values, free }: Written): Record<string, string> {
  const named = (members ?? []).flatMap(({ name, secret }) => {
    const value = values[name] ?? "";
    return secret && value === "" ? [] : [[name, value] as const];
  });
  const unnamed = free.map(({ name, value, stored }) => [name.trim(), value === "" && stored !== null ? stored : value] as const);
  return { ...Object.fromEntries([...named, ...unnamed]), mode: mode ?? "" };
}

/** Returns what is wrong with a member; null for nothing. */
export function memberProblem({ name, secret, maxLength }: Member, method: PaymentMethodJson, value: string): string | null {
  const { fields, paymentMethods: words } = text();
  if (value === "" && secret && name in method.values) return null;
  if (value.trim() === "") return fields.required;
  return charactersOf(value) > maxLength ? words.tooLong(maxLength) : null;
}

export function freeNameProblem({ id, name }: FreeMember, all: readonly FreeMember[]): string | null {
  const { fields, paymentMethods: words } = text();
  const trimmed = name.trim();
  if (trimmed === "") return fields.required;
  if (trimmed === "mode" || !FREE_NAME.test(trimmed)) return words.memberNameForm;
  return all.some((other) => other.id !== id && other.name.trim() === trimmed) ? words.memberNameTwice : null;
}

export function freeValueProblem({ value, stored }: FreeMember): string | null {
  const { fields, paymentMethods: words } = text();
  if (value === "" && stored !== null) return null;
  if (value.trim() === "") return fields.required;
  return charactersOf(value) > FREE_LENGTH_MAX ? words.tooLong(FREE_LENGTH_MAX) : null;
}

/** The label of a member; its name if the catalogue has no label. */
export function memberLabel(name: string): string {
  const known: Readonly<Record<string, string>> = text().paymentMethods.members;
  const label = Object.hasOwn(known, name) ? known[name] : undefined;
  return label === undefined || label.toLowerCase() === name.toLowerCase() ? (label ?? name) : `${label} (${name})`;
}
