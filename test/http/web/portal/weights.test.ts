import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writePortal } from "../../../../http/web/portal-files.ts";

/** What is loaded before anything shows, the chart library, and all that one page may load. */
const FIRST_LOAD_BYTES_MAX = 60 * 1_024;
const CHARTS_BYTES_MAX = 25 * 1_024;
const PAGE_BYTES_MAX = 120 * 1_024;

/** The files of a build by name, as browsers load them: compressed with brotli. */
async function built(t: TestContext): Promise<{ page: string; files: ReadonlyMap<string, { bytes: number; text: string }> }> {
  const folder = await mkdtemp(join(tmpdir(), "relay-portal-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writePortal(folder);
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const compressed = await readFile(join(folder, `${name}.br`));
      return [name, { bytes: compressed.length, text: await readFile(join(folder, name), "utf8") }] as const;
    }),
  );
  return { page: await readFile(join(folder, "index.html"), "utf8"), files: new Map(files) };
}

/** What a script loads with it, and what those load; those that it loads later are left out. */
function withImports(files: ReadonlyMap<string, { text: string }>, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ""] of files.get(name)?.text.matchAll(/(?:from|import)"\.\/([^"]+)"/g) ?? [])
    withImports(files, imported, found);
  return found;
}

test("the first load, the charts and every page stay within their limits", async (t) => {
  const { page, files } = await built(t);
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (files.get(name)?.bytes ?? Number.NaN), 0);
  const named = [...page.matchAll(/\/portal\/assets\/([^"]+\.(?:js|css))"/g)].map(([, name = ""]) => name);
  const first = new Set(named.flatMap((name) => [...withImports(files, name)]));
  // And one catalogue: the larger.
  const catalogues = [...files.keys()].filter((name) => /^(?:it|en)-/.test(name));
  assert.equal(catalogues.length, 2);
  const catalogue = Math.max(...catalogues.map((name) => sum([name])));
  const firstBytes = sum(first) + catalogue;
  t.diagnostic(`first load ${(firstBytes / 1_024).toFixed(1)} KB`);
  assert.ok(firstBytes <= FIRST_LOAD_BYTES_MAX, `${firstBytes} bytes`);

  const charts = [...files].filter(([, { text }]) => text.includes("u-over")).map(([name]) => name);
  const chartBytes = sum(charts.filter((name) => name.endsWith(".js")));
  t.diagnostic(`charts ${(chartBytes / 1_024).toFixed(1)} KB`);
  assert.ok(chartBytes <= CHARTS_BYTES_MAX, `${chartBytes} bytes`);

  const pages = [...files.keys()].filter((name) => /-page-[A-Z0-9]+\.js$/.test(name));
  assert.ok(pages.length >= 8, "the pages are no files of their own any more");
  for (const name of pages) {
    const more = [...withImports(files, name)].filter((imported) => !first.has(imported));
    const bytes = firstBytes + sum(more) + (files.get(name)?.text.includes("chart") === true ? chartBytes : 0);
    t.diagnostic(`${name.replace(/-[A-Z0-9]+\.js$/, "")}: ${(sum(more) / 1_024).toFixed(1)} KB more`);
    assert.ok(bytes <= PAGE_BYTES_MAX, `${name} needs ${bytes} bytes`);
  }
});
