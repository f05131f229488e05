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
 * Who may call. `optionalBasic` is for anyone, and knows those who send a user name and password; a wrong one is as none. `basic` accepts anyone with a user name and password (terminal, fleet, partner, administrator), `admin` only an
 * administrator with the endpoint's role, `partnerApi` a partner with its bearer key, `signature` a partner by the HTTP signature of its request, checked over the
 * raw request before any of it is read; `merchantKey` a merchant with its secret key (bearer, or the user name of Basic); `optionalMerchantKey` a merchant with
 * either of its keys, or nobody yet: a page sends its publishable key as the member `key`, which the handler looks up. `merchantUser`: a person with a full
 * session of the portal (a cookie; http/auth/portal-session.ts), `portalSession` also with one that lacks its second factor, `optionalPortalSession` also nobody;
 * `merchantUserOrKey`: a full session, or the merchant's secret key; `merchantUserOrAnyKey`: a full session, or either of its keys; `agent`: an AI agent of a merchant with its token. `fullAdminSession`, `adminSession` and `optionalAdminSession` are the same three of administrators'
 * sessions (http/auth/administrator-session.ts); `admin` takes a full one too, beside a login. Whether the caller may do what it asks is the handler's decision (RelayError `forbidden`).
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
 * What a caller of `basic` or `basicOrApiKey` needs beside its login; engine/access/caller.ts decides.
 * - `send`: that it may send to the terminal; `know`: the same, or to be an administrator who may only look.
 * - `act`: that it may act as the terminal; `act or administrate`: or is an administrator who may change things; `act or look`: or is any
 *   administrator.
 * - `see`: that it may see what it asks for; otherwise it gets the answer for something that does not exist. `see and send`: and is no
 *   administrator who may only look.
 * - `own account`: to be a partner; it gets only at its own account.
 */
export type CallerNeeds = "send" | "know" | "act" | "act or administrate" | "act or look" | "see" | "see and send" | "own account";

/**
 * An endpoint for administrators says which role it needs, and no other has one. One for persons of the portal says what they have to be permitted to do. One that a
 * session opens says whether it needs a fresh second factor. The server checks the same when it starts.
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
 * `well-formed`: an unpaired surrogate in a text (which JSON can contain as an escape) becomes U+FFFD. `as sent`: texts are not changed,
 * for data that only passes through the relay, and for handlers that refuse such texts. Identifiers with an unpaired surrogate are refused
 * in both cases.
 */
export type BodyTexts = "well-formed" | "as sent";

/** Requests of one client address in any one second. Endpoints that name the same bucket share it, and must name the same number. */
export interface RateLimit {
  bucket: string;
  perSecond: number;
  /** By which of its rates a partner's record may raise it. */
  raisable?: RaisableRate;
}

/** One documented response. Without `body` the response is empty (204, or a 200 without content). */
export interface ResponseDeclaration {
  description: string;
  /** The name under which a response of several endpoints stands once in the OpenAPI document. */
  sharedName?: string;
  body?: TSchema;
  /** `application/json` when absent; for any other type the body is a string that is sent as it is. */
  contentType?: string;
  /** Other types that a file may have instead. */
  otherContentTypes?: readonly string[];
  /** The body is a part of an open file (`OutgoingFile`), sent as fast as the client reads; without `body`, with `contentType`. */
  file?: true;
  /**
   * The body is of unknown length and sent while it is read, as fast as the client takes it; without `body`, with `contentType`. A body that breaks off ends the
   * connection without its last chunk, so that no client takes it for a whole one.
   */
  stream?: true;
  /** Headers that a reply with this status may carry. */
  headers?: { readonly [name: string]: { description: string; schema?: TSchema } };
  example?: unknown;
}

export interface Responses {
  readonly [status: number]: ResponseDeclaration;
}

/** What a handler may answer: one of the declared statuses, with the declared body or the same already serialized as `text`. */
export type Reply<R extends Responses> = { [S in keyof R & number]: ReplyWith<S, R[S]> }[keyof R & number];

type ReplyWith<S, D> = D extends { file: true }
  ? { status: S; file: OutgoingFile; headers?: ReplyHeaders<D> }
  : D extends { stream: true }
    ? { status: S; stream: OutgoingStream; headers?: ReplyHeaders<D> }
    : ReplyWithText<S, D>;

type ReplyWithText<S, D> = D extends { body: infer B extends TSchema }
  ? { status: S; body: ReadonlyDeep<Static<B>>; headers?: ReplyHeaders<D> } | { status: S; text: string; headers?: ReplyHeaders<D> }
  : { status: S; headers?: ReplyHeaders<D> };

/** The same with everything read-only, so that a handler may answer with read-only lists too. */
export type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T;

type ReplyHeaders<D> = D extends { headers: infer H } ? { readonly [Name in keyof H]?: string } : Record<string, never>;

/**
 * A body that is read while it is sent; texts as UTF-8. Its `return()` is called where nothing more of it is wanted. What it throws before it gives anything
 * is answered as an error.
 */
export type OutgoingStream = AsyncIterable<string | Uint8Array>;

/** A part of an open file that is the body of an answer. */
export interface OutgoingFile {
  /** Replaces the declared content type, for responses of several types. */
  readonly contentType?: string;
  /** Where the part begins, and how many bytes it has; at least one. */
  readonly offset: number;
  readonly length: number;
  /** Reads from `position` of the file into `into`, all of it or less. Resolves with the number of bytes read. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Called once, when nothing more is read; `complete` says whether the client's connection has taken all of the part. */
  close(complete: boolean): void;
}

/** The file of a multipart request, for endpoints that declare `upload`. */
export interface IncomingFile {
  /**
   * Reads the file: each piece is handed to `take`, and no more is asked of the client until that has resolved; a piece is valid only
   * until then. Rejects with a RelayError for a body that is not as declared, too large or broken off, and with what `take` rejects with;
   * in the latter case the rest of the body was read and thrown away, so that the client gets to read its answer.
   */
  read(take: (piece: Uint8Array) => Promise<void>): Promise<void>;
  /** The file's name as the form says, once its first piece was taken; null before, and where the form says none. Not to be trusted. */
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
  /** Called if the client had disconnected, or had already got another response, before the reply: certainly none of it was written. */
  notWritten?: () => void;
}

/** Facts about the request that every endpoint has. */
export interface RequestFacts {
  /** The `X-Request-Id` of the answer. */
  readonly id: string;
  /** The client's address as text, without trusted proxies. */
  readonly ipAddress: string;
  /** The origin of the page that sent it, of an endpoint that is `openToPages`; empty for other endpoints and without a page. */
  readonly pageOrigin: string;
  /**
   * Aborted when the client has gone, or its time is over, before its answer was sent. For what only waits or reads for this request; never for a commit or a
   * call to the gateway.
   */
  readonly gone: AbortSignal;
}

/** A body that could not be read: of another content type, too long, no UTF-8, no JSON, or not as its schema says. */
export interface UnreadBody {
  /** At most the endpoint's `bodyBytesMax`; the beginning of a longer body. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly contentType: string;
  /** The error message of the response; it quotes nothing of the body. */
  readonly reason: string;
}

/** The input of a handler, checked against the declared schemas. */
export interface Input<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  /** By the names of the declaration. Only declared headers are read from the request. */
  readonly headers: Headers;
  readonly body: Body;
  /** The body as received (valid UTF-8 and JSON, without a byte order mark), for handlers that echo it. Empty without a declared body. */
  readonly bodyText: string;
  /** The body as its schema accepted it, with the members that are ignored: an idempotency key stands for the whole of what was sent. */
  readonly bodySent: unknown;
  /** The file of an endpoint that declares `upload`; for other endpoints it cannot be read. */
  readonly upload: IncomingFile;
  readonly caller: Caller;
  readonly request: RequestFacts;
  /** The header `Idempotency-Key`; null where it is absent or the endpoint does not declare `idempotency`. */
  readonly idempotencyKey: string | null;
  /**
   * Id under which an endpoint that declares `idempotency` executes: the same whenever a request is repeated with its key, a new one
   * without a key. An operation that was executed under this id must not be executed again. Empty for other endpoints.
   */
  readonly operationId: string;
}

/** An optional body (`Type.Optional(...)`) may be left out of the request, and is then undefined. */
export type BodyOf<B extends TSchema> = B extends TOptional<TSchema> ? Static<B> | undefined : Static<B>;

/** biome-ignore lint/complexity/noBannedTypes: TypeBox's own type of an object without members. */
export type Nothing = TObject<{}>;

/**
 * How a change is written to the audit log. This is all that an endpoint has to declare (`audited` in audited.ts does the rest). Every
 * endpoint of an administrator or a partner's portal that is not a GET declares it, or says that it changes nothing.
 */
export type Audit<I> = AuditedChange<I> | "changes nothing";

export interface AuditedChange<I> {
  /** The action as `noun.verb`: `partner.create`. */
  action: string;
  /** The changed object: an id or a name, never a secret. Default: the path's parameters. */
  subject?(input: I): string;
  /** Why it is done, where the caller said so for the log; never a secret. */
  note?(input: I): string | undefined;
}

/** Everything about an endpoint except what it does. */
export interface EndpointFacts {
  /** Unique in the whole service, camelCase; the OpenAPI operationId and the label in metrics. */
  name: string;
  method: Method;
  /** Segments are words or one `{parameter}` each: `/api/v1/{terminalId}/pay`. Words win over parameters. */
  path: string;
  /** Answers at its path with a slash behind it too: an address that people type. */
  takesSlash?: true;
  /** Replaces the surface's tags. */
  tags?: readonly string[];
  summary: string;
  description?: string;
  auth: AuthRequirement;
  /**
   * Declared by every endpoint with `auth` `basic` or `basicOrApiKey`. The document says it to callers, the handler or its operation refuses
   * whoever lacks it, and test/doors asks every endpoint as those who do.
   */
  needs?: CallerNeeds;
  /**
   * What a person of the portal has to be permitted to do (engine/access/merchant-user-grant.ts); every endpoint with `auth` `merchantUser`,
   * `merchantUserOrKey` or `merchantUserOrAnyKey` has one. A merchant's secret key may do all of it; what a publishable one sees of it is the handler's to say.
   */
  may?: MerchantAct;
  /**
   * Who has a session needs a second factor of the last ten minutes: 403 `step_up_required`
   * without. It says nothing to a key. An administrator's password as Basic is not enough in
   * production (engine/administrators/password-alone.ts). With `where`, only in these cases, which
   * the handler recognises.
   */
  stepUp?: true | { readonly where: string };
  /**
   * Why a change by a session needs no fresh second factor; every such endpoint of the portal has
   * this or `stepUp` (test/tenancy).
   */
  noStepUp?: string;
  /**
   * What it reads and changes is kept apart for TEST and LIVE. Without it a merchant's key of the
   * environment that the merchant is not in gets 409 `other_environment`.
   */
  apartByEnvironment?: true;
  /**
   * With `stepUp`: the password of an administrator alone, as Basic, is enough in production too,
   * as long as no owner has a second factor.
   */
  firstByPassword?: true;
  /**
   * Which right of a machine token opens an endpoint of administrators. Where it is left out:
   * `read` with the role `read-only`, and none beside `stepUp`, as no machine administers people,
   * secrets or factors.
   */
  machine?: MachineRight | "never";
  /** The lowest role that may call (`infra/docs/administrators.md` lists them); every endpoint with `auth: "admin"` has one (`WhoMay`). */
  role?: AdministratorRole;
  rateLimit?: RateLimit;
  /** Longest request body in bytes; `BODY_BYTES_MAX_DEFAULT` when absent. */
  bodyBytesMax?: number;
  /** Whether a body nested too deep is refused (default) or passed to the handler, which must not recurse into it without a bound. */
  bodyNesting?: BodyNesting;
  /** `well-formed` when absent. */
  bodyTexts?: BodyTexts;
  /**
   * A JSON body is refused if an object in it has a member twice: whoever checks the first and whoever reads the last would see two requests.
   * With this function only what it names is refused; it is asked about the text of a body that may have such a member.
   */
  refusesRepeated?(text: string): string | null;
  /**
   * Takes `application/x-www-form-urlencoded` with bracketed names (`a[b]`, `a[]`, `a[0]`) and JSON: both come as a `FormObject` (form-body.ts) of
   * texts, lists and objects, also without a body. The handler checks its members; the declared schema documents them.
   */
  bodyFormat?: "form or JSON";
  /** The whole query is read as such a form. The declared schema documents its members. */
  queryFormat?: "bracketed";
  /**
   * Pages of any origin may call it and read the answer (CORS `*`, without credentials), for what a publishable key opens. The handler refuses an
   * origin (`request.pageOrigin`) that its merchant's partner has not listed.
   */
  openToPages?: true;
  /** Instead of a body: one file in a multipart form, read as it arrives (`Input.upload`), with at most `bytesMax` bytes. */
  upload?: { member: string; description: string; bytesMax: number };
  /** Members of the query and the body that are not declared are ignored and named (unknown-members.ts); with this, why they are refused with 400 instead. Lists refuse them by themselves. */
  refusesUnknown?: UnknownRefusal;
  /**
   * The endpoint starts or moves a payment, and clients send members of their own with it. What is ignored of a request is refused if its
   * name says that it would change the payment (unknown-members.ts).
   */
  movesMoney?: true;
  /** Members of the record that the endpoint changes which another one changes: refused with its name, so that nobody takes them for changed. */
  elsewhere?: { readonly [member: string]: string };
  /** For a free-form body of which the handler takes some members, wherever they are in it: names of those that it does not take. */
  notTaken?(body: object): readonly string[];
  /** A GET that hands something out once. HEAD, which must change nothing, is refused for it. */
  handsOut?: true;
  /** `successor` is a path template; adds the headers `Deprecation` and, where its parameters are known, `Link`. */
  deprecated?: { successor: string };
  /**
   * After this time the caller gets 503, whatever the handler still does. Default: the surface's deadline for changes, or
   * `DEADLINE_MS_DEFAULT`.
   */
  deadlineMs?: number;
  /** Shown in the OpenAPI document as an example of the request body. */
  bodyExample?: unknown;
  /**
   * Takes `Idempotency-Key` (http/endpoint/idempotency.ts); the handler has to be idempotent by `operationId`. `sealed` for responses that
   * contain secrets: they are stored encrypted.
   */
  idempotency?: "plain" | "sealed";
}

/** A whole declaration, with its types. */
export interface Declaration<
  Operations,
  P extends TObject,
  Q extends TObject,
  H extends TObject,
  B extends TSchema,
  R extends Responses,
  A extends Reply<R>,
> extends EndpointFacts {
  /** Strings only; percent-decoded before they are checked. */
  params?: P;
  /** Strings, integers, numbers, booleans and their literals; a member with a `default` is never absent. */
  query?: Q;
  headers?: H;
  body?: B;
  responses: R;
  audit?: Audit<Input<Static<P>, Static<Q>, Static<H>, BodyOf<B>>>;
  /**
   * Stores a body of an authenticated caller that could not be read. The usual error is sent after this has resolved, or the error with
   * which this rejects. An endpoint with this function also reads a body of another content type, and the beginning of one that is too
   * long.
   */
  keepUnread?(operations: Operations, input: { params: Static<P>; caller: Caller; body: UnreadBody }): Promise<void>;
  /**
   * May return a reply or a promise. Throws RelayError for errors that the surface's envelope reports. (`A`, inferred as a constant, keeps
   * literals in the handler's return statements from widening to string and number.)
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
  // A method, so that a handler of checked input can be assigned: the server passes only input that the schemas accept.
  handle(operations: Operations, input: Input): AnyReply | Promise<AnyReply>;
}

/** What the server and the OpenAPI document need of a surface. */
export interface SurfaceFacts {
  readonly name: string;
  readonly tags: readonly string[];
  readonly envelope: ErrorEnvelope;
  /** The default deadline of its endpoints other than GET: for a surface whose changes have to reach every shard first. */
  readonly changeDeadlineMs?: number;
  /** Headers of every response, errors too. */
  readonly headersOf?: ResponseHeadersOf;
  /** What an idempotency key means; the usual policy (idempotency.ts) when absent. */
  readonly idempotency?: IdempotencyPolicy;
}

export interface ResponseHeaders {
  readonly [name: string]: string;
}

/**
 * Further headers of a response, from those of the request (by their names in lower case; empty when absent). It is called before anything about
 * the request is checked, and must not throw. Values with line breaks or control characters are left out.
 */
export type ResponseHeadersOf = (header: (name: string) => string, requestId: string) => ResponseHeaders;

/** What an idempotency key means to a surface. */
export interface IdempotencyPolicy {
  /** A key is forgotten so long after the first request with it; 30 days when absent. */
  readonly lifetimeMs?: number;
  /** For the OpenAPI document, where the header stands once under this name. */
  readonly description: string;
  readonly parameterName: string;
  /** Whose key it is, and what for. A key with another scope is another key. Null: the key is ignored. */
  scopeOf(endpoint: KeyedEndpoint, input: Input): readonly unknown[] | null;
  /** What is compared: a request with the same key that is not the same is refused. The order of members does not count. */
  fingerprintOf(endpoint: KeyedEndpoint, input: Input): readonly unknown[];
  /** Whether the same request may not succeed later: such an answer is stored. */
  isFinal(error: RelayError): boolean;
  isFinalReply(status: number): boolean;
  /** Whether an error that is not final means that nothing was done: then another request may use the key. Never when absent. */
  frees?(error: RelayError): boolean;
  /** The key was used for another request. */
  differs(): RelayError;
  /** The first request with this key is in progress. */
  running(): RelayError;
  /** Headers of a stored answer: `requestId` is that of the request that it answered first. */
  replayHeaders(requestId: string): { readonly [name: string]: string };
}

/** What a policy knows of an endpoint. */
export type KeyedEndpoint = Pick<EndpointFacts, "name" | "method" | "path">;

/** An endpoint bound to its operations, as the server runs it. */
export interface BoundEndpoint extends Omit<Endpoint<unknown>, "handle" | "keepUnread" | "admit"> {
  readonly run: (input: Input) => AnyReply | Promise<AnyReply>;
  /** Called by `idempotent` before a key is looked up; absent if everyone is admitted. */
  readonly runAdmit?: (input: Input) => Promise<ResponseHeaders | undefined>;
  /** Absent if a body that cannot be read is only refused. */
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

/** A request of the relay is a few hundred bytes; endpoints that take more say so. */
export const BODY_BYTES_MAX_DEFAULT = 16_384;

/** Longer than any store needs to confirm or to give up, shorter than common client timeouts of 30 s. */
export const DEADLINE_MS_DEFAULT = 10_000;
