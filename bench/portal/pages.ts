import { existsSync } from "node:fs";
import { Agent } from "node:http";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { makeDemoShop } from "./demo-shop.ts";
import { type Goal, goalsTable, loadText, markdownTable, type PartResult, percentile, rounded } from "./part.ts";
import { PortalCaller } from "./person.ts";

/** The page's thread is so much slower than this machine's: a phone or an old till. */
const THROTTLE = 4;

const INTERACTIVE_MS_MAX = 1_000;
const CHANGE_MS_MAX = 200;

/** The scripts of the other pages are loaded a second and a half after the first page. */
const PRELOADED_MS = 4_000;

/** Between two changes of page: nobody clicks faster, and nothing of the last one goes on. */
const PAUSE_MS = 500;

/** What never shows ends the run. */
const SHOWN_MS_MAX = 30_000;

const CHANGES = ["transactions", "terminals", "users", "audit", "settings", ""] as const;

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

interface Load {
  /** What was wanted is on the screen. */
  shownMs: number;
  /** And the thread has had no long task for half a second: the end of the last one, or when it was shown. */
  interactiveMs: number;
  /** What the page's thread worked until then, with the throttle: what is left where nothing else wants the processors and nothing is waited for. */
  threadMs: number;
}

/**
 * Runs in the page before its own scripts. `shown` resolves after the frame in which `test` has come true was drawn; `quiet` when there was no task of
 * over 50 ms for half a second, with the end of the last.
 */
const WATCH = `
  globalThis.benchWatch = (() => {
    let lastLongMs = 0;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) lastLongMs = Math.max(lastLongMs, startTime + duration);
    }).observe({ type: "longtask", buffered: true });
    const shown = (test) => new Promise((resolve) => {
      const look = () => (test() ? setTimeout(() => resolve(performance.now())) : requestAnimationFrame(look));
      requestAnimationFrame(look);
    });
    const quiet = async (fromMs) => {
      while (performance.now() - Math.max(fromMs, lastLongMs) < 500) await new Promise((resolve) => setTimeout(resolve, 50));
      return Math.max(fromMs, lastLongMs);
    };
    return { shown, quiet };
  })();
`;

const SIGN_IN_SHOWN = `() => document.querySelector('input[name="password"]') !== null`;
/** With its figures. */
const OVERVIEW_SHOWN = `() => document.querySelector(".tile") !== null && document.querySelector("main .skeleton") === null`;

export interface PagesOptions {
  rounds: number;
  say(text: string): void;
}

/** The portal in Chromium, with an empty cache for each load, over a whole relay with two months of a shop. */
export async function measurePages({ rounds, say }: PagesOptions): Promise<PartResult> {
  const executablePath = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error(`there is no Chromium (${PLACES.join(", ")}, or the variable CHROMIUM)`);
  const shop = await makeDemoShop(say);
  const agent = new Agent({ keepAlive: true });
  const relay = await shop.start();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    const url = `http://localhost:${relay.port}`;
    const { cookie } = await new PortalCaller(relay.port, agent).signInOwner();
    const signIn: Load[] = [];
    const overview: Load[] = [];
    const changes = new Map<string, number[]>(CHANGES.map((name) => [name, []]));
    let slower = 0;
    // The first round is not measured: the relay's paths are compiled, and Chromium's own files read.
    for (let round = 0; round <= rounds; round += 1) {
      const entrance = await inBrowser(browser, url, null, (page) => loaded(page, `${url}/portal/sign-in`, SIGN_IN_SHOWN));
      const [first, changed] = await inBrowser(browser, url, cookie, async (page) => {
        const first = await loaded(page, `${url}/portal`, OVERVIEW_SHOWN);
        await page.waitForTimeout(PRELOADED_MS);
        slower = await slowness(page);
        const changed: [string, number][] = [];
        for (const name of CHANGES) {
          await page.waitForTimeout(PAUSE_MS);
          changed.push([name, await changedTo(page, name === "" ? "/portal" : `/portal/${name}`)]);
        }
        return [first, changed] as const;
      });
      if (round === 0) continue;
      signIn.push(entrance);
      overview.push(first);
      for (const [name, ms] of changed) changes.get(name)?.push(ms);
      say(
        `round ${round}: sign-in ${rounded(entrance.interactiveMs)}, overview ${rounded(first.interactiveMs)} ms, of the thread ${rounded(entrance.threadMs)}, ${rounded(first.threadMs)} (load ${loadText()})`,
      );
    }
    return resultOf({ rounds, slower: rounded(slower), signIn, overview, changes: Object.fromEntries(changes) });
  } finally {
    await browser.close();
    agent.destroy();
    await relay.stop();
    await shop.remove();
  }
}

/** A browser that has seen nothing, with the session of `cookie`. */
async function inBrowser<T>(browser: Browser, url: string, cookie: string | null, work: (page: Page) => Promise<T>): Promise<T> {
  const context: BrowserContext = await browser.newContext({ locale: "en-GB" });
  try {
    context.setDefaultTimeout(SHOWN_MS_MAX);
    const [name = "", value = ""] = cookie?.split("=") ?? [];
    if (cookie !== null) await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    // A document of the same origin, so that the process that draws the page is there and stays.
    await page.goto(`${url}/api/merchant/session`);
    const devTools = await context.newCDPSession(page);
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
    return await work(page);
  } finally {
    await context.close();
  }
}

async function loaded(page: Page, address: string, shown: string): Promise<Load> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Performance.enable", { timeDomain: "threadTicks" });
  const threadMs = async () => {
    const { metrics } = await devTools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const before = await threadMs();
  await page.goto(address, { waitUntil: "commit" });
  const [shownMs = Number.NaN, interactiveMs = Number.NaN] = await page.evaluate<number[]>(`(async () => {
    const shownMs = await benchWatch.shown(${shown});
    return [shownMs, await benchWatch.quiet(shownMs)];
  })()`);
  const worked = (await threadMs()) - before;
  await devTools.detach();
  return { shownMs, interactiveMs, threadMs: worked };
}

/** From a click in the navigation until the page is drawn with what it has asked the relay for. */
function changedTo(page: Page, path: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const link = document.querySelector('nav a[href="${path}"]');
    const before = document.querySelector("main h1").textContent;
    const fromMs = performance.now();
    link.click();
    const shownMs = await benchWatch.shown(() => {
      const main = document.querySelector("main");
      const title = main.querySelector("h1");
      return location.pathname === "${path}" && title !== null && title.textContent !== before && main.querySelector(".skeleton") === null;
    });
    return shownMs - fromMs;
  })()`);
}

/** How many times slower than without a throttle the page's thread is. */
async function slowness(page: Page): Promise<number> {
  const timed = () =>
    page.evaluate<number>(`(() => {
      const fromMs = performance.now();
      let sum = 0;
      for (let index = 0; index < 20_000_000; index += 1) sum = (sum * 31 + index) % 65_521;
      return performance.now() - fromMs + sum * 0;
    })()`);
  await timed();
  const throttled = await timed();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const alone = await timed();
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  await devTools.detach();
  return throttled / alone;
}

interface PagesFound {
  rounds: number;
  slower: number;
  signIn: readonly Load[];
  overview: readonly Load[];
  changes: { readonly [name: string]: readonly number[] };
}

function resultOf(found: PagesFound): PartResult {
  const { rounds, slower, signIn, overview, changes } = found;
  const median = (values: readonly number[]) => Math.round(percentile(values, 0.5));
  const interactive = (what: string, loads: readonly Load[]): Goal => ({
    what: `${what}, interactive`,
    found: median(loads.map(({ interactiveMs }) => interactiveMs)),
    most: INTERACTIVE_MS_MAX,
    unit: "ms",
  });
  const nameOf = (name: string) => (name === "" ? "overview" : name);
  const slowest = Object.entries(changes).sort(([, one], [, other]) => median(other) - median(one))[0] ?? ["none", []];
  const goals = [
    interactive("sign-in", signIn),
    interactive("overview of somebody who is signed in", overview),
    { what: `slowest change of page (to ${nameOf(slowest[0])})`, found: median(slowest[1]), most: CHANGE_MS_MAX, unit: "ms" },
  ];
  const row = (what: string, values: readonly number[]) => [
    what,
    median(values),
    Math.round(Math.min(...values)),
    Math.round(Math.max(...values)),
  ];
  const rows = [
    row(
      "sign-in, shown",
      signIn.map(({ shownMs }) => shownMs),
    ),
    row(
      "sign-in, interactive",
      signIn.map(({ interactiveMs }) => interactiveMs),
    ),
    row(
      "sign-in, work of the thread",
      signIn.map(({ threadMs }) => threadMs),
    ),
    row(
      "overview with its figures and its chart, shown",
      overview.map(({ shownMs }) => shownMs),
    ),
    row(
      "overview, interactive",
      overview.map(({ interactiveMs }) => interactiveMs),
    ),
    row(
      "overview, work of the thread",
      overview.map(({ threadMs }) => threadMs),
    ),
    ...Object.entries(changes).map(([name, values]) => row(`change to ${nameOf(name)}`, values)),
  ];
  const markdown = [
    `Headless Chromium over a whole relay on the same machine, with two months of the demo shop; its thread ${THROTTLE} times slower by DevTools' throttle (measured: ${slower}). Medians of ${rounds} rounds, each with an empty`,
    "cache. Shown: all of it is drawn, figures too. Interactive: the end of the last task of over 50 ms before half a second without one. Its thread's work has the throttle in it, and",
    "neither what others take of the processors nor what is waited for. A change of page is from the click to the new page with what it has asked the relay for.",
    "",
    goalsTable(goals),
    "",
    markdownTable(["ms", "median", "least", "most"], rows),
  ].join("\n");
  return { title: "Pages", json: found, markdown, goals };
}
