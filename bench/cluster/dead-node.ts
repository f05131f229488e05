import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createRendezvousHomes } from "../../engine/routing/rendezvous.ts";
import { weightName } from "../../infra/node/cluster/address-names.ts";
import { API_KEY } from "../load/terminals.ts";

const TERMINALS = 30;
const ASK_TIMEOUT_MS = 10_000;
const GIVE_UP_MS = 60_000;
const PAUSE_MS = 20;

const PARTNER = { "api-key": API_KEY, "content-type": "application/json" };
const FLEET = { authorization: `Basic ${Buffer.from("terminal:terminal").toString("base64")}` };

export interface DeadNodeResult {
  terminals: number;
  /** From the kill until a payment that was sent after it had come to the terminal; the median terminal and the last. */
  medianMs: number;
  lastMs: number;
}

/** Kills a node, then pays and polls terminals that it was home to through another one until each has got its payment. */
export async function measureDeadNode(url: string, nodes: readonly string[], dead: string, kill: () => void): Promise<DeadNodeResult> {
  const homes = createRendezvousHomes(
    nodes.map((node) => `${node}#0/shard-0`),
    weightName,
  );
  const terminals: string[] = [];
  for (let n = 0; terminals.length < TERMINALS; n += 1) {
    if (homes.homeOf(`DEAD${n}`).startsWith(`${dead}#`)) terminals.push(`DEAD${n}`);
  }
  kill();
  const killedMs = performance.now();
  const times = await Promise.all(
    terminals.map(async (terminalId, n) => {
      const address = { "x-forwarded-for": `10.8.${n}.1` };
      const uuid = randomUUID();
      const body = JSON.stringify({ uuid, amount: 100, service: "PAYCC" });
      await until(async () => {
        const answer = await ask(`${url}/api/v1/${terminalId}/pay`, { method: "POST", headers: { ...PARTNER, ...address }, body });
        return answer !== null && answer.status !== 503;
      });
      await until(async () => {
        const answer = await ask(`${url}/api/v1/${terminalId}/get`, { headers: { ...FLEET, ...address } });
        return answer?.status === 200;
      });
      return performance.now() - killedMs;
    }),
  );
  times.sort((a, b) => a - b);
  return { terminals: TERMINALS, medianMs: times[TERMINALS >> 1] ?? Number.NaN, lastMs: times.at(-1) ?? Number.NaN };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await holds()); await delay(PAUSE_MS)) {
    if (performance.now() - startedMs > GIVE_UP_MS) throw new Error("a dead node's terminals do not work again");
  }
}

async function ask(url: string, init: RequestInit): Promise<Response | null> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer;
  } catch {
    return null;
  }
}
