import { setTimeout as delay } from "node:timers/promises";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import type { Course } from "../fault/history.ts";

/** Rows under way are waited for with this pause. */
const PAUSE_MS = 1_000;

export interface Findings {
  /** What contradicts that each result is there once, as it was posted, and its command as `done`: a line each, which begins with the uuid. */
  broken: string[];
  /** How many commands are there in each state. */
  states: string;
}

/**
 * Looks for these results in ClickHouse, with FINAL; waits until all are there as they should be, for `withinMs` at most. `url` holds the
 * credentials.
 */
export async function inClickHouse(url: string, posted: readonly Course[], withinMs: number): Promise<Findings> {
  const { origin, username, password } = new URL(url);
  const client = connectClickHouse({ url: origin, username, password });

  async function byUuid(query: string): Promise<Map<string, string[]>> {
    const result = await client.query({ query, format: "JSONEachRow" });
    const rows = new Map<string, string[]>();
    for (const { uuid, shown } of await result.json<{ uuid: string; shown: string }>()) {
      const others = rows.get(uuid);
      if (others === undefined) rows.set(uuid, [shown]);
      else others.push(shown);
    }
    return rows;
  }

  async function look(): Promise<Findings> {
    const shown = "concat(terminal_id, ' ', status, ' ', toString(amount_cents)) AS shown";
    const results = await byUuid(`SELECT uuid, ${shown} FROM relay.transactions FINAL`);
    const lives = await byUuid("SELECT uuid, state AS shown FROM relay.command_lives FINAL");
    const broken: string[] = [];
    for (const { uuid, terminalId, outcome, amountCents } of posted) {
      const expected = `${terminalId} ${outcome} ${amountCents}`;
      const rows = results.get(uuid) ?? [];
      if (rows.length !== 1 || rows[0] !== expected) broken.push(`${uuid} is in ClickHouse as [${rows.join(", ")}], and was ${expected}`);
      const states = lives.get(uuid) ?? [];
      if (states.length !== 1 || states[0] !== "done") {
        broken.push(`${uuid} has a result, and its command is in ClickHouse as [${states.join(", ")}]`);
      }
    }
    return { broken, states: counted([...lives.values()].flat()) };
  }

  try {
    for (const startedMs = performance.now(); ; await delay(PAUSE_MS)) {
      const found = await look();
      if (found.broken.length === 0 || performance.now() - startedMs >= withinMs) return found;
    }
  } finally {
    await client.close();
  }
}

function counted(states: readonly string[]): string {
  const names = [...new Set(states)].sort();
  return names.map((name) => `${name} ${states.filter((state) => state === name).length}`).join(", ");
}
