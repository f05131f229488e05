import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { fakeRelay } from "../portal/fake-relay.ts";
import { openPortal } from "../portal/portal-page.ts";
import { FLEET, PAOLA } from "./fake-operations.ts";

test("merchants are filtered, and a drawer has the partner, the services, the terminals and the people of one", {
  skip: NO_BROWSER,
  timeout: 60_000,
}, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /fleet/terminals": ({ query }) => ({
        data: { items: FLEET.filter(({ merchantId }) => merchantId === query.get("merchantId")), next: null },
      }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/merchants`);
  await page.getByText("2 merchants").waitFor();
  await page.getByLabel("Environment").selectOption("TEST");
  await page.getByText("1 merchant", { exact: true }).waitFor();
  await page.getByLabel("Partner").selectOption("7");
  await page.getByLabel("Id or name").fill("duomo");
  await page.waitForURL("**q=duomo");
  await page.getByText("1 merchant", { exact: true }).waitFor();
  const asked = calls.findLast(({ path }) => path === "/api/merchants")?.query;
  assert.deepEqual(Object.fromEntries(asked ?? []), { q: "duomo", partnerId: "7", environment: "TEST", limit: "50" });
  await page.locator(".row-button").first().click();
  const drawer = page.locator("dialog");
  await drawer.getByText("PAYBYLINK").waitFor();
  await drawer.getByText("luca.ferrari@example.com").waitFor();
  await drawer.getByRole("link", { name: "SIM00001" }).waitFor();
  assert.equal(await drawer.getByRole("link", { name: "acme" }).getAttribute("href"), "/admin/ui/partners/7");
  assert.equal(await drawer.getByRole("link", { name: /as a fleet/ }).getAttribute("href"), "/admin/ui/fleet?merchantId=SHOP-001");
  assert.match(page.url(), /\/merchants\/SHOP-001\?.*environment=TEST/);
  await page.keyboard.press("Escape");
  await page.getByText("1 merchant", { exact: true }).waitFor();
  assert.deepEqual(faults, []);
});
