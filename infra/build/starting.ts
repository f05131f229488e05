import { readFileSync } from "node:fs";
import module, { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** Runs before each program of a build, and in each of its threads. */

const BUNDLES = new URL("../../bundles/", import.meta.url).href;

// Node 22.1 and newer keep what they compiled for the next start; they do without where the folder cannot be written.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") {
  module.enableCompileCache(fileURLToPath(new URL("../../.compile-cache/", import.meta.url)));
}

/** The maps of bundles that were in a stack trace. Node's own support reads every map at the start. */
const maps = new Map<string, SourceMap | null>();

/** Stack traces name the sources. */
Error.prepareStackTrace = (error, frames) => [titleOf(error), ...frames.map((frame) => `    at ${placeOf(frame)}`)].join("\n");

function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

function placeOf(frame: NodeJS.CallSite): string {
  const text = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (line === null || column === null || !file?.startsWith(BUNDLES)) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !("originalSource" in entry)) return text;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = fileURLToPath(new URL(originalSource, BUNDLES));
  return text.replace(`${file}:${line}:${column}`, () => `${source}:${originalLine + 1}:${originalColumn + 1}`);
}

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), "utf8")));
    } catch {
      // Whoever removed it still has the place in the bundle.
      map = null;
    }
    maps.set(file, map);
  }
  return map;
}
