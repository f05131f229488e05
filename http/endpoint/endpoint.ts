import type { Static, TObject, TOptional, TSchema } from "@sinclair/typebox";
import type { AdministratorRole } from "../../engine/access/administrator-role.ts";
import type { Caller } from "../../engine/access/caller.ts";
import type { MachineRight } from "../../engine/access/machine-token.ts";
import type { MerchantAct } from "../../engine/access/merchant-user-grant.ts";
import type { RelayError } from "../../engine/kernel/errors.ts";
import type { RaisableRate } from "../../engine/partners/partner.ts";
import type { ErrorEnvelope } from "./error-envelope.ts";
import type { UnknownRefusal } from "./unknown-members.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Which callers an endpoint accepts. Whether a caller may do what it requests is the handler's
 * decision (RelayError `forbidden`).
 *
 * - `optionalBasic`: anyone. A caller with a user name and password is known; a wrong password
 *   counts as none.
 * - `basic`: anyone with a user name and password (terminal, fleet, partner, administrator).
 * - `admin`: an administrator with the endpoint's role, by login or by a full session.
 * - `partnerApi`: a partner with its bearer key.
 * - `signature`: a partner by the HTTP signature of its request, which is checked over the raw
 *   request before any of it is read.
 * - `merchantKey`: a merchant with its secret key (bearer, or the user name of Basic).
 * - `optionalMerchantKey`: a merchant with either of its keys, or anyone: a page sends its
 *   publishable key as the member `key`, which the handler looks up.
 * - `merchantUser`: a person with a full session of the portal (a cookie;
 *   http/auth/portal-session.ts). `portalSession` also accepts a session that lacks its second
 *   factor, and `optionalPortalSession` also no session.
 * - `merchantUserOrKey`: a full session, or the merchant's secret key.
 * - `merchantUserOrAnyKey`: a full session, or either of the merchant's keys.
 * - `agent`: an AI agent of a merchant with its token.
 * - `fullAdminSession`, `adminSession` and `optionalAdminSession`: the three kinds of sessions, for
 *   administrators (http/auth/administrator-session.ts).
 */
export type AuthRequirement =
  | "none"
  | "optionalBasic"
  | "basic"
  | "apiKey"
  | "basicOrApiKey"
  | "admin"
  | "partnerApi"
  | "signature"
  | "merchantKey"
  | "optionalMerchantKey"
  | "optionalPortalSession"
  | "portalSession"
  | "merchantUser"
  | "merchantUserOrKey"
  | "merchantUserOrAnyKey"
  | "agent"
  | "optionalAdminSession"
  | "adminSession"
  | "fullAdminSession";

/**
 * The requirement for a caller of `basic` or `basicOrApiKey` in addition to its login;
 * engine/access/caller.ts decides.
 * - `send`: it may send to the terminal. `know`: it may send, or is a read-only administrator.
 * - `act`: it may act as the terminal. `act or administrate`: or is an administrator who may make
 *   changes. `act or look`: or is any administrator.
 * - `see`: it may see the object; otherwise the response is that for an absent object. `see and
 *   send`: and is not a read-only administrator.
 * - `own account`: it is a partner, and reaches its own account only.
 */
export type CallerNeeds = "send" | "know" | "act" | "act or administrate" | "act or look" | "see" | "see and send" | "own account";

/**
 * An endpoint for administrators declares which role it needs, and no other endpoint has a role. An
 * endpoint for persons of the portal declares what they must be permitted to do. An endpoint that
 * accepts a session declares whether it needs a fresh second factor. The server checks the same
 * when it starts.
 */
export type WhoMay =
  | { auth: "admin"; role: "read-only"; may?: never }
  | { auth: "admin"; role: "operator"; machine: MachineRight | "never"; may?: never }
  | { auth: "admin"; role: "owner"; stepUp: true; machine?: never; may?: never }
  | { auth: "merchantUser" | "merchantUserOrKey" | "merchantUserOrAnyKey"; may: MerchantAct; role?: never }
  | { auth: "portalSession" | "adminSession" | "fullAdminSession"; may?: never; role?: never }
  | {
      auth: Exclude<
        AuthRequirement,
        "admin" | "portalSession" | "merchantUser" | "merchantUserOrKey" | "merchantUserOrAnyKey" | "adminSession" | "fullAdminSession"
      >;
      role?: never;
      may?: never;
      stepUp?: never;
    };

/** `bounded`: at most JSON_DEPTH_MAX levels. `any`: as deep as the body's bytes allow. */
export type BodyNesting = "bounded" | "any";

/**
 * `well-formed`: an unpaired surrogate in a text, which JSON can contain as an escape, becomes
 * U+FFFD. `as sent`: texts are not changed, for data that only passes through the relay, and for
 * handlers that reject such texts. Identifiers with an unpaired surrogate are rejected in both
 * cases.
 */
export type BodyTexts = "well-formed" | "as sent";

/**
 * The limit of requests per client address in any one second. Endpoints that name the same bucket
 * share it, and must name the same number.
 */
export interface RateLimit {
  bucket: string;
  perSecond: number;
  /** The rate in a partner's record that may raise the limit. */
  raisable?: RaisableRate;
}

/**
 * One documented response. Without `body` the response is empty (204, or a 200 without content).
 */
export interface ResponseDeclaration {
  description: string;
  /**
   * The name of the component in the OpenAPI document, for a response that several endpoints share.
   */
  sharedName?: string;
  body?: TSchema;
  /**
   * `application/json` when absent. For any other type the body is a string that is sent unchanged.
   */
  contentType?: string;
  /** Other types that a file may have. */
  otherContentTypes?: readonly string[];
  /**
   * The body is a part of an open file (`OutgoingFile`), sent as fast as the client reads. Such a
   * response has `contentType` and no `body`.
   */
  file?: true;
  /**
   * The body has an unknown length and is sent while it is read, as fast as the client reads. Such
   * a response has `contentType` and no `body`. A body that breaks off closes the connection
   * without the last chunk, so that no client takes it for complete.
   */
  stream?: true;
  /** Headers that a reply with this status may carry. */
  headers?: { readonly [name: string]: { description: string; schema?: TSchema } };
  example?: unknown;
}

export interface Responses {
  readonly [status: number]: ResponseDeclaration;
}

/**
 * The possible replies of a handler: one of the declared statuses, with the declared body or with
 * that body already serialized as `text`.
 */
export type Reply<R extends Responses> = { [S in keyof R & number]: ReplyWith<S, R[S]> }[keyof R & number];

type ReplyWith<S, D> = D extends { file: true }
  ? { status: S; file: OutgoingFile; headers?: ReplyHeaders<D> }
  : D extends { stream: true }
    ? { status: S; stream: OutgoingStream; headers?: ReplyHeaders<D> }
    : ReplyWithText<S, D>;

type ReplyWithText<S, D> = D extends { body: infer B extends TSchema }
  ? { status: S; body: ReadonlyDeep<Static<B>>; headers?: ReplyHeaders<D> } | { status: S; text: string; headers?: ReplyHeaders<D> }
  : { status: S; headers?: ReplyHeaders<D> };

/** Makes everything read-only, so that a handler may return read-only lists too. */
export type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T;

type ReplyHeaders<D> = D extends { headers: infer H } ? { readonly [Name in keyof H]?: string } : Record<string, never>;

/**
 * A body that is read while it is sent; texts are sent as UTF-8. Its `return()` is called when the
 * rest is not needed. An error before its first piece is returned as an error response.
 */
export type OutgoingStream = AsyncIterable<string | Uint8Array>;

/** A part of an open file that is the body of a response. */
export interface OutgoingFile {
  /** Replaces the declared content type, for responses of several types. */
  readonly contentType?: string;
  /** The start of the part and its number of bytes, at least one. */
  readonly offset: number;
  readonly length: number;
  /**
   * Reads from `position` of the file into `into`, which may be filled in part. Resolves with the
   * number of bytes read.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /**
   * Called once after the last read. `complete` is true if the client's connection has taken the
   * whole part.
   */
  close(complete: boolean): void;
}

/** The file of a multipart request, for endpoints that declare `upload`. */
export interface IncomingFile {
  /**
   * Reads the file. Each piece is passed to `take` and is valid until that resolves; only then more
   * is read from the client. Rejects with a RelayError for a body that is not as declared, too
   * large or broken off, and with any error of `take`. In the latter case the rest of the body is
   * read and discarded first, so that the client can read its response.
   */
  read(take: (piece: Uint8Array) => Promise<void>): Promise<void>;
  /**
   * The name of the file in the form, after its first piece was taken; null before, and if the form
   * has none. It must not be trusted.
   */
  name(): string | null;
}

/** A reply as the server sees it, without its types. */
export interface AnyReply {
  status: number;
  body?: unknown;
  text?: string;
  file?: OutgoingFile;
  stream?: OutgoingStream;
  headers?: { readonly [name: string]: string | undefined };
  /**
   * Called if the client had disconnected, or had already received another response, before the
   * reply. None of the reply was written.
   */
  notWritten?: () => void;
}

/** Facts about the request that every handler gets. */
export interface RequestFacts {
  /** The `X-Request-Id` of the response. */
  readonly id: string;
  /** The client's address as text, after trusted proxies are skipped. */
  readonly ipAddress: string;
  /**
   * The origin of the page that sent the request, for an endpoint that is `openToPages`; empty for
   * other endpoints and without a page.
   */
  readonly pageOrigin: string;
  /**
   * Aborted when the client has gone, or its deadline has passed, before its response was sent. It
   * may stop waiting and reading for this request, and never a commit or a call to the gateway.
   */
  readonly gone: AbortSignal;
}

/**
 * A body that could not be read: of another content type, too long, not UTF-8, not JSON, or not as
 * its schema requires.
 */
export interface UnreadBody {
  /** At most the endpoint's `bodyBytesMax`; the beginning of a longer body. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly contentType: string;
  /** The error message of the response, which quotes nothing of the body. */
  readonly reason: string;
}

/** The input of a handler, checked against the declared schemas. */
export interface Input<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  /** Headers by the names in the declaration. Only declared headers are read from the request. */
  readonly headers: Headers;
  readonly body: Body;
  /**
   * The body as received (valid UTF-8 and JSON, without a byte order mark), for handlers that echo
   * it. Empty without a declared body.
   */
  readonly bodyText: string;
  /**
   * The body as its schema accepted it, including ignored members, because an idempotency key
   * covers everything that was sent.
   */
  readonly bodySent: unknown;
  /** The file of an endpoint that declares `upload`. Other endpoints cannot read it. */
  readonly upload: IncomingFile;
  readonly caller: Caller;
  readonly request: RequestFacts;
  /**
   * The header `Idempotency-Key`; null if it is absent or the endpoint does not declare
   * `idempotency`.
   */
  readonly idempotencyKey: string | null;
  /**
   * The id under which an endpoint that declares `idempotency` executes. A request repeated with
   * its key has the same id, and a request without a key has a new one. An operation that was
   * executed under this id must not be executed again. Empty for other endpoints.
   */
  readonly operationId: string;
}

/**
 * An optional body (`Type.Optional(...)`) may be absent from the request, and is then undefined.
 */
export type BodyOf<B extends TSchema> = B extends TOptional<TSchema> ? Static<B> | undefined : Static<B>;

/** biome-ignore lint/complexity/noBannedTypes: TypeBox's own type of an object without members. */
export type Nothing = TObject<{}>;

/**
 * How a change is written to the audit log. The declaration suffices, since `audited` in audited.ts
 * does the rest. Every endpoint of an administrator or of the portals that is not a GET has it, or
 * declares that it changes nothing.
 */
export type Audit<I> = AuditedChange<I> | "changes nothing";

export interface AuditedChange<I> {
  /** The action as `noun.verb`: `partner.create`. */
  action: string;
  /** The changed object: an id or a name, never a secret. Default: the path's parameters. */
  subject?(input: I): string;
  /** The reason that the caller gave for the log; never a secret. */
  note?(input: I): string | undefined;
}

/** Everything about an endpoint except what it does. */
export interface EndpointFacts {
  /**
   * Unique in the whole service and in camelCase. It is the OpenAPI operationId and the label in
   * metrics.
   */
  name: string;
  method: Method;
  /**
   * Segments are words or one `{parameter}` each, such as `/api/v1/{terminalId}/pay`. Words win
   * over parameters.
   */
  path: string;
  /** The path also works with a slash at its end, because people type it. */
  takesSlash?: true;
  /** Replaces the surface's tags. */
  tags?: readonly string[];
  summary: string;
  description?: string;
  auth: AuthRequirement;
  /**
   * Every endpoint with `auth` `basic` or `basicOrApiKey` has it. The document tells it to callers,
   * the handler or its operation rejects callers that do not meet it, and test/doors calls every
   * endpoint as such callers.
   */
  needs?: CallerNeeds;
  /**
   * The permission that a person of the portal needs (engine/access/merchant-user-grant.ts). Every
   * endpoint with `auth` `merchantUser`, `merchantUserOrKey` or `merchantUserOrAnyKey` has it. A
   * merchant's secret key may do all of it; the handler decides what a publishable key sees.
   */
  may?: MerchantAct;
  /**
   * A session needs a second factor of the last ten minutes, and gets 403 `step_up_required`
   * without one. A key does not need it. In production the password of an administrator as Basic is
   * not enough (engine/administrators/password-alone.ts). With `where`, the rule applies only in
   * these cases, which the handler recognises.
   */
  stepUp?: true | { readonly where: string };
  /**
   * Why a change by a session needs no fresh second factor. Every such endpoint of the portal has
   * this or `stepUp` (test/tenancy).
   */
  noStepUp?: string;
  /**
   * The data of the endpoint is separate for TEST and LIVE. Without this, a merchant's key of the
   * other environment than the merchant's current one gets 409 `other_environment`.
   */
  apartByEnvironment?: true;
  /**
   * With `stepUp`: in production too, the password of an administrator as Basic is enough while no
   * owner has a second factor.
   */
  firstByPassword?: true;
  /**
   * The right with which a machine token may call an endpoint of administrators. The default is
   * `read` with the role `read-only`. With `stepUp` no machine token may call, because machines
   * administer no people, secrets or factors.
   */
  machine?: MachineRight | "never";
  /**
   * The lowest role that may call (infra/docs/administrators.md lists them). Every endpoint with
   * `auth: "admin"` has it (`WhoMay`).
   */
  role?: AdministratorRole;
  rateLimit?: RateLimit;
  /** Longest request body in bytes; `BODY_BYTES_MAX_DEFAULT` when absent. */
  bodyBytesMax?: number;
  /**
   * Whether a body that is nested too deeply is rejected (default) or passed to the handler, which
   * must not recurse into it without a bound.
   */
  bodyNesting?: BodyNesting;
  /** `well-formed` when absent. */
  bodyTexts?: BodyTexts;
  /**
   * Without this function a JSON body with a repeated member is rejected, because a component that
   * reads the first one and a component that reads the last one would see two requests. With this
   * function only the member that it returns is rejected. It gets the text of a body that may have
   * such a member.
   */
  refusesRepeated?(text: string): string | null;
  /**
   * Accepts `application/x-www-form-urlencoded` with bracketed names (`a[b]`, `a[]`, `a[0]`) and
   * JSON. Both become a `FormObject` (form-body.ts) of texts, lists and objects, as does an absent
   * body. The handler checks its members; the declared schema documents them.
   */
  bodyFormat?: "form or JSON";
  /** The whole query is read as such a form. The declared schema documents its members. */
  queryFormat?: "bracketed";
  /**
   * Pages of any origin may call it and read the response (CORS `*`, without credentials). It
   * serves calls with a publishable key. The handler rejects an origin (`request.pageOrigin`) that
   * the merchant's partner has not listed.
   */
  openToPages?: true;
  /**
   * Replaces the body with one file in a multipart form of at most `bytesMax` bytes, which is read
   * as it arrives (`Input.upload`).
   */
  upload?: { member: string; description: string; bytesMax: number };
  /**
   * Rejects undeclared members of the query and the body with 400 for this reason. Without it they
   * are ignored and named (unknown-members.ts), except by lists, which always reject them.
   */
  refusesUnknown?: UnknownRefusal;
  /**
   * The endpoint starts or changes a payment, and clients send their own members with it. An
   * ignored member is rejected if its name suggests that it would change the payment
   * (unknown-members.ts).
   */
  movesMoney?: true;
  /**
   * Members of the changed record that another endpoint changes. They are rejected with the name of
   * that endpoint, so that no caller takes them for changed.
   */
  elsewhere?: { readonly [member: string]: string };
  /**
   * For a free-form body from which the handler reads some members at any depth: returns the names
   * of those that it does not read.
   */
  notTaken?(body: object): readonly string[];
  /** A GET that hands something out once. HEAD, which must change nothing, is rejected for it. */
  handsOut?: true;
  /**
   * `successor` is a path template. It adds the headers `Deprecation` and, if its parameters are
   * known, `Link`.
   */
  deprecated?: { successor: string };
  /**
   * After this time the caller gets 503, even if the handler continues. The default is the
   * surface's deadline for changes, or `DEADLINE_MS_DEFAULT`.
   */
  deadlineMs?: number;
  /** Shown in the OpenAPI document as an example of the request body. */
  bodyExample?: unknown;
  /**
   * Accepts `Idempotency-Key` (idempotency.ts); the handler must be idempotent by `operationId`.
   * `sealed` is for responses that contain secrets, which are stored encrypted.
   */
  idempotency?: "plain" | "sealed";
}

/** A complete declaration with its types. */
export interface Declaration<
  Operations,
  P extends TObject,
  Q extends TObject,
  H extends TObject,
  B extends TSchema,
  R extends Responses,
  A extends Reply<R>,
> extends EndpointFacts {
  /** Only strings, which are percent-decoded before they are checked. */
  params?: P;
  /**
   * Strings, integers, numbers, booleans and their literals. A member with a `default` is never
   * absent.
   */
  query?: Q;
  headers?: H;
  body?: B;
  responses: R;
  audit?: Audit<Input<Static<P>, Static<Q>, Static<H>, BodyOf<B>>>;
  /**
   * Stores a body of an authenticated caller that could not be read. The usual error is sent after
   * this resolves, or the error with which this rejects. An endpoint with this function also reads
   * a body of another content type, and the beginning of one that is too long.
   */
  keepUnread?(operations: Operations, input: { params: Static<P>; caller: Caller; body: UnreadBody }): Promise<void>;
  /**
   * Returns a reply or a promise. Throws RelayError for errors that the surface's envelope reports.
   * `A` is inferred as a constant, which keeps literals in the handler's return statements from
   * widening to string and number.
   */
  handle: (operations: Operations, input: Input<Static<P>, Static<Q>, Static<H>, BodyOf<B>>) => A | Promise<A>;
}

/** An endpoint of a surface, with its schemas as values and without its types. */
export interface Endpoint<Operations> extends EndpointFacts {
  readonly surface: SurfaceFacts;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TSchema;
  readonly responses: Responses;
  readonly audit?: Audit<Input>;
  keepUnread?(operations: Operations, input: { params: unknown; caller: Caller; body: UnreadBody }): Promise<void>;
  /** See `surface`. */
  admit?(operations: Operations, input: Input): Promise<ResponseHeaders | undefined>;
  // This is a method, so that a handler of checked input can be assigned. The server passes only
  // input that the schemas accept.
  handle(operations: Operations, input: Input): AnyReply | Promise<AnyReply>;
}

/** The members of a surface that the server and the OpenAPI document read. */
export interface SurfaceFacts {
  readonly name: string;
  readonly tags: readonly string[];
  readonly envelope: ErrorEnvelope;
  /**
   * The default deadline of endpoints other than GET, for a surface whose changes must reach every
   * shard first.
   */
  readonly changeDeadlineMs?: number;
  /** Headers of every response, including errors. */
  readonly headersOf?: ResponseHeadersOf;
  /** The meaning of an idempotency key; the usual policy (idempotency.ts) when absent. */
  readonly idempotency?: IdempotencyPolicy;
}

export interface ResponseHeaders {
  readonly [name: string]: string;
}

/**
 * Returns further headers of a response. `header` reads those of the request by their names in
 * lower case, and returns an empty text for an absent one. It is called before anything about the
 * request is checked, and must not throw. Values with line breaks or control characters are
 * dropped.
 */
export type ResponseHeadersOf = (header: (name: string) => string, requestId: string) => ResponseHeaders;

/** Defines the meaning of an idempotency key for a surface. */
export interface IdempotencyPolicy {
  /** The time after the first request at which a key is forgotten; 30 days when absent. */
  readonly lifetimeMs?: number;
  /**
   * The description of the header in the OpenAPI document, where it is written once under this
   * name.
   */
  readonly description: string;
  readonly parameterName: string;
  /**
   * Returns the owner and the purpose of a key. A key with another scope is another key. The key is
   * ignored if this returns null.
   */
  scopeOf(endpoint: KeyedEndpoint, input: Input): readonly unknown[] | null;
  /**
   * Returns the compared values. A different request with the same key is rejected. The order of
   * members does not count.
   */
  fingerprintOf(endpoint: KeyedEndpoint, input: Input): readonly unknown[];
  /** Returns true if the same request cannot succeed later. Such a response is stored. */
  isFinal(error: RelayError): boolean;
  isFinalReply(status: number): boolean;
  /**
   * Returns true if an error that is not final means that nothing was done, so that another request
   * may use the key. If this is absent, no error frees a key.
   */
  frees?(error: RelayError): boolean;
  /** Returns the error for a key that was used for another request. */
  differs(): RelayError;
  /** Returns the error while the first request with this key is in progress. */
  running(): RelayError;
  /**
   * Returns the headers of a stored response. `requestId` is the id of the request that got it
   * first.
   */
  replayHeaders(requestId: string): { readonly [name: string]: string };
}

/** The members of an endpoint that a policy reads. */
export type KeyedEndpoint = Pick<EndpointFacts, "name" | "method" | "path">;

/** An endpoint bound to its operations, as the server runs it. */
export interface BoundEndpoint extends Omit<Endpoint<unknown>, "handle" | "keepUnread" | "admit"> {
  readonly run: (input: Input) => AnyReply | Promise<AnyReply>;
  /** Called by `idempotent` before a key is looked up; absent if every request is admitted. */
  readonly runAdmit?: (input: Input) => Promise<ResponseHeaders | undefined>;
  /** Absent if a body that cannot be read is only rejected. */
  readonly runUnread?: (input: { params: unknown; caller: Caller; body: UnreadBody }) => Promise<void>;
}

/** Binds endpoints to the operations that they use. */
export function bind<Operations>(endpoints: readonly Endpoint<Operations>[], operations: Operations): BoundEndpoint[] {
  return endpoints.map(({ keepUnread, admit, ...endpoint }) => ({
    ...endpoint,
    run: (input) => endpoint.handle(operations, input),
    ...(admit === undefined ? {} : { runAdmit: (input) => admit(operations, input) }),
    ...(keepUnread === undefined ? {} : { runUnread: (input) => keepUnread(operations, input) }),
  }));
}

/** A request of the relay has a few hundred bytes. Endpoints that accept more declare it. */
export const BODY_BYTES_MAX_DEFAULT = 16_384;

/**
 * Longer than any store needs to confirm or to give up, and shorter than common client timeouts of
 * 30 s.
 */
export const DEADLINE_MS_DEFAULT = 10_000;
