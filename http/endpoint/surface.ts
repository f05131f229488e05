import type { TObject, TSchema } from "@sinclair/typebox";
import type {
  Declaration,
  Endpoint,
  Input,
  KeyedEndpoint,
  Nothing,
  Reply,
  ResponseHeaders,
  Responses,
  SurfaceFacts,
  WhoMay,
} from "./endpoint.ts";
import type { ErrorEnvelope } from "./error-envelope.ts";
import { STATUS_MEANING } from "./error-envelope.ts";
import { answersList } from "./lists.ts";
import { closed, type UnknownRefusal } from "./unknown-members.ts";

/**
 * An API with one error envelope and one set of operations. Its endpoints are declared through it.
 */
export interface Surface<Operations, E extends TSchema> extends SurfaceFacts {
  endpoint<
    P extends TObject = Nothing,
    Q extends TObject = Nothing,
    H extends TObject = Nothing,
    B extends TSchema = TSchema,
    R extends Responses = Responses,
    const A extends Reply<R> = Reply<R>,
  >(declaration: Declaration<Operations, P, Q, H, B, R, A> & WhoMay): Endpoint<Operations>;
  /**
   * Returns response declarations of these statuses in the surface's envelope, to be spread into
   * `responses`.
   */
  errors<S extends number>(...statuses: S[]): { [Status in S]: { description: string; body: E } };
}

export interface SurfaceOptions<Operations, E extends TSchema> extends SurfaceFacts {
  readonly envelope: ErrorEnvelope & { schema: E };
  /**
   * Called for every request of the surface after its input and caller are known, and before an
   * idempotency key is looked up and the handler runs. Throws RelayError for a request that must
   * not be executed, for instance because its caller is over a limit. It may return headers that
   * belong to this request, and are therefore added to a stored response too.
   */
  readonly admit?: (operations: Operations, input: Input, endpoint: KeyedEndpoint) => Promise<ResponseHeaders | undefined>;
  /** Applies to all endpoints of the surface; see `EndpointFacts`. */
  readonly refusesUnknown?: UnknownRefusal;
}

/**
 * Starts a surface whose handlers use `Operations`:
 * `const relay = surface<RelayOperations>()({ name: "relay", tags: ["Terminals"], envelope })`.
 */
export function surface<Operations>() {
  return <E extends TSchema>({ admit, refusesUnknown: ofAll, ...facts }: SurfaceOptions<Operations, E>): Surface<Operations, E> => ({
    ...facts,
    endpoint: (declaration) => {
      const { body } = declaration;
      const refusesUnknown = declaration.refusesUnknown ?? ofAll ?? (answersList(declaration) ? "rows" : undefined);
      const deadlineMs = declaration.deadlineMs ?? (declaration.method === "GET" ? undefined : facts.changeDeadlineMs);
      return {
        ...declaration,
        ...(refusesUnknown === undefined ? {} : { refusesUnknown }),
        ...(refusesUnknown === undefined || body === undefined ? {} : { body: closed(body) }),
        responses:
          refusesUnknown === undefined ? declaration.responses : { ...errorsOf(facts.envelope.schema, [400]), ...declaration.responses },
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(admit === undefined ? {} : { admit: (operations: Operations, input: Input) => admit(operations, input, declaration) }),
        surface: facts,
      };
    },
    errors: (...statuses) => errorsOf(facts.envelope.schema, statuses),
  });
}

function errorsOf<S extends number, E extends TSchema>(schema: E, statuses: readonly S[]) {
  const entries = statuses.map((status) => [status, { description: STATUS_MEANING[status] ?? "Error.", body: schema }]);
  // Object.fromEntries loses the types of the keys.
  return Object.fromEntries(entries) as { [Status in S]: { description: string; body: E } };
}
