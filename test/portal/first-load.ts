import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Route } from "playwright-core";
import { overSlowLine, type SlowLoad } from "../support/browser/slow-line.ts";
import { visitAsAdministrator } from "./operators.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld, Visitor } from "./portal-world.ts";

/** What the first load of a start page may take, up to its first figures. */
const FIRST_LOAD = { requests: 12, lineMs: 3_000, depth: 3 } as const;
const FILTER_LINE_MS = 1_000;

/** The first figures of the start page of each app. */
const APPS = [
  { path: "/portal", figures: "main .tile-value", personal: /Bar Lento|anna|@/i },
  { path: "/admin", figures: "main .page :is(.kinds, .panel)", personal: /admin-|owner/i },
] as const;

/** All scripts but the first one. */
const OTHER_SCRIPTS = /\/assets\/(?!first-)[^/]+\.js$/;
const nothing = (route: Route) => route.fulfill({ contentType: "text/javascript", body: "" });

/** How the pages load over a slow connection, with an empty cache. */
export function firstLoad(world: PortalWorld): void {
  for (const { path, figures, personal } of APPS) {
    const signedIn = async (): Promise<Visitor> => {
      if (path === "/admin") return visitAsAdministrator(world, "owner");
      const { shop, owner } = await shopWithOwner(world.relay, "Bar Lento", 1);
      for (const terminalId of shop.terminalIds) await pay(world.relay, card(terminalId, 1_200));
      return world.visitAs(owner);
    };

    test(`the start page of ${path} shows its figures after few requests, of which none waits for the scripts`, async (t) => {
      const { page } = await again(await signedIn());
      const load = await overSlowLine(page, async () => {
        await page.goto(path, { waitUntil: "commit" });
        await page.locator(figures).first().waitFor();
      });
      report(t, load);
      assert.ok(load.requests.length <= FIRST_LOAD.requests, paths(load));
      // The page, its first script, and all that the first script starts.
      assert.ok(load.depth <= FIRST_LOAD.depth, paths(load));
      assert.ok(load.lineMs <= FIRST_LOAD.lineMs, `${load.lineMs} ms`);
      assert.ok(load.requests.filter(({ path }) => /\/(?:start\.)?(?:en|it)-/.test(path)).length === 1, paths(load));
    });

    test(`the page of ${path} has a frame for whoever is signed in, before any other script runs, and nothing of a person`, async () => {
      const visitor = await signedIn();
      const page = await visitor.context.newPage();
      // Only the first script arrives.
      await page.route(OTHER_SCRIPTS, nothing);
      await page.goto(path);
      const frame = page.locator(".first-frame");
      await frame.locator(".topbar").waitFor();
      assert.ok(await frame.locator(".sidebar .nav-group").first().isVisible());
      assert.equal((await frame.textContent())?.trim(), "");
      const mine = await (await page.request.get(path)).text();
      const { page: guest } = await world.visit();
      assert.equal(mine, await (await guest.request.get(path)).text());
      assert.doesNotMatch(mine.replaceAll(/data-[a-z]+="[^"]*"/g, ""), personal);

      // Nobody is signed in there: no navigation shows, not even for a moment.
      await guest.route(OTHER_SCRIPTS, nothing);
      await guest.goto(path);
      assert.equal(await guest.locator(".first-frame").isVisible(), false);
      // After sign-out the browser forgets that somebody was signed in.
      await page.unroute(OTHER_SCRIPTS);
      await page.goto(path);
      await page.getByRole("button", { name: /^Your account/ }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await page.evaluate("Object.keys(localStorage).some((key) => key.endsWith('.frame'))"), false);
    });
  }

  test("a filter of a list takes one request over a slow connection", async (t) => {
    const { shop, owner } = await shopWithOwner(world.relay, "Bar Filtrato", 1);
    const [terminalId = ""] = shop.terminalIds;
    for (let index = 0; index < 60; index += 1) await pay(world.relay, card(terminalId, 1_000 + (index % 2 === 0 ? 5 : 0)));
    const { page } = await again(await world.visitAs(owner, "/portal/transactions"));
    await page.goto("/portal/transactions");
    await page.locator("main .row-button").first().waitFor();
    const load = await overSlowLine(page, async () => {
      const filtered = page.waitForResponse(/\/api\/merchant\/transactions\?.*status=KO/);
      await page.locator(".filters-desk").getByLabel("Outcome").selectOption("KO");
      await (await filtered).finished();
    });
    report(t, load);
    const lists = load.requests.filter(({ path }) => path === "/api/merchant/transactions");
    assert.ok(lists.length >= 1 && lists.length <= 2 && load.requests.length <= 3, paths(load));
    assert.ok(load.lineMs <= FILTER_LINE_MS, `${load.lineMs} ms`);
  });
}

/** Another window of a visitor, whose first one is closed so that it requests nothing. */
async function again({ context, page }: Visitor): Promise<Visitor> {
  await page.close();
  return { context, page: await context.newPage() };
}

function report(t: TestContext, { requests, bytes, depth, lineMs, passedMs }: SlowLoad): void {
  t.diagnostic(`${requests.length} requests, ${bytes} bytes, depth ${depth}: ${lineMs} ms on the line, ${passedMs} ms on this machine`);
}

const paths = ({ requests }: SlowLoad) => requests.map(({ path, depth }) => `${depth} ${path}`).join("\n");
