import { setTimeout as delay } from "node:timers/promises";
import { MERCHANT_BASE } from "../../http/surfaces/merchant/surface.ts";
import { percentile, rounded } from "./part.ts";
import type { Credentials, PortalCaller } from "./person.ts";
import { cpuMsOf, rssOf } from "./process-times.ts";

const MEMORY_LOOK_MS = 50;
/** Somebody else looks at a page meanwhile. */
const LOOK_BESIDE_MS = 50;
const STATE_LOOK_MS = 100;
const ENDED_WITHIN_MS = 300_000;

export interface ExportTimes {
  format: "CSV" | "XLSX";
  rows: number;
  bytes: number;
  /** From the order to READY. */
  seconds: number;
  cpuSeconds: number;
  nodeGrowthMb: number;
  clickHouseGrowthMb: number;
  /** Of session checks that were asked for meanwhile. */
  besideP50Ms: number;
  besideP99Ms: number;
}

export interface ExportBenchOptions {
  caller: PortalCaller;
  pid: number;
  clickHousePid: number | null;
  credentials: Credentials;
}

/** An export of the transactions from a day on, from the order until its file is there; null where there are too many rows for its format. */
export async function measureExport(
  { caller, pid, clickHousePid, credentials }: ExportBenchOptions,
  format: ExportTimes["format"],
  from: string,
): Promise<ExportTimes | null> {
  const memory = async () => ({ node: await rssOf(pid), clickHouse: await rssOf(clickHousePid) });
  const cpu = async () => (await cpuMsOf(pid)) + (await cpuMsOf(clickHousePid));
  const before = await memory();
  const most = { ...before };
  const look = setInterval(async () => {
    const now = await memory();
    most.node = Math.max(most.node, now.node);
    most.clickHouse = Math.max(most.clickHouse, now.clickHouse);
  }, MEMORY_LOOK_MS);
  const beside = new LooksBeside(caller, credentials);
  const [startedMs, cpuBefore] = [performance.now(), await cpu()];
  try {
    const body = { list: "transactions", filters: { from }, format, lang: "it" };
    const made = await caller.must({ method: "POST", path: `${MERCHANT_BASE}/exports`, headers: { ...credentials }, body });
    const id = /"id":"(exp_[a-z0-9]+)"/.exec(made.text)?.[1] ?? "";
    for (;;) {
      const { text } = await caller.must({ path: `${MERCHANT_BASE}/exports/${id}`, headers: { ...credentials } });
      const shown: { data: { state: string; failure: string | null; rows: number | null; bytes: number | null } } = JSON.parse(text);
      const { state, failure, rows, bytes } = shown.data;
      if (failure === "too_many_rows") return null;
      if (failure !== null) throw new Error(`the export has failed: ${failure}`);
      if (state === "READY") {
        const seconds = rounded((performance.now() - startedMs) / 1_000);
        const looks = await beside.stop();
        const mb = (grown: number) => Math.round(grown / 1_048_576);
        return {
          ...{ format, rows: rows ?? 0, bytes: bytes ?? 0, seconds, cpuSeconds: rounded(((await cpu()) - cpuBefore) / 1_000) },
          nodeGrowthMb: mb(most.node - before.node),
          clickHouseGrowthMb: mb(most.clickHouse - before.clickHouse),
          besideP50Ms: rounded(percentile(looks, 0.5)),
          besideP99Ms: rounded(percentile(looks, 0.99)),
        };
      }
      if (performance.now() - startedMs > ENDED_WITHIN_MS) throw new Error(`the export is still ${state}`);
      await delay(STATE_LOOK_MS);
    }
  } finally {
    clearInterval(look);
    await beside.stop();
  }
}

/** Asks who is signed in, again and again, from when it is made. */
export class LooksBeside {
  readonly #times: number[] = [];
  readonly #ended: Promise<void>;
  #isOver = false;

  constructor(caller: PortalCaller, credentials: Credentials) {
    this.#ended = this.#look(caller, credentials);
  }

  async #look(caller: PortalCaller, credentials: Credentials): Promise<void> {
    while (!this.#isOver) {
      const startedMs = performance.now();
      await caller.must({ path: `${MERCHANT_BASE}/session`, headers: { ...credentials } });
      this.#times.push(performance.now() - startedMs);
      await delay(LOOK_BESIDE_MS);
    }
  }

  async stop(): Promise<readonly number[]> {
    this.#isOver = true;
    await this.#ended;
    return this.#times;
  }
}
