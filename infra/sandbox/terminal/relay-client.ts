import type { Settings } from "./options.ts";

const REQUEST_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_048_576;
const RETRY_AFTER_SECONDS_MAX = 60;

export interface Answer {
  status: number;
  text: string;
  /** The delay from Retry-After, if present. */
  retryAfterMs: number | null;
}

/** The relay's terminal endpoints over HTTP with Basic authentication. */
export class RelayClient {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor({ url, terminalId, username, password, family }: Settings) {
    this.#base = `${url}/api/v1/${encodeURIComponent(terminalId)}`;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      "user-agent": "terminal-simulator/1.0",
      ...(family === null ? {} : { "x-terminal-family": family }),
    };
  }

  /** The next command, 204 when nothing waits. Rejects when the relay cannot be reached in time. */
  get(signal: AbortSignal): Promise<Answer> {
    return this.#call("get", { method: "GET", headers: this.#headers }, signal);
  }

  postResult(json: string, signal: AbortSignal): Promise<Answer> {
    return this.#call("receipt", { method: "POST", headers: { ...this.#headers, "content-type": "application/json" }, body: json }, signal);
  }

  async #call(path: string, init: RequestInit, signal: AbortSignal): Promise<Answer> {
    // AbortSignal.any() on a long-lived signal leaks in Node 20, hence one controller a request.
    const request = new AbortController();
    const abort = () => request.abort(new Error("the terminal stops"));
    const timer = setTimeout(() => request.abort(new Error("no answer in time")), REQUEST_TIMEOUT_MS);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      const response = await fetch(`${this.#base}/${path}`, { ...init, signal: request.signal, redirect: "error" });
      const text = await boundedText(response);
      return { status: response.status, text, retryAfterMs: retryAfterMs(response.headers.get("retry-after")) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function retryAfterMs(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), RETRY_AFTER_SECONDS_MAX) * 1_000;
}

/** Why a request failed; `fetch` keeps that in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  return error.cause instanceof Error ? error.cause.message : error.message;
}
