import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";

/**
 * Describes what is wrong with a value in words that help the caller, such as `amount: must be an
 * integer of 1 or more`. It never contains the value, which may be a card number. The option
 * `errorMessage` of a schema replaces the text.
 */
export function validationMessage(error: ValueError, root: string): string {
  const path = error.path.slice(1).replaceAll("/", ".");
  const name = path === "" ? root : path;
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return `${name}: is required`;
    case ValueErrorType.ObjectAdditionalProperties:
      return `${name}: is not expected here`;
    case ValueErrorType.ArrayUniqueItems:
      return `${name}: must not contain the same item twice`;
    default:
      return `${name}: ${requirementOf(error.schema)}`;
  }
}

/** Returns the requirement of a schema, such as `must be one of CARD, VOUCHER`. */
export function requirementOf(schema: TSchema): string {
  return typeof schema["errorMessage"] === "string" ? schema["errorMessage"] : `must be ${kindOf(schema)}`;
}

function kindOf(schema: TSchema): string {
  switch (schema[Kind]) {
    case "Literal":
      return String(schema["const"]);
    case "Union":
      return unionOf(schema["anyOf"]);
    case "Integer":
      return `an integer${range(schema["minimum"], schema["maximum"], "")}`;
    case "Number":
      return `a number${range(schema["minimum"], schema["maximum"], "")}`;
    case "String":
      return stringOf(schema);
    case "Array":
      return `a list${range(schema["minItems"], schema["maxItems"], " items")}`;
    case "Boolean":
      return "true or false";
    case "Null":
      return "null";
    case "Object":
      return "an object";
    case "Record":
      return recordOf(schema);
    default:
      return "something else";
  }
}

function unionOf(members: readonly TSchema[]): string {
  const literals = members.filter((member) => member[Kind] === "Literal").map(kindOf);
  const others = members.filter((member) => member[Kind] !== "Literal").map(kindOf);
  const choice = literals.length > 1 ? `one of ${literals.join(", ")}` : literals.join("");
  return [choice, ...others].filter((part) => part !== "").join(" or ");
}

function stringOf(schema: TSchema): string {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === 1 && maxLength === undefined ? " that is not empty" : range(minLength, maxLength, " characters");
  return `a string${length}${pattern === undefined ? "" : ` that matches ${pattern}`}`;
}

function recordOf(schema: TSchema): string {
  const members = range(schema["minProperties"], schema["maxProperties"], " members");
  const [value] = Object.values<TSchema>(schema["patternProperties"]);
  return `an object${members}${value === undefined || value[Kind] === "Unknown" ? "" : `, each ${kindOf(value)}`}`;
}

function range(minimum: unknown, maximum: unknown, unit: string): string {
  const from = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  // The largest safe integer is a bound of the format, which callers need not know.
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (from !== undefined && to !== undefined) return ` of ${from} to ${to}${unit}`;
  if (from !== undefined) return ` of ${from}${unit} or more`;
  if (to !== undefined) return ` of at most ${to}${unit}`;
  return "";
}
