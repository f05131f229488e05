import { readdir, readFile } from "node:fs/promises";
import type { ClickHouseClient } from "@clickhouse/client";

const FOLDER = new URL("./migrations/", import.meta.url);

/** A numbered step of the schema; its statements can be run again after a crash in their middle. */
export interface Migration {
  version: number;
  name: string;
  statements: string[];
}

/** The database was changed by a newer version of this program, which this one does not understand. */
export class SchemaTooNew extends Error {
  constructor(found: number, known: number) {
    super(`the ClickHouse schema has version ${found}, but this program supports only ${known}; run the newer program`);
    this.name = "SchemaTooNew";
  }
}

/**
 * Migrates the database to the newest version, step by step. Resolves with the applied versions. Safe to run again and from several nodes
 * at once. Throws SchemaTooNew.
 */
export async function migrate(client: ClickHouseClient, migrations?: readonly Migration[]): Promise<number[]> {
  const known = migrations ?? (await readMigrations());
  await client.command({ query: "CREATE DATABASE IF NOT EXISTS relay" });
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS relay.schema_migrations (version UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'))
      ENGINE = ReplacingMergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  });
  const result = await client.query({ query: "SELECT max(version) AS version FROM relay.schema_migrations", format: "JSONEachRow" });
  const found = (await result.json<{ version: number }>())[0]?.version ?? 0;
  const newest = known.at(-1)?.version ?? 0;
  if (found > newest) throw new SchemaTooNew(found, newest);
  const applied: number[] = [];
  for (const { version, name, statements } of known) {
    if (version <= found) continue;
    for (const query of statements) await client.command({ query });
    await client.insert({ table: "relay.schema_migrations", values: [{ version, name }], format: "JSONEachRow" });
    applied.push(version);
  }
  return applied;
}

/** Reads migrations/NNNN-name.sql in the order of their numbers, which have no gap. A statement ends with a semicolon at the end of a line. */
export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const [, number, name] = /^(\d{4})-(.+)\.sql$/.exec(file) ?? [];
      if (number === undefined || name === undefined || Number(number) !== index + 1) {
        throw new Error(`migration ${file} should have the number ${index + 1}`);
      }
      const text = await readFile(new URL(file, FOLDER), "utf8");
      const statements = text
        .replaceAll(/^--.*$/gm, "")
        .split(/;\s*$/m)
        .map((statement) => statement.trim())
        .filter((statement) => statement !== "");
      return { version: index + 1, name, statements };
    }),
  );
}
