import { Kind, type TSchema, Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import { maskPans } from "../../engine/kernel/mask.ts";
import { checkOf } from "./schema-check.ts";

/**
 * Members of a query or a body that an endpoint does not declare are ignored: they never reach the
 * handler, and the response names them in `Relay-Ignored`. They are rejected if ignoring one could
 * change what is paid, who may do what, how far a change reaches, or which rows are shown
 * (`UnknownRefusal`). A misspelt `amount` would refund the whole payment, and a misspelt filter
 * would list everything. An object that is `additionalProperties: true` is free-form, and all of it
 * is accepted.
 */
export const IGNORED_HEADER = "Relay-Ignored";

/**
 * Why an endpoint rejects unknown members. `money`: amounts, and the accounts that money goes to;
 * `access`: rules, roles, keys and logins; `limits`: how much, how many or whom; `rows`: what a
 * list shows. Lists need not declare `rows` (lists.ts).
 */
export type UnknownRefusal = "money" | "access" | "limits" | "rows";

/** Bounds the length of the header. No client sends that many names by mistake. */
export const IGNORED_NAMES_MAX = 20;

const NAME_CHARS_MAX = 64;

/**
 * Words in names of members about what is paid or when. An endpoint that moves money rejects an
 * undeclared member with one of them in its name, such as `tipAmount`, `capture_method` or
 * `validUntil`.
 */
const PAYMENT_WORDS: ReadonlySet<string> = new Set([
  ...["amount", "amounts", "amt", "currency", "tip", "gratuity", "surcharge", "cashback"],
  ...["capture", "preauth", "preauthorization", "expiry", "expires", "expire", "expiration", "validity", "until", "schedule", "scheduled"],
  ...["recurring", "recurrent", "recurrence", "installment", "installments", "instalment", "instalments", "instrument", "mandate"],
]);

/** Whole names in lower case for the payer or the payee. */
const PARTIES: ReadonlySet<string> = new Set([
  "merchantid",
  "merid",
  "partnerid",
  "accountid",
  "token",
  "cardtoken",
  "paymenttoken",
  "payinstrtoken",
]);

/**
 * Throws RelayError `invalid_request` for the first of the ignored members (with dots between
 * levels) that would change a payment.
 */
export function refusePaymentMembers(ignored: readonly string[], sent: unknown = undefined): void {
  for (const path of ignored) {
    const words = wordsOf(path.slice(path.lastIndexOf(".") + 1));
    const changesPayment = PARTIES.has(words.join("")) || words.some((word) => PAYMENT_WORDS.has(word));
    if (!changesPayment || valueAt(sent, path) === null) continue;
    throw new RelayError("invalid_request", `${printable(path)}: would change the payment and is not accepted here; leave it out`);
  }
}

/**
 * Splits names into words: `tipAmount`, `tip_amount` and `TIP-AMOUNT` are equal. In `payInstrID`
 * and `IDToken` consecutive capitals form one word.
 */
function wordsOf(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart.toLowerCase().split(/[^a-z]+/);
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce((at, name) => (isObject(at) ? Object.entries(at).find(([own]) => own === name)?.[1] : undefined), value);
}

/**
 * Returns the value of the header. Callers choose the names, so characters that would break a list
 * in a header are replaced.
 */
export function ignoredHeader(names: readonly string[]): string {
  const shown = [...new Set(names.slice(0, IGNORED_NAMES_MAX).map(printable))];
  return names.length > IGNORED_NAMES_MAX ? `${shown.join(", ")}, ...` : shown.join(", ");
}

/** Makes a name that a caller chose safe for a message and a header. */
export function printable(name: string): string {
  return maskPans(name)
    .replace(/[^\x20-\x2b\x2d-\x7e]/g, "?")
    .slice(0, NAME_CHARS_MAX);
}

/**
 * A request member that the relay only returns. It is ignored, so that a client can send back a
 * changed record.
 */
export const ReadOnly = Type.Optional(Type.Unknown({ readOnly: true, description: "Ignored." }));

/**
 * Returns the schema without members that it does not declare. Records, and objects that explicitly
 * accept others, stay open.
 */
export function closed(schema: TSchema): TSchema {
  if (schema[Kind] === "Array") return { ...schema, items: closed(schema["items"]) };
  if (schema[Kind] === "Union") return { ...schema, anyOf: schema["anyOf"].map(closed) };
  if (schema[Kind] !== "Object") return schema;
  const members = Object.entries<TSchema>(schema["properties"]).map(([name, member]) => [name, closed(member)]);
  return { ...schema, properties: Object.fromEntries(members), additionalProperties: schema["additionalProperties"] ?? false };
}

/**
 * Copies a value that its schema accepts, without ignored members. Their names are added to
 * `ignored`, with dots between levels.
 */
export type Keep = (value: unknown, at: string, ignored: string[]) => unknown;

/**
 * Returns null if nothing can be ignored. Members that are `readOnly` in the schema are ignored
 * too.
 */
export function keepDeclared(schema: TSchema): Keep | null {
  switch (schema[Kind]) {
    case "Object":
      return keepMembers(schema);
    case "Array":
      return keepItems(schema["items"]);
    case "Union":
      return keepOfOne(schema["anyOf"]);
    default:
      return null;
  }
}

function keepMembers(schema: TSchema): Keep | null {
  const isOpen = schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false;
  const declared = new Map<string, { isReadOnly: boolean; keep: Keep | null }>();
  for (const [name, member] of Object.entries<TSchema>(schema["properties"])) {
    declared.set(name, { isReadOnly: member["readOnly"] === true, keep: keepDeclared(member) });
  }
  const takesAll = isOpen || schema["additionalProperties"] === false;
  if (takesAll && [...declared.values()].every(({ isReadOnly, keep }) => !isReadOnly && keep === null)) return null;
  return (value, at, ignored) => {
    if (!isObject(value)) return value;
    const kept: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const path = at === "" ? name : `${at}.${name}`;
      const known = declared.get(name);
      if (known === undefined ? !isOpen : known.isReadOnly) ignored.push(path);
      else kept.push([name, known?.keep == null ? member : known.keep(member, path, ignored)]);
    }
    return Object.fromEntries(kept);
  };
}

function keepItems(items: TSchema): Keep | null {
  const keep = keepDeclared(items);
  if (keep === null) return null;
  return (value, at, ignored) => (Array.isArray(value) ? value.map((item, index) => keep(item, `${at}.${index}`, ignored)) : value);
}

/** Uses the first alternative that accepts the value. */
function keepOfOne(alternatives: readonly TSchema[]): Keep | null {
  const keeps = alternatives.map((schema) => ({ schema, keep: keepDeclared(schema) }));
  if (keeps.every(({ keep }) => keep === null)) return null;
  const checked = keeps.map(({ schema, keep }) => ({ check: checkOf(schema), keep }));
  return (value, at, ignored) => {
    const keep = checked.find(({ check }) => check().Check(value))?.keep ?? null;
    return keep === null ? value : keep(value, at, ignored);
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
