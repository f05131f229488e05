import { type SchemaOptions, type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import type { MerchantAct } from "../../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Audit, BodyOf, EndpointFacts, Input, Nothing } from "../../endpoint/endpoint.ts";
import type { ResourceContext } from "../../endpoint/resource.ts";
import { ok, okOf, type refusal } from "./envelope.ts";
import { listOf } from "./schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, type merchantSurface, PORTAL_RATE } from "./surface.ts";

type Surface<Operations> = ReturnType<typeof merchantSurface<Operations>>;
type Owner = ReturnType<typeof merchantOwnerOf>;

/** A view of a resource. */
interface View<R, C, S extends TSchema> {
  readonly schema: S;
  readonly example: object;
  json(record: R, context: C): Static<S>;
}

/** `may`: default `look`. */
interface Reading extends Pick<EndpointFacts, "name" | "summary" | "description" | "may"> {
  /** Publishable keys may read too, and are never forbidden to. */
  readonly auth?: "merchantUserOrAnyKey";
}

const readingOf = ({ auth, may = "look", ...facts }: Reading) =>
  ({ ...facts, method: "GET", auth: auth ?? "merchantUserOrKey", may, apartByEnvironment: true, rateLimit: PORTAL_RATE }) as const;

interface ListFacts<Operations, R, C, Q extends TObject, S extends TSchema> extends Reading {
  readonly path: string;
  /** The filters and PAGE_QUERY. */
  readonly query: Q;
  readonly item: View<R, C, S>;
  page(operations: Operations, owner: Owner, query: Static<Q>, caller: Caller): Promise<{ items: readonly R[]; next: string | null }>;
  context(operations: Operations, caller: Caller, records: readonly R[]): C | Promise<C>;
}

/** Declares the GET of a list. */
export function listEndpoint<Operations, R, C extends ResourceContext, Q extends TObject, S extends TSchema>(
  surface: Surface<Operations>,
  { path, query, item, page, context, ...facts }: ListFacts<NoInfer<Operations>, R, C, Q, S>,
) {
  const example = { status: "ok", data: { items: [item.example], next: null } };
  return surface.endpoint({
    ...readingOf(facts),
    path: `${MERCHANT_BASE}${path}`,
    query,
    responses: {
      200: { description: "A page.", body: okOf(listOf<TSchema>(item.schema)), example },
      ...surface.errors(400, 401, 429, 503),
      ...(facts.auth === undefined ? surface.errors(403) : {}),
    },
    handle: async (operations, { caller, query: asked }) => {
      const { items, next } = await page(operations, merchantOwnerOf(caller), asked, caller);
      const shared = await context(operations, caller, items);
      return { status: 200, body: ok({ items: items.map((record) => item.json(record, shared)), next }) };
    },
  });
}

/** One record of a resource, as endpoints find and show it. */
interface OneFacts<Operations, R, C, S extends TSchema> {
  /** The noun in "There is no such dispute", which `missing` replaces. */
  readonly noun: string;
  readonly missing?: string;
  readonly path: string;
  /** Default: 1 to 64 characters. */
  readonly idParameter: SchemaOptions & { readonly parameterName: string };
  readonly resource: View<R, C, S>;
  /**
   * Returns null if there is no such record, or if it belongs to another merchant or environment.
   */
  find(operations: Operations, owner: Owner, id: string, caller: Caller): Promise<R | null>;
  context(operations: Operations, caller: Caller, records: readonly [R]): C | Promise<C>;
}

type ActionInput<B extends TSchema> = Input<{ id: string }, unknown, unknown, BodyOf<B>>;

/** `path` follows the path of the record. */
interface ActionFacts<Operations, R, B extends TSchema> extends Omit<EndpointFacts, "auth" | "role" | "rateLimit"> {
  readonly may: MerchantAct;
  readonly body?: B;
  /** Further statuses. A body always has 413 and 415. */
  readonly errors?: readonly (413 | 415)[];
  readonly audit: Audit<ActionInput<B>>;
  /** The members of the example that differ after the action. */
  readonly done: { readonly description: string; readonly changes?: object; readonly sharedName?: string };
  /** The description of 409. */
  readonly conflict?: string;
  /**
   * Returns the record, a refusal, or null if the merchant has no such record. May throw
   * RelayError.
   */
  run(operations: Operations, owner: Owner, input: ActionInput<B>): Promise<{ readonly done: R } | ReturnType<typeof refusal<409>> | null>;
}

/** Returns the endpoints of one record of a resource. */
export function oneOf<Operations, R, C extends ResourceContext, S extends TSchema>(
  surface: Surface<Operations>,
  { noun, missing = `There is no such ${noun}`, path, idParameter, resource, find, context }: OneFacts<NoInfer<Operations>, R, C, S>,
) {
  const params = Type.Object({ id: Type.String("pattern" in idParameter ? idParameter : { minLength: 1, maxLength: 64, ...idParameter }) });
  const body = okOf<TSchema>(resource.schema);
  const json = async (operations: Operations, caller: Caller, record: R) =>
    resource.json(record, await context(operations, caller, [record]));
  /** The one error for a record that is absent, another merchant's, or of the other environment. */
  const notFound = () => new RelayError("not_found", missing);
  return {
    params,
    notFound,
    json,
    show: (facts: Reading) =>
      surface.endpoint({
        ...readingOf(facts),
        path: `${MERCHANT_BASE}${path}/{id}`,
        params,
        responses: {
          200: { description: `The ${noun}.`, body, example: { status: "ok", data: resource.example } },
          ...surface.errors(400, 401, 404, 429, 503),
          ...(facts.auth === undefined ? surface.errors(403) : {}),
        },
        handle: async (operations, { caller, params: { id } }) => {
          const record = await find(operations, merchantOwnerOf(caller), id, caller);
          if (record === null) throw notFound();
          return { status: 200, body: ok(await json(operations, caller, record)) };
        },
      }),
    action: <B extends TSchema = TSchema>({ done, conflict, run, errors = [], path: action, ...facts }: ActionFacts<Operations, R, B>) =>
      surface.endpoint<typeof params, Nothing, Nothing, B>({
        ...facts,
        path: `${MERCHANT_BASE}${path}/{id}${action}`,
        auth: "merchantUserOrKey",
        rateLimit: PORTAL_RATE,
        params,
        responses: {
          200: { ...done, body, example: { status: "ok", data: { ...resource.example, ...done.changes } } },
          ...surface.errors(400, 401, 403, 404, 429, 503),
          ...surface.errors(...(facts.body === undefined ? errors : ([413, 415] as const))),
          ...(conflict === undefined ? {} : { 409: { description: conflict, body: surface.envelope.schema } }),
        },
        handle: async (operations, input) => {
          const outcome = await run(operations, merchantOwnerOf(input.caller), input);
          if (outcome === null) throw notFound();
          if (!("done" in outcome)) return outcome;
          return { status: 200, body: ok(await json(operations, input.caller, outcome.done)) };
        },
      }),
  };
}
