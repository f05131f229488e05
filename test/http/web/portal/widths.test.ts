import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { leavingOrder } from "../../../../http/web/portal/components/leaving-order.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { fakeRelay, MERCHANT, OVERVIEW, sessionOf, TRANSACTION, TRANSACTIONS } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 90_000 };

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: TRANSACTION }),
};

const headers = (page: Page): Promise<string[]> => page.locator("main thead th").allTextContents();

/** The table is no wider than its place. */
const FITS_PLACE = `[...document.querySelectorAll(".table-place")].every((place) => place.scrollWidth <= place.clientWidth + 1)`;

/** Amounts that stand in more than one line. */
const BROKEN_AMOUNTS = `[...document.querySelectorAll(".amount")].filter((amount) => amount.getClientRects().length > 1).map(({ textContent }) => textContent)`;

test("columns leave in the order of their priorities, of one priority the last first, and the first column stays", () => {
  const columns = [
    { key: "id", priority: 3 },
    { key: "amount", priority: 1 },
    { key: "method" },
    { key: "card", priority: 3 },
    { key: "terminal", priority: 3 },
    { key: "state", priority: 1 },
    { key: "time", priority: 2 },
  ];
  assert.deepEqual(leavingOrder(columns), ["terminal", "card", "time", "method"]);
});

test("a table leaves out columns before an amount or a word breaks, and its drawer has what has left", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  const all = ["Time", "Amount", "Outcome", "Refunded", "Net", "Method", "Card", "Terminal"];
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${url}/portal/transactions`);
  await page.locator("main .row-button").first().waitFor();
  assert.deepEqual(await headers(page), all);
  const shown: string[][] = [];
  for (const width of [1_280, 1_024, 960, 768]) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(async () => assert.equal(await page.evaluate(FITS_PLACE), true, `${width}`));
    assert.deepEqual(await page.evaluate(BROKEN_AMOUNTS), [], `${width}`);
    shown.push(await headers(page));
  }
  for (const columns of shown) {
    assert.deepEqual(
      columns,
      all.filter((column) => columns.includes(column)),
    );
    for (const kept of ["Time", "Amount", "Outcome"]) assert.ok(columns.includes(kept), `${kept} has left`);
    // What has left is the end of the order in which columns leave.
    assert.equal(columns.includes("Terminal") && !columns.includes("Card"), false);
  }
  assert.ok((shown.at(-1) ?? []).length < all.length, "nothing left at 768 px");
  await page.locator("main .row-button").first().click();
  await page.locator("dialog").getByText(TRANSACTION.terminalId).first().waitFor();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1_440, height: 900 });
  await eventually(async () => assert.deepEqual(await headers(page), all));
  assert.deepEqual(faults, []);
});

test("each cell of a phone has the name of its column", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}/portal/transactions`);
  await page.locator("main .row-button").first().waitFor();
  const names: string[][] = await page.evaluate(
    `[...document.querySelectorAll("main tbody tr")].map((row) => [...row.cells].filter((cell) => cell.offsetParent !== null).map((cell) => getComputedStyle(cell, "::before").content))`,
  );
  assert.deepEqual(
    names,
    names.map(() => ['"Time"', '"Amount"', '"Outcome"', '"Method"']),
  );
});

test(
  "all pages of the navigation are in sight at 1440 × 900, and a long name of a shop is cut with the whole in reach",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    const merchantName = "Antica Pasticceria Caffè e Torrefazione del Duomo di Santa Maria del Fiore di Firenze e Figli dal 1874";
    const merchant = { ...MERCHANT, merchantName };
    await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant, merchants: [merchant] }) }) });
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(`${url}/portal/transactions`);
    const links = page.locator(".sidebar .nav-link");
    assert.equal(await links.count(), 18);
    for (const link of await links.all()) {
      const box = await link.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 900, `${await link.textContent()}`);
    }
    assert.equal(
      await page.evaluate(`(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector(".sidebar"))`),
      true,
    );
    for (const width of [390, 1_024]) {
      await page.setViewportSize({ width, height: 900 });
      const name = page.locator(".merchant-name");
      assert.equal(await name.getAttribute("title"), merchantName);
      await eventually(async () =>
        assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, `${width} px`),
      );
      await page.getByRole("button", { name: /^Your account/ }).click();
      await page.locator(".menu-head").getByText(merchantName).waitFor();
      await page.keyboard.press("Escape");
    }
  },
);

test(
  "below 1200 px the navigation shows icons with names, and its labels for the pointer and the keyboard until Escape",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await fakeRelay(page, ANNA);
    await page.setViewportSize({ width: 1_199, height: 900 });
    await page.goto(`${url}/portal/transactions`);
    const link = page.getByRole("navigation").first().getByRole("link", { name: "Reconciliation", exact: true });
    await link.waitFor();
    const widthOf = async () => (await page.locator(".sidebar").boundingBox())?.width ?? 0;
    const opacityOf = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.sidebar [href$="/reconciliation"] .nav-label')).opacity`);
    assert.ok((await widthOf()) <= 72, `${await widthOf()}`);
    assert.equal(await opacityOf(), "0");
    const main = await page.locator("main").boundingBox();
    for (const [open, close] of [
      [() => link.hover(), () => page.mouse.move(800, 500)],
      [() => page.keyboard.press("Tab").then(() => page.keyboard.press("Tab")), () => page.keyboard.press("Escape")],
      [() => page.mouse.move(20, 400), () => page.keyboard.press("Escape")],
    ] as const) {
      await open();
      await eventually(async () => assert.ok((await widthOf()) > 200));
      await eventually(async () => assert.equal(await opacityOf(), "1"));
      // The page stays where it is.
      assert.deepEqual(await page.locator("main").boundingBox(), main);
      await close();
      await eventually(async () => assert.ok((await widthOf()) <= 72));
    }
    await page.setViewportSize({ width: 1_200, height: 900 });
    await eventually(async () => assert.ok((await widthOf()) > 200));
  },
);
