export type Json = { [member: string]: unknown };

/** A plain word, which may stand in a reference. */
const NAME = /^[A-Za-z0-9._-]+$/;

/** What the document says once, under a name. Two different things of one name are refused. */
export class Components {
  readonly #schemas = new NamedParts("schemas", "schemas have the title");
  readonly #responses = new NamedParts("responses", "responses have the name");
  readonly #parameters = new NamedParts("parameters", "parameters have the name");

  /** The schema as it is in the document: a reference if it has a title, otherwise the schema itself with its parts treated the same way. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.schema(part));
    if (typeof schema !== "object" || schema === null) return schema;
    const copy: Json = {};
    for (const [member, value] of Object.entries(schema)) {
      if (OWN_KEYWORDS.has(member)) continue;
      if (NAME_MAPS.has(member)) copy[member] = this.#named(value);
      else copy[member] = LITERAL_MEMBERS.has(member) ? value : this.schema(value);
    }
    const simple = withPlainAlternatives(copy);
    const { title, ...untitled } = simple;
    // The name under which it stands says it already.
    return typeof title === "string" && NAME.test(title) ? this.#schemas.reference(title, untitled) : simple;
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

  /** Schemas under names of members, which may be equal to JSON Schema keywords. */
  #named(schemas: object): Json {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.schema(schema)]));
  }
}

class NamedParts {
  readonly #place: string;
  readonly #what: string;
  readonly #byName = new Map<string, { part: unknown; text: string }>();

  constructor(place: string, what: string) {
    this.#place = place;
    this.#what = what;
  }

  reference(name: string, part: unknown): Json {
    const text = JSON.stringify(part);
    const known = this.#byName.get(name);
    if (known !== undefined && known.text !== text) throw new Error(`two different ${this.#what} ${name}: ${known.text} and ${text}`);
    this.#byName.set(name, { part, text });
    return { $ref: `#/components/${this.#place}/${name}` };
  }

  sorted(): Json {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { part }]) => [name, part]));
  }
}

/** Members of a schema that are ours, and no keywords of JSON Schema: a text for messages, the name of a parameter that several operations have. */
const OWN_KEYWORDS = new Set(["errorMessage", "parameterName"]);

/** Members of a schema that hold schemas by name. */
const NAME_MAPS = new Set(["properties", "patternProperties"]);

/** Members of a schema whose values are data. */
const LITERAL_MEMBERS = new Set(["const", "enum", "default", "example", "examples", "required"]);

/**
 * Alternatives as readers and generators expect them. Words become one `enum`, also where they are a choice within a choice, and null becomes one more `type`
 * (and, of an `enum`, one more value) of what it stands beside. What has a name, members or alternatives of its own keeps null as an alternative.
 */
function withPlainAlternatives(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const alternatives = withNull(withEnum(anyOf.flatMap(choicesWithin)));
  const [only] = alternatives;
  // A description of the whole says more than that of its part.
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
  if (typeof type !== "string" || !SIMPLE_TYPES.has(type) || "const" in given) return [...alternatives];
  const values = given["enum"];
  return [{ ...given, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }];
}

const SIMPLE_TYPES = new Set(["string", "integer", "number", "boolean"]);
