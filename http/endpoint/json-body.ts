import { isUtf8 } from "node:buffer";
import { OptionalKind, type TSchema } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import { countMembers, mayRepeatMembers, repeatedMember } from "../../engine/kernel/json-members.ts";
import { wellFormedJson, withoutByteOrderMark } from "../../engine/kernel/well-formed.ts";
import type { EndpointFacts } from "./endpoint.ts";
import { withoutNulls } from "./null-members.ts";
import { checkOf } from "./schema-check.ts";
import { keepDeclared, printable } from "./unknown-members.ts";
import { validationMessage } from "./validation-message.ts";

/** Deeper JSON needs stack wherever it is traversed. Endpoints that accept it declare so. */
export const JSON_DEPTH_MAX = 32;

type JsonFacts = Pick<EndpointFacts, "bodyNesting" | "bodyTexts" | "elsewhere" | "refusesRepeated">;

export interface JsonBody {
  /** The body without its ignored members. */
  value: unknown;
  sent: unknown;
  /** Names of the members that are ignored (unknown-members.ts). */
  ignored: readonly string[];
  /** The received bytes as text, without a byte order mark. */
  text: string;
}

/**
 * Reads a JSON body and checks it against the schema. Throws RelayError `invalid_request` for the
 * first error. An empty body, or null, is undefined if the schema is optional. A null member is
 * removed, unless null has a meaning of its own (null-members.ts). Texts are made well-formed
 * before the check, so that an identifier with an unpaired surrogate is rejected: no pattern of an
 * identifier contains U+FFFD.
 */
export function jsonReader(
  schema: TSchema,
  { bodyNesting = "bounded", bodyTexts = "well-formed", elsewhere = {}, refusesRepeated = repeatedMember }: JsonFacts = {},
): (bytes: Buffer) => JsonBody {
  const optional = schema[OptionalKind] !== undefined;
  const check = checkOf(schema);
  const keep = keepDeclared(schema);
  const elsewheres = Object.entries(elsewhere);
  const bodyOf = (sent: unknown, text: string): JsonBody => {
    if (keep === null) return { value: sent, sent, ignored: NONE, text };
    const ignored: string[] = [];
    const value = keep(sent, "", ignored);
    return { value: ignored.length === 0 ? sent : value, sent, ignored, text };
  };
  return (bytes) => {
    if (bytes.length === 0 && optional) return { value: undefined, sent: undefined, ignored: NONE, text: "" };
    if (bytes.length === 0) throw new RelayError("invalid_request", "body: is required");
    if (!isUtf8(bytes)) throw new RelayError("invalid_request", "body: is not UTF-8");
    const text = withoutByteOrderMark(bytes.toString("utf8"));
    const json = bodyTexts === "well-formed" ? wellFormedJson(text) : text;
    const parsed = parse(json);
    if (parsed === null && optional) return { value: undefined, sent: undefined, ignored: NONE, text: "" };
    const members = countMembers(parsed, JSON_DEPTH_MAX);
    if (members === null && bodyNesting === "bounded")
      throw new RelayError("invalid_request", `body: is nested deeper than ${JSON_DEPTH_MAX} levels`);
    const repeated = mayRepeatMembers(json, members) ? refusesRepeated(json) : null;
    if (repeated !== null) throw new RelayError("invalid_request", `${printable(repeated)}: is given more than once`);
    for (const [name, where] of elsewheres) {
      if (typeof parsed === "object" && parsed !== null && Object.hasOwn(parsed, name))
        throw new RelayError("invalid_request", `${name}: cannot be changed here; use ${where}`);
    }
    // Nulls are searched only if the schema does not accept the body with them.
    if (check().Check(parsed)) return bodyOf(parsed, text);
    const value = withoutNulls(schema, parsed);
    if (check().Check(value)) return bodyOf(value, text);
    const error = check().Errors(value).First();
    throw new RelayError("invalid_request", error === undefined ? "body: is not valid" : validationMessage(error, "body"));
  };
}

export const NONE: readonly string[] = [];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may contain a card number.
    throw new RelayError("invalid_request", "body: is not JSON");
  }
}

/** Returns RelayError `unsupported_media_type` if a content type is present and is not JSON. */
export function contentTypeRefusal(contentType: string): RelayError | null {
  if (contentType === "" || contentType === "application/json") return null;
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mediaType === "application/json" || mediaType.endsWith("+json")) return null;
  return notJson();
}

/** Returns the same error for a body without a content type. */
export function notJson(): RelayError {
  return new RelayError("unsupported_media_type", "body: the content type must be application/json");
}
