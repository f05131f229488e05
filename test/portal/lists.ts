import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startSimulatedTerminal } from "../../infra/sandbox/terminal/terminal.ts";
import { assertMatches, listOf } from "../support/http/matches.ts";
import { PORTAL_API } from "../support/people/portal-person.ts";
import { eventually, within } from "../support/within.ts";
import { newMerchant } from "../tenancy/merchants.ts";
import { exportedFile } from "./exports.ts";
import { card, pay, transactionsOf } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

/** The page asks every five seconds (test/http/web/portal/behaviour.test.ts): what a shop is promised within ten is in the second answer. */
const ANSWERS_UNTIL_OFFLINE_MAX = 2;

const rowButtons = (page: Page) => page.locator("main .row-button");

/** What a shop sees of its payments and terminals, and nobody else does. */
export function lists(world: PortalWorld): void {
  test("acceptance 4: nothing of one merchant appears for another: on no page, in no list and no file, by none of its true ids", async () => {
    const { relay } = world;
    const first = await newMerchant(relay, world.gateway, "first", "4201");
    const second = await newMerchant(relay, world.gateway, "second", "4302");
    const { page } = await world.visitAs(second.owner, "/portal");
    const assertNothing = async (where: string): Promise<void> => {
      const shown = (await page.locator("body").textContent()) ?? "";
      const leaked = first.markers.filter((marker) => shown.includes(marker));
      assert.deepEqual(leaked, [], where);
    };
    const heading = (name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
    for (const [path, name, shows] of [
      ["/portal", "Overview", second.things.terminalId],
      ["/portal/transactions", "Transactions", second.things.terminalId],
      ["/portal/analytics?tab=terminals", "Analytics", second.things.terminalId],
      ["/portal/payment-links", "Payment links", "link of second"],
      ["/portal/payment-methods", "Payment methods", "PayPal"],
      ["/portal/webhooks", "Webhooks", "hooks-of-second"],
      ["/portal/webhooks?tab=deliveries", "Webhooks", second.things.objectId.slice(0, 8)],
      ["/portal/logs", "Logs", second.things.paymentLinkId.slice(0, 8)],
      ["/portal/logs?tab=calls", "Logs", "127.0.0.1"],
      ["/portal/keys", "API keys", "sk_merchant_"],
      ["/portal/terminals", "Terminals", second.things.terminalId],
      ["/portal/users", "Users", second.things.email],
      ["/portal/audit", "Audit", second.things.email],
      ["/portal/settings", "Settings", second.things.email],
    ] as const) {
      await page.goto(path);
      await heading(name);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      await assertNothing(path);
    }
    // The true ids of the other, typed into the address.
    const { uuid, terminalId, authCode, paymentLinkId, webhookId, deliveryId, objectId, requestId } = first.things;
    await page.goto(`/portal/transactions/${uuid}`);
    await page.getByText("Transaction not found").waitFor();
    await page.goto(`/portal/terminals/${terminalId}`);
    await page.getByText("Terminal not found").waitFor();
    for (const [path, shows] of [
      [`payment-links/${paymentLinkId}`, "Payment link not found"],
      [`webhooks/${webhookId}`, "Endpoint not found"],
      [`webhooks/${deliveryId}?tab=deliveries`, "Delivery not found"],
      [`payment-links?q=${paymentLinkId}`, "No results"],
      [`payment-links?customerEmail=${encodeURIComponent(first.things.customerEmail)}`, "No results"],
      [`webhooks?tab=deliveries&objectId=${objectId}`, "No results for these filters"],
      [`logs?objectId=${paymentLinkId}`, "No results for these filters"],
      [`logs?requestId=${requestId}`, "No results for these filters"],
      [`logs?tab=calls&objectId=${objectId}`, "No results for these filters"],
    ] as const) {
      await page.goto(`/portal/${path}`);
      await page.getByText(shows).first().waitFor();
    }
    for (const query of [`q=${uuid}`, `q=${authCode}`, `terminalId=${terminalId}`]) {
      await page.goto(`/portal/transactions?${query}`);
      await page.getByText("No results for these filters").waitFor();
    }
    // What the page's own session and cookie get from the interface, the file among it.
    const asked = await page.evaluate(
      `Promise.all(${JSON.stringify([
        ...[`/transactions/${uuid}`, `/transactions/${uuid}/receipt`, `/terminals/${terminalId}`],
        ...[`/payment-links/${paymentLinkId}`, `/webhooks/deliveries/${deliveryId}`],
        ...["/transactions", "/transactions.csv", "/terminals", "/users", "/audit?limit=200", "/overview", "/exports"],
        ...["/payment-links", "/payment-methods", "/webhooks", "/webhooks/deliveries", "/keys", "/logs/workflow", "/logs/calls"],
      ])}.map(async (path) => { const answer = await fetch("${PORTAL_API}" + path); return [path, answer.status, await answer.text()]; }))`,
    );
    for (const [path, status, text] of listOf(asked).map(listOf)) {
      const namesOther = [uuid, terminalId, paymentLinkId, deliveryId].some((id) => String(path).includes(id));
      assert.equal(status, namesOther ? 404 : 200, `${path}`);
      // The log of the second merchant may say what it asked for; it has asked for nothing that is logged.
      const leaked = first.markers.filter((marker) => String(text).includes(marker));
      assert.deepEqual(leaked, [], `${path}`);
    }
    await page.goto("/portal/transactions");
    const file = (await exportedFile(page, { format: "CSV", language: "en" })).contents.toString("utf8");
    assert.ok(file.includes(second.things.uuid) && !file.includes(uuid));
    await page.goto("/portal/exports");
    await page.locator("main tr", { hasText: "Transactions" }).first().waitFor();
    await assertNothing("/portal/exports");
  });

  test("acceptance 5: what a terminal takes stands in the list at the next refresh, and a terminal that goes is offline within ten seconds", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Bar del Porto", 1);
    const [terminalId = ""] = shop.terminalIds;
    const terminal = await startSimulatedTerminal({ terminalId, url: relay.node.url, speed: 10 });
    try {
      await within("the terminal", terminal.online);
      const list = await world.visitAs(owner, "/portal/transactions");
      const terminals = await world.visitAs(owner, "/portal/terminals");
      await list.page.getByText("No transactions yet").waitFor();
      await list.page.evaluate("globalThis.notReloaded = true");
      await terminals.page.getByText("1 of 1 online").waitFor();

      const uuid = relay.uuid();
      assert.equal((await relay.partner().pay(terminalId, { uuid, amount: 12_340 })).status, 200);
      await relay.lifeBecomes(uuid, { state: "done" });
      await rowButtons(list.page).first().waitFor();
      await list.page.getByText("€123.40").first().waitFor();
      assert.equal(await list.page.evaluate("globalThis.notReloaded"), true);

      let asked = 0;
      terminals.page.on("request", (request) => {
        if (new URL(request.url()).pathname === `${PORTAL_API}/terminals`) asked += 1;
      });
      await terminal.stop();
      const before = asked;
      await terminals.page.getByText("0 of 1 online").waitFor();
      await terminals.page.locator("main .badge", { hasText: "Offline" }).waitFor();
      assert.ok(asked - before <= ANSWERS_UNTIL_OFFLINE_MAX, `asked ${asked - before} times`);
    } finally {
      await terminal.stop();
    }
  });

  test("back goes from the opened transaction to the list as it was filtered, and from there to the page before", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Erboristeria", 1);
    const [terminalId = ""] = shop.terminalIds;
    await pay(relay, card(terminalId, 1_230));
    await pay(relay, card(terminalId, 1_005));
    const { page } = await world.visitAs(owner, "/portal");
    await page.getByRole("navigation").first().getByRole("link", { name: "Transactions" }).click();
    await rowButtons(page).nth(1).waitFor();
    await page.locator(".filters-desk").getByLabel("Outcome").selectOption("OK");
    await page.getByText("1 transaction", { exact: false }).last().waitFor();
    await eventually(() => assert.match(page.url(), /\/portal\/transactions\?status=OK$/));
    await rowButtons(page).first().click();
    const drawer = page.locator("dialog");
    await drawer.getByText("€12.30").first().waitFor();
    await eventually(() => assert.match(page.url(), /\/portal\/transactions\/[0-9a-f-]{36}\?status=OK$/));
    await page.goBack();
    await drawer.waitFor({ state: "detached" });
    assert.match(page.url(), /\/portal\/transactions\?status=OK$/);
    assert.equal(await rowButtons(page).count(), 1);
    await page.goForward();
    await drawer.getByText("€12.30").first().waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    assert.match(page.url(), /\/portal\/transactions\?status=OK$/);
    // A link of the opened transaction may be sent to a colleague.
    const colleagueSees = await world.visitAs(owner, "/portal/transactions?status=OK");
    await rowButtons(colleagueSees.page).first().click();
    await colleagueSees.page.reload();
    await colleagueSees.page.locator("dialog").getByText("€12.30").first().waitFor();
    for (let steps = 0; steps < 4 && !/\/portal$/.test(page.url()); steps += 1) await page.goBack();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("a tile of the overview opens the list of what it counts, and the receipt of a payment is printed alone", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Osteria Ponte", 1);
    const [terminalId = ""] = shop.terminalIds;
    for (const amount of [2_500, 1_230, 1_005]) await pay(relay, card(terminalId, amount));
    const { page } = await world.visitAs(owner, "/portal");
    const tile = page.getByRole("link", { name: /^Volume/ });
    await tile.getByText("€37.30").waitFor();
    await tile.click();
    await page.getByText("2 transactions in total").waitFor();
    await rowButtons(page).first().click();
    await page.locator("dialog").getByRole("button", { name: "Receipt" }).click();
    const paper = page.locator(".paper");
    await paper.getByText("Osteria Ponte").waitFor();
    await paper.getByText("Merchant copy").waitFor();
    await page.emulateMedia({ media: "print" });
    assert.equal(await paper.isVisible(), true);
    // What stays in its place but unseen is no more on paper than what is away.
    for (const away of [".sidebar", ".topbar", "main .table"]) assert.equal(await page.locator(away).first().isVisible(), false, away);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate("globalThis.print = () => { globalThis.printed = (globalThis.printed ?? 0) + 1; }");
    await page.locator("dialog").last().getByRole("button", { name: "Print" }).click();
    assert.equal(await page.evaluate("globalThis.printed"), 1);
    await eventually(async () => assertMatches((await transactionsOf(owner)).length, 3));
  });
}
