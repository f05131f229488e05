import assert from "node:assert/strict";
import { type DemoPayment, demoMonth } from "../../infra/sandbox/demo-data/month.ts";
import { readCommand } from "../../infra/sandbox/terminal/command.ts";
import { settingsOf } from "../../infra/sandbox/terminal/options.ts";
import { scenarioOf } from "../../infra/sandbox/terminal/outcomes.ts";
import { paymentResult } from "../../infra/sandbox/terminal/payment-result.ts";
import { listOf, member } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import type { PortalPerson } from "../support/people/portal-person.ts";

/** Pays as the sandbox's terminal does, at the relay's time: sent, polled, answered. Resolves with the uuid. */
export async function pay(
  relay: Relay,
  { terminalId, service, amountCents }: Omit<DemoPayment, "atMs">,
  more: { [member: string]: unknown } = {},
): Promise<string> {
  const [uuid, fleet] = [relay.uuid(), relay.fleet()];
  const sent = await fleet.pay(terminalId, { uuid, amount: amountCents, service });
  assert.equal(sent.status, 200, sent.text);
  const command = readCommand((await fleet.take(terminalId)).text);
  assert.ok(command?.uuid === uuid, `${terminalId} got another command than the one that was sent`);
  const result = paymentResult(command, scenarioOf(amountCents), settingsOf({ terminalId }), relay.nowMs());
  const posted = await fleet.receipt(terminalId, { ...result, ...more });
  assert.equal(posted.status, 200, posted.text);
  return uuid;
}

export const card = (terminalId: string, amountCents: number) => ({ terminalId, service: "PAYCC" as const, amountCents });

/** Of the payments of a busy shop one in so many is enough to see pages with something in them. */
const ONE_OF = 5;

/** The last days of a shop, paid while the clock goes from `fromMs` to `untilMs`, where it stands in the end. */
export async function payDays(
  relay: Relay,
  terminalIds: readonly [string, string],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): Promise<void> {
  const payments = demoMonth({ seed: 7, fromMs, untilMs, timeZone: "Europe/Rome", terminalIds });
  for (const payment of payments.filter((_, index) => index % ONE_OF === 0)) {
    relay.advance(Math.max(0, payment.atMs - relay.nowMs()));
    await pay(relay, payment);
  }
  relay.advance(Math.max(0, untilMs - relay.nowMs()));
}

/** Every transaction of the interface, page by page. */
export async function transactionsOf(person: PortalPerson, query = ""): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const answer = await person.send(
      "GET",
      `/transactions?limit=20&${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    assert.equal(answer.status, 200, answer.text);
    items.push(...listOf(member(answer.body, "data", "items")));
    const next = member(answer.body, "data", "next");
    cursor = typeof next === "string" ? next : null;
  }
  return items;
}
