import type { Panel } from "../charts/panel.ts";
import { svgDocument } from "../charts/svg-document.ts";
import { type ResultName, readResultName } from "../result-name.ts";
import { kindOf } from "./kinds.ts";
import { numberOf, textOf } from "./read.ts";

export interface Facts {
  date: string;
  machine: string;
  /** `Node v22.23.2`. */
  node: string;
  commit: string;
}

/** Former results tell their machine in their markdown alone. */
const NODE_IN_TEXT = /Node (v\d+\.\d+\.\d+)/;
const PROCESSOR_IN_TEXT = /\d cores \((.+?)\), /;

/** Where and of what it was measured, by its JSON; by its name and its markdown where the JSON is of a day when it did not tell. */
export function factsOf({ date, cores, processor }: ResultName, json: unknown, markdown: string): Facts {
  const name = textOf(json, "machine", "processor") ?? PROCESSOR_IN_TEXT.exec(markdown)?.[1] ?? processor ?? "processor not kept";
  const memory = numberOf(json, "machine", "memoryGb");
  const node = textOf(json, "machine", "node") ?? textOf(json, "node") ?? NODE_IN_TEXT.exec(markdown)?.[1] ?? null;
  const commit = textOf(json, "commit");
  return {
    date: textOf(json, "date") ?? date,
    machine: [`${numberOf(json, "machine", "cores") ?? cores ?? "?"} cores (${name})`, ...(memory === null ? [] : [`${memory} GB`])].join(
      ", ",
    ),
    node: node === null ? "Node version not kept" : `Node ${node}`,
    commit: commit === null ? "commit not kept" : `commit ${commit}`,
  };
}

/** The panels of a result; none where its kind has no plot, or the JSON has nothing that they need. */
export function panelsOf(kind: string | null, json: unknown): Panel[] {
  return kindOf(kind)?.panels(json) ?? [];
}

/** The plot of a result with that name as SVG; null where there is nothing to draw. Throws where it is no name of a result. */
export function drawResult(name: string, json: unknown, markdown: string): string | null {
  const read = readResultName(name);
  if (read === null) throw new Error(`${name} is no name of a result`);
  const kind = kindOf(read.kind);
  if (kind === null) return null;
  const { date, machine, node, commit } = factsOf(read, json, markdown);
  return svgDocument({
    title: kind.title,
    facts: [`${date}, ${machine}, ${node}, ${commit}`, kind.command],
    panels: panelsOf(read.kind, json),
  });
}
