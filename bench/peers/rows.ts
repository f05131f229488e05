import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 100;
const ROWS_MAX_MS = 120_000;

/** Until a relay has brought all rows that it owes to ClickHouse. Rejects where it does not, or where ClickHouse refused one. */
export async function untilRowsAreStored(port: number): Promise<void> {
  const giveUpAt = performance.now() + ROWS_MAX_MS;
  for (;;) {
    const { waiting, refused } = outboxIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    if (refused > 0) throw new Error(`ClickHouse refused ${refused} rows`);
    if (waiting === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`${waiting} rows are not in ClickHouse after ${ROWS_MAX_MS / 1_000} s`);
    await delay(LOOK_MS);
  }
}

/** Of a relay's metrics. Throws where they do not say it. */
export function outboxIn(metrics: string): { waiting: number; refused: number } {
  const value = (name: string): number => {
    const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, "m").exec(metrics)?.[1];
    if (found === undefined) throw new Error(`the relay's metrics have no ${name}`);
    return Number(found);
  };
  return { waiting: value("relay_outbox_depth"), refused: value("relay_feed_refused_rows_total") };
}
