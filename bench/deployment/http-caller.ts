import type { IncomingHttpHeaders } from "node:http";
import { type FormData, Pool } from "undici";

/** Connections of a pool; requests beyond them wait, which counts as their time. */
const CONNECTIONS_MAX = 2_048;

/** What is longer is no answer of a relay. */
const ANSWER_BYTES_MAX = 1_048_576;

/** Longer than the relay takes for anything but a look-up that waits. */
const ANSWER_WITHIN_MS = 15_000;

const CONNECT_WITHIN_MS = 10_000;

export interface Request {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  headers: { [name: string]: string };
  /** A text is sent as JSON. */
  body?: string | FormData;
  /** Beyond the time that any answer may take. */
  waitMs?: number;
  /** Given up when it aborts. */
  until?: AbortSignal;
}

/** `failed`: no answer came, and it is not known what became of the request; `reason` has a few values only, and none of them holds anything of the request. */
export type Outcome = { type: "answered"; status: number; headers: IncomingHttpHeaders; text: string } | { type: "failed"; reason: string };

/** The relay over HTTP, on connections that are kept. It follows no redirect: that would take a key to another address. */
export class HttpCaller {
  readonly #pool: Pool;

  constructor(url: string, { connections = CONNECTIONS_MAX, answerBytesMax = ANSWER_BYTES_MAX } = {}) {
    this.#pool = new Pool(url, {
      connections,
      pipelining: 1,
      maxResponseSize: answerBytesMax,
      connect: { timeout: CONNECT_WITHIN_MS },
    });
  }

  async send({ method, path, headers, body, waitMs = 0, until }: Request): Promise<Outcome> {
    const timeoutMs = ANSWER_WITHIN_MS + waitMs;
    const json = typeof body === "string" ? { "content-type": "application/json" } : {};
    try {
      const {
        statusCode,
        headers: answered,
        body: stream,
      } = await this.#pool.request({
        method,
        path,
        headers: { "user-agent": "relay-load/1.0", ...json, ...headers },
        body: body ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(until === undefined ? {} : { signal: until }),
      });
      return { type: "answered", status: statusCode, headers: answered, text: await stream.text() };
    } catch (error) {
      return { type: "failed", reason: reasonOf(error) };
    }
  }

  /**
   * Gets a part of a file: what comes with a 206 goes to `take` piece by piece, and `text` is empty. What has come before a connection is lost has been taken.
   */
  async receive({ path, headers }: Pick<Request, "path" | "headers">, take: (bytes: Uint8Array) => void): Promise<Outcome> {
    try {
      const {
        statusCode,
        headers: answered,
        body: stream,
      } = await this.#pool.request({
        method: "GET",
        path,
        headers: { "user-agent": "relay-load/1.0", ...headers },
        headersTimeout: ANSWER_WITHIN_MS,
        bodyTimeout: ANSWER_WITHIN_MS,
      });
      if (statusCode === 206) for await (const piece of stream) take(piece);
      else await stream.dump();
      return { type: "answered", status: statusCode, headers: answered, text: "" };
    } catch (error) {
      return { type: "failed", reason: reasonOf(error) };
    }
  }

  /** What is under way is given up. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const REASONS: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection lost",
  EPIPE: "connection lost",
  UND_ERR_SOCKET: "connection lost",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no answer in time",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name was not resolved",
};

/** The code of what went wrong, in words where it is a usual one: a message may have an address or worse in it. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
  return REASONS[code] ?? code;
}

/** The seconds of `Retry-After` as milliseconds, a minute at most; null without. */
export function retryAfterMs({ "retry-after": value }: IncomingHttpHeaders): number | null {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Math.min(60, Number(value)) * 1_000 : null;
}

/** A member of a JSON text by its path; undefined where there is none. */
export function memberOf(text: string, ...path: string[]): unknown {
  let at: unknown;
  try {
    at = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Object.entries(at).find(([known]) => known === name)?.[1];
  }
  return at;
}

export function basicLogin(username: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}
