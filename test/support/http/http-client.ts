import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { API_KEY, basic } from "../node/node.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The unchanged bytes of the body. */
  bytes: Buffer;
  /** The text as JSON, or undefined if it is not JSON. */
  body: unknown;
}

export interface HttpRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  headers?: { [name: string]: string };
  /** An object is sent as JSON, and a text or bytes are sent unchanged. */
  body?: unknown;
}

/** Each request has its own connection, so that the kernel spreads them over the shards. */
const oneRequestEach = new Agent({ keepAlive: false });

/**
 * Longer than any answer may take. A node that hangs never answers, and its test would not report
 * anything either.
 */
const SILENCE_MS = 120_000;

/** A caller of the relay's HTTP interface: one credential, one address. */
export class HttpClient {
  readonly #url: () => string;
  readonly #headers: { [name: string]: string };
  readonly localAddress: string;
  readonly #hearsWithinMs: number;

  /** `hearsWithinMs` is the time until a poll knows of a waiting command; 0 for a single node. */
  constructor(url: () => string, headers: { [name: string]: string }, localAddress: string, hearsWithinMs = 0) {
    this.#hearsWithinMs = hearsWithinMs;
    this.#url = url;
    this.#headers = headers;
    this.localAddress = localAddress;
  }

  send(path: string, { method = "GET", headers = {}, body }: HttpRequest = {}): Promise<Answer> {
    const sendable = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? (body ?? "") : JSON.stringify(body);
    const all: { [name: string]: string } = { ...this.#headers, ...headers };
    if (body !== undefined) {
      all["content-type"] ??= "application/json";
      all["content-length"] = String(Buffer.byteLength(sendable));
    }
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url()}${path}`,
        { method, headers: all, localAddress: this.localAddress, agent: oneRequestEach, timeout: SILENCE_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const bytes = Buffer.concat(chunks);
            const text = bytes.toString("utf8");
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, body: jsonOf(text) });
          });
        },
      );
      sent.on("error", reject);
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} was not answered in ${SILENCE_MS} ms`)));
      sent.end(sendable);
    });
  }

  get(path: string, headers: { [name: string]: string } = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  post(path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Answer> {
    return this.send(path, { method: "POST", headers, body });
  }

  /**
   * Sends a payment for the terminal in the path; `members` are added to an amount and a service.
   */
  pay(terminalId: string, members: { uuid: string; [member: string]: unknown }): Promise<Answer> {
    return this.post(`/api/v1/${terminalId}/pay`, { amount: 1_050, service: "PAYCC", ...members });
  }

  poll(terminalId: string, headers: { [name: string]: string } = {}): Promise<Answer> {
    return this.get(`/api/v1/${terminalId}/get`, headers);
  }

  /**
   * Polls for a waiting command. With several nodes, the one polled may be notified a moment after
   * the payment.
   */
  async take(terminalId: string, headers: { [name: string]: string } = {}, prefix = ""): Promise<Answer> {
    const giveUpAt = performance.now() + this.#hearsWithinMs;
    for (;;) {
      const answer = await this.get(`${prefix}/api/v1/${terminalId}/get`, headers);
      if (answer.status !== 204 || performance.now() >= giveUpAt) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  receipt(terminalId: string, members: { [member: string]: unknown }): Promise<Answer> {
    return this.post(`/api/v1/${terminalId}/receipt`, members);
  }

  uuid(uuid: string, waitSeconds = 0): Promise<Answer> {
    return this.get(`/api/v1/${uuid}/uuid${waitSeconds === 0 ? "" : `?wait=${waitSeconds}`}`);
  }

  status(terminalId: string, waitSeconds = 0): Promise<Answer> {
    return this.get(`/api/v1/${terminalId}/status${waitSeconds === 0 ? "" : `?wait=${waitSeconds}`}`);
  }

  /** Returns the state of a command. */
  life(uuid: string): Promise<Answer> {
    return this.get(`/api/v1/commands/${uuid}`);
  }

  cancel(uuid: string): Promise<Answer> {
    return this.post(`/api/v1/commands/${uuid}/cancel`);
  }

  connection(terminalId: string): Promise<Answer> {
    return this.get(`/api/v1/${terminalId}/connection`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers of callers of the sandbox. */
export const CREDENTIALS = {
  partner: { "api-key": API_KEY },
  partnerByPassword: { authorization: basic("demo", "demo") },
  administrator: { authorization: basic("admin", "admin") },
  fleet: { authorization: basic("terminal", "terminal") },
  nobody: {},
};
