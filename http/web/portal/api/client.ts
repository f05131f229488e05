import { PortalError } from "./errors.ts";

/** Longer than the relay's own deadline for a reply (10 s), so that its error is seen rather than ours. */
const DEADLINE_MS = 15_000;

/** Of the merchants' people; the operators' pages call another. */
let base = "/api/merchant";

/** What an error is called whose answer does not say it. */
let codes: Readonly<Record<number, string>> = { 502: "unavailable", 503: "unavailable", 504: "unavailable" };

/** Calls go to the addresses below this one, whose errors may be known by their status alone. */
export function callBelow(path: string, codesOfStatus: Readonly<Record<number, string>>): void {
  base = path;
  codes = { ...codes, ...codesOfStatus };
}

/** Says that a page of ours sent the request: another site cannot add it. */
export const OURS = { "X-Relay-Portal": "1" };

/** The same of calls that the relay answers only when the gateway has, within 20 s. */
export const GATEWAY_DEADLINE_MS = 25_000;

export type Query = Readonly<Record<string, string | number | null | undefined>>;

export interface CallOptions {
  body?: unknown;
  query?: Query;
  /** Gives the call up: the page that wanted the answer is gone. */
  signal?: AbortSignal;
  deadlineMs?: number;
  /** The same for a call that is made again because its answer did not arrive (state/send-once.ts). */
  idempotencyKey?: string;
}

/** What the page does for every call. Set once, by state/session.ts and components/step-up-dialog.tsx. */
interface Hooks {
  /** The session is over. */
  signedOut(): void;
  /** The role does not permit what the page has offered: it is another one than the page knows. */
  roleRefused(): void;
  /** Asks for a fresh second factor; resolves with whether there is one. */
  stepUp(): Promise<boolean>;
}

const hooks: Hooks = { signedOut: () => {}, roleRefused: () => {}, stepUp: async () => false };

export function onCalls(changes: Partial<Hooks>): void {
  Object.assign(hooks, changes);
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Calls the portal's interface and resolves with `data` of its answer. Where the relay wants a fresh second factor, the person is asked for it and the call
 * is made again. Rejects with a PortalError, or with an AbortError if `signal` gave it up.
 */
export function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return withSession(() => callOnce<T>(method, path, options));
}

/** Makes a call as the session permits it: what the page has to do when it does not is done, whatever the call is made with. */
export async function withSession<T>(once: () => Promise<T>): Promise<T> {
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof PortalError)) throw error;
    if (error.code === "unauthorized") hooks.signedOut();
    if (error.code === "role") hooks.roleRefused();
    if (error.code !== "step_up_required" || !(await hooks.stepUp())) throw error;
    return await once();
  }
}

export const get = <T>(path: string, options?: Omit<CallOptions, "body">) => call<T>("GET", path, options);
export const post = <T>(path: string, body?: unknown, options?: CallOptions) => call<T>("POST", path, { ...options, body });
export const patch = <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PATCH", path, { ...options, body });
export const put = <T>(path: string, body: unknown, options?: CallOptions) => call<T>("PUT", path, { ...options, body });
export const remove = <T>(path: string, options?: CallOptions) => call<T>("DELETE", path, options);

/** The address of a file to download, which the browser fetches by itself with the session's cookie. */
export function addressOf(path: string, query: Query = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(members).toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

async function callOnce<T>(
  method: Method,
  path: string,
  { body, query = {}, signal, deadlineMs = DEADLINE_MS, idempotencyKey }: CallOptions,
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const response = await fetch(addressOf(path, query), {
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
  }).catch((cause: unknown) => {
    throw unanswered(cause, signal, deadline);
  });
  const answer: unknown = await response.json().catch((cause: unknown) => {
    if (signal?.aborted === true || deadline.aborted) throw unanswered(cause, signal, deadline);
    // A proxy that answers in the relay's place does not speak JSON.
    return undefined;
  });
  return answered<T>(response, answer);
}

/** `data` of an answer, or the error that it is. */
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

/** The relay checks its own answers against the schemas that `T` is made of. */
function dataOf<T>(answer: object): T {
  const { data }: { data?: T } = answer;
  // Answers without content have no data, and callers who expect none.
  return data as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
