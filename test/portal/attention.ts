import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/within.ts";
import { alerted } from "./disputes.ts";
import { begunPayment, linkIn } from "./links.ts";
import { visitAsAdministrator } from "./operators.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const MINUTE_MS = 60_000;

const task = (page: Page, kind: string) => page.getByRole("table", { name: "To check" }).getByRole("row", { name: kind });

/** What needs attention, on the pages of a shop and of administrators. */
export function attention(world: PortalWorld): void {
  test("an alert with hours left is urgent, and a terminal that went offline while the shop is open is a task, with words instead of ids", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Ferramenta Bassi", 1);
    const [terminalId = ""] = shop.terminalIds;
    const alertId = await alerted(relay, shop, { amountMinor: 1_990 });
    await pay(relay, card(terminalId, 1_250));
    const { page } = await world.visitAs(owner, "/portal/settings");
    await page.getByLabel("Where they come from").selectOption("set");
    for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]) {
      await page.getByLabel(day).fill("00:00-24:00");
    }
    await page.locator("form", { hasText: "Where they come from" }).getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();

    relay.advance(20 * MINUTE_MS);
    await page.goto("/portal/disputes");
    const due = page.locator(".tile", { hasText: "Due within 3 days" });
    await due.getByText("Answer these first").waitFor();
    assert.equal(await page.getByText("Nothing is urgent").count(), 0);

    await page.goto("/portal");
    await task(page, "Terminal offline").getByText("Offline while the shop is open.").waitFor();
    await task(page, "Terminal offline")
      .getByRole("link", { name: `Terminal ${terminalId}` })
      .waitFor();
    await task(page, "Decide on an alert").getByText("€19.90").waitFor();
    await task(page, "Decide on an alert")
      .getByText(/\d h .*left/)
      .waitFor();
    assert.equal(await page.getByText(alertId).count(), 0);
    // A shop that is closed needs no terminal.
    const closed = await owner.send("PUT", "/opening-hours", { hours: [] });
    assert.equal(closed.status, 200, closed.text);
    await task(page, "Terminal offline").waitFor({ state: "detached" });
    const log = await owner.send("GET", "/audit");
    assert.match(log.text, /opening-hours\.replace/);
  });

  test("open links are those that can be paid", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Cinema Astra");
    // Whatever other shops have begun is over after an hour.
    relay.advance(61 * MINUTE_MS);
    const { page } = await visitAsAdministrator(world, "read-only", "/admin/ui/cluster");
    const count = page.locator(".tile", { hasText: "Open links" }).locator(".tile-value");
    const becomes = (expected: string) =>
      eventually(async () => {
        relay.advance(6_000);
        await page.reload();
        assert.equal(await count.textContent(), expected);
      });
    await becomes("0");
    await begunPayment(relay, await linkIn(relay, shop, { description: "Two seats" }));
    await becomes("1");
    // The relay asks the gateway about it for longer, but nobody can pay it any more. A session that
    // is not used for half an hour ends.
    for (let quarter = 0; quarter < 5; quarter += 1) {
      relay.advance(15 * MINUTE_MS);
      await page.reload();
      await count.waitFor();
    }
    await becomes("0");
  });
}
