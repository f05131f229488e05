import { randomUUID } from "node:crypto";
import type { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "../logins/request.ts";
import { type Latencies, latenciesOf } from "./latencies.ts";
import { API_KEY, clientAddress } from "./terminals.ts";

/** Terminals that the payments go to in turn. */
const TERMINALS = 5_000;

/** Pays by API key on a fixed schedule, from many addresses. */
export async function paysOnSchedule(of: {
  port: number;
  agent: Agent;
  perSecond: number;
  seconds: number;
}): Promise<Latencies & { failed: number }> {
  const { port, agent, perSecond, seconds } = of;
  const times: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const sending = Array.from({ length: perSecond * seconds }, async (_, index) => {
    const dueAt = startedAt + (index * 1_000) / perSecond;
    await delay(dueAt - performance.now());
    const body = JSON.stringify({ uuid: randomUUID(), amount: 100, service: "PAYCC" });
    const headers = { "api-key": API_KEY, "x-forwarded-for": clientAddress(index) };
    const { status } = await send({ port, agent, path: `/api/v1/Q${index % TERMINALS}/pay`, method: "POST", headers, body });
    // From when it was due: what waits for a connection counts.
    times.push(performance.now() - dueAt);
    if (status !== 200) failed += 1;
  });
  await Promise.all(sending);
  return { ...latenciesOf(times), failed };
}
