import assert from "node:assert/strict";
import type { GatewayEvent } from "../../../infra/sandbox/gateway/options.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import { type SandboxGateway, startSandboxGateway } from "../../../infra/sandbox/gateway/server.ts";
import { listOf, member, textMember } from "../http/matches.ts";

/**
 * The sandbox card gateway in this process, which a test controls through its control endpoints.
 */
export class TestGateway {
  readonly #gateway: SandboxGateway;
  readonly #events: readonly GatewayEvent[];

  private constructor(gateway: SandboxGateway, events: readonly GatewayEvent[]) {
    this.#gateway = gateway;
    this.#events = events;
  }

  /** `others` are more merchant ids with the same secret. */
  static async start(stateFile?: string, others: readonly string[] = []): Promise<TestGateway> {
    const { merchantId, secret } = SANDBOX_GATEWAY_ACCOUNT;
    const events: GatewayEvent[] = [];
    const gateway = await startSandboxGateway({
      merchants: Object.fromEntries([merchantId, ...others].map((id) => [id, secret])),
      onEvent: (event) => events.push(event),
      ...(stateFile === undefined ? {} : { stateFile }),
    });
    return new TestGateway(gateway, events);
  }

  /** The value for RELAY_GATEWAY_URL. */
  get url(): string {
    return this.#gateway.url;
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }

  /** Sets or clears faults (infra/sandbox/gateway/README.md, "Faults"). */
  async faults(faults: { [member: string]: unknown }): Promise<void> {
    await this.#ask("PATCH", "/control", faults);
  }

  /** Moves the clock by which payments expire. */
  async advance(ms: number): Promise<void> {
    await this.#ask("POST", "/control/advance", { ms });
  }

  /** Acts as a buyer without a browser. */
  async act(
    txId: string,
    action: "pay" | "cancel" | "notify",
    members: { card?: string; amount?: { value: number; currency: string } } = {},
  ): Promise<void> {
    await this.#ask("POST", "/control/payments", { txId, action, ...members });
  }

  /** Returns how many queries for the payment's state were answered. */
  verifies(txId: string): number {
    return this.#events.filter((event) => event.type === "answered" && event.operation === "verify" && event.txId === txId).length;
  }

  /** Returns how many requests of this kind were answered. */
  answers(operation: "init" | "refund" | "reversal"): number {
    return this.#events.filter((event) => event.type === "answered" && event.operation === operation).length;
  }

  /** Returns the distinct ids of answered refunds and reversals. */
  returns(): ReadonlySet<string> {
    const ids = this.#events.flatMap((event) =>
      event.type === "answered" && (event.operation === "refund" || event.operation === "reversal") ? [event.txId] : [],
    );
    return new Set(ids);
  }

  /** Returns how many of its notifications of the payment were accepted. */
  notified(txId: string): number {
    return this.#events.filter((event) => event.type === "notified" && event.txId === txId).length;
  }

  async payments(): Promise<unknown[]> {
    return listOf(member(await this.#ask("GET", "/control/payments"), "payments"));
  }

  async payment(txId: string): Promise<unknown> {
    return (await this.payments()).find((payment) => member(payment, "txId") === txId) ?? null;
  }

  /** Returns the answers to charges of stored cards, by id. */
  async charges(): Promise<{ id: string; type: string }[]> {
    const charges = listOf(member(await this.#ask("GET", "/control/charges"), "charges"));
    return charges.map((charge) => ({ id: textMember(charge, "id"), type: textMember(charge, "answer", "type") }));
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }
}
