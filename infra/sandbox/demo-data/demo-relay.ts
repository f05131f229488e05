import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** The relay limits the rate of calls. A refused one is repeated after this time on its clock. */
const AGAIN_MAX = 20;
const AGAIN_AFTER_MS = 1_000;
const TOO_MANY = 429;

/** The relay processes a change in the background within this time of this machine. */
const WAIT_MS = 30_000;
const LOOK_AGAIN_MS = 20;
const LOOKED_MS = 2_000;

export interface DemoRelayOptions {
  url: string;
  gatewayUrl: string;
  seed: number;
  merchantId: string;
  /** The keys and logins of the sandbox. */
  secretKey: string;
  apiKey: string;
  fleet: { username: string; password: string };
  administrator: { username: string; password: string };
  clock: DemoClock;
}

/** The clock of the relay, which only moves forward. */
export interface DemoClock {
  nowMs(): number;
  moveTo(ms: number): void;
}

/**
 * The relay as its callers see it: the shop's program, the administrator, the terminals and the
 * customers. Each call resolves with the JSON of the answer, and throws for an error.
 */
export class DemoRelay {
  readonly clock: DemoClock;
  readonly merchantId: string;
  readonly #options: DemoRelayOptions;
  #uuids = 0;
  #gatewayAheadMs = 0;

  constructor(options: DemoRelayOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.merchantId = options.merchantId;
  }

  /** A call of the shop's program, below `/api/merchant`. */
  shop(method: string, path: string, body?: object): Promise<unknown> {
    return this.#json(method, `/api/merchant${path}`, { authorization: `Bearer ${this.#options.secretKey}` }, body);
  }

  admin(method: string, path: string, body?: object): Promise<unknown> {
    return this.#json(method, `/admin${path}`, { authorization: basic(this.#options.administrator) }, body);
  }

  /** A call for a terminal: the shop's order, or the terminal's own. */
  terminal(terminalId: string, what: "pay" | "get" | "receipt", body?: object): Promise<unknown> {
    const { apiKey, fleet } = this.#options;
    const login: Record<string, string> = what === "pay" ? { "API-Key": apiKey } : { authorization: basic(fleet) };
    return this.#json(body === undefined ? "GET" : "POST", `/api/v1/${terminalId}/${what}`, login, body);
  }

  /** Calls a tool as an AI agent. The relay answers 200 also if a limit refuses the call. */
  agent(token: string, name: string, args: object): Promise<unknown> {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    return this.#json("POST", "/mcp", { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" }, call);
  }

  /** A customer opens a payment link and presses Pay. */
  async pressPay(linkId: string): Promise<void> {
    const address = textAt(await this.shop("GET", `/payment-links/${linkId}`), "data", "url");
    const { pathname } = new URL(address);
    // The order says until when it may be paid, in the relay's time.
    await this.#moveGateway();
    const answer = await this.#send(`${pathname}/pay`, { method: "POST", redirect: "manual" });
    if (answer.status !== 303) throw new Error(`${pathname}/pay answered ${answer.status}: ${await answer.text()}`);
  }

  /** The customer ends the payment on the page of the card gateway. */
  async atGateway(txId: string, action: "pay" | "cancel", card?: string): Promise<void> {
    await this.#control("payments", { txId, action, ...(card === undefined ? {} : { card }) });
  }

  /** Moves the clock of the gateway to that of the relay. */
  async #moveGateway(): Promise<void> {
    const aheadMs = Math.round(this.clock.nowMs() - Date.now());
    await this.#control("advance", { ms: aheadMs - this.#gatewayAheadMs });
    this.#gatewayAheadMs = aheadMs;
  }

  async #control(what: "payments" | "advance", body: object): Promise<void> {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#options.gatewayUrl}/control/${what}`, request);
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  }

  /** Waits until the object of the shop at `path` is as wanted. */
  async until(path: string, isWanted: (answer: unknown) => boolean): Promise<void> {
    if (await this.becomes(path, isWanted, WAIT_MS)) return;
    throw new Error(`${path} did not become as expected: ${JSON.stringify(await this.shop("GET", path)).slice(0, 1_000)}`);
  }

  /** Whether the object of the shop at `path` becomes as wanted within this time of this machine. */
  async becomes(path: string, isWanted: (answer: unknown) => boolean, withinMs = LOOKED_MS): Promise<boolean> {
    for (const endMs = performance.now() + withinMs; ; await delay(LOOK_AGAIN_MS)) {
      if (isWanted(await this.shop("GET", path))) return true;
      if (performance.now() >= endMs) return false;
    }
  }

  /** The next uuid of this seed. */
  uuid(): string {
    this.#uuids += 1;
    const hex = createHash("sha256").update(`${this.#options.seed} ${this.#uuids}`).digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  async #json(method: string, path: string, headers: Record<string, string>, body?: object): Promise<unknown> {
    const answer = await this.#send(path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  /** Sends a request, and again after a while on the relay's clock if there were too many. */
  async #send(path: string, request: RequestInit): Promise<Response> {
    for (let again = 0; ; again += 1) {
      const answer = await fetch(`${this.#options.url}${path}`, request);
      if (answer.status !== TOO_MANY || again === AGAIN_MAX) return answer;
      await answer.body?.cancel();
      this.clock.moveTo(this.clock.nowMs() + AGAIN_AFTER_MS);
    }
  }
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** The member at this path; undefined if there is none. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value);
}

/** The text at this path. Throws if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = memberAt(value, ...path);
  if (typeof found !== "string") throw new Error(`there is no text at ${path.join(".")}`);
  return found;
}
