import { type TSchema, Type } from "@sinclair/typebox";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import type { IntentRecord } from "../../../engine/intents/intent.ts";
import type { Operation } from "../../../engine/intents/intents.ts";
import { maskSchemePans } from "../../../engine/kernel/mask.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import { DEFAULT_API_VERSION, VERSION_HEADER, WIRE_NAMES } from "../../compat/wire-names.ts";
import type { Endpoint, Input } from "../../endpoint/endpoint.ts";
import { headerReader, membersOf, merchantOf, OF_PAGES, pathId, READ_HEADERS, versionOf } from "./admission.ts";
import { intentForPages } from "./objects.ts";
import type { CompatOperations } from "./operations.ts";
import { type Fields, type ReadFields, readFields, schemaOf } from "./params.ts";
import { COMPAT_BASE, compat, platformRequestId } from "./surface.ts";
import { requestedVersion, VERSION_LENGTH_MAX, VERSION_PATTERN, VERSION_REFUSED } from "./versions.ts";

/** One call as its handler sees it. */
export interface Call<F extends Fields> {
  /** The id in the path; empty where the path has none. */
  readonly id: string;
  readonly members: ReadFields<F>;
  readonly merchant: MerchantGrant;
  readonly owner: MerchantParty;
  readonly operation: Operation;
  /** The effective version: the request's, else the merchant's. */
  readonly apiVersion: string;
  /** A payment intent in errors, as far as this caller may see it. */
  shown(record: IntentRecord): object;
}

export interface CallDeclaration<F extends Fields> {
  readonly name: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** After COMPAT_BASE; its one parameter is `{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Of the body of a POST, else of the query. */
  readonly fields: F;
  readonly bodyExample?: object;
  readonly deadlineMs?: number;
  readonly answer: { readonly description: string; readonly schema: TSchema };
  readonly errors: readonly (400 | 402 | 404 | 409)[];
  /** Resolves with the body of the answer. Throws PlatformError. */
  handle(operations: CompatOperations, call: Call<F>): Promise<object>;
}

const HEADER = Type.Optional(Type.String({ maxLength: VERSION_LENGTH_MAX }));

const VERSION = { pattern: VERSION_PATTERN, errorMessage: VERSION_REFUSED };

/** Declared in lower case, as they are looked up. */
const HEADERS = Type.Object({
  [READ_HEADERS.version]: Type.Optional(
    Type.String({
      maxLength: VERSION_LENGTH_MAX,
      ...VERSION,
      parameterName: "CompatVersion",
      description: `The version of the API that the client was made for, such as \`${DEFAULT_API_VERSION}\`. The response has the same version. Without it the merchant's default version applies, which the merchant sets in its portal and which no request changes. Objects are the same in all versions.`,
    }),
  ),
  [READ_HEADERS.ownVersion]: Type.Optional(
    Type.String({
      maxLength: VERSION_LENGTH_MAX,
      ...VERSION,
      parameterName: "CompatOwnVersion",
      description: `The same as \`${WIRE_NAMES.version}\`.`,
    }),
  ),
  [READ_HEADERS.account]: { ...HEADER, parameterName: "CompatAccountHeader", description: "Not supported: 403 `account_invalid`." },
  [READ_HEADERS.context]: { ...HEADER, parameterName: "CompatContextHeader", description: "Not supported: 403 `account_invalid`." },
});

const ANSWER_HEADERS = {
  [WIRE_NAMES.version]: { description: "The effective version." },
  [VERSION_HEADER]: { description: "The same." },
};

const ID = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, parameterName: "CompatObjectId" }) });

/** Longer than a call of the card gateway takes. */
export const GATEWAY_DEADLINE_MS = 20_000;

/** An endpoint of the compatible API: admitted by admission.ts, its members read by their table, its object written as it is. */
export function call<F extends Fields>(declaration: CallDeclaration<F>): Endpoint<CompatOperations> {
  const { name, method, path, summary, description, fields, bodyExample, deadlineMs, answer, errors } = declaration;
  const isPost = method === "POST";
  const ofPages = OF_PAGES.has(name);
  // Documented once for both formats of the body.
  const schema = schemaOf(fields, isPost ? { title: `${name.charAt(0).toUpperCase()}${name.slice(1)}Request` } : {});
  return compat.endpoint({
    name,
    method,
    path: `${COMPAT_BASE}${path}`,
    summary,
    auth: ofPages ? "optionalMerchantKey" : "merchantKey",
    headers: HEADERS,
    ...(description === undefined ? {} : { description }),
    ...(path.includes("{id}") ? { params: ID } : {}),
    // What a POST has in its query is not read: there it would be lost.
    ...(isPost
      ? { body: schema, bodyFormat: "form or JSON" as const, refusesUnknown: "money" as const }
      : { query: schema, queryFormat: "bracketed" as const }),
    // Answers hold client secrets, buyers' addresses and secrets of endpoints; so do errors, which embed the payment.
    ...(isPost ? { idempotency: "sealed" as const } : {}),
    ...(bodyExample === undefined ? {} : { bodyExample }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(ofPages ? { openToPages: true as const } : {}),
    responses: {
      200: { description: answer.description, body: answer.schema, headers: ANSWER_HEADERS },
      ...compat.errors(401, 403, 429, 500, 503, ...errors),
    },
    handle: async (operations, input) => {
      const header = headerReader(input.headers);
      const requested = requestedVersion([header(READ_HEADERS.version), header(READ_HEADERS.ownVersion)]);
      const merchant = await merchantOf(operations, input);
      const apiVersion = requested ?? (await versionOf(operations, merchant));
      const body = await declaration.handle(operations, {
        id: pathId(input),
        members: readFields(fields, membersOf(input)),
        merchant,
        owner: { merchantId: merchant.merchantId, partnerId: merchant.partnerId, livemode: merchant.livemode },
        operation: operationOf(input),
        apiVersion,
        shown: (record) => {
          const object = operations.compatObjects.intent(record);
          return merchant.kind === "publishable" ? intentForPages(object) : object;
        },
      });
      return { status: 200 as const, text: JSON.stringify(body) };
    },
  });
}

function operationOf({ operationId, request, idempotencyKey }: Input): Operation {
  // Events keep it and tell it: a key that holds a card number is masked as every text is.
  return { id: operationId, requestId: platformRequestId(request.id), idempotencyKey: idempotencyKey && maskSchemePans(idempotencyKey) };
}
