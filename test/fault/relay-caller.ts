import { Pool } from "undici";

export interface Answer {
  status: number;
  headers: { readonly [name: string]: string | string[] | undefined };
  /** The body as JSON; undefined where it is none. */
  body: unknown;
  text: string;
}

const CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 20_000;

export const PARTNER = { "api-key": "pk_live_sandbox_0000000000000000000000000000" };
export const TERMINAL = { authorization: basic("terminal", "terminal") };
export const ADMINISTRATOR = { authorization: basic("admin", "admin") };

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** One of several nodes that did not answer is passed over for so long, as a balancer does. */
const PASSED_OVER_MS = 1_000;

export interface RelayCallerOptions {
  connections?: number;
  answerTimeoutMs?: number;
  /** Another client's address of 127.0.0.0/8. */
  localAddress?: string;
}

/** Calls one node, or several in turn, over kept connections, and never twice by itself: null says that no answer came. */
export class RelayCaller {
  readonly #nodes: readonly { pool: Pool; passedOverUntilMs: number }[];
  #turn = 0;
  readonly #underWay = new Set<Promise<Answer | null>>();
  #calls = 0;

  constructor(
    urls: string | readonly string[],
    { connections = CONNECTIONS, answerTimeoutMs = ANSWER_TIMEOUT_MS, localAddress = "127.0.0.1" }: RelayCallerOptions = {},
  ) {
    const options = { connections, pipelining: 1, headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs, localAddress };
    this.#nodes = [urls].flat().map((url) => ({ pool: new Pool(url, options), passedOverUntilMs: 0 }));
  }

  call(method: "GET" | "POST", path: string, headers: { [name: string]: string }, body?: string): Promise<Answer | null> {
    const answer = this.#call(method, path, headers, body).finally(() => this.#underWay.delete(answer));
    this.#underWay.add(answer);
    return answer;
  }

  /** What has been asked and not been answered at this moment. */
  underWay(): Promise<Answer | null>[] {
    return [...this.#underWay];
  }

  async #call(method: "GET" | "POST", path: string, headers: { [name: string]: string }, body?: string): Promise<Answer | null> {
    const node = this.#next();
    if (node === null) return null;
    try {
      const response = await node.pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
      const text = await response.body.text();
      return { status: response.statusCode, headers: response.headers, body: jsonOf(text), text };
    } catch {
      node.passedOverUntilMs = performance.now() + PASSED_OVER_MS;
      return null;
    }
  }

  /** The next node in turn; when all of several are passed over, just the next one. */
  #next() {
    const nowMs = performance.now();
    for (let left = this.#nodes.length; left > 0; left -= 1) {
      this.#turn = (this.#turn + 1) % this.#nodes.length;
      const node = this.#nodes[this.#turn];
      if (node !== undefined && (node.passedOverUntilMs <= nowMs || left === 1)) return node;
    }
    return null;
  }

  get(path: string, headers: { [name: string]: string } = PARTNER): Promise<Answer | null> {
    return this.call("GET", path, headers);
  }

  post(path: string, value: unknown, headers: { [name: string]: string } = PARTNER): Promise<Answer | null> {
    return this.call("POST", path, { ...headers, "content-type": "application/json" }, JSON.stringify(value));
  }

  pay(terminalId: string, uuid: string, amountCents = 1_000): Promise<Answer | null> {
    const headers = { ...PARTNER, ...this.#fromElsewhere() };
    return this.post(`/api/v1/${terminalId}/pay`, { uuid, amount: amountCents, service: "PAYCC" }, headers);
  }

  poll(terminalId: string): Promise<Answer | null> {
    return this.get(`/api/v1/${terminalId}/get`, { ...TERMINAL, ...this.#fromElsewhere() });
  }

  receipt(terminalId: string, uuid: string, result: "OK" | "KO", amountCents = 1_000): Promise<Answer | null> {
    return this.post(`/api/v1/${terminalId}/receipt`, { uuid, result, amount: amountCents, type: "CARD" }, TERMINAL);
  }

  life(uuid: string): Promise<Answer | null> {
    return this.get(`/api/v1/commands/${uuid}`);
  }

  result(uuid: string): Promise<Answer | null> {
    return this.get(`/api/v1/${uuid}/uuid`);
  }

  /** Another address each time, so that no rate limit stands in the way; the node is told to believe it. */
  #fromElsewhere(): { [name: string]: string } {
    this.#calls += 1;
    return { "x-forwarded-for": `10.${(this.#calls >> 16) & 255}.${(this.#calls >> 8) & 255}.${this.#calls & 255}` };
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ pool }) => pool.destroy()));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of a JSON object by its path, or undefined. */
export function member(value: unknown, ...path: string[]): unknown {
  let at = value;
  for (const name of path) at = typeof at === "object" && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined;
  return at;
}
