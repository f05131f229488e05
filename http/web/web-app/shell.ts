import { basename } from "node:path";
import type { Metafile } from "esbuild";

/** What the page of an app holds beside its files. */
export interface ShellFacts {
  title: string;
  assetsPath: string;
  /** What is shown without scripts. */
  noScript: string;
  /** The modules from which the files are made. */
  entries: Readonly<Record<"main" | "style" | "icon", string>>;
  startPage: string;
  /** The attributes of the first script, which acts on them (portal/first.ts). */
  first: Readonly<Record<"app" | "pages" | "guest" | "api" | "figures", string>>;
  /** How many pages each group of the navigation has. */
  navigation: readonly number[];
}

/** Files that the app loads later: a page, the texts of a language, or a page's own texts. */
const LATER = /\/(?:(?<page>[a-z-]+)-page\.tsx|(?<texts>(?:[a-z-]+\.)?(?:en|it))\.ts)$/;

const PAGES_ON_PHONE = 5;

/**
 * The page of an app. Its first script runs before everything else, so that no page shows in the
 * wrong theme. All that every start needs is loaded at once, in parallel: nothing of it waits for
 * another script that names it. The page is the same for everybody.
 */
export function shellOf(facts: ShellFacts, first: string, icon: Uint8Array, { outputs }: Metafile): string {
  const { title, assetsPath, noScript, entries, startPage } = facts;
  const address = (path: string) => `${assetsPath}/${basename(path)}`;
  const made = (entry: string): string => {
    const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry || entry in output.inputs) ?? [];
    if (path === undefined) throw new Error(`${entry} was not made`);
    return path;
  };
  const main = made(entries.main);
  const needed = importsOf(outputs, main);
  const later = Object.entries(outputs).flatMap(([path, { entryPoint = "" }]) => {
    const { page, texts } = LATER.exec(`/${entryPoint}`)?.groups ?? {};
    const files = [path, ...importsOf(outputs, path)].filter((file) => file !== main && !needed.has(file));
    return page === undefined && texts === undefined ? [] : [`${page ?? texts}=${files.map((file) => basename(file)).join(",")}`];
  });
  const attributes = {
    ...facts.first,
    start: LATER.exec(`/${startPage}`)?.groups?.["page"] ?? "",
    assets: `${assetsPath}/`,
    files: later.join(" "),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<script src="${address(first)}"${Object.entries(attributes)
    .map(([name, value]) => ` data-${name}="${value}"`)
    .join("")}></script>
<link rel="stylesheet" href="${address(made(entries.style))}">
<link rel="icon" type="image/svg+xml" href="${address(made(entries.icon))}">
${[...needed].map((path) => `<link rel="modulepreload" href="${address(path)}">\n`).join("")}<script type="module" src="${address(main)}"></script>
</head>
<body>
<div id="portal">${frameOf(facts, Buffer.from(icon).toString("utf8"))}</div>
<noscript><p>${noScript}</p></noscript>
</body>
</html>
`;
}

/** The files that a file loads together with itself. */
function importsOf(outputs: Metafile["outputs"], file: string): Set<string> {
  const found = new Set([file]);
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") found.add(imported);
    }
  }
  found.delete(file);
  return found;
}

/**
 * The frame that a person who is signed in sees until the app has started: the outline of the
 * navigation, and the bar at the top. It has the same places as the app's own frame
 * (portal/components/frame.tsx), so nothing moves when that one takes its place. It holds no words:
 * language, role and merchant are not known yet.
 */
function frameOf({ navigation }: ShellFacts, icon: string): string {
  const line = '<span class="skeleton-line"></span>';
  const lines = (count: number) => line.repeat(count);
  const mark = icon
    .trim()
    .replace(/<title>.*<\/title>/, "")
    .replace("<svg ", '<svg class="brand-mark" ');
  const groups = navigation.map((count) => `<div class="nav-group">${lines(count)}</div>`).join("");
  return [
    '<div class="first-frame" aria-hidden="true"><div class="first-strip"></div><div class="shell">',
    `<div class="sidebar"><div class="brand">${mark}</div><div class="nav">${groups}</div></div>`,
    `<div class="column"><div class="topbar"><div class="brand">${mark}</div>${line}<div class="topbar-space"></div><span class="avatar"></span></div>`,
    `<div class="main"><div class="panel"><div class="skeleton">${lines(6)}</div></div></div></div>`,
    `<div class="tab-bar">${`<span class="tab-bar-item">${line}</span>`.repeat(PAGES_ON_PHONE)}</div>`,
    "</div></div>",
  ].join("");
}
