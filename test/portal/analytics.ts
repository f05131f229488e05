import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { listOf, member } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { eventually } from "../support/within.ts";
import type { Looked } from "./pages.ts";
import { card, pay, transactionsOf } from "./payments.ts";
import { colleague, shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const DAY_MS = 86_400_000;

/** A day of the relay's clock, which is not that of the browser's machine. */
export function dayOf(relay: Relay, days = 0): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Rome" }).format(relay.nowMs() + days * DAY_MS);
}

const tile = (page: Page, label: string) =>
  page.locator(".tile", { has: page.locator(".tile-label", { hasText: new RegExp(`^${label}$`) }) });
const figureOf = (page: Page, label: string) => tile(page, label).locator(".tile-value").textContent();
const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();
const drawn = (page: Page) => page.locator(".chart-drawing canvas").first().waitFor();

/** What a shop reads of its figures. */
export function analytics(world: PortalWorld): void {
  test("the figures of the reports are those of the lists that they lead to, for each terminal, method and outcome", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Libreria del Corso", 2);
    const [one = "", two = ""] = shop.terminalIds;
    const amounts = [2_500, 1_230, 4_890, 999, 12_000];
    for (const [index, amount] of amounts.entries()) await pay(relay, card(index % 2 === 0 ? one : two, amount));
    // The sandbox's terminal declines amounts that end so.
    for (let index = 0; index < 3; index += 1) await pay(relay, card(two, 1_005));
    await pay(relay, { terminalId: one, service: "PAYSAT", amountCents: 3_300 });
    const days = `from=${dayOf(relay, -1)}&to=${dayOf(relay, 1)}`;
    const listed = await transactionsOf(owner, `${days}&status=OK`);
    const sumMinor = listed.reduce((sum: number, item) => sum + Number(member(item, "amountMinor")), 0);
    assert.equal(listed.length, 6);
    assert.equal(sumMinor, 24_919);

    const { page } = await world.visitAs(owner, `/portal/analytics?${days}`);
    await tile(page, "Volume").getByText("€249.19").waitFor();
    assert.equal(await figureOf(page, "Approved"), "6");
    assert.equal(await figureOf(page, "Declined"), "3");
    assert.equal(await figureOf(page, "Approval rate"), "66.7%");
    await drawn(page);
    await tile(page, "Declined").click();
    await page.getByText("3 transactions in total").waitFor();
    await page.goBack();
    await tile(page, "Approved").click();
    await page.getByText("6 transactions in total").waitFor();

    await page.goto(`/portal/analytics?tab=terminals&${days}`);
    const terminal = page.locator("main tr", { hasText: two });
    await terminal.waitFor();
    assert.match((await terminal.textContent()) ?? "", /€22\.29/);
    await terminal.getByRole("link", { name: two }).click();
    await page.getByText("5 transactions in total").waitFor();

    await page.goto(`/portal/analytics?tab=methods&${days}`);
    const satispay = page.locator("main tr", { hasText: "Satispay" });
    await satispay.waitFor();
    assert.match((await satispay.textContent()) ?? "", /€33\.00/);
    // Each reason with its count: those of the list with the outcome KO.
    const declined = await transactionsOf(owner, `${days}&status=KO`);
    const reasons = page.locator(".panel", { has: page.getByRole("heading", { name: "Why payments were declined" }) }).locator("tbody tr");
    const counts = await reasons.locator('td[data-label="Declined"]').allTextContents();
    assert.equal(
      counts.reduce((sum, count) => sum + Number(count), 0),
      declined.length,
    );
    await satispay.getByRole("link").click();
    await page.getByText("1 transaction", { exact: true }).waitFor();
  });

  test("links that were made are counted by what became of them, and a viewer reads the same in Italian", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Fioraio Mazzi", 1);
    const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const made = await server.post("/api/merchant/payment-links", { amountMinor: 1_500 + index, description: `A bunch ${index}` });
      assert.equal(made.status, 201, made.text);
      ids.push(String(member(made.body, "data", "id")));
    }
    const cancelled = await server.post(`/api/merchant/payment-links/${ids[0]}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    const days = `from=${dayOf(relay, -1)}&to=${dayOf(relay, 1)}`;
    const viewer = await colleague(relay, owner, "vera", "VIEWER");
    const { page } = await world.visitAs(viewer, `/portal/analytics?tab=links&${days}`);
    // Rows are fed a moment after they are stored, and an answer is shared for some seconds.
    await eventually(async () => {
      await page.reload();
      await tile(page, "Created").waitFor();
      assert.equal(await figureOf(page, "Created"), "4");
      assert.equal(await figureOf(page, "Cancelled"), "1");
    }, 60_000);
    assert.equal(await figureOf(page, "Can be paid"), "3");
    await tile(page, "Cancelled").click();
    await page.getByText("1 payment link", { exact: true }).waitFor();
    const listed = await viewer.send("GET", `/payment-links?${days}`);
    assert.equal(listOf(member(listed.body, "data", "items")).length, 4);

    await page.goto("/portal/settings");
    await page.getByLabel("Language", { exact: true }).selectOption("it");
    await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    await page.goto(`/portal/analytics?tab=links&${days}`);
    await page.getByRole("heading", { name: "Analisi" }).waitFor();
    await tile(page, "Creati").waitFor();
    assert.equal(await figureOf(page, "Creati"), "4");
    // A viewer looks and exports nothing.
    assert.equal(await page.getByRole("link", { name: "Esportazioni" }).count(), 0);
  });
}

/** Every tab with real data. */
export function analyticsPages(relay: Relay): Looked[] {
  const days = `from=${dayOf(relay, -9)}&to=${dayOf(relay)}`;
  return [
    ...(["payments", "methods", "terminals", "links", "disputes", "subscriptions"] as const).map((tab) => ({
      name: `analytics ${tab}`,
      path: `/portal/analytics?tab=${tab}&${days}`,
      until: drawn,
    })),
    { name: "analytics of agents", path: `/portal/analytics?tab=agents&${days}`, until: seen("What limits have refused") },
    { name: "analytics of a day", path: `/portal/analytics?from=${dayOf(relay)}&to=${dayOf(relay)}&compare=year`, until: drawn },
    { name: "analytics of nothing", path: `/portal/analytics?${days}&terminalId=none`, until: seen("Nothing in this period") },
  ];
}

export function italianAnalyticsPages(relay: Relay): Looked[] {
  const days = `from=${dayOf(relay, -9)}&to=${dayOf(relay)}`;
  return (["payments", "methods", "disputes", "subscriptions"] as const).map((tab) => ({
    name: `analisi ${tab}`,
    path: `/portal/analytics?tab=${tab}&${days}`,
    until: drawn,
  }));
}
