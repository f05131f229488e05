import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { byKind, KEPT, type ResultName, readResultName } from "../result-name.ts";
import { drawResult } from "./draw.ts";
import type { StoredResult } from "./results-page.ts";

const ENDINGS = ["json", "md", "svg"] as const;

export interface StoredResults {
  /** The newest two of each kind. */
  kept: StoredResult[];
  /** The newest one of each. */
  newest: StoredResult[];
  /** Names of the files of older ones. */
  older: string[];
}

/** Reads the results of a folder and draws them; files whose name is no result's are passed over. Rejects where a JSON cannot be read. */
export async function readResults(folder: string): Promise<StoredResults> {
  const files = new Set(await readdir(folder));
  const kinds = [...byKind(namesOf(files)).values()];
  const kept = await Promise.all(kinds.map((names) => Promise.all(names.slice(0, KEPT).map((name) => stored(folder, files, name)))));
  const older = kinds
    .flatMap((names) => names.slice(KEPT))
    .flatMap(({ name }) => ENDINGS.map((ending) => `${name}.${ending}`))
    .filter((file) => files.has(file));
  return { kept: kept.flat(), newest: kept.flatMap((results) => results.slice(0, 1)), older };
}

/** Writes the plots beside the results and deletes the older ones; nothing is written or deleted where one of those that stay cannot be read. */
export async function tidyResults(folder: string): Promise<StoredResults> {
  const results = await readResults(folder);
  for (const { result, svg } of results.kept) if (svg !== null) await writeFile(join(folder, `${result.name}.svg`), svg);
  for (const file of results.older) await rm(join(folder, file));
  return results;
}

function namesOf(files: ReadonlySet<string>): ResultName[] {
  const names = new Set([...files].flatMap((file) => /^(.+)\.(?:json|md|svg)$/.exec(file)?.[1] ?? []));
  return [...names].flatMap((name) => readResultName(name) ?? []);
}

async function stored(folder: string, files: ReadonlySet<string>, result: ResultName): Promise<StoredResult> {
  const text = async (ending: "json" | "md") =>
    files.has(`${result.name}.${ending}`) ? await readFile(join(folder, `${result.name}.${ending}`), "utf8") : null;
  const json = await text("json");
  const markdown = (await text("md")) ?? "";
  const parsed: unknown = json === null ? null : JSON.parse(json);
  return { result, json: parsed, markdown, svg: parsed === null ? null : drawResult(result.name, parsed, markdown) };
}
