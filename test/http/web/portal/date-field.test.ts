import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { axeViolations } from "../../../support/node/portal-faults.ts";
import { eventually } from "../../../support/within.ts";
import { type FakeHandler, fakeRelay, meOf, OVERVIEW, PAYMENT_LINKS, sessionOf, terminalsOf } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /me": () => ({ data: meOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
};

const filters = (page: Page) => page.locator(".filters-desk");
const from = (page: Page) => new URL(page.url()).searchParams.get("from");

test("a day is typed and chosen in the language of the page, whatever the browser's is", skip, async (t) => {
  // The browser of these tests speaks American English.
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) });
  await page.goto(`${url}/portal/payment-links?from=2026-11-05`);
  const day = filters(page).getByLabel("Dal", { exact: true });
  assert.equal(await day.inputValue(), "05/11/2026");
  await filters(page).getByText("gg/mm/aaaa").first().waitFor();
  await day.fill("9.3.2026");
  await eventually(() => assert.equal(from(page), "2026-03-09"));
  await day.blur();
  assert.equal(await day.inputValue(), "09/03/2026");
  for (const wrong of ["31/02/2026", "03/13/2026", "presto"]) {
    await day.fill(wrong);
    await day.blur();
    await filters(page).getByText("Inserisci un giorno, per esempio").waitFor();
    assert.equal(from(page), "2026-03-09", wrong);
  }
  await day.fill("");
  await eventually(() => assert.equal(from(page), null));
  assert.deepEqual(faults, []);
});

test("the calendar has the weeks and the words of the page's language, and is used with the keyboard alone", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) });
  await page.goto(`${url}/portal/payment-links?from=2026-01-31`);
  await filters(page).getByRole("button", { name: "Apri il calendario" }).first().press("Enter");
  const calendar = page.locator("dialog", { hasText: "gennaio 2026" });
  await calendar.getByRole("status").getByText("gennaio 2026").waitFor();
  assert.deepEqual(await calendar.locator("th").allTextContents(), ["lun", "mar", "mer", "gio", "ven", "sab", "dom"]);
  const focused = () => page.evaluate(`document.activeElement.getAttribute("aria-label")`);
  assert.equal(await focused(), "sabato 31 gennaio 2026");
  assert.equal(await calendar.getByRole("button", { name: "sabato 31 gennaio 2026" }).getAttribute("aria-pressed"), "true");
  assert.deepEqual(await axeViolations(page), []);
  for (const [key, expected] of [
    ["PageDown", "sabato 28 febbraio 2026"],
    ["Shift+PageDown", "domenica 28 febbraio 2027"],
    ["ArrowRight", "lunedì 1 marzo 2027"],
    ["End", "domenica 7 marzo 2027"],
    ["Home", "lunedì 1 marzo 2027"],
    ["ArrowUp", "lunedì 22 febbraio 2027"],
  ] as const) {
    await page.keyboard.press(key);
    await eventually(async () => assert.equal(await focused(), expected, key));
  }
  await page.keyboard.press("Enter");
  await eventually(() => assert.equal(from(page), "2027-02-22"));
  assert.equal(await page.locator("dialog").count(), 0);
  assert.equal(await filters(page).getByLabel("Dal", { exact: true }).inputValue(), "22/02/2027");
  assert.deepEqual(faults, []);
});

test("no day after the last one can be typed or chosen", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await page.clock.setFixedTime("2026-11-26T12:00:00Z");
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf() }) });
  await page.goto(`${url}/portal?day=2026-11-20`);
  const day = page.getByLabel("Day", { exact: true });
  await day.fill("27/11/2026");
  await day.blur();
  await page.getByText("Enter a day up to 26/11/2026.").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("day"), "2026-11-20");
  await page.getByRole("button", { name: "Open the calendar" }).click();
  assert.ok(await page.getByRole("button", { name: "Friday, 27 November 2026" }).isDisabled());
  assert.ok(await page.getByRole("button", { name: "Next month" }).isDisabled());
  await page.getByRole("button", { name: "Wednesday, 25 November 2026" }).click();
  await eventually(() => assert.equal(new URL(page.url()).searchParams.get("day"), "2026-11-25"));
  assert.equal(await day.inputValue(), "25/11/2026");
});
