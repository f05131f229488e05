import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleApp } from "../../http/web/bundle-web-app.ts";
import { writeWebApp } from "../../http/web/web-app-files.ts";
import { goalsTable, type PartResult, rounded } from "./part.ts";

/** Bytes of JavaScript and CSS as browsers load them from a build: compressed with brotli, as every browser accepts it. */
export interface PortalWeights {
  /** What is loaded before anything shows, with the larger of the catalogues. */
  firstBytes: number;
  /** The chart library, which is loaded with the first chart. */
  chartBytes: number;
  /** Whether the chart library is in a file that is loaded later. */
  areChartsLazy: boolean;
  catalogues: number;
  /** All that each page needs, from an empty cache. */
  pages: readonly { name: string; bytes: number }[];
}

/** What the portal may weigh. */
export const WEIGHTS_MAX = { firstBytes: 60 * 1_024, chartBytes: 25 * 1_024, pageBytes: 120 * 1_024 } as const;

interface BuiltFile {
  bytes: number;
  text: string;
}

/** Builds the portal and weighs it. */
export async function weighPortal(): Promise<PortalWeights> {
  const folder = await mkdtemp(join(tmpdir(), "relay-portal-"));
  try {
    await writeWebApp(await bundleApp("portal"), folder, "build");
    const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name));
    const files = new Map<string, BuiltFile>();
    for (const name of names) {
      const compressed = await readFile(join(folder, `${name}.br`));
      files.set(name, { bytes: compressed.length, text: await readFile(join(folder, name), "utf8") });
    }
    return weightsOf(await readFile(join(folder, "index.html"), "utf8"), files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function weightsOf(page: string, files: ReadonlyMap<string, BuiltFile>): PortalWeights {
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (files.get(name)?.bytes ?? Number.NaN), 0);
  const named = [...page.matchAll(/\/portal\/assets\/([^"]+\.(?:js|css))"/g)].map(([, name = ""]) => name);
  const first = new Set(named.flatMap((name) => [...withImports(files, name)]));
  const catalogues = [...files.keys()].filter((name) => /^(?:it|en)-[A-Z0-9]+\.js$/.test(name));
  const firstBytes = sum(first) + Math.max(...catalogues.map((name) => sum([name])));
  const charts = [...files].filter(([name, { text }]) => name.endsWith(".js") && text.includes("u-over")).map(([name]) => name);
  const chartBytes = sum(charts);
  const pages = [...files.keys()]
    .filter((name) => /-page-[A-Z0-9]+\.js$/.test(name))
    .map((name) => {
      const more = [...withImports(files, name)].filter((imported) => !first.has(imported));
      // A page with much to say has texts of its own (`analytics.it`).
      const own = [...files.keys()].filter((text) =>
        new RegExp(`^${name.replace(/-page-.*$/, "")}\\.(?:it|en)-[A-Z0-9]+\\.js$`).test(text),
      );
      const texts = Math.max(0, ...own.map((text) => sum([text])));
      const bytes = firstBytes + sum(more) + texts + (files.get(name)?.text.includes("chart") === true ? chartBytes : 0);
      return { name: name.replace(/-[A-Z0-9]+\.js$/, ""), bytes };
    });
  return { firstBytes, chartBytes, areChartsLazy: charts.every((name) => !first.has(name)), catalogues: catalogues.length, pages };
}

/** What a script loads with it, and what those load; those that it loads later are left out. */
function withImports(files: ReadonlyMap<string, BuiltFile>, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ""] of files.get(name)?.text.matchAll(/(?:from|import)"\.\/([^"]+)"/g) ?? [])
    withImports(files, imported, found);
  return found;
}

export async function measureWeights(): Promise<PartResult> {
  const weights = await weighPortal();
  const { firstBytes, chartBytes, areChartsLazy, pages } = weights;
  const kb = (bytes: number) => rounded(bytes / 1_024);
  const largest = [...pages].sort((one, other) => other.bytes - one.bytes)[0] ?? { name: "none", bytes: Number.NaN };
  const goals = [
    { what: "first load", found: kb(firstBytes), most: kb(WEIGHTS_MAX.firstBytes), unit: "KB" },
    { what: "charts, loaded with the first one", found: kb(chartBytes), most: kb(WEIGHTS_MAX.chartBytes), unit: "KB" },
    { what: `largest page (${largest.name})`, found: kb(largest.bytes), most: kb(WEIGHTS_MAX.pageBytes), unit: "KB" },
  ];
  const markdown = [
    "JavaScript and CSS of a build, compressed with brotli as they are served, from an empty cache; a KB is 1,024 bytes.",
    "",
    goalsTable(goals),
    "",
    `${areChartsLazy ? "The chart library is no part of the first load." : "The chart library is part of the first load."} Pages: ${pages
      .map(({ name, bytes }) => `${name} ${kb(bytes)} KB`)
      .join(", ")}.`,
  ].join("\n");
  return { title: "Weights", json: weights, markdown, goals };
}
