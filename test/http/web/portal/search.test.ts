import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { MerchantSearchHitJson, MerchantSearchResultJson } from "../../../../http/surfaces/merchant/search/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { lookAtEvery } from "./accessibility-cases.ts";
import { type FakeHandler, fakeRelay, OVERVIEW, sessionOf, TRANSACTION, TRANSACTIONS, terminalsOf } from "./fake-relay.ts";
import { openPortal, stopTime } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

/** The dialog waits for the next character for this time, and then for two frames. */
const TYPING_MS = 200;

const UUID = "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10";

function hitOf(changes: Partial<MerchantSearchHitJson> = {}): MerchantSearchHitJson {
  return {
    ...{ type: "payment", id: UUID, amountMinor: 2_051, currency: "EUR", at: "2026-11-25T10:00:00.000Z", state: "OK" },
    detail: "VISA ···· 1111 · SIM00001",
    ...changes,
  };
}

const LINK_HIT = hitOf({ type: "payment_link", id: "pl_4f0k2m9x7q1c8v5b3n6z0a2s", state: "PENDING", detail: "Dinner on Thursday" });

function foundOf(changes: Partial<MerchantSearchResultJson> = {}): MerchantSearchResultJson {
  const group = { state: "searched", more: false, since: null } as const;
  return {
    groups: [paymentsOf(hitOf()), { ...group, name: "payment_links", items: [LINK_HIT] }, { ...group, name: "subscriptions", items: [] }],
    near: [],
    withheld: null,
    ...changes,
  };
}

function paymentsOf(...items: MerchantSearchHitJson[]): MerchantSearchResultJson["groups"][number] {
  return { name: "payments", state: "searched", more: false, since: null, items };
}

const NOTHING = foundOf({ groups: [] });

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: TRANSACTION }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /search": () => ({ data: foundOf() }),
};

const field = (page: Page) => page.getByRole("combobox", { name: "What are you looking for?" });
const chosen = (page: Page) => page.locator('[role="option"][aria-selected="true"] .search-title').textContent();

async function open(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await field(page).fill(text);
}

test("finds an object with the keyboard alone, and opens it", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await open(page, "20,51");
  await page.getByRole("option", { name: /VISA/ }).waitFor();
  assert.equal(await page.getByRole("group").count(), 2);
  const text = (await page.getByRole("group", { name: "Payments", exact: true }).textContent()) ?? "";
  for (const shown of ["€20.51", "Approved", UUID, "25"]) assert.ok(text.includes(shown), `${shown} in ${text}`);
  await page.getByText("2 results").waitFor();
  assert.match((await chosen(page)) ?? "", /^VISA/);
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(page), "Dinner on Thursday");
  await page.keyboard.press("ArrowDown");
  assert.match((await chosen(page)) ?? "", /^VISA/, "after the last comes the first");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), await page.locator('[aria-selected="true"]').getAttribute("id"));
  await page.keyboard.press("Enter");
  await eventually(() => assert.equal(page.url(), `${url}/portal/transactions/${UUID}`));
  assert.equal(await field(page).count(), 0);
  assert.deepEqual(
    calls.filter(({ path }) => path === "/search").map(({ query }) => query.get("q")),
    ["20,51"],
  );
  assert.deepEqual(faults, []);
});

test("opens with a slash outside of fields, finds pages, and Escape closes it", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /search": () => ({ data: NOTHING }) });
  await page.goto(`${url}/portal/transactions`);
  await page.locator("main .row-button").first().waitFor();
  const search = page.locator(".filters-desk").getByRole("searchbox").first();
  await search.focus();
  await page.keyboard.press("/");
  assert.equal(await field(page).count(), 0);
  assert.equal(await search.inputValue(), "/");
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await field(page).waitFor();
  assert.equal(await field(page).inputValue(), "");
  await field(page).fill("analyt");
  assert.equal(await chosen(page), "Analytics");
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await field(page).fill("webh");
  await page.keyboard.press("Enter");
  await eventually(() => assert.equal(page.url(), `${url}/portal/webhooks`));
  assert.deepEqual(faults, []);
});

test("asks only when the person has stopped typing, and never shows an older answer", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const held: (() => void)[] = [];
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /search": async ({ query }) => {
      if (query.get("q") === "old text") await new Promise<void>((resolve) => held.push(resolve));
      return { data: foundOf({ groups: [paymentsOf(hitOf({ detail: `answer to ${query.get("q")}` }))] }) };
    },
  });
  const asked = () => calls.filter(({ path }) => path === "/search").map(({ query }) => query.get("q"));
  await page.clock.install();
  await page.goto(`${url}/portal`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await open(page, "");
  await stopTime(page);
  await page.keyboard.type("old text");
  assert.deepEqual(asked(), []);
  await page.clock.runFor(3 * TYPING_MS);
  await eventually(() => assert.equal(held.length, 1));
  await field(page).fill("new text");
  await page.clock.runFor(3 * TYPING_MS);
  await page.getByText("answer to new text").waitFor();
  for (const letGo of held) letGo();
  assert.deepEqual(asked(), ["old text", "new text"]);
  await field(page).fill("third text");
  await page.clock.runFor(3 * TYPING_MS);
  await page.getByText("answer to third text").waitFor();
  assert.equal(await page.getByText("answer to old text").count(), 0);
});

test("Enter before the answer opens the first result when it comes", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await open(page, UUID);
  await page.keyboard.press("Enter");
  await eventually(() => assert.equal(page.url(), `${url}/portal/transactions/${UUID}`));
});

test("says what was not searched, and suggests similar ids", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let answer = NOTHING;
  await fakeRelay(page, { ...ANNA, "GET /search": () => ({ data: answer }) });
  await page.goto(`${url}/portal`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  answer = { ...NOTHING, withheld: "personal_data" };
  await open(page, "ada@example.org");
  await page.getByText("Your role does not see personal data").waitFor();
  answer = foundOf({ groups: [{ name: "payments", state: "away", items: [], more: false, since: null }] });
  await field(page).fill("some text");
  await page.getByText("Could not be searched right now: Payments").waitFor();
  answer = foundOf({ groups: [{ name: "payments", state: "searched", items: [], more: false, since: "2026-03-12T10:00:00.000Z" }] });
  await field(page).fill("99.99");
  await page.getByText("were not searched").waitFor();
  answer = foundOf({ groups: [], near: [LINK_HIT] });
  await field(page).fill("pl_4f0k2m9x7q1c8v5b3n6z0a22");
  await page.getByText("Nothing has the id pl_4f0k2m9x7q1c8v5b3n6z0a22").waitFor();
  assert.equal(await chosen(page), "Dinner on Thursday");
  answer = NOTHING;
  await field(page).fill("nothing like this");
  await page.getByText("Nothing found for").waitFor();
});

test("a list without the id suggests an object of another kind and similar ids", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, { ...ANNA, "GET /transactions": () => ({ data: { items: [], next: null } }) });
  await page.goto(`${url}/portal/transactions?q=pl_4f0k2m9x`);
  const suggestions = page.getByRole("region", { name: "Did you mean one of these?" });
  await suggestions.getByText("Dinner on Thursday").waitFor();
  assert.equal(await suggestions.getByRole("link").last().getAttribute("href"), `/portal/payment-links/${LINK_HIT.id}`);
  assert.equal(calls.find(({ path }) => path === "/search")?.query.get("q"), "pl_4f0k2m9x");
  assert.deepEqual(faults, []);
});

test("headers sort a list where its endpoint can, and the address keeps the order", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  const sorted = () =>
    calls
      .filter(({ path }) => path === "/transactions")
      .at(-1)
      ?.query.get("sort") ?? null;
  const header = (name: string) => page.getByRole("columnheader", { name });
  await page.goto(`${url}/portal/transactions?status=OK`);
  await page.locator("main .row-button").first().waitFor();
  assert.equal(await header("Time").getAttribute("aria-sort"), "descending");
  assert.equal(await page.getByRole("columnheader").getByRole("button").count(), 2, "only time and amount sort");
  await header("Amount").getByRole("button").click();
  await eventually(() => assert.equal(sorted(), "largest"));
  assert.equal(await header("Amount").getAttribute("aria-sort"), "descending");
  assert.equal(await header("Time").getAttribute("aria-sort"), null);
  await header("Amount").getByRole("button").click();
  await eventually(() => assert.equal(sorted(), "smallest"));
  assert.equal(new URL(page.url()).search, "?status=OK&sort=smallest");
  await page.locator("main .row-button").first().click();
  await eventually(() => assert.match(page.url(), /\/transactions\/.+\?status=OK&sort=smallest$/));
  await page.keyboard.press("Escape");
  await header("Time").getByRole("button").click();
  await eventually(() => assert.equal(sorted(), null, "the newest first is the usual order"));
  assert.equal(new URL(page.url()).search, "?status=OK");
  await page.goto(`${url}/portal/transactions?sort=status`);
  await page.locator("main .row-button").first().waitFor();
  assert.equal(sorted(), null, "an order that the list does not have is not asked for");
  assert.deepEqual(faults, []);
});

test("the search and suggestions break no rule of accessibility, in both themes and sizes", { ...skip, timeout: 180_000 }, async (t) => {
  const away = foundOf({
    groups: [
      ...foundOf().groups,
      { name: "disputes", state: "away", items: [], more: false, since: null },
      {
        name: "terminals",
        state: "searched",
        items: [hitOf({ type: "terminal", id: "SIM00001", amountMinor: null, currency: null, state: "ONLINE", detail: "A920" })],
        more: true,
        since: null,
      },
    ],
  });
  await lookAtEvery(t, "portal", [
    {
      name: "search",
      path: "/portal",
      handlers: { ...ANNA, "GET /search": () => ({ data: away }) },
      until: async (page) => {
        await page.getByRole("heading", { name: "Overview" }).waitFor();
        await open(page, "s");
        await field(page).fill("se");
        await page.getByText("Could not be searched").waitFor();
      },
    },
    {
      name: "suggestions of a list",
      path: "/portal/transactions?q=pl_4f0k2m9x",
      handlers: { ...ANNA, "GET /transactions": () => ({ data: { items: [], next: null } }) },
      until: (page) => page.getByText("Dinner on Thursday").waitFor(),
    },
  ]);
});
