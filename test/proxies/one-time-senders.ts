import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { CREDENTIALS } from "../support/http/http-client.ts";
import { member } from "../support/http/matches.ts";
import type { TestGateway } from "../support/node/gateway.ts";

/** Within the rate limit of payments. */
const SENDER_PAUSE_MS = 50;

/** Clients that send payments and links once each, whatever comes of it. */
export class OneTimeSenders {
  readonly #sent: { kind: "pay" | "link"; amountCents: number; status: number | null }[] = [];
  readonly #running: Promise<void>[];
  #stopping = false;

  constructor(url: string, count: number) {
    this.#running = Array.from({ length: count }, (_, n) => this.#run(url, n));
  }

  get answered(): number {
    return this.#sent.length;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Each at an address of its own, half of them over kept connections. */
  async #run(url: string, n: number): Promise<void> {
    const pool = new Pool(url, { connections: 1, pipelining: n % 2, localAddress: `127.77.1.${n + 1}` });
    // One after the other, so that they do not all rest at the same moment.
    await delay(n * SENDER_PAUSE_MS);
    for (let turn = 0; !this.#stopping; turn += 1) {
      // What tells one from all others.
      const amountCents = (n + 1) * 10_000 + turn;
      const kind = turn % 2 === 0 ? "pay" : "link";
      const [path, body] =
        kind === "pay"
          ? [`/api/v1/ONCE-${n}-${turn}/pay`, { uuid: randomUUID(), amount: amountCents, service: "PAYCC" }]
          : ["/api/v1/paybylink", { amount: (amountCents / 100).toFixed(2), reason: "once" }];
      const headers = { ...CREDENTIALS.partner, "content-type": "application/json" };
      let status: number | null = null;
      try {
        const response = await pool.request({ method: "POST", path, headers, body: JSON.stringify(body) });
        await response.body.dump();
        status = response.statusCode;
      } catch {
        // It broke off.
      }
      this.#sent.push({ kind, amountCents, status });
      await delay(SENDER_PAUSE_MS);
    }
    await pool.destroy();
  }

  /** A payment that was sent twice would have been refused as a duplicate; a link would be at the gateway twice. */
  async assertNothingTwice(test: TestContext, gateway: TestGateway): Promise<void> {
    const ordered = (await gateway.payments()).map((payment) => member(payment, "amount", "value"));
    const failed = this.#sent.filter(({ status }) => status !== 200);
    test.diagnostic(`${this.#sent.length} sent, ${failed.length} of them not answered 200: ${failed.map(({ status }) => status)}`);
    for (const { kind, amountCents, status } of this.#sent) {
      assert.ok(status === null || status === 200 || status >= 500, `a ${kind} was answered ${status}`);
      if (kind === "pay") continue;
      const times = ordered.filter((amount) => amount === amountCents).length;
      assert.ok(times <= 1, `a link was created ${times} times`);
      if (status === 200) assert.equal(times, 1);
    }
    assert.ok(failed.length > 0, "nothing was under way at the node that died");
  }
}
