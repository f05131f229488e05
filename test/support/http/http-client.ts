import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { API_KEY, basic } from "../node/node.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as it came. */
  bytes: Buffer;
  /** The text as JSON, undefined where it is none. */
  body: unknown;
}

export interface HttpRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  headers?: { [name: string]: string };
  /** An object is sent as JSON, a text and bytes as they are. */
  body?: unknown;
}

/** Each request has a connection of its own, so that the kernel spreads them over the shards. */
const oneRequestEach = new Agent({ keepAlive: false });

/** Longer than any answer may take: a node that is asleep never says anything, and its test would say nothing either. */
const SILENCE_MS = 120_000;

/** A caller of the relay's HTTP interface: one credential, one address. */
export class HttpClient {
  readonly #url: () => string;
  readonly #headers: { [name: string]: string };
  readonly localAddress: string;
  readonly #hearsWithinMs: number;

  /** `hearsWithinMs`: how long a command may wait before a poll knows of it; 0 at a node by itself. */
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

  /** Sends a payment; the terminal of the path, and what the request has beside an amount and a service. */
  pay(terminalId: string, members: { uuid: string; [member: string]: unknown }): Promise<Answer> {
    return this.post(`/api/v1/${terminalId}/pay`, { amount: 1_050, service: "PAYCC", ...members });
  }

  poll(terminalId: string, headers: { [name: string]: string } = {}): Promise<Answer> {
    return this.get(`/api/v1/${terminalId}/get`, headers);
  }

  /** Polls for a command that waits: of several nodes, one that was not paid at hears of it a moment later. */
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

  /** Where a command stands. */
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

/** Headers of the sandbox's callers. */
export const CREDENTIALS = {
  partner: { "api-key": API_KEY },
  partnerByPassword: { authorization: basic("demo", "demo") },
  administrator: { authorization: basic("admin", "admin") },
  fleet: { authorization: basic("terminal", "terminal") },
  nobody: {},
};
