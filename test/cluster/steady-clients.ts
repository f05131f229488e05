import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { PARTNER, TERMINAL } from "../fault/relay-caller.ts";

const RETRY_MS = 20;
const PAUSE_MS = 10;
/** Less than a command lives, and longer than anything here takes on a busy machine: how soon it comes is others' test. */
const COMES_WITHIN_MS = 30_000;

/** A client that has one address is within every rate limit with this pause. */
const UNHURRIED_PAUSE_MS = 150;

interface Client {
  /** True keeps its connections; false makes one for each request. */
  keepsAlive: boolean;
  pool: Pool;
}

/**
 * Clients behind the balancer that know one answer that is no answer, 503, which they ask again. Whatever else happens to them is an error:
 * a connection that breaks, or another status.
 */
export class SteadyClients {
  readonly errors: string[] = [];
  answered = 0;
  askedAgain = 0;
  readonly #clients: Client[];
  readonly #running: Promise<void>[];
  readonly #pauseMs: number;
  #stopping = false;

  /** Each request says that it comes from another address; behind a proxy that nobody can tell that, a client has one: `localAddressOf` it. */
  constructor(url: string, count: number, localAddressOf?: (client: number) => string) {
    this.#pauseMs = localAddressOf === undefined ? PAUSE_MS : UNHURRIED_PAUSE_MS;
    this.#clients = Array.from({ length: count }, (_, n) => ({
      keepsAlive: n % 2 === 0,
      pool: new Pool(url, {
        connections: 1,
        pipelining: n % 2 === 0 ? 1 : 0,
        ...(localAddressOf === undefined ? {} : { localAddress: localAddressOf(n) }),
      }),
    }));
    this.#running = this.#clients.map((client, n) => this.#run(client, `steady-${n}`));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
    await Promise.all(this.#clients.map(({ pool }) => pool.close()));
  }

  /** Pays, polls it, posts its result and reads it, again and again. */
  async #run(client: Client, terminalId: string): Promise<void> {
    while (!this.#stopping) {
      const uuid = randomUUID();
      const paid = await this.#ask(client, "POST", `/api/v1/${terminalId}/pay`, PARTNER, { uuid, amount: 100, service: "PAYCC" });
      if (paid !== null) {
        await this.#poll(client, terminalId, uuid);
        await this.#ask(client, "POST", `/api/v1/${terminalId}/receipt`, TERMINAL, { uuid, result: "OK", amount: 100 });
        const found = await this.#ask(client, "GET", `/api/v1/${uuid}/uuid`, PARTNER);
        if (found !== null && !found.includes('"OK"')) this.errors.push(`${uuid} has no result: ${found}`);
      }
      await delay(this.#pauseMs);
    }
  }

  /** A node that was not paid at hears of it a moment later, or by a sweep. */
  async #poll(client: Client, terminalId: string, uuid: string): Promise<void> {
    for (const startedMs = performance.now(); performance.now() - startedMs < COMES_WITHIN_MS; await delay(PAUSE_MS)) {
      const got = await this.#ask(client, "GET", `/api/v1/${terminalId}/get`, TERMINAL);
      if (got === null || got.includes(uuid)) return;
      if (got !== "") this.errors.push(`${terminalId} got another command: ${got}`);
    }
    this.errors.push(`${uuid} did not come to ${terminalId}`);
  }

  /** Answers the body; null after an error, which is noted. */
  async #ask(client: Client, method: "GET" | "POST", path: string, credential: object, value?: object): Promise<string | null> {
    const headers: { [name: string]: string } = { ...credential, "x-forwarded-for": addressOf(this.answered) };
    if (!client.keepsAlive) headers["connection"] = "close";
    if (value !== undefined) headers["content-type"] = "application/json";
    for (;;) {
      try {
        const body = value === undefined ? {} : { body: JSON.stringify(value) };
        const response = await client.pool.request({ method, path, headers, ...body });
        const text = await response.body.text();
        this.answered += 1;
        if (response.statusCode === 200 || response.statusCode === 204) return text;
        assert.equal(response.statusCode, 503, `${method} ${path} was answered ${response.statusCode} ${text}`);
        this.askedAgain += 1;
      } catch (error) {
        this.errors.push(`${client.keepsAlive ? "kept" : "new"} connection: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
      await delay(RETRY_MS);
    }
  }
}

/** Another address each time, so that no rate limit stands in the way. */
function addressOf(count: number): string {
  return `10.99.${(count >> 8) & 255}.${count & 255}`;
}
