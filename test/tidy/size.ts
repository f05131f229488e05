/**
 * Measures how large the sources are. `size.json` stores the figures, and `size.test.ts` fails
 * when one of them grows.
 *
 *     node --import tsx test/tidy/size.ts               prints the figures and what is too long
 *     UPDATE_SIZE=1 npm test -- tidy/size               stores the figures that have fallen
 *     UPDATE_SIZE=raise npm test -- tidy/size           stores all figures, also higher ones
 *
 * A change that adds a feature raises the lines in its own commit. The message of this commit says
 * by how many lines product and tests grow. No other change raises a figure.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LINES_MAX = 400;
/** `biome/long.json` states the same maximum for functions. */
const BLOCK_LINES_MAX = 120;

/**
 * The figures by name. `longFiles` counts files of the product, `longFunctions` its functions and
 * classes. A line is one that is not blank. In functions and classes it is not a comment either.
 */
export type Figures = Readonly<Record<string, number>>;

interface Source {
  readonly path: string;
  readonly lines: readonly string[];
}

interface Diagnostic {
  readonly category: string;
  readonly message: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number }; readonly end: { readonly line: number } };
}

/** Returns the figures, and the names of the product's long files, functions and classes. */
export function measure(): { figures: Figures; tooLong: string[] } {
  const product = sourcesIn("engine", "http", "storage", "infra");
  const longFiles = product.map(({ path, lines }) => ({ path, count: countIn(lines) })).filter(({ count }) => count > LINES_MAX);
  const longFunctions = longFunctionsOf(product);
  return {
    figures: {
      productLines: totalOf(product),
      testLines: totalOf(sourcesIn("test")),
      longFiles: longFiles.length,
      longFunctions: longFunctions.length,
    },
    tooLong: [...longFiles.map(({ path, count }) => `${path} has ${count} lines`), ...longFunctions],
  };
}

/** Biome counts the lines of functions. Of classes it only reports where they begin and end. */
function longFunctionsOf(product: readonly Source[]): string[] {
  const lines = new Map(product.map((source) => [source.path, source.lines]));
  const found = diagnosticsOf("long.json", ["engine", "http", "storage", "infra"]);
  const classes = found.filter(({ message }) => message === "class");
  if (classes.length === 0) throw new Error("Biome reported no class at all. Check test/tidy/biome against its version.");
  const functions = found.filter(({ message }) => message !== "class");
  const longClasses = classes
    .map(({ location: { path, start, end } }) => {
      const code = (lines.get(path) ?? []).slice(start.line - 1, end.line).filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
      return { at: `${path}:${start.line}`, count: countIn(code) };
    })
    .filter(({ count }) => count > BLOCK_LINES_MAX)
    .map(({ at, count }) => `${at} is a class of ${count} lines`);
  return [...functions.map(({ location, message }) => `${location.path}:${location.start.line} ${message}`), ...longClasses];
}

function diagnosticsOf(configuration: string, paths: readonly string[]): Diagnostic[] {
  const options = [`--config-path=test/tidy/biome/${configuration}`, "--reporter=json", "--max-diagnostics=none"];
  const output = execFileSync("node_modules/.bin/biome", ["lint", ...options, ...paths], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(output);
  // Biome also reports comments that switch off a rule which this configuration does not have.
  return diagnostics.filter(({ category }) => category !== "suppressions/unused");
}

function sourcesIn(...folders: string[]): Source[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)))
    .filter((path) => /\.(?:tsx?|mts)$/.test(path) && !path.includes("node_modules/"))
    .map((path) => ({ path, lines: linesOf(path) }));
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split("\n");
}

function countIn(lines: readonly string[]): number {
  return lines.filter((line) => /\S/.test(line)).length;
}

function totalOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { lines }) => sum + countIn(lines), 0);
}

if (process.argv[1] === import.meta.filename) {
  const { figures, tooLong } = measure();
  for (const line of tooLong) console.log(line);
  console.table(figures);
}
