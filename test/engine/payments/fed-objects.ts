import { isDeepStrictEqual } from "node:util";
import { type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { objectSources } from "../../../storage/feed/object-records.ts";
import { outboxRows } from "../../support/outbox.ts";

/** What was fed of merchants' things: the rows of each, by kind and id, in the order of their commits. Nothing has taken them out of the outbox. */
export async function fedObjects(kv: Kv): Promise<Map<string, ObjectRow[]>> {
  const all: { row: ObjectRow; version: number }[] = [];
  for await (const { row, version } of outboxRows(kv)) if (row?.type === "object") all.push({ row, version });
  all.sort((one, other) => one.version - other.version);
  const fed = new Map<string, ObjectRow[]>();
  for (const { row } of all) fed.set(nameOf(row), [...(fed.get(nameOf(row)) ?? []), row]);
  return fed;
}

/** The same of one, without what tells its rows apart from each other only. */
export async function fedOf(kv: Kv, name: string): Promise<Omit<ObjectRow, "version" | "storeVersion">[]> {
  return ((await fedObjects(kv)).get(name) ?? []).map(saidBy);
}

/** What the records in the store stand for. */
export async function rowsInStore(kv: Kv, isLive: (merchantId: string) => Promise<boolean | null>): Promise<Map<string, ObjectRow>> {
  const { links, others } = objectSources(kv, isLive);
  const rows = new Map<string, ObjectRow>();
  for (const { prefix, rows: rowsOf } of [links, ...others]) {
    for (const entry of await kv.scan({ ...prefixRange(prefix), limit: 10_000 })) {
      for (const row of (await rowsOf(entry)) ?? []) rows.set(nameOf(row), row);
    }
  }
  return rows;
}

/**
 * What is wrong with what was fed, in a sentence each: of each thing the row with the highest version, which ClickHouse shows whatever comes when and how often, says what its record
 * says; each commit that changed that has fed it, and no other; and versions grow.
 */
export async function fedFaults(kv: Kv, isLive: (merchantId: string) => Promise<boolean | null> = async () => false): Promise<string[]> {
  const faults: string[] = [];
  const fed = await fedObjects(kv);
  const stored = await rowsInStore(kv, isLive);
  for (const [name, rows] of fed) {
    for (const [index, row] of rows.slice(1).entries()) {
      const before = rows[index];
      if (before === undefined) continue;
      if (row.version <= before.version) faults.push(`${name} has the version ${row.version} after ${before.version}`);
      if (isDeepStrictEqual(saidBy(row), saidBy(before))) faults.push(`${name} was fed twice as ${row.state}`);
      if (row.merchantId !== before.merchantId || row.createdAtMs !== before.createdAtMs) faults.push(`${name} has another key`);
    }
    const last = rows.reduce((one, other) => (other.version > one.version ? other : one));
    const record = stored.get(name);
    if (record === undefined) faults.push(`${name} was fed, and is not there`);
    else if (!isDeepStrictEqual(saidBy(last), saidBy(record)))
      faults.push(`${name} was fed as ${JSON.stringify(last)}, and is ${JSON.stringify(record)}`);
  }
  for (const name of stored.keys()) if (!fed.has(name)) faults.push(`${name} was not fed`);
  return faults;
}

function nameOf({ object, id }: ObjectRow): string {
  return `${object} ${id}`;
}

function saidBy({ version: _, storeVersion: __, ...row }: ObjectRow): Omit<ObjectRow, "version" | "storeVersion"> {
  return row;
}
