import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { listOf, member } from "../support/http/matches.ts";
import { newAdminPerson } from "../support/people/admin-person.ts";
import { PORTAL_PASSWORD, type PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { shopWithOwner } from "./people.ts";
import { isSignedIn, type PortalWorld } from "./portal-world.ts";

const IS_LOADED = 'performance.getEntriesByType("resource").some(({ name }) => name.includes("/users-page-"))';

const signInDialog = (page: Page) => page.locator("dialog", { hasText: "Your session has ended. Sign in again to continue." });
const form = (page: Page, title: string) => page.locator("dialog.dialog", { hasText: title }).first();

async function writeLink(page: Page): Promise<void> {
  await page.locator("main").getByRole("button", { name: "New link" }).first().click();
  await form(page, "New link").getByLabel("Amount").fill("49.90");
  await form(page, "New link").getByLabel("Description").fill("Two tickets for Saturday");
}

/** Ends the session of the page, as an owner ends a lost device. The person keeps the one beside it. */
async function endSession(person: PortalPerson): Promise<void> {
  const ended = await person.send("DELETE", "/sessions");
  assert.ok(ended.status < 300, ended.text);
}

async function linksOf(person: PortalPerson): Promise<number> {
  const { body, text, status } = await person.send("GET", "/payment-links");
  assert.equal(status, 200, text);
  return listOf(member(body, "data", "items")).length;
}

/** No work is lost when a session or the connection ends. */
export function keptWork(world: PortalWorld): void {
  test("a session that ends in the middle of a payment link: the person signs in over the page, and the link is created once", async () => {
    const { owner } = await shopWithOwner(world.relay, "Teatro Gerolamo");
    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await writeLink(page);
    await endSession(owner);
    await form(page, "New link").getByRole("button", { name: "Create link" }).dblclick();
    const question = signInDialog(page);
    assert.equal(await question.getByLabel("E-mail address").inputValue(), owner.email);
    await question.getByLabel("Password", { exact: true }).fill(PORTAL_PASSWORD);
    await page.keyboard.press("Enter");
    await question.getByLabel("Code").fill(owner.code());
    await page.keyboard.press("Enter");
    await page.getByText("The link is ready").waitFor();
    assert.equal(await question.count(), 0);
    assert.equal(await linksOf(owner), 1);
  });

  test("a passkey signs in over the page too", async () => {
    const { owner } = await shopWithOwner(world.relay, "Teatro Filodrammatici");
    const { page, context } = await world.visitAs(owner, "/portal/settings");
    const debug = await context.newCDPSession(page);
    await debug.send("WebAuthn.enable");
    await debug.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name of the passkey").fill("Till");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("list", { name: "Passkeys" }).getByText("Till").waitFor();
    await page.locator(".sidebar").getByRole("link", { name: "Payment links" }).click();
    await writeLink(page);
    await endSession(owner);
    await form(page, "New link").getByRole("button", { name: "Create link" }).click();
    await signInDialog(page).getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("The link is ready").waitFor();
    assert.equal(await linksOf(owner), 1);
  });

  test("somebody else who signs in over a page finds nothing of the former person, and nothing is sent", async () => {
    const { owner } = await shopWithOwner(world.relay, "Teatro Carcano Due");
    const { owner: other } = await shopWithOwner(world.relay, "Cinema Anteo");
    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await writeLink(page);
    await endSession(owner);
    await form(page, "New link").getByRole("button", { name: "Create link" }).click();
    await signInDialog(page).getByLabel("E-mail address").fill(other.email);
    await signInDialog(page).getByLabel("Password", { exact: true }).fill(PORTAL_PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator("main").getByLabel("Code").fill(other.code());
    await page.keyboard.press("Enter");
    await isSignedIn(page);
    assert.equal(new URL(page.url()).pathname, "/portal");
    assert.equal(await page.locator("dialog").count(), 0);
    assert.ok(!((await page.locator("body").textContent()) ?? "").includes("Teatro"));
    assert.deepEqual([await linksOf(owner), await linksOf(other)], [0, 0]);
  });

  test("operators: a session that ends in the middle of a form loses nothing of it", async () => {
    const person = await newAdminPerson(world.relay, "owner");
    const { page, context } = await world.visit();
    const enter = async (scope: Page | Locator): Promise<void> => {
      await scope.getByLabel("Name", { exact: true }).fill(person.username);
      await scope.getByLabel("Password", { exact: true }).fill(person.password);
      await page.keyboard.press("Enter");
      await scope.getByLabel("Code").fill(person.code());
      await page.keyboard.press("Enter");
    };
    await page.goto("/admin/ui/machines");
    await enter(page);
    await isSignedIn(page);
    await page.locator("main").getByRole("button", { name: "Create token" }).first().click();
    const token = form(page, "Create token");
    await token.getByLabel("Name", { exact: true }).fill("reports");
    await token.getByRole("checkbox", { name: /^Read/ }).check();
    // The browser has lost the session, as when it has expired.
    await context.clearCookies();
    await token.getByRole("button", { name: "Create token" }).click();
    await enter(signInDialog(page));
    await page.getByLabel("I have stored the token in a safe place").waitFor();
    assert.equal(await signInDialog(page).count(), 0);
  });

  test("offline there is one bar and no error page of the browser; every page opens, and its data comes with the connection", async () => {
    const { owner } = await shopWithOwner(world.relay, "Libreria Hoepli");
    const { page, context } = await world.visitAs(owner, "/portal/payment-links", { faults: [] });
    // The scripts of the other pages are loaded once the first one is idle.
    await eventually(async () => assert.ok(await page.evaluate(IS_LOADED)), 10_000);
    await context.setOffline(true);
    const bar = page.getByRole("status").filter({ hasText: "You are offline." });
    await bar.waitFor();
    await page.locator(".sidebar").getByRole("link", { name: "Users" }).click();
    await page.getByRole("heading", { name: "Users", exact: true }).waitFor();
    assert.equal(await bar.count(), 1);
    await context.setOffline(false);
    await page.getByText("1 of 5 users").waitFor();
    await bar.waitFor({ state: "detached" });
  });
}
