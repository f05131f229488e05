import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClickHouseAddress } from "./client.ts";

/** In the data directory. */
export const CLICKHOUSE_FILE = "clickhouse.json";

/** The analysts' user where nothing else is configured. */
export const ANALYST_USERNAME = "analyst";

/**
 * Writes a file with the analysts' access to ClickHouse into the data directory, readable by its owner only; it never contains the relay's
 * own user.
 */
export async function writeAnalystAccess(dataDirectory: string, { url, username, password }: ClickHouseAddress): Promise<void> {
  const path = join(dataDirectory, CLICKHOUSE_FILE);
  await writeFile(`${path}.new`, `${JSON.stringify({ url, username, password }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the file of `writeAnalystAccess`; null if there is none. Throws if the file is not valid. */
export async function readAnalystAccess(dataDirectory: string): Promise<ClickHouseAddress | null> {
  const text = await readFile(join(dataDirectory, CLICKHOUSE_FILE), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const access: Partial<ClickHouseAddress> = JSON.parse(text);
  const { url, username, password } = access;
  if (typeof url !== "string" || typeof username !== "string" || typeof password !== "string") {
    throw new Error(`${join(dataDirectory, CLICKHOUSE_FILE)} does not contain url, username and password`);
  }
  return { url, username, password };
}
