import { isUtf8 } from "node:buffer";
import { Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import { type JsonBody, jsonReader, NONE } from "./json-body.ts";

/**
 * A value of a form, or of a JSON body of the same endpoint. Numbers and booleans of JSON are
 * converted to their texts, and null to the empty text.
 */
export type FormValue = string | readonly FormValue[] | FormObject;

/**
 * An object without a prototype. A list whose numbers have gaps becomes an object with its numbers
 * as names.
 */
export interface FormObject {
  readonly [name: string]: FormValue;
}

export const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Equals the platform's own limit for a request that a person wrote. It is far more than any call
 * needs.
 */
export const FORM_PAIRS_MAX = 1_000;

/** The most brackets after a name: `line_items[0][price_data][product_data][name]` has four. */
export const FORM_BRACKETS_MAX = 5;

/** Bounds a body. The length of a request's head bounds a query. */
export const FORM_BYTES_MAX = 65_536;

/**
 * Names with a meaning for JavaScript objects. They are rejected, so that they cannot mislead a
 * reader of a form.
 */
const REFUSED_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const NAME_SHOWN_MAX = 64;

/** A value of a form that is being read. */
type Node = { type: "text"; text: string } | { type: "list"; items: Node[] } | { type: "members"; members: Map<string, Node> };

/**
 * Reads `application/x-www-form-urlencoded` with bracketed names: `a[b]=` is a member, `a[]=` the
 * next item of a list, `a[0]=` an item by its index. The brackets may be encoded. Throws RelayError
 * `invalid_request`, which quotes names and never values, for more than FORM_PAIRS_MAX pairs or
 * FORM_BRACKETS_MAX brackets, for a repeated name, and for a name that is both a text and an object
 * or a list.
 */
export function parseForm(text: string): FormObject {
  const root = new Map<string, Node>();
  let pairs = 0;
  if (text.length > FORM_BYTES_MAX) throw refused(`has more than ${FORM_BYTES_MAX} characters`);
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    pairs += 1;
    if (pairs > FORM_PAIRS_MAX) throw refused(`has more than ${FORM_PAIRS_MAX} parameters`);
    const equals = pair.indexOf("=");
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals), null);
    put(root, name, equals === -1 ? "" : decoded(pair.slice(equals + 1), name));
  }
  return objectOf(root);
}

function put(root: Map<string, Node>, name: string, text: string): void {
  const segments = segmentsOf(name);
  let members = root;
  for (const [depth, segment] of segments.entries()) {
    const isLast = depth === segments.length - 1;
    const next = segments[depth + 1];
    const present = members.get(segment);
    if (isLast) {
      if (present !== undefined) throw refused("is given more than once", name);
      members.set(segment, { type: "text", text });
      return;
    }
    if (next === "") {
      // `segmentsOf` allows `[]` at the end only.
      if (present === undefined) members.set(segment, { type: "list", items: [{ type: "text", text }] });
      else if (present.type === "list") present.items.push({ type: "text", text });
      else throw refused("is given in two forms", name);
      return;
    }
    if (present === undefined) {
      const created = new Map<string, Node>();
      members.set(segment, { type: "members", members: created });
      members = created;
    } else if (present.type === "members") members = present.members;
    else throw refused("is given in two forms", name);
  }
}

/**
 * Returns the parts of `a[b][0]`, which are `a`, `b` and `0`. An empty part may only be the last.
 */
function segmentsOf(name: string): string[] {
  const bracket = name.indexOf("[");
  const first = bracket === -1 ? name : name.slice(0, bracket);
  const segments = [first];
  for (let at = bracket; at !== -1 && at < name.length; ) {
    const end = name.indexOf("]", at);
    if (name[at] !== "[" || end === -1) throw refused("is not a parameter's name", name);
    segments.push(name.slice(at + 1, end));
    if (segments.length > FORM_BRACKETS_MAX + 1) throw refused(`has more than ${FORM_BRACKETS_MAX} brackets`, name);
    at = end + 1;
  }
  for (const [place, segment] of segments.entries()) {
    const isEmptyInside = segment === "" && (place === 0 || place < segments.length - 1);
    if (isEmptyInside || /[[\]]/.test(segment)) throw refused("is not a parameter's name", name);
    requireHarmless(segment, name);
  }
  return segments;
}

function requireHarmless(segment: string, name: string): void {
  if (REFUSED_NAMES.has(segment)) throw refused("is not a parameter's name", name);
}

function objectOf(members: ReadonlyMap<string, Node>): FormObject {
  const object: { [name: string]: FormValue } = Object.create(null);
  for (const [name, node] of members) object[name] = formValueOf(node);
  return object;
}

function formValueOf(node: Node): FormValue {
  switch (node.type) {
    case "text":
      return node.text;
    case "list":
      return node.items.map(formValueOf);
    case "members":
      return listOf(node.members) ?? objectOf(node.members);
  }
}

/**
 * Returns the items in order if the names are the indexes from 0 on, and null otherwise:
 * `metadata[6735]` is a name.
 */
function listOf(members: ReadonlyMap<string, Node>): FormValue[] | null {
  const items: FormValue[] = [];
  for (let place = 0; place < members.size; place += 1) {
    const node = members.get(String(place));
    if (node === undefined) return null;
    items.push(formValueOf(node));
  }
  return items;
}

export function isFormList(value: FormValue): value is readonly FormValue[] {
  return Array.isArray(value);
}

/** Returns an object with these members and without a prototype. */
function objectFrom(members: readonly (readonly [string, FormValue])[]): FormObject {
  const object: { [name: string]: FormValue } = Object.create(null);
  for (const [name, value] of members) object[name] = value;
  return object;
}

/** Returns a handler's `body` or `query` as an object that this file created. */
export function formOf(input: unknown): FormObject {
  if (!isForm(input)) throw new Error("the endpoint does not read forms");
  return input;
}

/** Only this file creates inputs without a prototype. */
function isForm(input: unknown): input is FormObject {
  return typeof input === "object" && input !== null && Object.getPrototypeOf(input) === null;
}

/**
 * Returns the members of a JSON body in the same form. Throws as `parseForm`, with the same limits.
 */
export function formOfJson(value: unknown): FormObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("must be an object");
  let texts = 0;
  const convert = (part: unknown, depth: number, name: string): FormValue => {
    if (depth > FORM_BRACKETS_MAX + 1) throw refused(`is nested deeper than ${FORM_BRACKETS_MAX} levels`, name);
    if (typeof part !== "object" || part === null) {
      texts += 1;
      if (texts > FORM_PAIRS_MAX) throw refused(`has more than ${FORM_PAIRS_MAX} parameters`);
      return part === null ? "" : String(part);
    }
    if (Array.isArray(part)) return part.map((item) => convert(item, depth + 1, name));
    return membersOf(part, depth, name);
  };
  const membersOf = (part: object, depth: number, under: string): FormObject =>
    objectFrom(
      Object.entries(part).map(([name, member]) => {
        const whole = under === "" ? name : `${under}[${name}]`;
        requireHarmless(name, whole);
        return [name, convert(member, depth + 1, whole)];
      }),
    );
  return membersOf(value, 0, "");
}

/**
 * Returns RelayError `unsupported_media_type` if a content type is present and `readFormBody` does
 * not read it.
 */
export function formTypeRefusal(contentType: string): RelayError | null {
  return contentType === "" || formatOf(contentType) !== null ? null : notReadable();
}

/**
 * Reads a body of either format. An absent body is an object without members. Throws as
 * `parseForm`, and `unsupported_media_type`.
 */
export function readFormBody(bytes: Buffer, contentType: string): JsonBody {
  if (bytes.length === 0) return formBody(parseForm(""), "");
  const format = formatOf(contentType);
  if (format === null) throw notReadable();
  if (format === "json") return formJson(bytes);
  if (!isUtf8(bytes)) throw refused("is not UTF-8");
  const text = bytes.toString("utf8");
  return formBody(parseForm(text), text);
}

/** Nothing is ignored here, because the handler rejects unknown members. */
function formBody(value: FormObject, text: string): JsonBody {
  return { value, sent: value, ignored: NONE, text };
}

const readJson = jsonReader(Type.Unknown());

function formJson(bytes: Buffer): JsonBody {
  const { value, text } = readJson(bytes);
  return formBody(formOfJson(value), text);
}

function formatOf(contentType: string): "form" | "json" | null {
  const [mediaType = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) return null;
  if (mediaType === FORM_TYPE) return "form";
  return mediaType === "application/json" ? "json" : null;
}

function notReadable(): RelayError {
  return new RelayError("unsupported_media_type", `body: the content type must be ${FORM_TYPE} or application/json, in UTF-8`);
}

function decoded(text: string, name: string | null): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw refused("is not valid percent-encoding", name ?? undefined);
  }
}

function refused(what: string, name?: string): RelayError {
  const shown = name === undefined ? "" : name.replace(/[^\x20-\x7e]/g, "?").slice(0, NAME_SHOWN_MAX);
  return new RelayError("invalid_request", `${shown === "" ? "request" : shown}: ${what}`);
}
