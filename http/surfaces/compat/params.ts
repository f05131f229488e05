import { type StringOptions, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { maskSchemePans } from "../../../engine/kernel/mask.ts";
import { METADATA_KEYS_MAX, type MetadataChange } from "../../../engine/kernel/metadata.ts";
import { NO_CONTROL_CHARACTERS } from "../../../engine/kernel/well-formed.ts";
import { invalidParam, type PlatformError } from "./platform-error.ts";

/**
 * Members of requests, for bodies in JSON and in forms alike: one table says what a member is, and both the reader and the documentation come of it. In a
 * form every value is a text; an empty one unsets a member, as null does in JSON.
 */

/** One kind of member. `T` has undefined for one that may be absent and null for one that may be unset. */
export interface Field<T> {
  readonly schema: TSchema;
  /** Of a member that may be unset: the schema of one that has a value. */
  readonly valueSchema?: TSchema;
  readonly isRequired: boolean;
  /** Throws PlatformError, which names the member and quotes nothing of its value. */
  read(value: unknown, param: string): T;
}

export interface Fields {
  readonly [name: string]: Field<unknown>;
}

export type ReadFields<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };

/** The documented schema of a table of members. */
export function schemaOf(fields: Fields, options: { title?: string; description?: string } = {}): TObject {
  const members = Object.entries(fields).map(([name, { schema, isRequired }]) => [name, isRequired ? schema : Type.Optional(schema)]);
  return Type.Object(Object.fromEntries(members), { ...options, additionalProperties: false });
}

/** Reads all members of a tree; absent or empty trees have none. Members that the table does not have are refused, the first one by its name. */
export function readFields<F extends Fields>(fields: F, tree: unknown): ReadFields<F> {
  const given = objectOf(tree);
  if (given === null) throw invalidParam("", "The request's members must be an object.");
  refuseCardData(given);
  return readMembers(fields, given, null);
}

function readMembers<F extends Fields>(fields: F, given: ReadonlyMap<string, unknown>, within: string | null): ReadFields<F> {
  for (const name of given.keys()) {
    if (Object.hasOwn(fields, name)) continue;
    const param = paramOf(within, shown(name));
    throw invalidParam(param, `Received unknown parameter: ${param}`, "parameter_unknown");
  }
  const read = Object.entries(fields).map(([name, field]) => [name, field.read(given.get(name), paramOf(within, name))]);
  // Every member was read by the field of its name.
  return Object.fromEntries(read) as ReadFields<F>;
}

function paramOf(within: string | null, name: string): string {
  return within === null ? name : `${within}[${name}]`;
}

/** A name that the caller chose, safe to be quoted. */
function shown(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, "?").slice(0, 64);
}

function objectOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (value === undefined || value === null || value === "") return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return null;
  return new Map(Object.entries(value));
}

function isAbsent(value: unknown): value is undefined {
  return value === undefined;
}

function isUnset(value: unknown): boolean {
  return value === "" || value === null;
}

/** A member that must be there. */
export function required<T>(field: Field<T>): Field<Exclude<T, undefined | null>> {
  return {
    schema: field.valueSchema ?? field.schema,
    isRequired: true,
    read: (value, param) => {
      if (isAbsent(value)) throw invalidParam(param, `Missing required param: ${param}.`, "parameter_missing");
      const read = isUnset(value) ? null : field.read(value, param);
      if (!isThere(read)) throw emptyParam(param);
      return read;
    },
  };
}

/** A member that may be left out, but not unset. */
export function kept<T>(field: Field<T>): Field<Exclude<T, undefined | null> | undefined> {
  const value = required(field);
  return { schema: value.schema, isRequired: false, read: (given, param) => (isAbsent(given) ? undefined : value.read(given, param)) };
}

function isThere<T>(value: T | null | undefined): value is Exclude<T, null | undefined> {
  return value !== null && value !== undefined;
}

function emptyParam(param: string): PlatformError {
  return invalidParam(
    param,
    `You passed an empty string for '${param}'. An empty value unsets a parameter, but '${param}' cannot be unset: leave it out or give it a value.`,
    "parameter_invalid_empty",
  );
}

/** A member that may be absent; given, it has a value. */
function optional<T>(schema: TSchema, read: (value: unknown, param: string) => T): Field<T | undefined> {
  return {
    schema,
    isRequired: false,
    read: (value, param) => {
      if (isAbsent(value)) return undefined;
      if (isUnset(value)) throw emptyParam(param);
      return read(value, param);
    },
  };
}

/** The same, where an empty value unsets it. */
function unsettable<T>(schema: TSchema, read: (value: unknown, param: string) => T): Field<T | null | undefined> {
  return {
    schema: Type.Union([schema, Type.Literal(""), Type.Null()], { description: schema.description ?? "" }),
    valueSchema: schema,
    isRequired: false,
    read: (value, param) => {
      if (isAbsent(value)) return undefined;
      return isUnset(value) ? null : read(value, param);
    },
  };
}

/** Texts of a payment are no longer anywhere in the relay. */
export const TEXT_CHARS_MAX = 255;
const URL_CHARS_MAX = 2_048;

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const URL_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+$/;
const ANY_SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[!-~]+$/;

function readText(value: unknown, param: string, charsMax = TEXT_CHARS_MAX): string {
  if (typeof value !== "string") throw invalidParam(param, `Invalid string for ${param}.`);
  if (value.length > charsMax) throw invalidParam(param, `Invalid string: ${param} may have at most ${charsMax} characters.`);
  // Half a surrogate pair is no character either.
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw invalidParam(param, `Invalid string: ${param} may have no control characters.`);
  return value;
}

export function text(description: string, charsMax = TEXT_CHARS_MAX): Field<string | null | undefined> {
  return unsettable(Type.String({ description, maxLength: charsMax, ...NO_CONTROL_CHARACTERS }), (value, param) =>
    readText(value, param, charsMax),
  );
}

/** A text that cannot be unset, such as the id of another object. `form`: for the document, what its reader demands beside. */
export function word(description: string, form: StringOptions = NO_CONTROL_CHARACTERS): Field<string | undefined> {
  return optional(Type.String({ minLength: 1, description, maxLength: TEXT_CHARS_MAX, ...form }), readText);
}

export function email(description: string): Field<string | null | undefined> {
  return unsettable(Type.String({ description, maxLength: TEXT_CHARS_MAX, pattern: EMAIL.source }), (value, param) => {
    const given = readText(value, param);
    if (!EMAIL.test(given)) throw invalidParam(param, `Invalid email address for ${param}.`, "email_invalid");
    return given;
  });
}

/** An absolute http or https address without a user name or password. Where http is refused, the handler does so. */
export function address(description: string): Field<string | null | undefined> {
  return addressOf(URL_FORM, description);
}

/** The same, or an address of an app. Whether its scheme is one that the merchant may use is the handler's decision. */
export function returnAddress(description: string): Field<string | null | undefined> {
  return addressOf(ANY_SCHEME, description);
}

function addressOf(form: RegExp, description: string): Field<string | null | undefined> {
  return unsettable(Type.String({ description, maxLength: URL_CHARS_MAX, pattern: form.source }), (value, param) => {
    if (typeof value !== "string" || value.length > URL_CHARS_MAX || !form.test(value)) throw notUrl(param);
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || url.username !== "" || url.password !== "") throw notUrl(param);
    return value;
  });
}

export function notUrl(param: string, demand = "must be an absolute http or https URL without a user name and password"): PlatformError {
  return invalidParam(param, `Not a valid URL: ${param} ${demand}.`, "url_invalid");
}

const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

function readInteger(value: unknown, param: string): number {
  const number = typeof value === "string" && INTEGER.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw invalidParam(param, `Invalid integer for ${param}: decimal digits only.`, "parameter_invalid_integer");
}

export function integer(description: string, { minimum, maximum }: { minimum: number; maximum: number }): Field<number | undefined> {
  return optional(Type.Integer({ description, minimum, maximum }), (value, param) => {
    const number = readInteger(value, param);
    if (number >= minimum && number <= maximum) return number;
    throw invalidParam(
      param,
      `Invalid integer for ${param}: must be at least ${minimum} and at most ${maximum}.`,
      "parameter_invalid_integer",
    );
  });
}

/** Part of the interface: the platform's bounds of an amount, in the currency's smallest unit. */
export const AMOUNT_MAX = 99_999_999;

export function amount(description: string): Field<number | undefined> {
  return optional(Type.Integer({ description, minimum: 1, maximum: AMOUNT_MAX }), (value, param) => {
    const number = readInteger(value, param);
    if (number < 0) throw invalidParam(param, "Invalid positive integer", "parameter_invalid_integer");
    if (number === 0) throw invalidParam(param, "Amount must be at least 1.", "amount_too_small");
    if (number > AMOUNT_MAX) throw invalidParam(param, `Amount must be no more than ${AMOUNT_MAX}.`, "amount_too_large");
    return number;
  });
}

export function flag(description: string): Field<boolean | undefined> {
  return optional(Type.Boolean({ description }), (value, param) => {
    if (value === true || value === "true") return true;
    if (value === false || value === "false") return false;
    throw invalidParam(param, `Invalid boolean for ${param}: must be true or false.`);
  });
}

export function oneOf<const W extends string>(words: readonly W[], description: string, title?: string): Field<W | undefined> {
  return optional(anyOf(words, description, title), (value, param) => readWord(words, value, param));
}

export function unsettableOneOf<const W extends string>(words: readonly W[], description: string): Field<W | null | undefined> {
  return unsettable(anyOf(words, description), (value, param) => readWord(words, value, param));
}

function anyOf(words: readonly string[], description: string, title?: string): TSchema {
  return Type.Union(
    words.map((one) => Type.Literal(one)),
    { description, ...(title === undefined ? {} : { title }) },
  );
}

function readWord<W extends string>(words: readonly W[], value: unknown, param: string): W {
  const found = words.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalidParam(param, `Invalid ${param}: must be one of ${words.join(", ")}`);
}

/**
 * A list; a form sends it as `name[]`, `name[0]` or, with one item, just as `name`. An empty text is an empty list. `itemsMin` and `form`, that of each item, are for the
 * document: `item` and the caller check them.
 */
export function list<T>(
  description: string,
  {
    itemsMin,
    itemsMax,
    form = {},
    item,
  }: { itemsMin?: number; itemsMax: number; form?: StringOptions; item: (value: unknown, param: string) => T },
): Field<readonly T[] | undefined> {
  return {
    schema: Type.Array(Type.String({ minLength: 1, ...form }), {
      description,
      ...(itemsMin === undefined ? {} : { minItems: itemsMin }),
      maxItems: itemsMax,
    }),
    isRequired: false,
    read: (value, param) => {
      if (isAbsent(value)) return undefined;
      const items = itemsOf(value);
      if (items === null) throw invalidParam(param, `Invalid array for ${param}.`);
      if (items.length > itemsMax) throw invalidParam(param, `Invalid array: ${param} may have at most ${itemsMax} items.`);
      return items.map((one, index) => {
        const place = `${param}[${index}]`;
        if (isUnset(one)) throw emptyParam(place);
        return item(one, place);
      });
    },
  };
}

/** Some clients number the items, and a form's reader may leave them as an object of numbers. */
function itemsOf(value: unknown): readonly unknown[] | null {
  if (isUnset(value)) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value);
  return entries.every(([name]) => /^\d{1,4}$/.test(name)) ? entries.map(([, one]) => one) : null;
}

export function words(description: string, itemsMax: number): Field<readonly string[] | undefined> {
  return list(description, {
    itemsMax,
    form: { ...NO_CONTROL_CHARACTERS, maxLength: TEXT_CHARS_MAX },
    item: (value, param) => readText(value, param),
  });
}

/** A member with members of its own. */
export function group<F extends Fields>(fields: F, description: string, title?: string): Field<ReadFields<F> | null | undefined> {
  return unsettable(schemaOf(fields, { description, ...(title === undefined ? {} : { title }) }), (value, param) => {
    const given = objectOf(value);
    if (given === null) throw invalidParam(param, `Invalid object for ${param}.`);
    return readMembers(fields, given, param);
  });
}

/** The same, where other members than those of the table are taken and have no effect. They are still looked through for card data. */
export function openGroup<F extends Fields>(fields: F, description: string): Field<Partial<ReadFields<F>> | null | undefined> {
  const schema = { ...schemaOf(fields, { description }), additionalProperties: true };
  return unsettable(schema, (value, param) => {
    const given = objectOf(value);
    if (given === null) throw invalidParam(param, `Invalid object for ${param}.`);
    return readMembers(fields, new Map([...given].filter(([name]) => Object.hasOwn(fields, name))), param);
  });
}

/** A field of the query of several operations, which stands once in the document under this name. */
export function parameter<T>(parameterName: string, field: Field<T>): Field<T> {
  return { ...field, schema: { ...field.schema, parameterName } };
}

/** Part of the interface: the platform's limits of metadata, beside that of its keys. */
export const METADATA_KEY_CHARS_MAX = 40;
export const METADATA_VALUE_CHARS_MAX = 500;

/** In JSON also numbers and booleans, which are kept as texts. */
const MetadataValue = Type.Union([Type.String({ maxLength: METADATA_VALUE_CHARS_MAX }), Type.Number(), Type.Boolean(), Type.Null()]);

export function metadata(): Field<MetadataChange | undefined> {
  const description = `Your own texts under your own names: at most ${METADATA_KEYS_MAX} keys of at most ${METADATA_KEY_CHARS_MAX} characters without square brackets, values of at most ${METADATA_VALUE_CHARS_MAX} characters. An empty value removes its key; an empty \`metadata\` removes all.`;
  return {
    schema: Type.Union([Type.Record(Type.String(), MetadataValue), Type.Literal(""), Type.Null()], {
      description,
    }),
    isRequired: false,
    read: (value, param) => {
      if (isAbsent(value)) return undefined;
      if (isUnset(value)) return "clear";
      // A form's reader takes the keys 0, 1, ... for the places of a list.
      const given = typeof value === "object" && value !== null ? new Map<string, unknown>(Object.entries(value)) : null;
      if (given === null) throw invalidParam(param, `Invalid object for ${param}.`);
      if (given.size > METADATA_KEYS_MAX) throw tooManyKeys(param);
      return Object.fromEntries([...given].map(([key, one]) => [readKey(key, param), readMetadataValue(one, paramOf(param, shown(key)))]));
    },
  };
}

function readKey(key: string, param: string): string {
  if (key === "" || key.length > METADATA_KEY_CHARS_MAX || /[[\]\p{Cc}\p{Cs}]/u.test(key) || FORBIDDEN_KEYS.has(key)) {
    throw invalidParam(
      param,
      `Metadata keys must have 1 to ${METADATA_KEY_CHARS_MAX} characters, without square brackets and control characters.`,
    );
  }
  return key;
}

/** Names that mean something else in JavaScript, for whoever reads these objects. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function readMetadataValue(value: unknown, param: string): string | null {
  if (isUnset(value)) return null;
  // In JSON numbers and booleans are common; they are kept as texts, as a form would have sent them.
  const given = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof given !== "string") throw invalidParam(param, `Metadata values must be strings: ${param}.`);
  if (given.length > METADATA_VALUE_CHARS_MAX || /\p{Cs}/u.test(given)) {
    throw invalidParam(param, `Metadata values can have up to ${METADATA_VALUE_CHARS_MAX} characters: ${param}.`);
  }
  return given;
}

export function tooManyKeys(param = "metadata"): PlatformError {
  return invalidParam(param, `Metadata can have up to ${METADATA_KEYS_MAX} keys.`);
}

/** A member that clients of the platform send and that changes nothing here. It is still looked through for card data. */
export function withoutEffect(description: string): Field<undefined> {
  return {
    schema: Type.Unknown({ description: `Accepted without effect. ${description}`.trim() }),
    isRequired: false,
    read: () => undefined,
  };
}

/** A member that must not be ignored, because the money would go another way than its sender thinks. Unset, or with one of `harmless`, it says nothing. */
export function refused(why: string, harmless: readonly (string | boolean)[] = []): Field<undefined> {
  return {
    schema: Type.Unknown({ description: `Not supported: ${why}. The relay rejects it with 400.` }),
    isRequired: false,
    read: (value, param) => {
      const isHarmless = isAbsent(value) || isUnset(value) || harmless.some((one) => one === value || String(one) === value);
      if (isHarmless) return undefined;
      throw invalidParam(param, `${param} is not supported here: ${why}.`, "parameter_unknown");
    },
  };
}

/** Deeper than any tree that the server lets through. */
const TREE_DEPTH_MAX = 40;

/** Where clients of the platform put the data of a card. */
const CARD_MEMBERS: ReadonlySet<string> = new Set(["number", "cvc", "exp_month", "exp_year"]);

/**
 * Refuses a request with a card number anywhere, names of members too, and one with a card's data where the platform takes it: the relay must never have
 * it. Nothing of it is quoted.
 */
function refuseCardData(given: ReadonlyMap<string, unknown>): void {
  for (const [name, value] of given) {
    if (maskSchemePans(name) !== name || holdsCardData(value, name, 0)) {
      const param = maskSchemePans(shown(name));
      throw invalidParam(
        param,
        "Card data must not be sent to this API: the buyer enters it on the payment page. Leave it out, and treat the number that you have sent as disclosed.",
      );
    }
  }
}

function holdsCardData(value: unknown, name: string, depth: number): boolean {
  if (depth > TREE_DEPTH_MAX) return true;
  if (typeof value === "string") return maskSchemePans(value) !== value;
  if (typeof value === "number") return maskSchemePans(String(value)) !== String(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([member, one]) => {
    if (name === "card" && CARD_MEMBERS.has(member) && !isUnset(one)) return true;
    if (maskSchemePans(member) !== member) return true;
    return holdsCardData(one, Array.isArray(value) ? name : member, depth + 1);
  });
}
