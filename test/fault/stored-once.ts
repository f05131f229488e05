import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type ClickHouseAddress, connectClickHouse } from "../../storage/clickhouse/client.ts";
import type { Course } from "./history.ts";
import { answered } from "./look-up.ts";
import { member, type RelayCaller } from "./relay-caller.ts";

/** Waits until it holds; fails with what was awaited. */
export async function until(what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await holds()); await delay(50)) {
    assert.ok(performance.now() - startedMs < withinMs, `not within ${withinMs} ms: ${what}`);
  }
}

/** The lists of all terminals hold each acknowledged result once, as it was posted, and nothing else. */
export async function assertListedOnce(caller: RelayCaller, terminalIds: Iterable<string>, posted: readonly Course[]): Promise<void> {
  const listed: string[] = [];
  await until("the list answers", 60_000, async () => (await caller.get("/api/v1/poll-0/transactions"))?.status === 200);
  for (const terminalId of terminalIds) {
    for (const status of ["OK", "KO"]) {
      for (let offset = 0, more = true; more; offset += 500) {
        const path = `/api/v1/${terminalId}/transactions?status=${status}&limit=500&offset=${offset}`;
        const answer = await answered(caller.get(path));
        assert.equal(answer.status, 200, answer.text);
        const items: unknown = member(answer.body, "data");
        const page = Array.isArray(items) ? items : [];
        for (const item of page)
          listed.push(`${member(item, "uuid")} ${terminalId} ${member(item, "status")} ${member(item, "amountCents")}`);
        more = page.length === 500;
      }
    }
  }
  assert.deepEqual(listed.sort(), linesOf(posted));
}

/** The view that analysts use holds each acknowledged result once, as it was posted, and nothing else; `aside`: terminals of others. */
export async function assertInClickHouseOnce(
  address: ClickHouseAddress,
  posted: readonly Course[],
  withinMs = 60_000,
  aside: (terminalId: string) => boolean = () => false,
): Promise<void> {
  const client = connectClickHouse(address);
  const query = "SELECT uuid, terminal_id, status, toString(amount_cents) AS amount FROM relay.transactions_final";
  const lines = async (): Promise<string[]> => {
    const result = await client.query({ query, format: "JSONEachRow" });
    const rows = await result.json<{ uuid: string; terminal_id: string; status: string; amount: string }>();
    const own = rows.filter(({ terminal_id }) => !aside(terminal_id));
    return own.map(({ uuid, terminal_id, status, amount }) => `${uuid} ${terminal_id} ${status} ${amount}`).sort();
  };
  try {
    await until("all results are in ClickHouse", withinMs, async () => (await lines()).length >= posted.length);
    assert.deepEqual(await lines(), linesOf(posted));
  } finally {
    await client.close();
  }
}

function linesOf(posted: readonly Course[]): string[] {
  return posted.map(({ uuid, terminalId, outcome, amountCents }) => `${uuid} ${terminalId} ${outcome} ${amountCents}`).sort();
}
