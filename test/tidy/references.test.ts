import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

/** Where people and programs look for files of this repository. */
const FOLDERS = ["engine", "http", "storage", "infra", "bench", "test"];

const READ = /\.(?:ts|mts|mjs|js|lua|sql|md|yaml|cfg|conf)$|(?:^|\/)(?:Dockerfile|run)$/;
const IS_CODE = /\.(?:ts|mts|mjs|js)$/;

/** Texts that may name what is not there, and why. */
const EXEMPT: { in: string; names?: RegExp; why: string }[] = [
  { in: "CHANGELOG.md", why: "it tells of earlier releases" },
  { in: "bench/results/", why: "each tells of the sources that it measured" },
  { in: "storage/kv/embedded-directory.ts", names: /^doc\/table_format\.md$/, why: "a page of LevelDB's own sources" },
  { in: "test/tidy/references.test.ts", why: "it names what it looks for" },
];

/** A path from the root, of a file or a folder; not the end of a longer path or of an address. */
const PATH = /(?<![\w./@-])(?:engine|http|storage|infra|bench|test)\/[\w./*<>{}-]*[\w*>}]/g;
/** A file by its name alone, or by the end of its path. */
const NAME = /(?<![\w./@:*{}<>-])[\w-]+(?:\/[\w.-]+)*\.(?:md|ts|mts|mjs|lua|sql)(?![\w-]|\.\w)/g;
const LINK = /\]\(([^)\s]+)\)/g;

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

const files = [...readdirSync(".").filter((name) => name.endsWith(".md")), ".ci/run", ...FOLDERS.flatMap(filesUnder)];
const texts = files
  .filter((path) => READ.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }))
  .map(({ path, text }) => ({ path, text, prose: IS_CODE.test(path) ? commentsOf(text) : text }));
/** Every file by each end of its path: `kv.ts`, `kernel/kv.ts`, `engine/kernel/kv.ts`. */
const known = new Set(files.flatMap(endsOf));

test("comments and documents name files and folders that are there", () => {
  const offences = texts.flatMap(({ path, prose }) =>
    [...referencesOf(prose)].filter((name) => !exists(path, name) && !isExempt(path, name)).map((name) => `${path} names ${name}`),
  );
  assert.deepEqual(offences, []);
});

test("links of documents lead to files that are there", () => {
  const offences = texts
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(LINK)]
        .map(([, target = ""]) => target.replace(/#.*$/, ""))
        .filter(
          (target) => target !== "" && !/^[a-z]+:/.test(target) && !existsSync(join(dirname(path), target)) && !isExempt(path, target),
        )
        .map((target) => `${path} links to ${target}`),
    );
  assert.deepEqual(offences, []);
});

test("documents name variables that the relay or a load test reads", () => {
  const read = ["infra/node/boot/config.ts", "bench/deployment/options.ts"].map((path) => readFileSync(path, "utf8")).join();
  const variables = new Set([...read.matchAll(/\bRELAY_[A-Z_]*[A-Z]\b/g)].map(([name]) => name));
  const offences = texts
    .filter(({ path }) => path.endsWith(".md") && !isExempt(path, ""))
    .flatMap(({ path, text }) => [...text.matchAll(/\bRELAY_[A-Z_]*[A-Z]\b/g)].map(([name]) => ({ path, name })))
    .filter(({ name }) => !variables.has(name))
    .map(({ path, name }) => `${path} names ${name}`);
  assert.deepEqual(offences, []);
});

test("what is said to be in ARCHITECTURE.md is there", () => {
  const architecture = readFileSync("ARCHITECTURE.md", "utf8");
  const headings = new Set([...architecture.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
  const promises = new Set([...architecture.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => number));
  const offences = texts.flatMap(({ path, prose }) =>
    [...prose.replace(/\s*\n\s*(?:\*|\/\/|--)\s*/g, " ").matchAll(/ARCHITECTURE\.md, (?:"([^"]+)"|promise (\d+))/g)]
      .filter(([, heading, promise]) => (heading === undefined ? !promises.has(promise ?? "") : !headings.has(heading)))
      .map(([reference]) => `${path}: ${reference}`),
  );
  assert.deepEqual(offences, []);
});

test("nothing points at a design or a specification outside of this repository", () => {
  const pattern = /\bdesign\.md\b|\b(?:spec|reading|style)\.md\b|\bthe (?:spec|specification)\b|\bspecification, (?:"|`|auth|rule)/i;
  const offences = texts
    .filter(({ path }) => !isExempt(path, ""))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .map((line, index) => ({ line, at: index + 1 }))
        .filter(({ line }) => pattern.test(line))
        .map(({ line, at }) => `${path}:${at}: ${line.trim()}`),
    );
  assert.deepEqual(offences, []);
});

test("what is exempt is there", () => {
  assert.deepEqual(
    EXEMPT.filter((exempt) => !existsSync(exempt.in)).map((exempt) => exempt.in),
    [],
  );
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((path) => !path.includes("node_modules") && statSync(path).isFile())
    .sort();
}

function endsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(index).join("/"));
}

function commentsOf(code: string): string {
  return [...code.matchAll(COMMENT_OR_STRING)]
    .map(([found]) => found)
    .filter((found) => found.startsWith("/"))
    .join("\n");
}

function referencesOf(prose: string): Set<string> {
  const withoutAddresses = prose.replace(/\b[a-z]+:\/\/[^\s)>"'`]+/g, " ");
  const found = [...withoutAddresses.matchAll(PATH), ...withoutAddresses.matchAll(NAME)].map(([name]) => name);
  // One with a place to fill in names no single file.
  return new Set(found.filter((name) => !/[*<>{}]|\.\.\.|NNNN/.test(name)));
}

/** From the root, from beside the text that names it, or by the end of a path; a source may be named without its ending. */
function exists(from: string, name: string): boolean {
  const places = [name, join(dirname(from), name)].map(normalize);
  return places.some((place) => existsSync(place) || existsSync(`${place}.ts`)) || known.has(name);
}

function isExempt(path: string, name: string): boolean {
  return EXEMPT.some((exempt) => path.startsWith(exempt.in) && (exempt.names === undefined || exempt.names.test(name)));
}
