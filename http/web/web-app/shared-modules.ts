import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { Metafile, Plugin } from "esbuild";

/**
 * The compiler makes a file for each set of entries that use the same modules, and 18 pages make
 * some 60 such sets. A browser on a slow line waits for each file. These sets are therefore merged
 * into three: what pages of both kinds or the first script use, what only the pages before sign-in
 * share, and what only the pages after it share.
 */
const KINDS = ["everywhere", "before-sign-in", "after-sign-in"] as const;
type Kind = (typeof KINDS)[number];

/** The entries of each kind, and the modules that they share; all paths start at the folder of the apps. */
export interface SharedModules {
  readonly entries: Readonly<Record<Kind, readonly string[]>>;
  readonly modules: Readonly<Record<Kind, readonly string[]>>;
}

/** A page or another component that is loaded when it is needed. */
const COMPONENT = /\.tsx$/;
const BEFORE_SIGN_IN = /(?:^|\/)pages\/entrance\//;

/**
 * Finds what the pages of an app share. `main` is the first script, and `startPage` the page that
 * most people open first.
 */
export function sharedModulesOf({ inputs }: Metafile, main: string, startPage: string): SharedModules {
  const pages = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .flatMap(({ path, kind }) => (kind === "dynamic-import" && COMPONENT.test(path) ? [path] : []));
  const entries: Record<Kind, string[]> = { everywhere: [main, startPage], "before-sign-in": [], "after-sign-in": [] };
  for (const page of new Set(pages)) {
    if (page !== startPage) entries[BEFORE_SIGN_IN.test(page) ? "before-sign-in" : "after-sign-in"].push(page);
  }
  const users = new Map<string, { count: number; kinds: Set<Kind> }>();
  for (const kind of KINDS) {
    for (const entry of entries[kind]) {
      for (const path of reachedFrom(inputs, entry)) {
        const found = users.get(path) ?? { count: 0, kinds: new Set() };
        users.set(path, { count: found.count + 1, kinds: found.kinds.add(kind) });
      }
    }
  }
  const modules: Record<Kind, string[]> = { everywhere: [], "before-sign-in": [], "after-sign-in": [] };
  for (const [path, { count, kinds }] of users) {
    const [kind, ...others] = kinds;
    if (count > 1 && kind !== undefined) modules[others.length > 0 ? "everywhere" : kind].push(path);
  }
  return { entries, modules };
}

/** The modules that are loaded together with an entry, with the entry. */
function reachedFrom(inputs: Metafile["inputs"], entry: string): Set<string> {
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: imported, kind } of inputs[path]?.imports ?? []) {
      if (kind === "import-statement" && imported in inputs) found.add(imported);
    }
  }
  return found;
}

/**
 * Makes each entry import all that its kind shares. All shared modules of a kind then have the same
 * set of entries, for which the compiler makes one file.
 */
export function mergeShared(folder: string, { entries, modules }: SharedModules): Plugin {
  const kindsOf = new Map<string, readonly Kind[]>();
  for (const kind of KINDS) {
    for (const entry of entries[kind]) kindsOf.set(resolve(folder, entry), kind === "everywhere" ? [kind] : ["everywhere", kind]);
  }
  return {
    name: "merge-shared-modules",
    setup(build) {
      build.onResolve({ filter: /^shared:/ }, ({ path }) => ({ path, namespace: "shared" }));
      build.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
        contents: KINDS.filter((kind) => path === `shared:${kind}`)
          .flatMap((kind) => modules[kind])
          .map((module) => `import ${JSON.stringify(resolve(folder, module))};`)
          .join("\n"),
        resolveDir: folder,
      }));
      build.onLoad({ filter: COMPONENT }, async ({ path }) => {
        const kinds = kindsOf.get(path);
        if (kinds === undefined) return null;
        const imports = kinds.map((kind) => `import "shared:${kind}";`).join("");
        return { contents: `${await readFile(path, "utf8")}\n${imports}`, loader: extname(path) === ".tsx" ? "tsx" : "ts" };
      });
    },
  };
}
