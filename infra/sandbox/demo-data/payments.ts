import { readCommand } from "../terminal/command.ts";
import { settingsOf } from "../terminal/options.ts";
import { scenarioOf } from "../terminal/outcomes.ts";
import { paymentResult } from "../terminal/payment-result.ts";
import type { DemoRelay } from "./demo-relay.ts";
import type { DemoPayment } from "./month.ts";

/** Payments of different terminals that begin within this time are sent at once. */
const AT_ONCE_MS = 3_600_000;

/**
 * The payments in rounds: each round has at most one payment of a terminal, and the payments of a
 * terminal stay in order. The rounds are in the order of time.
 */
export function roundsOf(payments: readonly DemoPayment[]): DemoPayment[][] {
  const rounds: DemoPayment[][] = [];
  for (const payment of payments) {
    const last = rounds.at(-1);
    const [first] = last ?? [];
    const fits =
      last !== undefined &&
      first !== undefined &&
      payment.atMs - first.atMs < AT_ONCE_MS &&
      !last.some(({ terminalId }) => terminalId === payment.terminalId);
    if (fits) last.push(payment);
    else rounds.push([payment]);
  }
  return rounds;
}

/**
 * The way of a payment over HTTP: the shop's order, the terminal's poll and its result. Without
 * `answers` the terminal takes the payment and never posts a result.
 */
export async function pay(
  relay: DemoRelay,
  { terminalId, service, amountCents }: Omit<DemoPayment, "atMs">,
  { answers = true }: { answers?: boolean } = {},
): Promise<string> {
  const uuid = relay.uuid();
  await relay.terminal(terminalId, "pay", { uuid, amount: amountCents, service });
  const command = readCommand(JSON.stringify(await relay.terminal(terminalId, "get")));
  if (command?.uuid !== uuid) throw new Error(`${terminalId} got another command than the one that was sent`);
  if (!answers) return uuid;
  const result = paymentResult(command, scenarioOf(amountCents), settingsOf({ terminalId }), relay.clock.nowMs());
  await relay.terminal(terminalId, "receipt", result);
  return uuid;
}
