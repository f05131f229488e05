import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeViolations } from "../support/portal-faults.ts";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../support/portal-person.ts";
import { scanKey } from "./entry.ts";
import type { MadeLink } from "./links.ts";
import { everyOperatorPage } from "./operators.ts";
import { addressOf, joined } from "./people.ts";
import { DESK, enterPassword, isSignedIn, newShop, PHONE, type PortalWorld, type Shop, type Visitor } from "./portal-world.ts";

/** Where pictures of all pages are wanted. */
const SHOTS = process.env["SHOTS"];

export interface Looked {
  name: string;
  path: string;
  /** Until it shows its data. */
  until(page: Page): Promise<unknown>;
}

/** Looks at a page in both themes and at both widths. */
export type Look = (visitor: Visitor, looked: Looked) => Promise<void>;

/** A shop that has been there for days, with its terminals and people. */
export interface FurnishedShop {
  shop: Shop;
  uuid: string;
  /** A payment link in each state, by the state. */
  links: { readonly [state: string]: MadeLink };
}

/** Every page with real data: readable for everybody, whole at each width, quiet where that is wanted. */
export function pages(world: PortalWorld, furnished: () => FurnishedShop): void {
  const looks: { theme: "light" | "dark"; size: typeof DESK }[] = [
    { theme: "light", size: DESK },
    { theme: "dark", size: DESK },
    { theme: "light", size: PHONE },
    { theme: "dark", size: PHONE },
  ];

  async function lookAt({ page }: Visitor, { name, path, until }: Looked): Promise<void> {
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(DESK);
    if (path !== "") await page.goto(path);
    for (const { theme, size } of looks) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize(size);
      await until(page);
      const where = `${name}, ${theme}, ${size.width} px`;
      assert.deepEqual(await axeViolations(page), [], where);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, `${where} is wider than its window`);
      if (SHOTS !== undefined) {
        await mkdir(SHOTS, { recursive: true });
        await page.screenshot({
          path: join(SHOTS, `${name.replaceAll(" ", "-")}-${theme}-${size.width}.png`),
          fullPage: name !== "a transaction",
        });
      }
    }
  }

  const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();
  const dialog = (page: Page) => page.locator("dialog h2").first().waitFor();

  test("acceptance 17: everybody can use every page: readable, by the keyboard, without motion", { timeout: 400_000 }, async (t) => {
    await t.test("acceptance 17: no page with real data breaks WCAG A or AA, in both themes, at 360 and 1280 px", everyPage);
    await t.test("acceptance 17: so are the pages for operators", () => everyOperatorPage(world, furnished(), lookAt));
    await t.test("acceptance 17: the whole of an invitation, from the link to the overview, by the keyboard alone", byKeyboard);
    await t.test("acceptance 17: nothing moves for whoever wants no motion", withoutMotion);
  });

  async function everyPage(): Promise<void> {
    const { relay } = world;
    const { shop, uuid, links } = furnished();
    const [terminalId = ""] = shop.terminalIds;
    const email = addressOf(relay, "anna");
    await shop.invite(email);
    const { token } = await lastMailTo(relay, email);
    const outside = await world.visit();
    await lookAt(outside, { name: "sign-in", path: "/portal/sign-in", until: seen("Forgot the password?") });
    await lookAt(outside, { name: "forgot", path: "/portal/forgot", until: seen("Send the link") });
    await lookAt(outside, { name: "reset", path: "/portal/reset/a-token", until: seen("Set the password") });
    await lookAt(outside, { name: "invitation", path: `/portal/invitation/${token}`, until: seen("invites you as Owner") });
    await lookAt(outside, { name: "used invitation", path: "/portal/invitation/no-token", until: seen("does not work any more") });
    // What a customer sees of a link.
    for (const [state, shows] of [
      ["pending", "You can pay until"],
      ["beingPaid", "You can pay until"],
      ["paid", "Thank you."],
      ["refunded", "Thank you."],
      ["cancelled", "The request was withdrawn."],
      ["expired", "The time to pay is over."],
    ] as const) {
      await lookAt(outside, { name: `customer ${state}`, path: links[state]?.path ?? "", until: seen(shows) });
    }
    await lookAt(outside, { name: "customer no link", path: "/l/aaaaaaaaaaaaaaaaaaaaaa", until: seen("The address is not complete") });
    // The whole way in, of which each step is looked at.
    await outside.page.goto(`/portal/invitation/${token}`);
    await outside.page.getByLabel("New password", { exact: true }).fill(PORTAL_PASSWORD);
    await outside.page.getByLabel("New password, again", { exact: true }).fill(PORTAL_PASSWORD);
    await outside.page.keyboard.press("Enter");
    await lookAt(outside, { name: "enrolment", path: "", until: seen("Scan this with your authenticator app") });
    const owner = new PortalPerson(relay, email);
    await scanKey(outside.page, owner);
    await outside.page.getByLabel("Code").fill(owner.code());
    await outside.page.keyboard.press("Enter");
    await lookAt(outside, { name: "recovery codes", path: "", until: seen("I have saved them in a safe place") });
    await outside.page.getByLabel("I have saved them in a safe place").check();
    await outside.page.getByRole("button", { name: "Continue" }).click();
    await isSignedIn(outside.page);
    await outside.context.clearCookies();
    await outside.page.goto("/portal/sign-in");
    await enterPassword(outside.page, email);
    await lookAt(outside, { name: "second factor", path: "", until: seen("Use a recovery code") });

    const inside = await world.visitAs(owner, "/portal");
    const invited = addressOf(relay, "a-colleague-with-quite-a-long-name");
    await inside.page.goto("/portal/users");
    await inside.page.getByRole("button", { name: "Invite a user" }).click();
    await lookAt(inside, { name: "invite", path: "", until: dialog });
    await inside.page.locator("dialog").getByLabel("E-mail address").fill(invited);
    await inside.page.locator("dialog").getByRole("button", { name: "Send the invitation" }).click();
    await inside.page.getByText("2 of 5 users").waitFor();
    for (const looked of [
      { name: "overview", path: "/portal", until: seen("Volume by hour") },
      { name: "transactions", path: "/portal/transactions", until: seen("Load more") },
      { name: "filtered transactions", path: "/portal/transactions?status=KO&amountMin=100", until: seen("that is all") },
      { name: "no transactions", path: "/portal/transactions?q=nothing-like-it", until: seen("Nothing matches these filters") },
      { name: "a transaction", path: `/portal/transactions/${uuid}`, until: seen("Payment id") },
      { name: "no transaction", path: "/portal/transactions/none", until: seen("There is no such transaction") },
      { name: "payment links", path: "/portal/payment-links", until: seen("payment links, that is all") },
      {
        name: "filtered payment links",
        path: "/portal/payment-links?state=PAID&customerEmail=nobody@example.com",
        until: seen("Nothing matches"),
      },
      ...Object.entries(links).map(([state, { id }]) => ({
        ...{ name: `a payment link ${state}`, path: `/portal/payment-links/${id}` },
        until: seen("Payment attempts"),
      })),
      { name: "a payment by link", path: `/portal/transactions/${links["paid"]?.id}.1`, until: seen("The whole amount goes back") },
      { name: "no payment link", path: "/portal/payment-links/none", until: seen("There is no such payment link") },
      { name: "terminals", path: "/portal/terminals", until: seen(terminalId) },
      { name: "a terminal", path: `/portal/terminals/${terminalId}`, until: seen("Its transactions") },
      { name: "users", path: "/portal/users", until: seen(invited) },
      { name: "audit", path: "/portal/audit", until: seen("Invited a user") },
      { name: "settings", path: "/portal/settings", until: seen("This session") },
      { name: "no page", path: "/portal/nothing-here", until: seen("Go to the start page") },
    ]) {
      await lookAt(inside, looked);
    }
    for (const [name, path, open] of [
      ["a user", "/portal/users", (page: Page) => page.locator("main .row-button").nth(1).click()],
      ["the last owner", "/portal/users", (page: Page) => page.locator("main .row-button").first().click()],
      ["an audit entry", "/portal/audit", (page: Page) => page.locator("main .row-button").first().click()],
      ["a change of password", "/portal/settings", (page: Page) => page.getByRole("button", { name: "Change the password" }).click()],
    ] as const) {
      await inside.page.setViewportSize(DESK);
      await inside.page.goto(path);
      await open(inside.page);
      await lookAt(inside, { name, path: "", until: dialog });
    }
    const pending = `/portal/payment-links/${links["pending"]?.id}`;
    for (const [name, path, button] of [
      ["a link to create", "/portal/payment-links", "Create a link"],
      ["a QR code", pending, "QR code"],
      ["a mail to send", pending, "Send by e-mail"],
      ["a link to cancel", pending, "Cancel the link"],
      ["a refund", `/portal/payment-links/${links["late"]?.id}`, "Refund"],
    ] as const) {
      await inside.page.setViewportSize(DESK);
      await inside.page.goto(path);
      await inside.page.getByRole("button", { name: button }).first().click();
      await lookAt(inside, { name, path: "", until: (page) => page.locator("dialog.dialog h2").waitFor() });
    }
    await inside.page.goto(`/portal/transactions/${uuid}`);
    await inside.page.locator("dialog").getByRole("button", { name: "Receipt" }).click();
    await lookAt(inside, { name: "a receipt", path: "", until: seen("Copy for the merchant") });
    // In the other language, whose words are longer.
    assert.equal(
      (
        await inside.page.request.patch("/api/merchant/me", {
          data: { locale: "it" },
          headers: { "x-relay-portal": "1", origin: world.origin },
        })
      ).status(),
      200,
    );
    for (const looked of [
      { name: "panoramica", path: "/portal", until: seen("Incassato per ora") },
      { name: "transazioni", path: "/portal/transactions", until: seen("Esporta CSV") },
      { name: "impostazioni", path: "/portal/settings", until: seen("Impostazioni") },
    ]) {
      await lookAt(inside, looked);
    }
  }

  async function byKeyboard(): Promise<void> {
    const { relay } = world;
    const shop = await newShop(relay, "Bar dello Sport");
    const person = new PortalPerson(relay, addressOf(relay, "anna"));
    await shop.invite(person.email);
    const { page } = await world.visit();
    /** Goes on with the tabulator until this has the focus. */
    const tabTo = async (name: string): Promise<void> => {
      for (let steps = 0; steps < 25; steps += 1) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(
          `(() => { const { labels, textContent, ariaLabel } = document.activeElement; return ariaLabel ?? labels?.[0]?.textContent ?? textContent; })()`,
        );
        // Whoever does not see the focus is lost.
        if (String(focused).trim() === name) {
          assert.equal(await page.evaluate(`document.activeElement.matches(":focus-visible")`), true, name);
          return;
        }
      }
      assert.fail(`the keyboard does not reach ${name}`);
    };
    await page.goto(`/portal/invitation/${(await lastMailTo(relay, person.email)).token}`);
    await page.getByText("Bar dello Sport invites you as Owner.").waitFor();
    await tabTo("New password");
    await page.keyboard.type(PORTAL_PASSWORD);
    await tabTo("New password, again");
    await page.keyboard.type(PORTAL_PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator(".secret").waitFor();
    await scanKey(page, person);
    await tabTo("Code");
    await page.keyboard.type(person.code());
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Recovery codes" }).waitFor();
    await tabTo("I have saved them in a safe place");
    await page.keyboard.press("Space");
    await tabTo("Continue");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    // The first stop leads past the menu, and the list's rows open without a mouse.
    await page.goto("/portal/users");
    await page.getByText("1 of 5 users").waitFor();
    await tabTo("Skip to the content");
    await page.keyboard.press("Enter");
    await tabTo("Invite a user");
    await page.keyboard.press("Enter");
    await page.locator("dialog").getByLabel("E-mail address").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Invite a user");
  }

  async function withoutMotion(): Promise<void> {
    const { relay } = world;
    const { shop, uuid } = furnished();
    const email = addressOf(relay, "calm");
    await shop.invite(email, "VIEWER");
    const calm = await joined(relay, email);
    const { page } = await world.visitAs(calm, "/portal", { reducedMotion: "reduce" });
    const moving = () =>
      page.evaluate(
        `document.getAnimations({ subtree: true }).filter((one) => one.effect.getComputedTiming().activeDuration > 100).map((one) => one.animationName ?? one.transitionProperty)`,
      );
    for (const path of ["/portal", "/portal/transactions", `/portal/transactions/${uuid}`, "/portal/settings"]) {
      await page.goto(path, { waitUntil: "commit" });
      await page.locator("h1").first().waitFor();
      assert.deepEqual(await moving(), [], path);
      if (path.endsWith(uuid)) {
        await page.locator("dialog").waitFor();
        assert.deepEqual(await moving(), [], "the drawer");
      }
    }
    // A viewer sees no whole address of anybody else.
    await page.goto("/portal/users");
    await page.getByText("calm.").first().waitFor();
    assert.equal(await page.getByText(/anna\.[0-9a-f]{8}@/).count(), 0);
  }
}
