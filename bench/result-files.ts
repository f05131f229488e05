import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { join, relative } from "node:path";
import { machineFacts, measuredCommit } from "./machine-facts.ts";
import { drawResult } from "./plots/draw.ts";
import { ROOT } from "./root.ts";

/** Names that tell a reader what kind of processor it was; others are in the file. */
const PROCESSORS = /\b(xeon|epyc|ryzen|threadripper|core|graviton|neoverse|ampere|apple m\d+)\b/i;

/** Files of one day, machine and kind; a run after that is not written. */
const NUMBER_MAX = 100;

export interface ResultFiles {
  /** YYYY-MM-DD. */
  date: string;
  /** `cluster`, `links`; null for the node by itself. */
  kind: string | null;
  /** The day, the machine and the commit are added where it does not tell them. */
  json: object;
  markdown: string;
}

/**
 * Writes a result as `<date>[-<kind>]-<cores>cores[-<processor>][-<number>].json` and `.md`, the number where there is one of that name already; answers with
 * their paths from here. Nothing in the name names the machine, its users or its folders.
 */
export async function writeResultFiles(
  { date, kind, json, markdown }: ResultFiles,
  folder = join(ROOT, "bench/results"),
): Promise<string[]> {
  const parts = [date, kind, `${availableParallelism()}cores`, processorName(cpus()[0]?.model ?? "")];
  const base = parts.filter((part) => part !== null).join("-");
  const measured = { date, machine: machineFacts(), commit: measuredCommit(), ...json };
  await mkdir(folder, { recursive: true });
  for (let number = 1; number <= NUMBER_MAX; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const file = join(folder, name);
    const svg = drawResult(name, measured, markdown);
    const text = `${markdown}\n${measured.commit === null ? "" : `Commit ${measured.commit}. `}${svg === null ? "" : `[Plot](${name}.svg).`}\n`;
    const isOurs = await writeFile(`${file}.md`, text, { flag: "wx" }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") return false;
        throw error;
      },
    );
    if (!isOurs) continue;
    await writeFile(`${file}.json`, `${JSON.stringify(measured, null, 2)}\n`);
    if (svg !== null) await writeFile(`${file}.svg`, svg);
    return ["json", "md", ...(svg === null ? [] : ["svg"])].map((ending) => relative(process.cwd(), `${file}.${ending}`));
  }
  throw new Error(`there are ${NUMBER_MAX} results of the name ${base}`);
}

/** The part of a file's name that tells of a processor's model, as the system gives it; null where there is none. */
export function processorName(model: string): string | null {
  return (
    PROCESSORS.exec(model.replaceAll(/\((?:R|TM)\)/gi, ""))?.[1]
      ?.toLowerCase()
      .replace(" ", "-") ?? null
  );
}
