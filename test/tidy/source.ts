import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A source file as the tidy tests look at it. */
export interface SourceFile {
  /** From the root of the repository, with slashes. */
  path: string;
  /** What it imports: paths from the root for its own files, names for packages and Node's modules. */
  imports: string[];
  /** Those of them that are loaded with it: what it imports only types of is left out. */
  loads: string[];
  /** The text without comments, and with every string emptied. */
  code: string;
}

const IMPORT = /(?:\bfrom|\bimport\s*\(|\bimport)\s*"([^"\n]+)"/g;
const TYPES_ONLY = /\bimport\s+type\s[^;"]*?\bfrom\s*"[^"\n]+"/g;
const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/** Every TypeScript file under these folders. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  const paths = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)));
  return paths
    .filter((path) => /\.(tsx?|mts|mjs)$/.test(path) && !path.includes("node_modules"))
    .sort()
    .map(read);
}

function read(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const withoutComments = text.replace(COMMENT_OR_STRING, (found) => (found.startsWith("/") ? " " : found));
  const imports = importedBy(withoutComments, path);
  const loads = importedBy(withoutComments.replace(TYPES_ONLY, " "), path);
  return { path, imports, loads, code: text.replace(COMMENT_OR_STRING, (found) => (found.startsWith("/") ? " " : '""')) };
}

function importedBy(code: string, path: string): string[] {
  return [...code.matchAll(IMPORT)].map(([, name = ""]) => (name.startsWith(".") ? normalize(join(dirname(path), name)) : name));
}

/** True for what lies in one of these folders, or is one of these files or packages (or a part of it). */
export function isIn(name: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith("/") ? name.startsWith(place) : name === place || name.startsWith(`${place}/`)));
}
