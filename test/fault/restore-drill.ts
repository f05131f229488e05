import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ClickHouseAddress } from "../../storage/clickhouse/client.ts";
import { eventually } from "../support/within.ts";
import { member, PARTNER, RelayCaller } from "./relay-caller.ts";

/** A relay that is stopped, taken back to what `backUp` copied, and started again. */
export interface Drill {
  url: string;
  /** The relay goes on meanwhile. */
  backUp(): Promise<void>;
  /** Resolves when what these payments fed (a result and a life each) is where the restored relay is to find it. */
  fed(uuids: readonly string[]): Promise<void>;
  /** Resolves when it is ready again. */
  restore(): Promise<void>;
  analyst(): Promise<ClickHouseAddress>;
}

async function paid(caller: RelayCaller, terminalId: string, uuid: string): Promise<void> {
  assert.equal((await caller.pay(terminalId, uuid))?.status, 200);
}

/** A poll may hear of it a moment later. */
async function sent(caller: RelayCaller, terminalId: string, uuid: string): Promise<void> {
  await eventually(async () => assert.equal(member((await caller.poll(terminalId))?.body, "uuid"), uuid));
}

async function done(caller: RelayCaller, terminalId: string, uuid: string, result: "OK" | "KO" = "OK"): Promise<void> {
  await paid(caller, terminalId, uuid);
  await sent(caller, terminalId, uuid);
  assert.equal((await caller.receipt(terminalId, uuid, result))?.status, 200);
}

async function stateOf(caller: RelayCaller, uuid: string): Promise<unknown> {
  return member((await caller.life(uuid))?.body, "data", "state");
}

async function answered(caller: RelayCaller, path: string): Promise<unknown[]> {
  const { body } = (await caller.get(path, PARTNER)) ?? {};
  return ["uuid", "status"].map((name) => member(body, "data", name));
}

/** How often ClickHouse counts a life as told. */
export async function lives({ url, username, password }: ClickHouseAddress, uuid: string): Promise<string> {
  const query = `SELECT state FROM relay.command_lives_final WHERE uuid = '${uuid}'`;
  const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
  return (await fetch(url, { method: "POST", headers, body: query })).text();
}

/**
 * Backup, more payments, restore, and the retry of a uuid that was paid since: nothing is handed out a second time, nothing that was paid is charged again or
 * called expired, and every result that ClickHouse has is found.
 */
export async function drillOf(drill: Drill): Promise<void> {
  const caller = new RelayCaller(drill.url);
  try {
    const [before, waiting, waited, since, refused] = Array.from({ length: 5 }, () => randomUUID());
    assert.ok(before !== undefined && waiting !== undefined && waited !== undefined && since !== undefined && refused !== undefined);
    await done(caller, "DRILL-1", before);
    await paid(caller, "DRILL-2", waiting);
    await paid(caller, "DRILL-3", waited);
    await drill.backUp();

    await sent(caller, "DRILL-2", waiting);
    await sent(caller, "DRILL-3", waited);
    assert.equal((await caller.receipt("DRILL-3", waited, "OK"))?.status, 200);
    await done(caller, "DRILL-1", since);
    await done(caller, "DRILL-4", refused, "KO");
    const fed = [before, waited, since, refused];
    await drill.fed(fed);

    await drill.restore();
    // The copy holds two that were sent since: nobody gets them again, and neither is called expired.
    for (const terminalId of ["DRILL-1", "DRILL-2", "DRILL-3", "DRILL-4"])
      assert.equal((await caller.poll(terminalId))?.status, 204, terminalId);
    await eventually(async () => assert.equal(await stateOf(caller, waiting), "unknown"));
    for (const uuid of fed) assert.equal(await stateOf(caller, uuid), "done");
    // What the store had forgotten: the retry is a duplicate, the result is found, and nothing older stands in its place.
    const retried = await caller.pay("DRILL-1", since);
    assert.deepEqual([retried?.status, retried?.headers["relay-command-state"]], [400, "done"]);
    assert.equal((await caller.poll("DRILL-1"))?.status, 204);
    assert.deepEqual(await answered(caller, `/api/v1/${since}/uuid`), [since, "OK"]);
    assert.deepEqual(await answered(caller, "/api/v1/DRILL-1/status"), [since, "OK"]);
    assert.deepEqual(await answered(caller, `/api/v1/${refused}/uuid`), [refused, "KO"]);
    // A late answer of a device to what is unknown is still taken, and everything goes on.
    assert.equal((await caller.receipt("DRILL-2", waiting, "OK"))?.status, 200);
    assert.equal(await stateOf(caller, waiting), "done");
    await done(caller, "DRILL-1", randomUUID());
    await eventually(async () => {
      for (const uuid of [...fed, waiting]) assert.equal(await lives(await drill.analyst(), uuid), "done\n");
    });
  } finally {
    await caller.close();
  }
}
