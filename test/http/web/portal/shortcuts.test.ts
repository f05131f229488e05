import assert from "node:assert/strict";
import { test } from "node:test";
import { type Press, type Shortcut, shortcutOf } from "../../../../http/web/portal/state/shortcut-keys.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { fakeRelay, OVERVIEW, PAYMENT_LINKS, sessionOf } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const nothing = () => {};
const HELP: Shortcut = { keys: "?", name: () => "Help", run: nothing };
const CREATE: Shortcut = { keys: "n", name: () => "Create", run: nothing };
const SEARCH: Shortcut = { keys: "Mod+k", name: () => "Search", everywhere: true, run: nothing };

const PRESS: Press = { key: "?", ctrlKey: false, metaKey: false, altKey: false, isInField: false, isInFront: false };

for (const { title, press, withSingleKeys = true, means } of [
  { title: "a character on the page", press: {}, means: HELP },
  { title: "a letter with the capitals lock", press: { key: "N" }, means: CREATE },
  { title: "a character in a field", press: { isInField: true }, means: null },
  { title: "a character while a dialog is open", press: { isInFront: true }, means: null },
  { title: "a character that is switched off", press: {}, withSingleKeys: false, means: null },
  { title: "a character with Alt", press: { altKey: true }, means: null },
  { title: "a letter with Ctrl, which is one of the browser", press: { key: "n", ctrlKey: true }, means: null },
  { title: "Ctrl and a key", press: { key: "k", ctrlKey: true }, means: SEARCH },
  { title: "Command and a key", press: { key: "k", metaKey: true }, means: SEARCH },
  { title: "Ctrl and a key in a field of a dialog", press: { key: "k", ctrlKey: true, isInField: true, isInFront: true }, means: SEARCH },
  { title: "Ctrl and a key, where single keys are off", press: { key: "k", ctrlKey: true }, withSingleKeys: false, means: SEARCH },
  { title: "a key of no shortcut", press: { key: "x" }, means: null },
]) {
  test(`${title} means ${means === null ? "no shortcut" : means.keys}`, () => {
    assert.equal(shortcutOf([HELP, CREATE, SEARCH], { ...PRESS, ...press }, withSingleKeys), means);
  });
}

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
};

test("the help lists the shortcuts of the page, from the declarations that bind them", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/payment-links`);
  await page.locator(".row-button").first().waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByText("Go to the filters").waitFor();
  await help.getByText("New link").waitFor();
  assert.equal(await help.locator("dt", { hasText: "Show this help" }).count(), 1);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("f");
  await page.locator(".filters-desk :focus").waitFor();
  // In a field it is a character.
  await page.keyboard.type("?n");
  assert.equal(await page.locator("dialog").count(), 0);
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("n");
  await page.locator("dialog").waitFor();
  assert.deepEqual(faults, []);
});

test("single keys are switched off for this browser, and the menu still opens the help", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/payment-links`);
  await page.locator(".row-button").first().waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByLabel("Shortcuts of a single key").uncheck();
  assert.equal(await help.getByText("Go to the filters").count(), 0);
  await page.reload();
  await page.locator(".row-button").first().waitFor();
  await page.keyboard.press("?");
  await page.keyboard.press("n");
  await page.getByRole("button", { name: /^Your account/ }).click();
  assert.equal(await page.locator("dialog").count(), 0);
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  assert.equal(await help.getByLabel("Shortcuts of a single key").isChecked(), false);
});
