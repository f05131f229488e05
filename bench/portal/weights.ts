import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleApp, type WebAppName } from "../../http/web/bundle-web-app.ts";
import { writeWebApp } from "../../http/web/web-app-files.ts";
import { goalsTable, type PartResult, rounded } from "./part.ts";

/** Bytes as browsers load them from a build: compressed with brotli, as every browser accepts it. */
export interface AppWeights {
  /** What is loaded until the first figures of the start page, with the larger of the catalogues: the page, scripts and styles. */
  firstBytes: number;
  /** How many requests these are, with those for the session and the figures. */
  firstRequests: number;
  /** The chart library, which is loaded with the first chart. */
  chartBytes: number;
  /** Whether the chart library is in a file that is loaded later. */
  areChartsLazy: boolean;
  /** All that each page needs, from an empty cache. */
  pages: readonly { name: string; bytes: number }[];
}

/** What an app may weigh. */
export const WEIGHTS_MAX = { firstBytes: 60 * 1_024, firstRequests: 12, chartBytes: 25 * 1_024, pageBytes: 125 * 1_024 } as const;

const PAGE = "index.html";
const LOCALES = ["en", "it"];

/** The requests for data of a first load: the session, and the figures of the start page. */
const DATA_REQUESTS = 2;

interface BuiltFile {
  bytes: number;
  text: string;
}

/** Builds an app and weighs it. */
export async function weighApp(app: WebAppName): Promise<AppWeights> {
  const folder = await mkdtemp(join(tmpdir(), "relay-portal-"));
  try {
    await writeWebApp(await bundleApp(app), folder, "build");
    const names = (await readdir(folder)).filter((name) => /\.(?:js|css|html)$/.test(name));
    const files = new Map<string, BuiltFile>();
    for (const name of names) {
      const compressed = await readFile(join(folder, `${name}.br`));
      files.set(name, { bytes: compressed.length, text: await readFile(join(folder, name), "utf8") });
    }
    return weightsOf(files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function weightsOf(files: ReadonlyMap<string, BuiltFile>): AppWeights {
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + (files.get(name)?.bytes ?? Number.NaN), 0);
  const page = files.get(PAGE)?.text ?? "";
  const attribute = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(page)?.[1] ?? "";
  const later = new Map(
    attribute("files")
      .split(" ")
      .map((entry) => [entry.split("=")[0] ?? "", entry.split("=")[1]?.split(",") ?? []]),
  );
  const named = [...page.matchAll(/(?:src|href)="[^"]*\/assets\/([^"]+\.(?:js|css))"/g)].map(([, name = ""]) => name);
  const always = new Set([PAGE, ...named.flatMap((name) => [...withImports(files, name)])]);
  const charts = [...files].filter(([name, { text }]) => name.endsWith(".js") && text.includes("u-over")).map(([name]) => name);
  const chartBytes = sum(charts);
  const [start, guests] = [attribute("start"), [...attribute("guest").split(" "), "second-factor", "enrol"]];
  /** The files of a page in a language, as the first script loads them (http/web/portal/first.ts). */
  const filesOf = (name: string, locale: string): Set<string> => {
    const keys = [name, `start.${locale}`, `${name}.${locale}`, ...(name === start || guests.includes(name) ? [] : [locale])];
    return new Set([...always, ...keys.flatMap((key) => later.get(key) ?? [])]);
  };
  const largest = (name: string) => Math.max(...LOCALES.map((locale) => sum(filesOf(name, locale))));
  const pages = [...later.keys()]
    .filter((name) => !LOCALES.some((locale) => name === locale || name.endsWith(`.${locale}`)))
    .map((name) => {
      const own = later.get(name)?.some((file) => files.get(file)?.text.includes("chart")) === true;
      return { name, bytes: largest(name) + (own ? chartBytes : 0) };
    });
  const [locale = ""] = LOCALES;
  return {
    firstBytes: largest(start),
    firstRequests: filesOf(start, locale).size + DATA_REQUESTS,
    chartBytes,
    areChartsLazy: charts.every((name) => !always.has(name)),
    pages,
  };
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
  const weights = await weighApp("portal");
  const { firstBytes, firstRequests, chartBytes, areChartsLazy, pages } = weights;
  const kb = (bytes: number) => rounded(bytes / 1_024);
  const largest = [...pages].sort((one, other) => other.bytes - one.bytes)[0] ?? { name: "none", bytes: Number.NaN };
  const goals = [
    { what: "first load", found: kb(firstBytes), most: kb(WEIGHTS_MAX.firstBytes), unit: "KB" },
    { what: "requests of the first load", found: firstRequests, most: WEIGHTS_MAX.firstRequests, unit: "" },
    { what: "charts, loaded with the first one", found: kb(chartBytes), most: kb(WEIGHTS_MAX.chartBytes), unit: "KB" },
    { what: `largest page (${largest.name})`, found: kb(largest.bytes), most: kb(WEIGHTS_MAX.pageBytes), unit: "KB" },
  ];
  const markdown = [
    "The pages, scripts and styles of a build, compressed with brotli as they are served, from an empty cache; a KB is 1,024 bytes.",
    "",
    goalsTable(goals),
    "",
    `${areChartsLazy ? "The chart library is no part of the first load." : "The chart library is part of the first load."} Pages: ${pages
      .map(({ name, bytes }) => `${name} ${kb(bytes)} KB`)
      .join(", ")}.`,
  ].join("\n");
  return { title: "Weights", json: weights, markdown, goals };
}
