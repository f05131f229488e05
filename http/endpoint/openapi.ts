import { STATUS_CODES } from "node:http";
import { OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import type { AdministratorRole } from "../../engine/access/administrator-role.ts";
import { type MerchantAct, rolesThatMay } from "../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuthRequirement, BoundEndpoint, CallerNeeds, Method, ResponseDeclaration } from "./endpoint.ts";
import { type ErrorEnvelope, errorReply, STATUS_MEANING } from "./error-envelope.ts";
import { checksOwnPage, refusesForeignPages } from "./foreign-pages.ts";
import { FORM_TYPE } from "./form-body.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, USUAL_IDEMPOTENCY } from "./idempotency.ts";
import { machineRightOf } from "./machine-right.ts";
import { Components, type Json } from "./openapi-components.ts";
import { takesMerchantKey } from "./portal-auth.ts";
import { exampleOf } from "./schema-example.ts";
import { IGNORED_HEADER } from "./unknown-members.ts";

/** The declaration without its handler. */
export type DocumentedEndpoint = Omit<BoundEndpoint, "run">;

export interface OpenApiTag {
  name: string;
  description: string;
}

export interface OpenApiInfo {
  title: string;
  version: string;
  description: string;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const SECURITY: Readonly<Record<AuthRequirement, readonly Json[]>> = {
  none: [],
  optionalBasic: [{}, { basic: [] }],
  basic: [{ basic: [] }],
  apiKey: [{ apiKey: [] }],
  basicOrApiKey: [{ basic: [] }, { apiKey: [] }],
  admin: [{ administrator: [] }, { administratorSession: [] }],
  partnerApi: [{ partnerApi: [] }],
  signature: [{ signature: [] }],
  merchantKey: [{ merchantKey: [] }],
  optionalMerchantKey: [{}, { merchantKey: [] }],
  optionalPortalSession: [{}, { portalSession: [] }],
  portalSession: [{ portalSession: [] }],
  merchantUser: [{ portalSession: [] }],
  merchantUserOrKey: [{ portalSession: [] }, { merchantKey: [] }],
  merchantUserOrAnyKey: [{ portalSession: [] }, { merchantKey: [] }],
  agent: [{ agentToken: [] }],
  optionalAdminSession: [{}, { administratorSession: [] }],
  adminSession: [{ administratorSession: [] }],
  fullAdminSession: [{ administratorSession: [] }],
};

/** Describes the rule for credentials that a browser attaches automatically. */
const BROWSERS =
  "A browser that stores a login attaches it to requests of any page. A request that changes something or takes a command is therefore rejected with 403 if its `Origin` (or, without one, its `Sec-Fetch-Site`) shows that a page of an origin other than the relay's sent it. Pages of the origins that a partner allows may use that partner's login. Clients that are not browsers send neither header.";

/** Added to each 403 that may have this reason. */
const OTHER_PAGES = "Also: the request was not sent by one of the relay's own pages (`csrf`).";
const OWN_PAGES =
  "A request that changes something must come from one of the relay's own pages: with `Sec-Fetch-Site: same-origin` or, without that header, with the relay's own `Origin`; and with a JSON body or the header `X-Relay-Portal: 1` (403 `csrf`). Pages of other origins cannot call (there is no CORS).";
const FOREIGN_PAGES = "Also: a page of another origin made a browser send the login.";
const FOREIGN_PAGES_WITH_TOKEN = "Also: a page of another origin sent the request.";
const HELD_BACK =
  "After ten different wrong passwords for a user from one address (IPv6: /64) within a minute, or a hundred within an hour from addresses where the user never logged in, the relay checks no password for a while: it answers 429 with `Retry-After`, even if the password is right.";

const SECURITY_SCHEMES = {
  basic: {
    type: "http",
    scheme: "basic",
    description: `The user name and password of a terminal, a partner or an administrator, or the name and token of a machine token. An administrator may read with any role; sending and changing need the role operator or owner (403). ${HELD_BACK} Derived passwords of terminals are never blocked. ${BROWSERS}`,
  },
  apiKey: { type: "apiKey", in: "header", name: "API-Key", description: "A partner's key." },
  administrator: {
    type: "http",
    scheme: "basic",
    description: `The user name and password of an administrator, or the name and token of a machine token (\`mt_...\`, POST /admin/machine-tokens), which is for programs. Each operation names the role that it needs (403 without it): an owner may call all operations, an operator all but those for owners, and read-only those that only read. It also names the right that a machine token needs, if machine tokens may call it. Operations that manage people, secrets or factors need a second factor of a person: in production the relay rejects a password alone. ${HELD_BACK} ${BROWSERS}`,
  },
  partnerApi: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "pk_partner_...",
    description:
      "A partner's key for Partner API v1. The response is 401 if the key is missing or invalid, and 403 if the caller's address is not on the partner's whitelist.",
  },
  merchantKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "sk_merchant_...",
    description: "A merchant's key. It may also be sent as the user name of Basic authentication, with an empty password.",
  },
  agentToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ak_merchant_...",
    description:
      "The token of a credential that a merchant created for an AI agent. The response is 401 if the token is missing, invalid, revoked or expired, and 403 if the credential may not be used from the caller's address or a page of another origin sent the request.",
  },
  portalSession: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-relay_portal",
    description: `A person's session of the merchant portal, created by POST /api/merchant/session. (Over plain HTTP, as in the sandbox, the cookie is relay_portal.) The response is 401 if there is no session, if the session has ended, if the cookie is sent twice, and, except during sign-in, if the second factor is missing. Each operation names the roles that may call it (403 \`role\`) and whether it needs a second factor shown in the last ten minutes (403 \`step_up_required\`). ${OWN_PAGES} If the operation accepts a merchant's secret key as bearer, the key takes precedence over the cookie, and none of these rules applies.`,
  },
  administratorSession: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-relay_admin",
    description: `An administrator's session of the operators' pages, created by POST /admin/session. (Over plain HTTP, as in the sandbox, the cookie is relay_admin.) It permits the same operations as the administrator's login, by the same role. The response is 401 if there is no session, if the session has ended, if the cookie is sent twice, and, except during sign-in, if the second factor is missing. If an operation says so, it needs a second factor shown in the last ten minutes (403 \`step_up_required\`). ${OWN_PAGES}`,
  },
  signature: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "`Signature keyId=...,algorithm=...,headers=...,signature=...` (draft-cavage-http-signatures-10) with HMAC-SHA256 or HMAC-SHA512 over (request-target) with its query, host, date (or (created)), x-signature-salt and, for POST, digest. If the signature does not cover one of these, the response is 401 and names what is missing. Without `headers`, the signature covers only date. `algorithm` is hmac-sha256 or hmac-sha512. It may also be absent or hs2019: the key is valid for both algorithms, and the length of the signature shows which one was used. `keyId` is the merId. The date may differ from the relay's clock by up to 300 seconds. Each combination of date and salt is accepted once.",
  },
};

const HEADERS = {
  "X-Request-Id": {
    description: "Identifies this request in the logs. If the request has this header, the relay uses its value.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": {
    description:
      "Requests per second that are permitted for this client address, or for the partner if the partner's record sets a higher limit.",
    schema: { type: "integer" },
  },
  "RateLimit-Remaining": { description: "Requests left in the current second.", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the full limit is available again.", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" } },
  [IGNORED_HEADER]: {
    description:
      "Members of the query and the body that are not part of the operation and were ignored: names separated by commas, with dots between levels. Absent if there are none.",
    schema: { type: "string" },
  },
};

/**
 * Builds the OpenAPI 3.1 document of the endpoints. The order of the endpoints does not change it.
 * A schema with a `title` becomes a component of that name; two different schemas with one title
 * are rejected. `described` are its tags in their order.
 */
export function buildOpenApi(endpoints: readonly DocumentedEndpoint[], info: OpenApiInfo, described: readonly OpenApiTag[] = []): Json {
  const components = new Components();
  const byPath = new Map<string, DocumentedEndpoint[]>();
  for (const endpoint of endpoints) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint]);
  const paths: Json = {};
  for (const [path, atPath] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const ordered = atPath.sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
    paths[path] = Object.fromEntries(ordered.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, components)]));
  }
  const used = new Set(endpoints.flatMap(({ tags, surface }) => tags ?? surface.tags));
  const schemes = new Set(endpoints.flatMap(securityOf).flatMap((alternative) => Object.keys(alternative)));
  const securitySchemes = Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => schemes.has(name)));
  // Tags with a description come first, in their given order. The others follow in the order of the
  // surfaces. Paths are sorted.
  const tags = [...described.filter(({ name }) => used.delete(name)), ...[...used].map((name) => ({ name }))];
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/" }],
    tags,
    paths,
    components: { securitySchemes, headers: HEADERS, ...components.sorted() },
  };
}

function operationOf(endpoint: DocumentedEndpoint, components: Components): Json {
  const { params, query, headers, body } = endpoint;
  const parameters = [
    ...parametersOf("path", params, components),
    ...parametersOf("query", query, components),
    ...parametersOf("header", headers, components),
    ...(endpoint.idempotency === undefined ? [] : [idempotencyKeyOf(endpoint, components)]),
  ];
  return {
    operationId: endpoint.name,
    tags: endpoint.tags ?? endpoint.surface.tags,
    summary: endpoint.summary,
    ...descriptionOf(endpoint),
    ...(endpoint.deprecated === undefined ? {} : { deprecated: true }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, endpoint, components) }),
    ...(endpoint.upload === undefined ? {} : { requestBody: uploadOf(endpoint.upload) }),
    responses: responsesOf(endpoint, components),
    security: securityOf(endpoint),
  };
}

/** OpenAPI 3.1 lists roles where OAuth has scopes. */
function securityOf({ auth, role, may }: DocumentedEndpoint): readonly Json[] {
  if (role !== undefined) return [{ administrator: [role] }, { administratorSession: [role] }];
  if (may === undefined) return SECURITY[auth];
  return SECURITY[auth].map((scheme) => ("portalSession" in scheme ? { portalSession: rolesThatMay(may) } : scheme));
}

const CALLERS: Readonly<Record<CallerNeeds, string>> = {
  send: "Callers: a partner whose rule allows the terminal, the terminal itself, the fleet's credential, administrators with the role operator or owner, and machine tokens with the right `payments`; others get 403.",
  know: "Callers: a partner whose rule allows the terminal, the terminal itself, the fleet's credential, administrators, and machine tokens with the right `read` or `payments`; others get 403.",
  act: "Callers: the terminal itself, terminals that manage it, and the fleet's credential; others get 403.",
  "act or administrate":
    "Callers: the terminal itself, terminals that manage it, the fleet's credential, administrators with the role operator or owner, and machine tokens with the right `terminals`; others get 403.",
  "act or look":
    "Callers: the terminal itself, terminals that manage it, the fleet's credential, administrators, and machine tokens with the right `read`; others get 403.",
  see: "If the caller may not see the object, the response is the same as for an object that does not exist.",
  "see and send":
    "If the caller may not see the object, the response is the same as for an object that does not exist. An administrator with the role read-only gets 403, as does a machine token without the right `payments`.",
  "own account": "Callers: partners, with their own user name and password; others get 403.",
};

/** The words for a caller that needs a second factor. The default is a person. */
const WHO_STEPS_UP: { readonly [Auth in AuthRequirement]?: string } = {
  admin: "A session",
  adminSession: "A session",
  fullAdminSession: "A session",
};

function descriptionOf(endpoint: DocumentedEndpoint): Json {
  const { description, needs, role, auth, may, stepUp, firstByPassword, apartByEnvironment } = endpoint;
  const right = machineRightOf(endpoint);
  const isPasswordRefused = auth === "admin" && stepUp !== undefined;
  const parts = [
    description,
    needs === undefined ? undefined : CALLERS[needs],
    role === undefined
      ? undefined
      : `Needs the role ${role}${ABOVE[role]}${right === null ? "" : `, or a machine token with the right \`${right}\``}.`,
    may === undefined ? undefined : personWho(may, auth),
    takesMerchantKey(auth) && apartByEnvironment !== true ? OTHER_ENVIRONMENT : undefined,
    isPasswordRefused ? `${PASSWORD_REFUSED}${firstByPassword === true ? PASSWORD_FIRST : ""}.` : undefined,
    stepUp === undefined
      ? undefined
      : `${WHO_STEPS_UP[auth] ?? "A person"} needs a second factor shown in the last ten minutes${stepUp === true ? "" : ` ${stepUp.where}`} (403 \`step_up_required\`).`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join(" ") };
}

const PASSWORD_REFUSED = "In production the relay rejects a password alone (403 `second_factor_required`)";
const PASSWORD_FIRST = ", except to create the first administrators while no owner has a second factor";

function personWho(act: MerchantAct, auth: AuthRequirement): string {
  return `A person needs the role ${orList(rolesThatMay(act))}.${KEYS_WHO[auth] ?? ""}`;
}

const OTHER_ENVIRONMENT = "A key of an environment other than the merchant's current one gets 409 `other_environment`.";

const KEYS_WHO: { readonly [Auth in AuthRequirement]?: string } = {
  merchantUserOrKey: " A merchant's secret key may call it, too.",
  merchantUserOrAnyKey: " A merchant's keys may call it, too; a publishable key gets fewer members.",
};

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const ABOVE: Readonly<Record<AdministratorRole, string>> = { owner: "", operator: " or owner", "read-only": ", operator or owner" };

function idempotencyKeyOf({ surface }: DocumentedEndpoint, components: Components): Json {
  return components.parameter(surface.idempotency?.parameterName ?? USUAL_IDEMPOTENCY.parameterName, {
    name: "Idempotency-Key",
    in: "header",
    description: (surface.idempotency ?? USUAL_IDEMPOTENCY).description,
    required: false,
    schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX, pattern: "^[!-~]+$" },
  });
}

function requestBodyOf(body: TSchema, endpoint: DocumentedEndpoint, components: Components): Json {
  const written = endpoint.bodyExample ?? exampleOf(body);
  const example = written === undefined ? {} : { example: written };
  return {
    // A form without members is no body.
    required: body[OptionalKind] === undefined && (endpoint.bodyFormat === undefined || body["required"]?.length > 0),
    content: Object.fromEntries(
      bodyTypesOf(endpoint).map((type) => [
        type,
        { schema: components.schema(body), ...example, ...(type === FORM_TYPE ? bracketsOf(body) : {}) },
      ]),
    ),
  };
}

/** Brackets after the name mark lists and objects of a form, or of a query in the same format. */
const BRACKETS = { style: "deepObject", explode: true } as const;

function bracketsOf(body: TSchema): Json {
  const members = Object.entries<TSchema>(body["properties"] ?? {}).filter(([, member]) => !isPlain(member));
  return members.length === 0 ? {} : { encoding: Object.fromEntries(members.map(([name]) => [name, BRACKETS])) };
}

function isPlain(schema: TSchema): boolean {
  const parts: TSchema[] = schema["anyOf"] ?? [schema];
  return parts.every(
    ({ type, const: constant }) => constant !== undefined || (type !== undefined && type !== "array" && type !== "object"),
  );
}

function bodyTypesOf({ bodyFormat }: DocumentedEndpoint): string[] {
  return bodyFormat === "form or JSON" ? [FORM_TYPE, "application/json"] : ["application/json"];
}

function uploadOf({ member, description }: NonNullable<DocumentedEndpoint["upload"]>): Json {
  const file = { type: "string", contentMediaType: "application/octet-stream", description };
  const schema = { type: "object", required: [member], properties: { [member]: file } };
  return { required: true, content: { "multipart/form-data": { schema } } };
}

/**
 * Viewers enter the example of a parameter. The sandbox has a value that any operation can be tried
 * with for these parameters only.
 */
const ENTERED_BEFOREHAND: ReadonlySet<string> = new Set(["terminalId", "uuid"]);

function parametersOf(place: "path" | "query" | "header", schema: TObject | undefined, components: Components): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const { title, description, ...rest } = member;
    const required = member[OptionalKind] === undefined && member["default"] === undefined;
    const example = required && ENTERED_BEFOREHAND.has(name) ? exampleOf(member, name) : undefined;
    const parameter = {
      name,
      in: place,
      ...(description === undefined ? {} : { description }),
      required,
      ...(example === undefined ? {} : { example }),
      ...(place === "query" && !isPlain(member as TSchema) ? BRACKETS : {}),
      // A description belongs to the parameter, unless the schema is named.
      schema: components.schema(title === undefined ? rest : member),
    };
    const { parameterName } = member;
    return typeof parameterName === "string" ? components.parameter(parameterName, parameter) : parameter;
  });
}

function responsesOf(endpoint: DocumentedEndpoint, components: Components): Json {
  const declared: { [status: string]: ResponseDeclaration } = { ...endpoint.responses };
  const body = endpoint.surface.envelope.schema;
  for (const status of impliedStatuses(endpoint)) declared[status] ??= { description: STATUS_MEANING[status] ?? "Error.", body };
  // Integer keys are enumerated in ascending order, whatever the order of insertion.
  const responses: Json = {};
  for (const [status, response] of Object.entries(declared)) responses[status] = responseOf(Number(status), response, endpoint, components);
  responses["default"] = responseOf(0, { description: ANY_OTHER_ERROR, body }, endpoint, components);
  return responses;
}

const ANY_OTHER_ERROR = "Any other error.";

/**
 * Returns the response. One that several operations of a surface share without changes is stored
 * once under a name.
 */
function responseOf(status: number, declared: ResponseDeclaration, endpoint: DocumentedEndpoint, components: Components): Json {
  const isForeign = status === 403 && refusesForeignPages(endpoint);
  const isOther = status === 403 && checksOwnPage(endpoint);
  const foreignPages = endpoint.auth === "agent" ? FOREIGN_PAGES_WITH_TOKEN : FOREIGN_PAGES;
  const description = [declared.description, isForeign ? foreignPages : "", isOther ? OTHER_PAGES : ""]
    .filter((part) => part !== "")
    .join(" ");
  const response = responseWith({ ...declared, description }, status, endpoint, components);
  const { schema } = endpoint.surface.envelope;
  const { title } = schema;
  const isUsual =
    declared.description === (STATUS_MEANING[status] ?? ANY_OTHER_ERROR) &&
    declared.body === schema &&
    declared.headers === undefined &&
    declared.example === undefined;
  const suffix = endpoint.rateLimit === undefined ? "" : "WithRateLimit";
  if (declared.sharedName !== undefined) return components.response(`${declared.sharedName}${suffix}`, response);
  if (!isUsual || title === undefined) return response;
  const error = status === 0 ? title : `${title.replace(/Error$/, "")}${(STATUS_CODES[status] ?? "").replaceAll(" ", "")}`;
  const pages = isForeign && isOther ? "ToPages" : isForeign ? "ToForeignPages" : isOther ? "ToOtherPages" : "";
  return components.response(`${error}${pages}${suffix}`, response);
}

/**
 * Callers with these credentials may get 403, because a key may be limited to listed origins or
 * addresses.
 */
const KEY_AUTHS: ReadonlySet<AuthRequirement> = new Set([
  "apiKey",
  "basicOrApiKey",
  "partnerApi",
  "merchantKey",
  "merchantUserOrKey",
  "agent",
]);
const ANONYMOUS_AUTHS: ReadonlySet<AuthRequirement> = new Set(["none", "optionalBasic", "optionalPortalSession", "optionalAdminSession"]);
const PASSWORD_AUTHS: ReadonlySet<AuthRequirement> = new Set(["basic", "basicOrApiKey", "admin"]);

function needsMoreThanReadOnly({ role }: DocumentedEndpoint): boolean {
  return role === "owner" || role === "operator";
}

function isForbiddenToSome(endpoint: DocumentedEndpoint): boolean {
  const { auth, may, stepUp } = endpoint;
  return (
    KEY_AUTHS.has(auth) ||
    needsMoreThanReadOnly(endpoint) ||
    refusesForeignPages(endpoint) ||
    checksOwnPage(endpoint) ||
    stepUp !== undefined ||
    (may !== undefined && rolesThatMay(may).length < rolesThatMay("look").length)
  );
}

function isStreamed({ responses }: DocumentedEndpoint): boolean {
  return Object.values(responses).some(({ stream }) => stream === true);
}

/** Returns the statuses that the server itself may return, according to the declaration. */
function impliedStatuses(endpoint: DocumentedEndpoint): number[] {
  const { params, query, headers, body, upload } = endpoint;
  return [
    ...((params ?? query ?? headers ?? body ?? upload) ? [400] : []),
    ...(ANONYMOUS_AUTHS.has(endpoint.auth) ? [] : [401]),
    ...(isForbiddenToSome(endpoint) ? [403] : []),
    ...((body ?? upload) ? [413, 415] : []),
    ...(endpoint.rateLimit === undefined && !PASSWORD_AUTHS.has(endpoint.auth) && !isStreamed(endpoint) ? [] : [429]),
    ...(isStreamed(endpoint) ? [503] : []),
    ...(endpoint.idempotency === undefined ? [] : [409]),
  ];
}

function namesIgnored({ query, body, refusesUnknown, bodyFormat, queryFormat }: DocumentedEndpoint): boolean {
  return (query ?? body) !== undefined && refusesUnknown === undefined && bodyFormat === undefined && queryFormat === undefined;
}

function responseWith(response: ResponseDeclaration, status: number, endpoint: DocumentedEndpoint, components: Components): Json {
  const names = [
    "X-Request-Id",
    ...(endpoint.rateLimit === undefined ? [] : ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
    ...(status === 429 ? ["Retry-After"] : []),
    ...(status >= 200 && status < 300 && namesIgnored(endpoint) ? [IGNORED_HEADER] : []),
  ];
  const headers: Json = {};
  for (const name of names) headers[name] = { $ref: `#/components/headers/${name}` };
  for (const [name, { description, schema }] of Object.entries(response.headers ?? {})) {
    headers[name] = { description, schema: schema === undefined ? { type: "string" } : components.schema(schema) };
  }
  if (response.file === true || response.stream === true) {
    const description = response.stream === true ? `${response.description} ${STREAMED}` : response.description;
    const types = [response.contentType ?? "application/octet-stream", ...(response.otherContentTypes ?? [])];
    return { description, headers, content: Object.fromEntries(types.map((type) => [type, {}])) };
  }
  if (response.body === undefined) return { description: response.description, headers };
  const written = response.example ?? exampleOfResponse(status, response.body, response.contentType, endpoint.surface.envelope);
  const example = written === undefined ? {} : { example: written };
  const content = { [response.contentType ?? "application/json"]: { schema: components.schema(response.body), ...example } };
  return { description: response.description, headers, content };
}

/**
 * Returns the example of a response. The surface's envelope makes that of an error; others come
 * from the schema. A text that is not JSON has no example.
 */
function exampleOfResponse(status: number, body: TSchema, contentType: string | undefined, envelope: ErrorEnvelope): unknown {
  if (contentType !== undefined && contentType !== "application/json") return undefined;
  if (body !== envelope.schema) return exampleOf(body);
  const codes = Object.keys(envelope.status) as (keyof ErrorEnvelope["status"])[];
  const code = codes.find((one) => envelope.status[one] === status) ?? "internal";
  return errorReply(envelope, new RelayError(code, STATUS_MEANING[status] ?? "Internal error."), "0a1b2c3d4e5f-1").body;
}

const STREAMED =
  "The relay sends the body while it reads the data, without a length. A body that ends without its last chunk is incomplete. Each caller may run only a few of these at a time (429).";
