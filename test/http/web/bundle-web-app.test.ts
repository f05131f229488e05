import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bundleApp } from "../../../http/web/bundle-web-app.ts";
import { start } from "../../../http/web/portal/i18n/start.en.ts";

const SOURCES = join(import.meta.dirname, "../../../http/web");

/**
 * Files beside the pages and their texts: the first script, the app, styles, icon, three files of
 * shared modules and a small one of theirs, the reasons of declines in each language, charts,
 * passkeys, help, search.
 */
const OTHER_FILES_MAX = 14;

/** What the first script finds in its attributes, by the name of a page or of texts. */
function laterOf(shell: string): Map<string, string[]> {
  const [, files = ""] = /data-files="([^"]*)"/.exec(shell) ?? [];
  return new Map(files.split(" ").map((entry) => [entry.split("=")[0] ?? "", entry.split("=")[1]?.split(",") ?? []]));
}

test("two nodes that start at once in one process both get the portal, and the same", { timeout: 120_000 }, async () => {
  const first = bundleApp("portal");
  // The second is in the middle of it when the first is done.
  const second = delay(20).then(() => bundleApp("portal"));
  const [one, other] = await Promise.all([first, second]);
  assert.deepEqual([...one.files.keys()].sort(), [...other.files.keys()].sort());
  assert.equal(one.shell, other.shell);
});

for (const [app, registry] of [
  ["portal", "portal/pages/registry.ts"],
  ["operators", "operators/pages/registry.ts"],
] as const) {
  test(`${app}: every page is one file, and what pages share is in three`, async () => {
    const { shell, files } = await bundleApp(app);
    const later = laterOf(shell);
    assert.ok(files.size <= later.size + OTHER_FILES_MAX, [...files.keys()].join("\n"));
    for (const [name, names] of later) {
      assert.ok(names.length >= 1 && names.length <= 2, `${name} needs ${names}`);
      for (const file of names) assert.ok(files.has(file), file);
    }
  });

  test(`${app}: the page names the file of every page under the name in its address`, async () => {
    const { shell } = await bundleApp(app);
    const later = laterOf(shell);
    const source = await readFile(join(SOURCES, registry), "utf8");
    const pages = [...source.matchAll(/name: "([^"]*)",[\s\S]*?import\("[^"]*\/([a-z-]+)-page\.tsx"\)/g)];
    assert.ok(pages.length >= 10);
    for (const [, name = "", file = ""] of pages) {
      // The start page has no name in its address.
      if (name === "") assert.match(shell, new RegExp(`data-start="${file}"`));
      assert.ok(later.has(name === "" ? file : name), `${name} is not found`);
    }
  });
}

/** Modules that are loaded with the start pages, of which a function may use the texts of other pages. */
const OF_OTHER_PAGES = /pages\/(?!overview|entrance|attention)/;

test("what shows before the texts of all pages are loaded uses only those of the start", async () => {
  const used = new Map<string, string>();
  for (const entry of START_ENTRIES) {
    for (const path of await reachedFrom(join(SOURCES, entry))) {
      if (OF_OTHER_PAGES.test(path)) continue;
      const source = await readFile(path, "utf8");
      const groups = [
        ...[...source.matchAll(/\{([^{}]*)\} = text\(\);/g)].flatMap(([, names = ""]) => names.split(",")),
        ...[...source.matchAll(/text\(\)\.(\w+)/g)].map(([, name = ""]) => name),
      ];
      for (const group of groups) used.set(group.split(":")[0]?.trim() ?? "", path);
    }
  }
  assert.ok(used.has("overview") && used.has("signIn"));
  used.delete("");
  for (const [group, path] of used) assert.ok(group in start, `${path} uses ${group}, which i18n/start.en.ts does not have`);
});

const START_ENTRIES = [
  "portal/main.tsx",
  "portal/pages/overview/overview-page.tsx",
  ...["sign-in", "second-factor", "enrol", "forgot", "reset", "invitation"].map((page) => `portal/pages/entrance/${page}-page.tsx`),
  "operators/main.tsx",
  "operators/pages/attention/attention-page.tsx",
  ...["sign-in", "enrol"].map((page) => `operators/pages/entrance/${page}-page.tsx`),
];

/** The source files of these apps that a file imports, directly or not, with the file. */
async function reachedFrom(entry: string): Promise<Set<string>> {
  const found = new Set([entry]);
  for (const path of found) {
    const source = await readFile(path, "utf8");
    for (const [, imported = ""] of source.matchAll(/^(?:import (?!type)[^;]*?from |import )"(\.[^"]+\.tsx?)";$/gm)) {
      const next = join(path, "..", imported);
      if (next.startsWith(SOURCES)) found.add(next);
    }
  }
  return found;
}
