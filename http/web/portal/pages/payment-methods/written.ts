import type { PaymentMethodJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { text } from "../../i18n/texts.ts";
import { charactersOf } from "./characters.ts";

type Member = NonNullable<PaymentMethodJson["members"]>[number];

/** A member of a service without rules of its own. */
export interface FreeMember {
  /** For the list on the page only. */
  id: number;
  name: string;
  value: string;
  /** The mask of what is stored; null for one that is new. */
  stored: string | null;
}

/** What is in the form. Secrets that are stored are empty until a new one is typed. */
export interface Written {
  mode: "sandbox" | "live" | null;
  values: Readonly<Record<string, string>>;
  free: readonly FreeMember[];
}

/** Certificates and keys have many lines, and are longer than anything that has one. */
const LINES_FROM_LENGTH = 1_000;

export function hasLines({ maxLength }: Pick<Member, "maxLength">): boolean {
  return maxLength >= LINES_FROM_LENGTH;
}

/** Below it a limit is one that people run into, and is counted down. */
const COUNTED_TO_LENGTH = 100;

export function isCounted({ maxLength }: Pick<Member, "maxLength">): boolean {
  return maxLength <= COUNTED_TO_LENGTH;
}

/** Of members without rules of their own; the relay decides. */
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

/** The whole configuration as it is sent: stored secrets that nobody typed anew are left out, or named by their masks where leaving them out would remove them. */
export function bodyOf({ members }: PaymentMethodJson, { mode, values, free }: Written): Record<string, string> {
  const named = (members ?? []).flatMap(({ name, secret }) => {
    const value = values[name] ?? "";
    return secret && value === "" ? [] : [[name, value] as const];
  });
  const unnamed = free.map(({ name, value, stored }) => [name.trim(), value === "" && stored !== null ? stored : value] as const);
  return { ...Object.fromEntries([...named, ...unnamed]), mode: mode ?? "" };
}

/** What is wrong with a member; null where nothing is. */
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

/** What a member is, for people; its own name where the catalogue has no other. */
export function memberLabel(name: string): string {
  const known: Readonly<Record<string, string>> = text().paymentMethods.members;
  const label = Object.hasOwn(known, name) ? known[name] : undefined;
  return label === undefined || label.toLowerCase() === name.toLowerCase() ? (label ?? name) : `${label} (${name})`;
}
