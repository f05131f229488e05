import { isDeepStrictEqual } from "node:util";
import { PatternStringExact } from "@sinclair/typebox";

export type Json = { [member: string]: unknown };

/** Matches a plain word, which may be part of a reference. */
const NAME = /^[A-Za-z0-9._-]+$/;

/**
 * Collects the parts of the document that are named and written once. Rejects two different parts
 * with one name.
 */
export class Components {
  readonly #schemas = new NamedParts("schemas", "schemas have the title");
  readonly #responses = new NamedParts("responses", "responses have the name");
  readonly #parameters = new NamedParts("parameters", "parameters have the name");

  /**
   * Returns the schema as it is in the document: a reference if it has a title, otherwise the
   * schema itself with its parts converted in the same way.
   */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.schema(part));
    if (typeof schema !== "object" || schema === null) return schema;
    const copy: Json = {};
    for (const [member, value] of Object.entries(schema)) {
      if (OWN_KEYWORDS.has(member)) continue;
      if (NAME_MAPS.has(member)) copy[member] = this.#named(value);
      else copy[member] = LITERAL_MEMBERS.has(member) ? value : this.schema(value);
    }
    const simple = withPlainAlternatives(withPlainMembers(copy));
    // The name of the component already is the title.
    const { title, ...untitled } = simple;
    const here = "descriptionHere" in schema ? { description: schema.descriptionHere } : {};
    if (typeof title !== "string" || !NAME.test(title)) return { ...simple, ...here };
    // A default belongs to the place too, and not to the component.
    const { default: preset, ...part } = untitled;
    return { ...this.#schemas.reference(title, part), ...here, ...(preset === undefined ? {} : { default: preset }) };
  }

  response(name: string, response: Json): Json {
    return this.#responses.reference(name, response);
  }

  parameter(name: string, parameter: Json): Json {
    return this.#parameters.reference(name, parameter);
  }

  sorted(): Json {
    return { parameters: this.#parameters.sorted(), responses: this.#responses.sorted(), schemas: this.#schemas.sorted() };
  }

  /** Converts schemas by member name. The names may equal keywords of JSON Schema. */
  #named(schemas: object): Json {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.schema(schema)]));
  }
}

class NamedParts {
  readonly #place: string;
  readonly #what: string;
  readonly #byName = new Map<string, unknown>();

  constructor(place: string, what: string) {
    this.#place = place;
    this.#what = what;
  }

  reference(name: string, part: unknown): Json {
    const known = this.#byName.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, part)) {
      throw new Error(`two different ${this.#what} ${name}: ${JSON.stringify(known)} and ${JSON.stringify(part)}`);
    }
    if (known === undefined) this.#byName.set(name, part);
    return { $ref: `#/components/${this.#place}/${name}` };
  }

  sorted(): Json {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/**
 * Our own members of a schema, which are not keywords of JSON Schema: a text for messages, the name
 * of a parameter that several operations share, and `described`.
 */
const OWN_KEYWORDS = new Set(["errorMessage", "parameterName", "descriptionHere"]);

/** Members of a schema that contain schemas by name. */
const NAME_MAPS = new Set(["properties", "patternProperties"]);

/** Members of a schema whose values are data. */
const LITERAL_MEMBERS = new Set(["const", "enum", "default", "example", "examples", "required"]);

/** Returns an object with arbitrary members in the form that most tools know. */
function withPlainMembers(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  const patterns = Object.entries(Object(patternProperties));
  const [only] = patterns;
  return patterns.length === 1 && only?.[0] === PatternStringExact ? { ...rest, additionalProperties: only[1] } : schema;
}

/**
 * Returns alternatives in the form that readers and generators expect. Words become one `enum`,
 * even in a nested choice. Null becomes one more `type` of a text, number or boolean. Beside words,
 * members or a named schema it stays an alternative, because generators make two types of an `enum`
 * that may be null.
 */
function withPlainAlternatives(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const alternatives = withNull(withEnum(anyOf.flatMap(choicesWithin)));
  const [only] = alternatives;
  // The description of the whole takes precedence over that of its part.
  return alternatives.length === 1 && only !== undefined && !("$ref" in only) ? { ...only, ...rest } : { ...rest, anyOf: alternatives };
}

function choicesWithin(alternative: Json): Json[] {
  const { anyOf, ...rest } = alternative;
  return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? anyOf : [alternative];
}

function isWord(schema: Json): boolean {
  return "const" in schema && Object.keys(schema).every((keyword) => keyword === "const" || keyword === "type");
}

function withEnum(alternatives: readonly Json[]): Json[] {
  const words = alternatives.filter(isWord);
  const [first] = words;
  const type = first?.["type"];
  if (words.length < 2 || words.some((word) => word["type"] !== type)) return [...alternatives];
  const asEnum = { type, enum: words.map((word) => word["const"]) };
  return alternatives.flatMap((alternative) => (alternative === first ? [asEnum] : words.includes(alternative) ? [] : [alternative]));
}

function withNull(alternatives: readonly Json[]): Json[] {
  const [given, none] = alternatives;
  if (alternatives.length !== 2 || given === undefined || none?.["type"] !== "null") return [...alternatives];
  const { type } = given;
  if (typeof type !== "string" || !SIMPLE_TYPES.has(type) || "const" in given || "enum" in given) return [...alternatives];
  return [{ ...given, type: [type, "null"] }];
}

const SIMPLE_TYPES = new Set(["string", "integer", "number", "boolean"]);
