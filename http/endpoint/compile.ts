import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "@sinclair/typebox";
import buildSerializer from "fast-json-stringify";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { AnyReply, BoundEndpoint } from "./endpoint.ts";
import { parseForm, readFormBody } from "./form-body.ts";
import { type JsonBody, jsonReader } from "./json-body.ts";
import { parameterNames } from "./router.ts";
import { parseQuery, percentDecode, type TextSource, textReader } from "./text-members.ts";
import { refusePaymentMembers } from "./unknown-members.ts";

/**
 * An endpoint with its schemas compiled to functions. Readers throw RelayError `invalid_request`.
 */
export interface CompiledEndpoint {
  readonly endpoint: BoundEndpoint;
  /** Reads the values that the router found. */
  readonly readParams: (values: readonly string[]) => unknown;
  /** Adds the names of ignored members to `ignored`. */
  readonly readQuery: (query: string, ignored: string[]) => unknown;
  readonly readHeaders: ((source: TextSource) => unknown) | null;
  readonly readBody: ((bytes: Buffer, contentType: string) => JsonBody) | null;
  /**
   * Returns the text of a reply, or "" for one without a body. Throws for a status or body that is
   * not declared.
   */
  readonly serialize: (reply: AnyReply) => string;
  /** The content type by status; absent for responses without a body. */
  readonly contentTypes: ReadonlyMap<number, string>;
  /**
   * The content type of the text that a 304 stands for; undefined if the handler returns no text.
   */
  readonly textType: string | undefined;
}

export interface CompileOptions {
  /**
   * Compares the serialized text with the handler's reply and throws if the schema omitted a
   * member, because serializers drop undeclared members silently. It is for tests only, since it
   * parses every response.
   */
  strictReplies: boolean;
}

const JSON_TYPE = "application/json";
const NO_MEMBERS = Object.freeze({});

export function compileEndpoint(endpoint: BoundEndpoint, options: CompileOptions): CompiledEndpoint {
  const { params, query, headers, body } = endpoint;
  const queryNames = new Set(query === undefined ? [] : Object.keys(query.properties));
  // The handler itself reads the members of a bracketed query.
  const readQueryMembers = query === undefined || endpoint.queryFormat === "bracketed" ? () => NO_MEMBERS : textReader(query);
  const names = parameterNames(endpoint.path);
  for (const name of Object.keys(headers?.properties ?? {})) {
    // The names in a request are in lower case, so lookups need no conversion.
    if (name !== name.toLowerCase()) throw new Error(`${endpoint.name}: declare the header ${name} in lower case`);
  }
  const readParams = params === undefined ? () => NO_MEMBERS : textReader(params);
  return {
    endpoint,
    readParams: (values) =>
      readParams((name) => {
        const value = values[names.indexOf(name)];
        return value === undefined ? undefined : percentDecode(value, name);
      }),
    readQuery: (text, ignored) => {
      if (endpoint.queryFormat === "bracketed") return parseForm(text);
      if (text === "" && query === undefined) return NO_MEMBERS;
      const found = parseQuery(text, queryNames, endpoint.refusesUnknown === undefined ? ignored : null);
      if (endpoint.movesMoney) refusePaymentMembers(ignored);
      return readQueryMembers((name) => found.get(name));
    },
    readHeaders: headers === undefined ? null : textReader(headers),
    readBody: body === undefined ? null : bodyReader(body, endpoint),
    serialize: serializerOf(endpoint, options),
    textType: endpoint.responses[200]?.body === undefined ? undefined : (endpoint.responses[200].contentType ?? JSON_TYPE),
    contentTypes: new Map(
      Object.entries(endpoint.responses)
        .filter(([, response]) => response.body !== undefined || response.file === true || response.stream === true)
        .map(([status, response]) => [Number(status), response.contentType ?? JSON_TYPE]),
    ),
  };
}

function bodyReader(body: TSchema, endpoint: BoundEndpoint): (bytes: Buffer, contentType: string) => JsonBody {
  const { bodyFormat, notTaken, movesMoney } = endpoint;
  if (bodyFormat === "form or JSON") return readFormBody;
  const read = jsonReader(body, endpoint);
  if (notTaken === undefined && movesMoney === undefined) return read;
  return (bytes) => {
    const found = read(bytes);
    const ignored = notTaken !== undefined && isObject(found.value) ? notTaken(found.value) : found.ignored;
    if (movesMoney) refusePaymentMembers(ignored, found.sent);
    return ignored === found.ignored ? found : { ...found, ignored };
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function serializerOf(endpoint: BoundEndpoint, options: CompileOptions): (reply: AnyReply) => string {
  const byStatus = new Map<number, (body: unknown) => string>();
  return (reply) => {
    if (reply.text !== undefined) return reply.text;
    const response = endpoint.responses[reply.status];
    if (response === undefined) throw new Error(`${endpoint.name} returned status ${reply.status}, which it does not declare`);
    if (response.body === undefined) return "";
    if (response.contentType !== undefined && !response.contentType.startsWith(JSON_TYPE)) return String(reply.body);
    // Serializers are built at their first use, because building those of a hundred endpoints on
    // every shard would delay the start by seconds.
    let serialize = byStatus.get(reply.status);
    if (serialize === undefined) {
      serialize = compileSerializer(response.body, options, `${endpoint.name} ${reply.status}`);
      byStatus.set(reply.status, serialize);
    }
    return serialize(reply.body);
  };
}

/** Serializes by the schema. Undeclared members are dropped, or rejected if replies are strict. */
export function compileSerializer(schema: TSchema, options: CompileOptions, name: string): (body: unknown) => string {
  const serialize = buildSerializer(schema);
  if (!options.strictReplies) return serialize;
  return (body) => {
    const text = serialize(body);
    if (!isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(body)))) {
      throw new RelayError("internal", "The response could not be written; report the request id to the operator.", {
        cause: new Error(`${name}: the response schema does not cover the returned body: ${text}`),
      });
    }
    return text;
  };
}
