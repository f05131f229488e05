import { Bench } from "tinybench";
import { addAuthentication } from "./http.ts";
import { addMachine } from "./machine.ts";
import { addPayload } from "./payload.ts";
import { addStomp } from "./stomp.ts";
import { withStore } from "./store.ts";

const TIME_MS = 300;
const WARM_UP_MS = 150;

export interface MicroResult {
  name: string;
  /** Mean of one operation. */
  micros: number;
  /** Relative margin of error of the mean. */
  errorPercent: number;
  perSecond: number;
}

/** One part of the hot paths at a time, without the rest. */
export async function runMicro(progress: (name: string) => void): Promise<MicroResult[]> {
  const bench = new Bench({ time: TIME_MS, warmupTime: WARM_UP_MS });
  addMachine(bench);
  addPayload(bench);
  addAuthentication(bench);
  addStomp(bench);
  bench.addEventListener("cycle", ({ task }) => progress(task?.name ?? ""));
  return withStore(bench, async () => {
    await bench.run();
    return bench.tasks.map(resultOf);
  });
}

function resultOf({ name, result }: Bench["tasks"][number]): MicroResult {
  if (!("latency" in result)) throw new Error(`${name} was not measured`);
  // Many operations a call: see `batched`.
  const operations = Number(/\((\d+) at once\)/.exec(name)?.[1] ?? 1);
  const micros = (result.latency.mean * 1_000) / operations;
  return { name, micros, errorPercent: result.latency.rme, perSecond: 1e6 / micros };
}
