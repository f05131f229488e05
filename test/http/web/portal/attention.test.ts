import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { DISPUTE_HANDLERS, NO_STATS } from "./fake-disputes.ts";
import { DELIVERIES, DELIVERY, type FakeHandler, fakeRelay, meOf, sessionOf, WEBHOOKS } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...DISPUTE_HANDLERS,
};

test("an alert that is due soon counts as due, and nothing says that all is calm", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const stats = { ...NO_STATS, alerts: { ...NO_STATS.alerts, counts: { PENDING: 1 }, dueSoon: 1 } };
  await fakeRelay(page, { ...ANNA, "GET /disputes/stats": () => ({ data: stats }) });
  await page.goto(`${url}/portal/disputes`);
  const tile = page.locator(".tile", { hasText: "Due within 3 days" });
  await tile.getByText("Answer these first").waitFor();
  assert.equal(await tile.locator(".tile-value").textContent(), "1");
  assert.equal(await page.getByText("Nothing is urgent").count(), 0);
});

for (const { what, tries, expected } of [
  {
    what: "says that an event has just been delivered if the relay delivered it at the same moment",
    tries: [...DELIVERY.tries, { at: "2026-11-25T10:00:35.000Z", ms: 61, status: 200, answer: "", problem: null }],
    expected: "It has just been delivered.",
  },
  {
    what: "shows the error of a resend if nothing was delivered since",
    tries: DELIVERY.tries,
    expected: "Somebody else has changed this.",
  },
]) {
  test(what, skip, async (t) => {
    const { url, page } = await openPortal(t);
    let isAsked = false;
    await fakeRelay(page, {
      ...ANNA,
      "GET /webhooks": () => ({ data: WEBHOOKS }),
      "GET /webhooks/deliveries": () => ({ data: DELIVERIES }),
      "GET /webhooks/deliveries/*": () => ({ data: isAsked ? { ...DELIVERY, outcome: "DELIVERED", tries } : DELIVERY }),
      "POST /webhooks/deliveries/*/resend": () => {
        isAsked = true;
        return { status: 409, code: "conflict", message: "The event is no longer stored" };
      },
    });
    await page.goto(`${url}/portal/webhooks/${DELIVERY.id}?tab=deliveries`);
    await page.locator("dialog").getByRole("button", { name: "Resend", exact: true }).click();
    await page.getByText(expected).waitFor();
    assert.equal(await page.locator("dialog [role=alert]").count(), expected.startsWith("It has") ? 0 : 1);
  });
}
