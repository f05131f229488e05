import { readFileSync } from "node:fs";

export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  from: string;
  /** Null for the last one. */
  as: string | null;
  instructions: Instruction[];
  /** Where COPY puts things, from the working folder. */
  copied: string[];
}

/** A Dockerfile as its instructions, continued lines as one and without comments. */
export function dockerfileOf(path: string): { stages: Stage[]; final: Stage } {
  const text = readFileSync(path, "utf8")
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n/g, " ");
  const stages: Stage[] = [];
  for (const line of text.split("\n").filter((candidate) => candidate.trim() !== "")) {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`${path}: ${line} is no instruction`);
    if (name === "FROM") {
      const [, from = "", as] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      stages.push({ from, as: as ?? null, instructions: [], copied: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${path}: ${name} before FROM`);
    stage.instructions.push({ name, text: rest });
    if (name === "COPY") stage.copied.push(rest.split(/\s+/).at(-1) ?? "");
  }
  const final = stages.at(-1);
  if (final === undefined) throw new Error(`${path} builds nothing`);
  return { stages, final };
}
