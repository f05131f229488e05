import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { CALL_LOG, type FakeHandler, fakeRelay, MERCHANT, sessionOf, WORKFLOW_LOG } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /logs/workflow": () => ({ data: WORKFLOW_LOG }),
  "GET /logs/calls": () => ({ data: CALL_LOG }),
};

test("the logs are narrowed by what stands in them, and the address keeps it", skip, async (t) => {
  const { url, page, faults, show } = await openPortal(t);
  await show("light", 1_280);
  const { calls } = await fakeRelay(page, ANNA);
  const asked = async (path: string, query: Record<string, string>) => {
    const wanted = `${path}?${new URLSearchParams({ ...query, limit: "50" })}`;
    await eventually(() =>
      assert.ok(
        calls.some((call) => `${call.path}?${call.query}` === wanted),
        `${wanted} was not asked for`,
      ),
    );
  };
  await page.goto(`${url}/portal/logs`);
  await asked("/logs/workflow", {});

  await page.getByRole("button", { name: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51" }).first().click();
  await page.waitForURL(/\?objectId=2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51$/);
  await asked("/logs/workflow", { objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51" });

  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("button", { name: "till-7.42" }).click();
  await page.waitForURL(/\?requestId=till-7\.42$/);
  await asked("/logs/workflow", { requestId: "till-7.42" });

  // The same request, at the calls.
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.waitForURL(/requestId=till-7\.42&tab=calls/);
  await asked("/logs/calls", { requestId: "till-7.42" });
  await page.getByLabel("Outcome").selectOption("failed");
  await asked("/logs/calls", { requestId: "till-7.42", outcome: "failed" });

  // A step is never `failed`.
  await page.getByRole("tab", { name: "Steps" }).click();
  await page.waitForURL((to) => to.search === "?requestId=till-7.42");

  await page.goto(`${url}/portal/logs?tab=calls&outcome=nonsense&from=yesterday&objectId=link-9`);
  await asked("/logs/calls", { objectId: "link-9" });
  assert.deepEqual(faults, []);
});

test("an entry leads to what it is about", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  const hrefOf = async (path: string, row: number) => {
    await page.goto(url + path);
    await page.locator("main .row-button").nth(row).click();
    return page.locator("dialog").getByRole("link", { name: "Open" }).getAttribute("href");
  };
  assert.equal(await hrefOf("/portal/logs", 0), "/portal/payment-links/plk_8d8f5k2m9q4r7s1t3u6v8w0x");
  assert.equal(await hrefOf("/portal/logs", 1), "/portal/transactions/2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51");
  assert.equal(await hrefOf("/portal/logs?tab=calls", 1), "/portal/transactions/2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51");
  await page.locator("dialog").getByRole("button", { name: "Only this object" }).click();
  await page.waitForURL(/objectId=2f6f1d38/);
  assert.equal(await page.locator("dialog").count(), 0);
});

test("the logs say why they are not there, and are no page for those who do not integrate", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /logs/workflow": () => ({ status: 503, code: "unavailable" }) });
  await page.goto(`${url}/portal/logs`);
  await page.getByText("Not available at the moment").waitFor();
  await page.getByText("Part of the service is not available right now").waitFor();
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.getByText("3 entries in total").waitFor();

  await page.unrouteAll();
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "FINANCE" } }) }) });
  await page.goto(`${url}/portal/logs`);
  await page.getByText("Page not found").first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Logs" }).count(), 0);
});
