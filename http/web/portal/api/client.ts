import { OURS, takeEarly } from "./early.ts";
import { PortalError } from "./errors.ts";

/**
 * This is longer than the relay's deadline for a reply (10 s), so that the relay's error arrives
 * first.
 */
const DEADLINE_MS = 15_000;

/** The API of merchants' users. The operators' pages set another. */
let base = "/api/merchant";

/** The code of an error whose answer has none, by its status. */
let codes: Readonly<Record<number, string>> = { 502: "unavailable", 503: "unavailable", 504: "unavailable" };

/** Sets the base path of all calls, and codes for errors that only have a status. */
export function callBelow(path: string, codesOfStatus: Readonly<Record<number, string>>): void {
  base = path;
  codes = { ...codes, ...codesOfStatus };
}

/** The deadline of calls that wait for the gateway, which answers within 20 s. */
export const GATEWAY_DEADLINE_MS = 25_000;

export type Query = Readonly<Record<string, string | number | null | undefined>>;

export interface CallOptions {
  body?: unknown;
  query?: Query;
  /** Aborts the call when the page no longer needs the answer. */
  signal?: AbortSignal;
  deadlineMs?: number;
  /** The key stays the same when a call is repeated after a lost answer (state/send-once.ts). */
  idempotencyKey?: string;
}

/**
 * The page's reactions to any call. state/session.ts, state/connection.ts and
 * components/step-up-dialog.tsx set them once.
 */
interface Hooks {
  /** Resolves when calls may be sent. They wait while somebody signs in again over the page. */
  ready(): Promise<unknown>;
  /**
   * Runs when the session has ended. Resolves with true if the same person has signed in again, so
   * that the call can be repeated.
   */
  signedOut(): Promise<boolean>;
  /** Runs when the role is not the one that the page knows and does not permit the call. */
  roleRefused(): void;
  /** Asks for a fresh second factor. Resolves with true if the person gave one. */
  stepUp(): Promise<boolean>;
  /** Runs after each call, and says whether the relay answered it. */
  reached(isReached: boolean): void;
}

const hooks: Hooks = {
  ready: async () => {},
  signedOut: async () => false,
  roleRefused: () => {},
  stepUp: async () => false,
  reached: () => {},
};

export function onCalls(changes: Partial<Hooks>): void {
  Object.assign(hooks, changes);
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The calls of sign-in itself. They do not wait for it, and their errors belong to its form. */
const SIGN_IN = /^\/session(?:\/second-factor|\/passkey(?:\/options)?|\/merchant)?$/;

/** A call is sent once, again after a sign-in, and again after a fresh second factor. */
const SENT_MAX = 3;

/**
 * Calls the portal's API and resolves with `data` of the answer. If the session has ended or the
 * relay requires a fresh second factor, the person is asked for it and the call is repeated.
 * Rejects with a PortalError, or with an AbortError if `signal` aborted the call.
 */
export function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const once = () => callOnce<T>(method, path, options);
  return SIGN_IN.test(path) ? observed(once) : withSession(once);
}

/** Runs a call of any kind, and reacts if the session does not permit it. */
export async function withSession<T>(once: () => Promise<T>): Promise<T> {
  for (let sent = 1; ; sent += 1) {
    await hooks.ready();
    try {
      return await observed(once);
    } catch (error) {
      if (!(error instanceof PortalError)) throw error;
      if (error.code === "role") hooks.roleRefused();
      if (sent === SENT_MAX || !(await isPermittedNow(error.code))) throw error;
    }
  }
}

/** Asks the person for what the relay requires. Resolves with true if the call can be repeated. */
async function isPermittedNow(code: string): Promise<boolean> {
  if (code === "unauthorized") return await hooks.signedOut();
  return code === "step_up_required" && (await hooks.stepUp());
}

async function observed<T>(once: () => Promise<T>): Promise<T> {
  try {
    const answer = await once();
    hooks.reached(true);
    return answer;
  } catch (error) {
    if (error instanceof PortalError && error.code !== "timeout") hooks.reached(error.code !== "offline");
    throw error;
  }
}

export const get = <T>(path: string, options?: Omit<CallOptions, "body">) => call<T>("GET", path, options);
export const post = <T>(path: string, body?: unknown, options?: CallOptions) => call<T>("POST", path, { ...options, body });
export const patch = <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PATCH", path, { ...options, body });
export const put = <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PUT", path, { ...options, body });
export const remove = <T>(path: string, options?: CallOptions) => call<T>("DELETE", path, options);

/** The address of a download. The browser fetches it with the session's cookie. */
export function addressOf(path: string, query: Query = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(members).toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

/** The calls that wait for their answers, and when the last one ended. */
let underWay = 0;
let lastEndMs = 0;

/** For how long no call has waited for an answer. */
export function quietForMs(): number {
  return underWay > 0 ? 0 : performance.now() - lastEndMs;
}

async function callOnce<T>(method: Method, path: string, options: CallOptions): Promise<T> {
  underWay += 1;
  try {
    return await sendOnce<T>(method, path, options);
  } finally {
    underWay -= 1;
    lastEndMs = performance.now();
  }
}

async function sendOnce<T>(
  method: Method,
  path: string,
  { body, query = {}, signal, deadlineMs = DEADLINE_MS, idempotencyKey }: CallOptions,
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const address = addressOf(path, query);
  const sent =
    (method === "GET" ? takeEarly(address) : undefined) ??
    fetch(address, {
      method,
      headers: {
        Accept: "application/json",
        ...OURS,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
  const response = await sent.catch((cause: unknown) => {
    throw unanswered(cause, signal, deadline);
  });
  const answer: unknown = await response.json().catch((cause: unknown) => {
    if (signal?.aborted === true || deadline.aborted) throw unanswered(cause, signal, deadline);
    // A proxy that answers in place of the relay may not send JSON.
    return undefined;
  });
  return answered<T>(response, answer);
}

/** Returns `data` of an answer, or throws its error. */
export function answered<T>({ status, statusText }: { status: number; statusText: string }, answer: unknown): T {
  const isOk = status >= 200 && status < 300;
  if (isOk && isObject(answer) && answer["status"] === "ok") return dataOf<T>(answer);
  const { code, message } = isObject(answer) ? answer : {};
  throw new PortalError(
    typeof code === "string" ? code : (codes[status] ?? "internal"),
    isOk ? 500 : status,
    typeof message === "string" ? message : statusText,
  );
}

export function unanswered(cause: unknown, signal: AbortSignal | undefined, deadline: AbortSignal): unknown {
  if (signal?.aborted === true) return new DOMException("Nobody waits for it any more", "AbortError");
  if (deadline.aborted) return new PortalError("timeout", 0, "There was no answer in time");
  return new PortalError("offline", 0, cause instanceof Error ? cause.message : "There was no answer");
}

/** The relay validates its answers against the schemas from which `T` is derived. */
function dataOf<T>(answer: object): T {
  const { data }: { data?: T } = answer;
  // Answers without content have no data, and their callers expect none.
  return data as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
