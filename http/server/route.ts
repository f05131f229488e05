import type { MachineRight } from "../../engine/access/machine-token.ts";
import type { RaisableRate } from "../../engine/partners/partner.ts";
import type { SessionNeeds } from "../auth/portal-session.ts";
import type { RateLimitBucket } from "../auth/rate-limiter.ts";
import type { CompiledEndpoint } from "../endpoint/compile.ts";
import { compileEndpoint } from "../endpoint/compile.ts";
import {
  type AuthRequirement,
  BODY_BYTES_MAX_DEFAULT,
  type BoundEndpoint,
  DEADLINE_MS_DEFAULT,
  type Method,
  type RateLimit,
  type ResponseHeadersOf,
} from "../endpoint/endpoint.ts";
import { checksOwnPage, hidesLength, refusesForeignPages } from "../endpoint/foreign-pages.ts";
import { FORM_BYTES_MAX } from "../endpoint/form-body.ts";
import { machineRightOf } from "../endpoint/machine-right.ts";
import { MULTIPART_OVERHEAD_BYTES_MAX } from "../endpoint/multipart.ts";
import { isAdminSessionAuth, isPortalAuth, isSessionOptional, needsAct, takesMerchantKey, takesSession } from "../endpoint/portal-auth.ts";
import { parameterNames, Router } from "../endpoint/router.ts";
import type { ServerOptions } from "./options.ts";

/** An endpoint as the server runs it. */
export interface ServedRoute {
  readonly method: Method;
  readonly path: string;
  readonly endpoint: BoundEndpoint;
  readonly compiled: CompiledEndpoint;
  readonly bucket: RateLimitBucket | null;
  /** Where the requests of partners beyond it are counted, and which of their rates says how many they may be; null where none may. */
  readonly raised: { readonly rate: RaisableRate; readonly bucket: RateLimitBucket } | null;
  /** The `RateLimit` headers by what remains; see `writeAnswer`. */
  readonly rateLimitBlocks: readonly string[];
  readonly bodyBytesMax: number;
  readonly deadlineMs: number;
  /** Names and values, alternating. */
  readonly fixedHeaders: readonly string[];
  readonly readsAuthorization: boolean;
  readonly readsApiKey: boolean;
  /** Whether a session of the portal may open it. */
  readonly readsCookie: boolean;
  /** What it asks of who has a session; null for nothing, as of all that machines call. */
  readonly sessionNeeds: SessionNeeds | null;
  /**
   * The right of a machine token that opens it; null for none. Says nothing where administrators
   * have no role.
   */
  readonly machineRight: MachineRight | null;
  /** With a session, only the portal's own pages may call it. */
  readonly checksOwnPage: boolean;
  /** What its surface adds to every response. */
  readonly headersOf: ResponseHeadersOf | undefined;
  readonly readsMerchantKey: boolean;
  readonly openToPages: boolean;
  /** Its answers are not compressed for pages of another site; see `mayCompress`. */
  readonly hidesLength: boolean;
  /** Whether an answer may be compressed at all: one that is stored sealed holds a secret. */
  readonly compresses: boolean;
  /** With a login, only pages of the relay's own origin may call it. */
  readonly refusesForeignPages: boolean;
}

/** The release of the present interface, 4 October 2025; the unversioned paths are deprecated since then (RFC 9745). */
const DEPRECATED_SINCE = `@${Date.UTC(2025, 9, 4) / 1_000}`;

/** Paths that are served under the service prefix too (`RELAY_SERVICE_PREFIX`): those of terminals and partners, and the deprecated ones. */
const PREFIXED = /^\/(?:api\/(?:v1|status|partner)\/|pay$|uuid\/|status$)/;

const READS_MERCHANT_KEY: ReadonlySet<AuthRequirement> = new Set([
  "merchantKey",
  "optionalMerchantKey",
  "merchantUserOrKey",
  "merchantUserOrAnyKey",
]);

const READS_AUTHORIZATION: ReadonlySet<AuthRequirement> = new Set([
  "optionalBasic",
  "basic",
  "basicOrApiKey",
  "admin",
  "partnerApi",
  "agent",
  ...READS_MERCHANT_KEY,
]);

/** Names and values, alternating, for every response of an endpoint for pages of any origin. */
const OPEN_TO_PAGES: readonly string[] = ["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", "*"];

/** Compiles the endpoints. Throws for a declaration that contradicts itself or another one. */
export function buildRouter(options: ServerOptions): Router<ServedRoute> {
  const router = new Router<ServedRoute>();
  const names = new Set<string>();
  const limits = new Map<string, RateLimitBucket>();
  for (const endpoint of options.endpoints) {
    if (endpoint.auth === "signature" && options.signatures === undefined)
      throw new Error(`${endpoint.name}: no signature check is configured`);
    if (names.has(endpoint.name)) throw new Error(`two endpoints are named ${endpoint.name}`);
    names.add(endpoint.name);
    const route = serve(endpoint, options, limits);
    router.add(route);
    if (endpoint.takesSlash === true) router.add(route, `${route.path}/`);
    if (options.servicePrefix !== undefined && PREFIXED.test(route.path)) router.add(route, `/${options.servicePrefix}${route.path}`);
  }
  return router;
}

function serve(endpoint: BoundEndpoint, options: ServerOptions, limits: Map<string, RateLimitBucket>): ServedRoute {
  const bucket =
    endpoint.rateLimit === undefined ? null : bucketOf(endpoint.rateLimit.bucket, endpoint.rateLimit.perSecond, options, limits);
  if (endpoint.openToPages === true && endpoint.auth !== "optionalMerchantKey" && endpoint.auth !== "none") {
    throw new Error(`${endpoint.name}: pages of any origin may call only endpoints that need no secret`);
  }
  requireWhoMay(endpoint);
  const opensToPages = endpoint.auth === "apiKey" || endpoint.auth === "basicOrApiKey";
  return {
    method: endpoint.method,
    path: endpoint.path,
    endpoint,
    compiled: compileEndpoint(endpoint, { strictReplies: options.strictReplies ?? false }),
    bucket,
    raised: raisedOf(endpoint.rateLimit, options),
    rateLimitBlocks: rateLimitBlocks(endpoint.rateLimit?.perSecond ?? 0, opensToPages),
    bodyBytesMax:
      endpoint.upload === undefined
        ? (endpoint.bodyBytesMax ?? (endpoint.bodyFormat === undefined ? BODY_BYTES_MAX_DEFAULT : FORM_BYTES_MAX))
        : uploadBytesMax(endpoint.upload.bytesMax),
    deadlineMs: endpoint.deadlineMs ?? DEADLINE_MS_DEFAULT,
    fixedHeaders: [
      ...(endpoint.deprecated === undefined ? [] : ["Deprecation", DEPRECATED_SINCE]),
      ...(opensToPages && bucket === null ? ["Vary", "Origin"] : []),
      ...(endpoint.openToPages === true ? OPEN_TO_PAGES : []),
    ],
    readsAuthorization: READS_AUTHORIZATION.has(endpoint.auth),
    readsApiKey: opensToPages,
    readsCookie: takesSession(endpoint.auth),
    sessionNeeds: sessionNeedsOf(endpoint),
    machineRight: machineRightOf(endpoint),
    checksOwnPage: checksOwnPage(endpoint),
    headersOf: endpoint.surface.headersOf,
    readsMerchantKey: READS_MERCHANT_KEY.has(endpoint.auth),
    openToPages: endpoint.openToPages === true,
    hidesLength: hidesLength(endpoint),
    compresses: endpoint.idempotency !== "sealed",
    refusesForeignPages: refusesForeignPages(endpoint),
  };
}

function sessionNeedsOf({ auth, may, stepUp, firstByPassword, apartByEnvironment }: BoundEndpoint): SessionNeeds | null {
  if (may === undefined && stepUp !== true) return null;
  const sameEnvironment = takesMerchantKey(auth) && apartByEnvironment !== true ? true : undefined;
  return { may, stepUp: stepUp === true ? true : undefined, firstByPassword, sameEnvironment };
}

/** What `WhoMay` says, for declarations that are put together from parts. */
function requireWhoMay({ name, auth, role, may, stepUp, noStepUp, method, handsOut }: BoundEndpoint): void {
  if ((role !== undefined) !== (auth === "admin"))
    throw new Error(`${name}: an administrator's endpoint must have a role, and no other endpoint may`);
  if ((may !== undefined) !== needsAct(auth))
    throw new Error(`${name}: endpoints of merchantUser, with a key or without, must have \`may\`, and no other endpoint may`);
  if (stepUp !== undefined && (!takesSession(auth) || isSessionOptional(auth)))
    throw new Error(`${name}: only an endpoint with a session can have a step-up`);
  if (stepUp !== undefined && noStepUp !== undefined) throw new Error(`${name}: declare either \`stepUp\` or \`noStepUp\``);
  // A page of another origin could take it: reading is not checked for the page that asks.
  if (isSessionAlone(auth) && method === "GET" && handsOut === true)
    throw new Error(`${name}: with a session, a GET must not return a new secret`);
}

function isSessionAlone(auth: BoundEndpoint["auth"]): boolean {
  return isPortalAuth(auth) || isAdminSessionAuth(auth);
}

/** The whole body: the file and the form around it. */
function uploadBytesMax(fileBytesMax: number): number {
  return fileBytesMax + MULTIPART_OVERHEAD_BYTES_MAX;
}

function bucketOf(name: string, perSecond: number, options: ServerOptions, limits: Map<string, RateLimitBucket>): RateLimitBucket {
  const bucket = limits.get(name) ?? options.rateLimit(name, perSecond);
  if (bucket.perSecond !== perSecond)
    throw new Error(`rate limit bucket ${name}: declared with ${perSecond} and with ${bucket.perSecond} a second`);
  limits.set(name, bucket);
  return bucket;
}

function raisedOf(limit: RateLimit | undefined, { raisedRateLimit }: ServerOptions): ServedRoute["raised"] {
  if (limit?.raisable === undefined || raisedRateLimit === undefined) return null;
  return { rate: limit.raisable, bucket: raisedRateLimit(limit.bucket) };
}

/**
 * The window is one second, so that is when all of it is free again. One call writes these three behind the request id (`writeHead`), which on
 * the path of a poll is a noticeable part of the whole.
 */
function rateLimitBlocks(perSecond: number, variesByOrigin: boolean): string[] {
  return Array.from({ length: perSecond + 1 }, (_, remaining) => rateLimitBlock(perSecond, remaining, variesByOrigin));
}

/** One of them, for a limit of a partner's own. */
export function rateLimitBlock(perSecond: number, remaining: number, variesByOrigin: boolean): string {
  const vary = variesByOrigin ? "\r\nVary: Origin" : "";
  return `\r\nRateLimit-Limit: ${perSecond}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: 1${vary}`;
}

/** The methods that a route takes. */
export function methodsOf({ method, endpoint }: ServedRoute): readonly string[] {
  return method === "GET" && endpoint.handsOut !== true ? ["GET", "HEAD"] : [method];
}

/** The successor's address with the parameters that this request has, or null where it needs others. */
export function successorOf(template: string, path: string, values: readonly string[]): string | null {
  const names = parameterNames(path);
  let complete = true;
  const filled = template.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const value = values[names.indexOf(name)];
    if (value === undefined) complete = false;
    return value ?? whole;
  });
  return complete ? filled : null;
}
