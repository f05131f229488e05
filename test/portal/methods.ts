import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertMatches, listOf, member } from "../support/http/matches.ts";
import { bearer } from "../support/people/new-partner-api.ts";
import { mailsTo, PORTAL_API, type PortalPerson } from "../support/people/portal-person.ts";
import { colleague, shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const PAGE = "/portal/payment-methods";
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";

const dialogOf = (page: Page): Locator => page.locator("dialog");

async function methodOf(person: PortalPerson, service: string): Promise<unknown> {
  const answer = await person.send("GET", "/payment-methods");
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data", "items")).find((method) => member(method, "service") === service);
}

/** Payment methods and keys: what a merchant changes by itself. */
export function methods(world: PortalWorld): void {
  test("a payment method is configured with a counted name, its secrets are kept and never shown, and it is switched on", async () => {
    const { owner } = await shopWithOwner(world.relay, "Caffè Bancomat");
    const { page } = await world.visitAs(owner, PAGE);
    await page.getByRole("button", { name: "Configure: BANCOMAT Pay" }).click();
    const name = page.getByLabel("Name shown to customers");
    await page.getByLabel("TEST").check();
    await page.getByLabel("Gateway id").fill("12345");
    await page.getByLabel("Store id").fill("12345678901");
    for (const label of ["Certificate", "Private key"]) await page.getByLabel(label).fill(PEM);
    await name.fill("🎉".repeat(36));
    await page.getByText("36 of 35 characters").waitFor();
    await page.getByText("At most 35 characters.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    assertMatches(await methodOf(owner, "BANCOMAT_PAY"), { configured: false });
    // As many as the relay takes.
    await name.fill("🎉".repeat(35));
    await page.getByText("35 of 35 characters").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("BANCOMAT Pay is configured.").waitFor();
    assertMatches(await methodOf(owner, "BANCOMAT_PAY"), {
      ...{ configured: true, enabled: false, mode: "sandbox" },
      values: { merchantName: "🎉".repeat(35), privateKey: "********" },
    });

    await page.reload();
    await page.getByRole("button", { name: "Configure: BANCOMAT Pay" }).click();
    await name.fill("Caffè Bancomat");
    await page.getByText("14 of 35 characters").waitFor();
    assert.equal(await page.getByLabel("Private key").inputValue(), "");
    assert.equal((await page.content()).includes("MIIEvQ"), false);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("BANCOMAT Pay is configured.").waitFor();
    const turn = page.getByRole("switch", { name: "Use BANCOMAT Pay" });
    await turn.click();
    await page.getByText("BANCOMAT Pay is on.").waitFor();
    assertMatches(await methodOf(owner, "BANCOMAT_PAY"), {
      ...{ configured: true, enabled: true },
      values: { merchantName: "Caffè Bancomat", privateKey: "********", certificate: "********" },
    });
    await page.goto("/portal/audit");
    await page.getByText("Configured a payment method").first().waitFor();
  });

  test("of two browsers that configure one method the second is told, and overwrites nothing", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Emporio Doppio");
    const other = await colleague(relay, owner, "bruno", "ADMIN");
    const [one, two] = [await world.visitAs(owner, `${PAGE}/PAYPAL`), await world.visitAs(other, `${PAGE}/PAYPAL`)];
    for (const [{ page }, clientId] of [
      [one, "first"],
      [two, "second"],
    ] as const) {
      await page.getByLabel("LIVE").check();
      await page.getByLabel("Client id").fill(clientId);
      await page.getByRole("textbox", { name: "Client secret" }).fill("paypal-secret-of-twenty-eight");
    }
    await one.page.getByRole("button", { name: "Save" }).click();
    await one.page.getByText("PayPal is configured.").waitFor();
    await two.page.getByRole("button", { name: "Save" }).click();
    await two.page.getByText("Somebody else has changed this configuration").waitFor();
    assertMatches(await methodOf(owner, "PAYPAL"), { values: { clientId: "first" } });
    assert.equal(await two.page.getByLabel("Client id").inputValue(), "second");
    await two.page.getByRole("button", { name: "Show the current version" }).click();
    await two.page.getByText("Leave it empty to keep it.").waitFor();
    assert.equal(await two.page.getByLabel("Client id").inputValue(), "first");
    await two.page.getByLabel("Client id").fill("third");
    await two.page.getByRole("button", { name: "Save" }).click();
    await two.page.getByText("PayPal is configured.").waitFor();
    assertMatches(await methodOf(owner, "PAYPAL"), { values: { clientId: "third", clientSecret: "********ight" } });
  });

  test("a new pair of keys works at once, the former one is refused by the next call, and the owners are told", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Bottega Chiavi");
    const viewer = await colleague(relay, owner, "vera", "VIEWER");
    const read = async (key: string) => (await bearer(relay, key).get(`${PORTAL_API}/payment-methods`)).status;
    assert.equal(await read(shop.secretKey), 200);
    const { page } = await world.visitAs(owner, "/portal/keys");
    await page.getByText(`${shop.secretKey.slice(0, 16)}…`).waitFor();
    await page.getByRole("button", { name: "Create a new pair" }).click();
    await dialogOf(page).getByRole("button", { name: "Create a new pair" }).click();
    const shown = dialogOf(page).getByText(/^sk_merchant_/);
    await shown.waitFor();
    const secretKey = (await shown.textContent()) ?? "";
    assert.notEqual(secretKey, shop.secretKey);
    assert.equal(await read(shop.secretKey), 401);
    assert.equal(await read(secretKey), 200);
    await page.getByLabel("I have stored the secret key").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(`${secretKey.slice(0, 16)}…`).waitFor();
    assert.equal((await page.content()).includes(secretKey), false);
    const toldTo = async ({ email }: PortalPerson) =>
      (await mailsTo(relay, email)).filter(({ subject }) => subject === "New API keys for Bottega Chiavi");
    const told = await toldTo(owner);
    assert.equal(told.length, 1);
    assert.match(told[0]?.text ?? "", new RegExp(`^${owner.email.replaceAll(".", "\\.")} replaced the API keys`, "m"));
    assert.deepEqual(await toldTo(viewer), []);

    // Who may not make keys has no page of them.
    const { page: lookedAt } = await world.visitAs(viewer, "/portal/keys");
    await lookedAt.getByText("Page not found").first().waitFor();
  });
}
