import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { addressOf, shopWithOwner } from "./people.ts";
import { enterPassword, isSignedIn, newShop, type PortalWorld, signIn, signOut } from "./portal-world.ts";

/** The key that the page shows for an authenticator app, put into the person's. */
export async function scanKey(page: Page, person: Pick<PortalPerson, "scan">): Promise<void> {
  const written = (await page.locator(".secret").textContent()) ?? "";
  person.scan(written.replaceAll(/\s/g, ""));
}

async function enterRecoveryCode(page: Page, code: string): Promise<void> {
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(code);
  await page.keyboard.press("Enter");
}

/** How somebody comes in: invited, with a password and a code, with a recovery code, with a passkey. */
export function entry(world: PortalWorld): void {
  test("acceptance 1: an invitation leads to a password, an authenticator app and the overview; used codes are refused, and a recovery code works once", async () => {
    const { relay } = world;
    const shop = await newShop(relay, "Bar Centrale");
    const person = new PortalPerson(relay, addressOf(relay, "anna"));
    await shop.invite(person.email);
    const mail = await lastMailTo(relay, person.email);
    const link = `${world.origin}/portal/invitation/${mail.token}`;
    assert.ok(mail.text.includes(link), mail.text);

    const { page } = await world.visit();
    await page.goto(link);
    await page.getByText("Bar Centrale invites you as Owner.").waitFor();
    // The token is a secret: it stays neither in the address nor in the history.
    assert.ok(!page.url().includes(mail.token), page.url());
    await page.getByLabel("New password", { exact: true }).fill(PORTAL_PASSWORD);
    await page.getByLabel("Repeat the new password", { exact: true }).fill(PORTAL_PASSWORD);
    await page.getByRole("button", { name: "Accept the invitation" }).click();
    await scanKey(page, person);
    const enrolled = person.code();
    await page.getByLabel("Code").fill(enrolled);
    await page.getByRole("button", { name: "Confirm" }).click();
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    const recoveryCodes = await codes.allInnerTexts();
    assert.equal(recoveryCodes.length, 10);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download" }).click()]);
    const saved = await readFile(await download.path(), "utf8");
    for (const code of recoveryCodes) assert.ok(saved.includes(code), code);
    await page.getByLabel("I have saved them in a safe place").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("Bar Centrale").first().waitFor();

    // The link is used up for whoever finds it.
    const { page: other } = await world.visit();
    await other.goto(link);
    await other.getByText("is no longer valid").waitFor();

    await signOut(page);
    await enterPassword(page, person.email);
    await page.getByLabel("Code").fill(enrolled);
    await page.keyboard.press("Enter");
    await page.getByText("The code is wrong or was already used. Enter a new code.").waitFor();
    await page.getByLabel("Code").fill(person.code());
    await page.keyboard.press("Enter");
    await isSignedIn(page);

    await signOut(page);
    await enterPassword(page, person.email);
    const [recoveryCode = ""] = recoveryCodes;
    await enterRecoveryCode(page, recoveryCode);
    await isSignedIn(page);
    await page.goto("/portal/settings");
    await page.getByText("9 of 10 codes are left.").waitFor();
    await signOut(page);
    await enterPassword(page, person.email);
    await enterRecoveryCode(page, recoveryCode);
    await page.getByText("The code is wrong or was already used. Enter a new code.").waitFor();
  });

  test("acceptance 2: a passkey is registered in the settings, and signs in without a password", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Trattoria Sole");
    const { context, page } = await world.visitAs(owner, "/portal/settings");
    const debug = await context.newCDPSession(page);
    await debug.send("WebAuthn.enable");
    const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name of the passkey").fill("Work laptop");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("list", { name: "Passkeys" }).getByText("Work laptop").waitFor();
    const { credentials } = await debug.send("WebAuthn.getCredentials", { authenticatorId });
    assert.equal(credentials.length, 1);

    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await isSignedIn(page);
    await page.goto("/portal/settings");
    await page
      .getByRole("list", { name: "Passkeys" })
      .getByText(/last used/)
      .waitFor();

    // Without the person's finger there is no way in.
    await signOut(page);
    await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("The passkey was not accepted").waitFor();
  });

  test("a session that was ended elsewhere leads to sign-in, and from there to the page that was wanted", async () => {
    const { owner } = await shopWithOwner(world.relay, "Edicola Nord");
    const { page } = await world.visitAs(owner, "/portal/audit?outcome=refused");
    const elsewhere = await world.visitAs(owner, "/portal/settings");
    await elsewhere.page.getByRole("button", { name: "End all others" }).click();
    await elsewhere.page.getByText("All other sessions have ended.").waitFor();
    await page.getByLabel("Outcome").selectOption("done");
    await page.getByText("Your session has ended. Sign in again to continue.").waitFor();
    await enterPassword(page, owner.email);
    await page.getByLabel("Code").fill(owner.code());
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    assert.match(page.url(), /\/portal\/audit\?outcome=done$/);
  });

  test("a forgotten password is set anew by the link of a mail", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Libreria Verde");
    const { page } = await world.visit();
    await page.goto("/portal/sign-in");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail address").fill(owner.email);
    await page.keyboard.press("Enter");
    await page.getByText("Check your e-mail").waitFor();
    // Whoever asks is answered before the mail is made, so that nobody learns by it who has an account.
    const mail = await eventually(async () => {
      const last = await lastMailTo(relay, owner.email);
      assert.equal(last.kind, "password-reset");
      return last;
    });
    await page.goto(`/portal/reset/${mail.token}`);
    const password = "another lamp under a heron";
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByLabel("Repeat the new password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.getByText("The password is changed. Sign in with the new one.").waitFor();
    await signIn(page, owner, "/portal/sign-in", password);
    await page.goto(`/portal/reset/${mail.token}`);
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByLabel("Repeat the new password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.getByText("This link is no longer valid").waitFor();
  });

  test("language and appearance are kept, and are there at the next sign-in in another browser", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Gelateria Mare");
    const { page } = await world.visitAs(owner, "/portal/settings");
    await page.getByLabel("Appearance", { exact: true }).selectOption("dark");
    await page.getByText("Saved.").first().waitFor();
    await page.getByLabel("Language", { exact: true }).selectOption("it");
    await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    const theme = (of: Page) => of.evaluate("document.documentElement.dataset.theme");
    assert.equal(await theme(page), "dark");
    await page.reload();
    await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    assert.equal(await theme(page), "dark");
    const other = await world.visitAs(owner, "/portal/settings");
    await other.page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    assert.equal(await theme(other.page), "dark");
  });

  test("of two visitors who accept one invitation at once one comes in, and the other is told", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Forno Antico");
    const email = addressOf(relay, "bruno");
    assert.equal((await owner.send("POST", "/users", { email, role: "VIEWER", locale: "en" })).status, 201);
    const { token } = await lastMailTo(relay, email);
    const pages = await Promise.all([world.visit(), world.visit()]);
    await Promise.all(
      pages.map(async ({ page }) => {
        await page.goto(`/portal/invitation/${token}`);
        await page.getByLabel("New password", { exact: true }).fill(PORTAL_PASSWORD);
        await page.getByLabel("Repeat the new password", { exact: true }).fill(PORTAL_PASSWORD);
      }),
    );
    await Promise.all(pages.map(({ page }) => page.getByRole("button", { name: "Accept the invitation" }).click()));
    const ends = await Promise.all(
      pages.map(async ({ page }) => {
        const [enrols, gone] = [page.getByText("Protect your account"), page.getByText("is no longer valid")];
        await enrols.or(gone).waitFor();
        return (await gone.count()) === 0 ? "in" : "told";
      }),
    );
    assert.deepEqual(ends.sort(), ["in", "told"]);
    // Whoever came in has an account, and can begin its second factor.
    const person = new PortalPerson(relay, email);
    assert.equal((await person.send("POST", "/session", { email, password: PORTAL_PASSWORD })).status, 200);
    await person.enrol();
  });
}
