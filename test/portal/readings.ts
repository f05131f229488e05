import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { listOf, member } from "../support/http/matches.ts";
import { eventually } from "../support/within.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const dialog = (page: Page) => page.locator("dialog.dialog").first();

/** Amounts and days cannot be misread, neither by people nor by the page. */
export function readings(world: PortalWorld): void {
  test("an amount is echoed while it is typed, both languages' notations are understood, and an unclear one is asked about", async () => {
    const { owner } = await shopWithOwner(world.relay, "Pianoforti Fazioli");
    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await page.locator("main").getByRole("button", { name: "New link" }).first().click();
    const amount = dialog(page).getByLabel("Amount");
    const echo = dialog(page).locator(".amount-echo").getByRole("status");
    const says = (words: string) => eventually(async () => assert.equal(await echo.textContent(), words), 5_000);
    for (const written of ["24,00", "24.00"]) {
      await amount.fill(written);
      await says("= €24.00");
    }
    await amount.fill("12,345.00");
    await says("= €12,345.00");
    await dialog(page).getByLabel("Description").fill("A grand piano");
    await amount.fill("12,345");
    await says("Which amount do you mean?");
    await dialog(page).getByRole("button", { name: "Create link" }).click();
    await dialog(page).getByText("Choose the amount that you mean.").waitFor();
    await dialog(page).getByRole("button", { name: "€12,345.00" }).click();
    await says("= €12,345.00");
    await dialog(page).getByRole("button", { name: "Create link" }).click();
    await page.getByText("The link is ready").waitFor();
    const { body } = await owner.send("GET", "/payment-links");
    assert.deepEqual(
      listOf(member(body, "data", "items")).map((link) => member(link, "amountMinor")),
      [1_234_500],
    );
  });

  test("an amount in Italian is echoed in Italian, and its counterpart is asked about", async () => {
    const { owner } = await shopWithOwner(world.relay, "Pianoforti Bösendorfer");
    const changed = await owner.send("PATCH", "/me", { locale: "it" });
    assert.equal(changed.status, 200, changed.text);
    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await page.locator("main").getByRole("button", { name: "Nuovo link" }).first().click();
    const amount = dialog(page).getByLabel("Importo");
    for (const [written, words] of [
      ["24.00", "= 24,00 €"],
      ["24,00", "= 24,00 €"],
      ["12.345", "Quale importo intendi?"],
      ["12.345,00", "= 12.345,00 €"],
    ] as const) {
      await amount.fill(written);
      await dialog(page).locator(".amount-echo").getByText(words, { exact: true }).waitFor();
    }
  });

  test("days are typed and chosen in the language of the page, also in a browser of another language", async () => {
    const { owner } = await shopWithOwner(world.relay, "Orologeria Pisa");
    const changed = await owner.send("PATCH", "/me", { locale: "it" });
    assert.equal(changed.status, 200, changed.text);
    const { page } = await world.visitAs(owner, "/portal/payment-links?from=2026-11-05", { locale: "en-GB" });
    const filters = page.locator(".filters-desk");
    assert.equal(await filters.getByLabel("Dal", { exact: true }).inputValue(), "05/11/2026");
    await filters.getByText("gg/mm/aaaa").first().waitFor();
    await filters.getByRole("button", { name: "Apri il calendario" }).first().click();
    await page.locator("dialog").getByRole("button", { name: "lunedì 9 novembre 2026" }).click();
    await eventually(() => assert.equal(new URL(page.url()).searchParams.get("from"), "2026-11-09"), 5_000);
    assert.equal(await page.locator('input[type="date"]').count(), 0);
  });

  test("the amounts of a list's filters are read like all others", async () => {
    const { shop, owner } = await shopWithOwner(world.relay, "Salumeria Roscioli", 1);
    const [terminalId = ""] = shop.terminalIds;
    await pay(world.relay, card(terminalId, 2_399));
    await pay(world.relay, card(terminalId, 2_400));
    const { page } = await world.visitAs(owner, "/portal/transactions");
    const filters = page.locator(".filters-desk");
    await filters.getByRole("button", { name: "More filters" }).click();
    await filters.getByLabel("Amount from").fill("24,00");
    await filters.getByText("= 24.00", { exact: true }).waitFor();
    await eventually(() => assert.equal(new URL(page.url()).searchParams.get("amountMin"), "2400"), 5_000);
    await page.locator("main tbody tr", { hasText: "€24.00" }).waitFor();
    await eventually(async () => assert.equal(await page.locator("main tbody tr").count(), 1), 10_000);
  });
}
