import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Exchange } from "./support/recording-proxy.ts";

/** A place in an answer that may differ from the platform's schema, and why. */
export interface SchemaException {
  /** End of the place in the answer, in JSON pointer form: `/card/exp_month`. */
  readonly place: RegExp;
  readonly why: string;
}

/** The only differences of values. */
export const SCHEMA_EXCEPTIONS: readonly SchemaException[] = [
  { place: /\/card\/exp_(?:month|year)$/, why: "the gateway does not tell when a card ends: null, where the platform has a number" },
];

/** Paths that the platform's document does not have. */
export const OWN_PATHS: readonly { path: RegExp; why: string }[] = [
  { path: /^\/v1\/events\/[^/]+\/retry$/, why: "the platform has it in its command line tool only" },
  { path: /^\/v1\/webhook_endpoints\/[^/]+\/roll_secret$/, why: "the platform has it in its dashboard only" },
];

interface Operation {
  readonly method: string;
  /** Of the path. */
  readonly segments: readonly string[];
  readonly answers: readonly string[];
  /** JSON pointer of the operation in the document. */
  readonly pointer: string;
}

/** Members of our own in the platform's objects, by the name of the object. */
export const OWN_MEMBERS: { readonly [object: string]: { readonly [member: string]: string } } = {
  webhook_endpoint: { disabled_reason: "why the relay has disabled it by itself" },
};

export interface OpenApiChecker {
  /** What is wrong with one answer; empty where nothing is. */
  faultsOf(exchange: Exchange): readonly string[];
  /** What is wrong with an object of that name, such as `event`. */
  faultsOfObject(schema: string, value: unknown): readonly string[];
}

const DOCUMENT = "platform";

/** Reads the platform's own description of its interface. */
export function openApiChecker(file: string): OpenApiChecker {
  const document: unknown = withoutNullable(JSON.parse(readFileSync(file, "utf8")));
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  ajv.addSchema({ $id: DOCUMENT, ...Object(document) });
  const operations = operationsOf(document);
  const compiled = new Map<string, ValidateFunction>();

  function check(pointer: string, value: unknown): readonly string[] {
    const ref = `${DOCUMENT}#${pointer}`;
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, validate);
    const faults = validate(value) ? [] : causes(validate.errors ?? [], value);
    return [...faults, ...unknownMembers(document, [at(document, decodeURIComponent(pointer))], value, "")];
  }

  /** An event's object is free in the description, so it is looked at by its own name. */
  function checkEvents(answer: unknown): readonly string[] {
    const events: unknown[] = Object(answer).object === "list" ? Object(answer).data : [answer];
    return events.flatMap((event) => {
      const object: unknown = Object(Object(Object(event).data).object);
      return Object(event).object === "event" ? check(`/components/schemas/${String(Object(object).object)}`, object) : [];
    });
  }

  return {
    faultsOf: ({ method, path, status, body }) => {
      const operation = operations.filter((each) => each.method === method.toLowerCase()).find((each) => fits(each.segments, path));
      const answer: unknown = JSON.parse(body);
      if (operation === undefined) {
        if (OWN_PATHS.some((own) => own.path.test(path))) return status < 400 ? [] : check("/components/schemas/error", answer);
        // What the platform does not know either has to be refused in its form.
        if (status === 404) return check("/components/schemas/error", answer);
        return [`${method} ${path} is not in the platform's document`];
      }
      const which = operation.answers.includes(String(status)) ? String(status) : "default";
      if (status < 400 && which === "default") return [`status ${status} is not in the platform's document`];
      return [...check(`${operation.pointer}/responses/${which}/content/application~1json/schema`, answer), ...checkEvents(answer)];
    },
    faultsOfObject: (schema, value) => [...check(`/components/schemas/${schema}`, value), ...checkEvents(value)],
  };
}

/** What is wrong in a whole recording, each fault once, with the call where it was seen first. */
export function faultsOfRecording(checker: OpenApiChecker, exchanges: readonly Exchange[]): string[] {
  const seen = new Map<string, string>();
  for (const exchange of exchanges) {
    for (const fault of checker.faultsOf(exchange)) {
      if (!seen.has(fault)) seen.set(fault, `${exchange.method} ${exchange.path} ${exchange.status}: ${fault}`);
    }
  }
  return [...seen.values()];
}

/**
 * `anyOf` tells of each branch why it does not fit: an object is not a text and not null either. Where a branch complains about something inside the value,
 * the value is of that branch's kind, and the complaints of the others about its kind are skipped. So are the exceptions.
 */
function causes(errors: readonly ErrorObject[], value: unknown): readonly string[] {
  const excepted = (error: ErrorObject) =>
    SCHEMA_EXCEPTIONS.some(({ place }) => place.test(placeOf(error)) && at(value, placeOf(error)) === null);
  const ofAnotherBranch = (error: ErrorObject) =>
    /\/anyOf\/\d+\/(?:type|enum|maxLength)$/.test(error.schemaPath) &&
    errors.some((other) => placeOf(other).startsWith(`${error.instancePath}/`));
  const told = errors.filter((error) => error.keyword !== "anyOf" && !excepted(error) && !ofAnotherBranch(error));
  return [...new Set(told.map((error) => `${placeOf(error) || "/"} ${error.message ?? ""}${allowedBy(error)}`))];
}

function placeOf({ instancePath, keyword, params }: ErrorObject): string {
  return keyword === "required" ? `${instancePath}/${String(params["missingProperty"])}` : instancePath;
}

function allowedBy({ keyword, params }: ErrorObject): string {
  return keyword === "enum" ? `: ${JSON.stringify(params["allowedValues"])}` : "";
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((inner, name) => Object(inner)[name.replaceAll("~1", "/")], value);
}

/**
 * Members that none of the schemas knows: the description allows further ones everywhere, but clients of the platform would never look at what we invent.
 * What has no members in the description (metadata) is free.
 */
function unknownMembers(document: unknown, schemas: readonly unknown[], value: unknown, place: string): string[] {
  const leaves = schemas.flatMap((schema) => leavesOf(document, schema));
  if (Array.isArray(value)) {
    const items = leaves.flatMap((leaf) => (leaf.items === undefined ? [] : [leaf.items]));
    return value.flatMap((item, index) => unknownMembers(document, items, item, `${place}/${index}`));
  }
  if (typeof value !== "object" || value === null) return [];
  const known = leaves.flatMap((leaf) => (leaf.properties === undefined ? [] : [leaf.properties]));
  if (known.every((properties) => Object.keys(properties).length === 0)) return [];
  const own = OWN_MEMBERS[String(Object(value).object)] ?? {};
  return Object.entries<unknown>(Object(value)).flatMap(([name, member]) => {
    const inner = known.flatMap((properties) => (name in properties ? [properties[name]] : []));
    if (inner.length === 0) return name in own ? [] : [`${place}/${name} is not a member that the platform has`];
    return unknownMembers(document, inner, member, `${place}/${name}`);
  });
}

interface Leaf {
  readonly properties?: { readonly [name: string]: unknown };
  readonly items?: unknown;
}

/** The schemas behind references and alternatives. */
function leavesOf(document: unknown, schema: unknown): Leaf[] {
  const { $ref, anyOf }: { $ref?: string; anyOf?: unknown[] } = Object(schema);
  if ($ref !== undefined) return leavesOf(document, at(document, $ref.slice(1)));
  if (anyOf !== undefined) return anyOf.flatMap((branch) => leavesOf(document, branch));
  return [Object(schema)];
}

function fits(segments: readonly string[], path: string): boolean {
  const given = path.split("/");
  return given.length === segments.length && segments.every((segment, index) => segment.startsWith("{") || segment === given[index]);
}

function operationsOf(document: unknown): Operation[] {
  const paths = Object.entries<unknown>(Object(Object(document).paths));
  // A path without parameters is meant before one with them: `/v1/charges/search`.
  paths.sort(([one], [other]) => one.split("{").length - other.split("{").length);
  return paths.flatMap(([path, methods]) =>
    Object.entries<unknown>(Object(methods)).map(([method, operation]) => ({
      method,
      segments: path.split("/"),
      answers: Object.keys(Object(Object(operation).responses)),
      pointer: `/paths/${path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/${method}`,
    })),
  );
}

/** OpenAPI 3.0 says `nullable` beside a type, a reference or an enumeration; JSON Schema wants null as one more thing that it may be. */
function withoutNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullable);
  if (typeof value !== "object" || value === null) return value;
  const given: [string, unknown][] = Object.entries(value);
  const kept = given.filter(([name, member]) => name !== "nullable" || typeof member !== "boolean");
  const members = Object.fromEntries(kept.map(([name, member]) => [name, withoutNullable(member)]));
  return given.length > kept.length && given.some(([name, member]) => name === "nullable" && member === true)
    ? { anyOf: [members, { type: "null" }] }
    : members;
}
