import { Kind, OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import { checkOf } from "./schema-check.ts";
import { printable } from "./unknown-members.ts";
import { requirementOf, validationMessage } from "./validation-message.ts";

/** Returns the text of one member, or undefined if the request does not have it. */
export type TextSource = (name: string) => string | undefined;

/**
 * Reads members that arrive as text (path, query, headers) into the types of their schema,
 * strictly: an integer is plain decimal digits, a boolean is `true` or `false`. Returns the checked
 * object. Throws RelayError `invalid_request` naming the member.
 */
export function textReader(schema: TObject): (source: TextSource) => unknown {
  const members = Object.entries(schema.properties).map(([name, member]) => ({
    name,
    demand: requirementOf(member),
    read: converterOf(member),
    required: member[OptionalKind] === undefined && member["default"] === undefined,
    fallback: member["default"],
  }));
  const check = checkOf(schema);
  return (source) => {
    const read: Record<string, unknown> = {};
    for (const member of members) {
      const text = source(member.name);
      if (text === undefined) {
        if (member.required) throw new RelayError("invalid_request", `${member.name}: is required`);
        if (member.fallback !== undefined) read[member.name] = member.fallback;
        continue;
      }
      const value = member.read(text);
      if (value === undefined) throw new RelayError("invalid_request", `${member.name}: ${member.demand}`);
      read[member.name] = value;
    }
    if (check().Check(read)) return read;
    const error = check().Errors(read).First();
    throw new RelayError("invalid_request", error === undefined ? "not valid" : validationMessage(error, "request"));
  };
}

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;

/** Converters return undefined for a text that does not have the type. */
function converterOf(schema: TSchema): (text: string) => unknown {
  switch (schema[Kind]) {
    case "Integer":
      return (text) => (INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined);
    case "Number":
      return (text) => (DECIMAL.test(text) ? Number(text) : undefined);
    case "Boolean":
      return (text) => (text === "true" ? true : text === "false" ? false : undefined);
    case "String":
    case "Literal":
    case "Union":
      return (text) => text;
    default:
      throw new Error(`a path, query or header member cannot be of the type ${schema[Kind]}`);
  }
}

/**
 * Decodes a percent-encoded text; `where` names it in the error. Throws RelayError
 * `invalid_request`.
 */
export function percentDecode(text: string, where: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RelayError("invalid_request", `${where}: is not valid percent-encoding`);
  }
}

/**
 * Splits a query string. A member that occurs twice is rejected, because choosing one would be a
 * guess. Members that are not in `declared` are rejected too, unless there is a list `ignored`, to
 * which their names are then added. Throws RelayError `invalid_request`.
 */
export function parseQuery(query: string, declared: ReadonlySet<string>, ignored: string[] | null): Map<string, string> {
  const found = new Map<string, string>();
  if (query === "") return found;
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = percentDecode((equals === -1 ? pair : pair.slice(0, equals)).replaceAll("+", " "), "query");
    if (!declared.has(name)) {
      if (ignored === null) throw new RelayError("invalid_request", `${printable(name)}: is not a query parameter of this endpoint`);
      ignored.push(name);
      continue;
    }
    if (found.has(name)) throw new RelayError("invalid_request", `${name}: is given more than once`);
    found.set(name, equals === -1 ? "" : percentDecode(pair.slice(equals + 1).replaceAll("+", " "), name));
  }
  return found;
}
