import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const SERVICE_NAMES = ["redis", "kafka", "clickhouse"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** A process that `infra:up` started, with enough data to find it again and to distinguish it from any other. */
export interface ServiceRecord {
  pid: number;
  port: number;
  /** Part of its command line that no other process has: the path of its configuration. */
  marker: string;
}

export type InfraState = Partial<Record<ServiceName, ServiceRecord>>;

/** `infra.json` of the folder; empty when nothing was started there. */
export async function readInfraState(directory: string): Promise<InfraState> {
  const text = await readFile(stateFile(directory), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const parsed: unknown = JSON.parse(text);
  const state: InfraState = {};
  if (typeof parsed !== "object" || parsed === null) return state;
  for (const name of SERVICE_NAMES) {
    const record: unknown = Reflect.get(parsed, name);
    if (isServiceRecord(record)) state[name] = record;
  }
  return state;
}

/** Whole or not at all. */
export async function writeInfraState(directory: string, state: InfraState): Promise<void> {
  const file = stateFile(directory);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

function stateFile(directory: string): string {
  return join(directory, "infra.json");
}

function isServiceRecord(value: unknown): value is ServiceRecord {
  if (typeof value !== "object" || value === null) return false;
  const { pid, port, marker } = value as Partial<Record<keyof ServiceRecord, unknown>>;
  return Number.isInteger(pid) && Number.isInteger(port) && typeof marker === "string" && marker !== "";
}

/** A process that was started; `answers` is called repeatedly until it is true. */
export interface StartedService {
  pid: number;
  marker: string;
  answers(): Promise<boolean>;
  /** The RELAY_ variable that names it. */
  variable: { name: string; value: string };
}
