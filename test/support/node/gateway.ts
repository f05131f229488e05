import assert from "node:assert/strict";
import type { GatewayEvent } from "../../../infra/sandbox/gateway/options.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import { type SandboxGateway, startSandboxGateway } from "../../../infra/sandbox/gateway/server.ts";
import { listOf, member, textMember } from "../http/matches.ts";

/** The sandbox card gateway in this process, as its control endpoints give it into a test's hand. */
export class TestGateway {
  readonly #gateway: SandboxGateway;
  readonly #events: readonly GatewayEvent[];

  private constructor(gateway: SandboxGateway, events: readonly GatewayEvent[]) {
    this.#gateway = gateway;
    this.#events = events;
  }

  /** `others`: merchant ids that have the same secret. */
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

  /** For RELAY_GATEWAY_URL. */
  get url(): string {
    return this.#gateway.url;
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }

  /** Makes it fail, or well again (infra/sandbox/gateway/README.md, "Faults"). */
  async faults(faults: { [member: string]: unknown }): Promise<void> {
    await this.#ask("PATCH", "/control", faults);
  }

  /** Moves the clock by which payments expire. */
  async advance(ms: number): Promise<void> {
    await this.#ask("POST", "/control/advance", { ms });
  }

  /** A buyer without a browser. */
  async act(
    txId: string,
    action: "pay" | "cancel" | "notify",
    members: { card?: string; amount?: { value: number; currency: string } } = {},
  ): Promise<void> {
    await this.#ask("POST", "/control/payments", { txId, action, ...members });
  }

  /** How often it was asked where the payment stands. */
  verifies(txId: string): number {
    return this.#events.filter((event) => event.type === "answered" && event.operation === "verify" && event.txId === txId).length;
  }

  /** How often it was asked to do something, and answered. */
  answers(operation: "init" | "refund" | "reversal"): number {
    return this.#events.filter((event) => event.type === "answered" && event.operation === operation).length;
  }

  /** The ids under which it was asked to give money back, and answered: each once. */
  returns(): ReadonlySet<string> {
    const ids = this.#events.flatMap((event) =>
      event.type === "answered" && (event.operation === "refund" || event.operation === "reversal") ? [event.txId] : [],
    );
    return new Set(ids);
  }

  /** How many of its notifications of the payment were taken. */
  notified(txId: string): number {
    return this.#events.filter((event) => event.type === "notified" && event.txId === txId).length;
  }

  async payments(): Promise<unknown[]> {
    return listOf(member(await this.#ask("GET", "/control/payments"), "payments"));
  }

  async payment(txId: string): Promise<unknown> {
    return (await this.payments()).find((payment) => member(payment, "txId") === txId) ?? null;
  }

  /** Of cards on file, by the id: what was answered. */
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
