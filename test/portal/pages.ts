import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeViolations, FITS, IS_ENGLISH, WIDTHS } from "../support/node/portal-faults.ts";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { agentPages, italianAgentPages } from "./agents.ts";
import { analyticsPages, italianAnalyticsPages } from "./analytics.ts";
import type { Complaints } from "./disputes.ts";
import { scanKey } from "./entry.ts";
import { exportPages, exportToday } from "./exports.ts";
import { tabTo as goTo } from "./keyboard.ts";
import type { MadeLink } from "./links.ts";
import { everyOperatorPage } from "./operators.ts";
import { card, pay } from "./payments.ts";
import { addressOf, joined } from "./people.ts";
import { DESK, enterPassword, isSignedIn, newShop, PHONE, type PortalWorld, type Shop, type Visitor } from "./portal-world.ts";
import { italianReconciliationPages, reconciliationPages } from "./reconciliation.ts";
import {
  customersSubscriptionPages,
  type FurnishedSubscriptions,
  italianSubscriptionPages,
  openedOverSubscriptions,
  subscriptionPages,
} from "./subscription-pages.ts";

/** Some twenty pages are looked at, on a machine that does other things too. */
const LOOKS_TIMEOUT_MS = 480_000;

/** Cells of lists that reach over the one beside them, and columns that reach out of their table's place, unless the keyboard scrolls it. */
const CUT_CELLS = `[...document.querySelectorAll("main td")].filter((cell) => {
  const place = cell.closest("table").parentElement;
  return cell.offsetParent !== null && (cell.scrollWidth > cell.clientWidth + 1 || (place.tabIndex !== 0 && cell.getBoundingClientRect().right > place.getBoundingClientRect().right + 1));
}).map(({ textContent }) => textContent)`;

/** Amounts in more than one line. */
const BROKEN_AMOUNTS = `[...document.querySelectorAll(".amount, .tile-value")].filter((amount) => {
  const range = document.createRange();
  range.selectNodeContents(amount);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
}).map(({ textContent }) => textContent)`;

/** Where pictures of all pages are wanted. */
const SHOTS = process.env["SHOTS"];

export interface Looked {
  name: string;
  path: string;
  /** Until it shows its data. */
  until(page: Page): Promise<unknown>;
}

/** Looks at a page at both widths. */
export type Look = (visitor: Visitor, looked: Looked) => Promise<void>;

/** A shop that has been there for days, with its terminals and people. */
export interface FurnishedShop {
  shop: Shop;
  owner: PortalPerson;
  /** The address of somebody who has not answered. */
  invited: string;
  uuid: string;
  /** An endpoint where nobody listens. */
  webhookId: string;
  /** A payment link in each state, by the state. */
  links: { readonly [state: string]: MadeLink };
  /** The ids of disputes and alerts, by what they are. */
  complaints: Complaints;
  subscribed: FurnishedSubscriptions;
  /** Credentials of AI agents, by what they are. */
  agentIds: { readonly [what: string]: string };
  /** A day whose figures stand. */
  closedDay: string;
}

/** Every page with real data: readable for everybody, whole at each width, quiet where that is wanted. */
export function pages(world: PortalWorld, furnished: () => FurnishedShop): void {
  async function lookAt({ page }: Visitor, { name, path, until }: Looked): Promise<void> {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(DESK);
    if (path !== "") {
      await page.goto(path);
      await until(page);
      assert.equal(await page.evaluate("scrollY"), 0, `${name} does not open at its top`);
    }
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      await until(page);
      const where = `${name}, ${size.width} px`;
      // In every state, light on a desk and dark on a phone are looked at in test/http/web.
      if (size === DESK && (await page.evaluate(IS_ENGLISH))) assert.deepEqual(await axeViolations(page), [], where);
      // Charts take the new width with the next frame.
      await eventually(async () => {
        assert.equal(await page.evaluate(FITS), true, `${where} is wider than its window`);
        assert.deepEqual(await page.evaluate(CUT_CELLS), [], `${where}: cells that are wider than their place`);
      });
      if (SHOTS !== undefined) await takePictures(page, SHOTS, `${name.replaceAll(" ", "-")}-${size.width}`);
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: DESK.height });
      await eventually(async () => {
        assert.equal(await page.evaluate(FITS), true, `${name}, ${width} px is wider than its window`);
        assert.deepEqual(await page.evaluate(CUT_CELLS), [], `${name}, ${width} px: cells that are wider than their place`);
        assert.deepEqual(await page.evaluate(BROKEN_AMOUNTS), [], `${name}, ${width} px: amounts that break`);
      });
      if (SHOTS !== undefined) await takePictures(page, SHOTS, `${name.replaceAll(" ", "-")}-${width}`);
    }
  }

  async function takePictures(page: Page, folder: string, name: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    // What is open over a page stays in the window.
    const fullPage = (await page.locator("dialog[open]").count()) === 0;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage });
    }
  }

  const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();
  const dialog = (page: Page) => page.locator("dialog h2").first().waitFor();
  /** A dialog, also where it stands over a drawer. */
  const small = (page: Page) => page.locator("dialog.dialog h2").waitFor();

  const drawer = (page: Page) => page.locator("dialog.drawer h2").first().waitFor();
  const within = { timeout: LOOKS_TIMEOUT_MS };

  test("acceptance 17: no page on the way in breaks WCAG A or AA, or is wider than a window of 360 or 1280 px", within, wayIn);
  test("acceptance 17: nor does what customers see of a link, in either language", within, customersPages);
  test("acceptance 17: nor does a page of payments and links with real data, in any state", within, async () => {
    await payToday();
    await looksAt(moneyPages());
  });
  test("acceptance 17: nor does a page of analytics or exports with real data", within, async () => {
    await payToday();
    await exportToday(world.relay, furnished().shop);
    await looksAt([...analyticsPages(world.relay), ...exportPages("en")]);
  });
  test("acceptance 17: nor does a page of subscriptions, plans and dunning, in any state", within, () =>
    looksAt(subscriptionPages(furnished().subscribed)),
  );
  test("acceptance 17: nor does what customers see of their subscription, in either language", within, customersSubscriptions);
  test("acceptance 17: nor does a page of terminals, methods, systems and people", within, () => looksAt(otherPages()));
  test("acceptance 17: nor does a page of agents or of closed days", within, () =>
    looksAt([...agentPages(furnished().agentIds), ...reconciliationPages(furnished().closedDay)]),
  );
  test("acceptance 17: nor does what opens over a page", within, openedOverPages);
  test("acceptance 17: nor is a page in Italian wider, whose words are longer", within, italianPages);
  test("acceptance 17: nor does a page for operators", within, () => everyOperatorPage(world, furnished(), lookAt));
  test("acceptance 17: the whole of an invitation goes by the keyboard alone, from the link to the overview", within, byKeyboard);
  test("acceptance 17: nothing moves for whoever wants no motion", within, withoutMotion);

  /** So that the overview has something: the tests before may have moved the clock past midnight. */
  async function payToday(): Promise<void> {
    const [terminalId = ""] = furnished().shop.terminalIds;
    await pay(world.relay, card(terminalId, 1_850));
  }

  async function wayIn(): Promise<void> {
    const { relay } = world;
    const shop = await newShop(relay, furnished().shop.merchantName);
    const email = addressOf(relay, "anna");
    await shop.invite(email);
    const { token } = await lastMailTo(relay, email);
    const outside = await world.visit();
    await lookAt(outside, { name: "sign-in", path: "/portal/sign-in", until: seen("Forgot your password?") });
    await lookAt(outside, { name: "forgot", path: "/portal/forgot", until: seen("Send the link") });
    await lookAt(outside, { name: "reset", path: "/portal/reset/a-token", until: seen("Set the password") });
    await lookAt(outside, { name: "invitation", path: `/portal/invitation/${token}`, until: seen("invites you as Owner") });
    await lookAt(outside, { name: "used invitation", path: "/portal/invitation/no-token", until: seen("is no longer valid") });
    await outside.page.goto(`/portal/invitation/${token}`);
    await outside.page.getByLabel("New password", { exact: true }).fill(PORTAL_PASSWORD);
    await outside.page.getByLabel("Repeat the new password", { exact: true }).fill(PORTAL_PASSWORD);
    await outside.page.keyboard.press("Enter");
    await lookAt(outside, { name: "enrolment", path: "", until: seen("Scan this code with your authenticator app") });
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
  }

  async function customersPages(): Promise<void> {
    const { links } = furnished();
    const looks: readonly (readonly [string, string, string])[] = [
      ["pending", "You can pay until", "Puoi pagare fino"],
      ["beingPaid", "You can pay until", "Puoi pagare fino"],
      ["paid", "Thank you.", "Grazie."],
      ["refunded", "Thank you.", "Grazie."],
      ["cancelled", "The seller has withdrawn this request.", "Il venditore ha ritirato questa richiesta."],
      ["expired", "It can no longer be paid.", "Non si può più pagare."],
    ];
    const [english, italian] = [await world.visit(), await world.visit({ locale: "it-IT" })];
    for (const [state, shows, mostra] of looks) {
      const path = links[state]?.path ?? assert.fail(`there is no link that is ${state}`);
      await lookAt(english, { name: `customer ${state}`, path, until: seen(shows) });
      await lookAt(italian, { name: `cliente ${state}`, path, until: seen(mostra) });
    }
    const path = "/l/aaaaaaaaaaaaaaaaaaaaaa";
    await lookAt(english, { name: "customer no link", path, until: seen("The address is incomplete") });
    await lookAt(italian, { name: "cliente no link", path, until: (page) => page.getByRole("heading").first().waitFor() });
  }

  async function customersSubscriptions(): Promise<void> {
    const [english, italian] = [await world.visit(), await world.visit({ locale: "it-IT" })];
    for (const [name, path, shows, mostra] of customersSubscriptionPages(furnished().subscribed)) {
      await lookAt(english, { name, path, until: seen(shows) });
      await lookAt(italian, { name: `${name} in Italian`, path, until: seen(mostra) });
    }
  }

  function moneyPages(): Looked[] {
    const { uuid, links } = furnished();
    return [
      { name: "overview", path: "/portal", until: seen("Volume by hour") },
      { name: "transactions", path: "/portal/transactions", until: seen("Load more") },
      { name: "filtered transactions", path: "/portal/transactions?status=KO&amountMin=100", until: seen("in total") },
      { name: "no transactions", path: "/portal/transactions?q=nothing-like-it", until: seen("No results for these filters") },
      { name: "a transaction", path: `/portal/transactions/${uuid}`, until: seen("Payment id") },
      { name: "no transaction", path: "/portal/transactions/none", until: seen("Transaction not found") },
      { name: "payment links", path: "/portal/payment-links", until: seen("payment links in total") },
      {
        name: "filtered payment links",
        path: "/portal/payment-links?state=PAID&customerEmail=nobody@example.com",
        until: seen("No results"),
      },
      ...Object.entries(links).map(([state, { id }]) => ({
        ...{ name: `a payment link ${state}`, path: `/portal/payment-links/${id}` },
        until: seen("Payment attempts"),
      })),
      { name: "a payment by link", path: `/portal/transactions/${links["paid"]?.id}.1`, until: seen("The full amount goes back") },
      { name: "no payment link", path: "/portal/payment-links/none", until: seen("Payment link not found") },
    ];
  }

  function otherPages(): Looked[] {
    const { shop, invited, webhookId, complaints } = furnished();
    const [terminalId = ""] = shop.terminalIds;
    const { disputes, alerts } = complaints;
    return [
      { name: "board of disputes", path: "/portal/disputes", until: (page) => page.locator(".case").nth(3).waitFor() },
      { name: "list of disputes", path: "/portal/disputes?view=list", until: seen("disputes in total") },
      { name: "filtered disputes", path: "/portal/disputes?view=list&category=OTHER", until: seen("No results for these filters") },
      ...Object.entries(disputes).map(([state, id]) => ({
        ...{ name: `a dispute ${state}`, path: `/portal/disputes/${id}` },
        until: seen("What happened"),
      })),
      { name: "no dispute", path: "/portal/disputes/none", until: seen("Dispute not found") },
      { name: "alerts", path: "/portal/alerts", until: seen("alerts in total") },
      ...Object.entries(alerts).map(([state, id]) => ({
        ...{ name: `an alert ${state}`, path: `/portal/alerts/${id}` },
        until: seen("Alert id"),
      })),
      { name: "no alert", path: "/portal/alerts/none", until: seen("Alert not found") },
      { name: "rules for alerts", path: "/portal/alerts?tab=rules", until: seen("small-amounts") },
      { name: "terminals", path: "/portal/terminals", until: seen(terminalId) },
      { name: "a terminal", path: `/portal/terminals/${terminalId}`, until: seen("Show its transactions") },
      { name: "payment methods", path: "/portal/payment-methods", until: seen("Not configured") },
      { name: "a payment method", path: "/portal/payment-methods/PAYPAL", until: drawer },
      { name: "a payment method to configure", path: "/portal/payment-methods/BANCOMAT_PAY", until: drawer },
      { name: "no payment method", path: "/portal/payment-methods/none", until: seen("Payment method not found") },
      { name: "webhooks", path: "/portal/webhooks", until: seen("1 of 16 endpoints") },
      { name: "a webhook endpoint", path: `/portal/webhooks/${webhookId}`, until: seen("Send test event") },
      { name: "no webhook endpoint", path: "/portal/webhooks/none", until: seen("Endpoint not found") },
      { name: "deliveries", path: "/portal/webhooks?tab=deliveries", until: seen("deliveries in total") },
      { name: "no deliveries", path: "/portal/webhooks?tab=deliveries&outcome=DELIVERED", until: seen("No results for these filters") },
      { name: "no delivery", path: "/portal/webhooks/none?tab=deliveries", until: seen("Delivery not found") },
      { name: "logs", path: "/portal/logs", until: (page) => page.locator("main .row-button").first().waitFor() },
      { name: "log of calls", path: "/portal/logs?tab=calls", until: (page) => page.locator("main .row-button").first().waitFor() },
      { name: "no logs", path: "/portal/logs?objectId=none", until: seen("No results for these filters") },
      { name: "keys", path: "/portal/keys", until: seen("sk_merchant_") },
      { name: "users", path: "/portal/users", until: seen(invited) },
      { name: "audit", path: "/portal/audit", until: seen("Invited a user") },
      { name: "settings", path: "/portal/settings", until: seen("This session") },
      { name: "no page", path: "/portal/nothing-here", until: seen("Go to the start page") },
    ];
  }

  async function looksAt(looked: readonly Looked[]): Promise<void> {
    const visitor = await world.visitAs(furnished().owner, "/portal");
    for (const one of looked) await lookAt(visitor, one);
  }

  async function openedOverPages(): Promise<void> {
    const { uuid, links, owner, webhookId, complaints, agentIds } = furnished();
    const dispute = `/portal/disputes/${complaints.disputes["prepared"]}`;
    const alert = `/portal/alerts/${complaints.alerts["pending"]}`;
    const inside = await world.visitAs(owner, "/portal");
    const pending = `/portal/payment-links/${links["pending"]?.id}`;
    const firstRow = (page: Page) => page.locator("main .row-button").first().click();
    const button = (name: string) => (page: Page) => page.getByRole("button", { name }).first().click();
    const opened: readonly (readonly [string, string, (page: Page) => Promise<void>, ((page: Page) => Promise<void>)?])[] = [
      ["invite", "/portal/users", button("Invite a user")],
      ["a user", "/portal/users", (page) => page.locator("main .row-button").nth(1).click()],
      ["the last owner", "/portal/users", firstRow],
      ["an audit entry", "/portal/audit", firstRow],
      ["a change of password", "/portal/settings", button("Change the password")],
      ["a link to create", "/portal/payment-links", button("New link"), small],
      ["a QR code", pending, button("QR code"), small],
      ["a mail to send", pending, button("Send by e-mail"), small],
      ["a link to cancel", pending, button("Cancel link"), small],
      ["an export to order", "/portal/payment-links", button("Export"), small],
      ["a refund", `/portal/payment-links/${links["late"]?.id}`, button("Refund"), small],
      ...openedOverSubscriptions(furnished().subscribed).map(([name, path, text]) => [name, path, button(text), small] as const),
      ["dunning to change", "/portal/subscriptions?tab=dunning", button("Change")],
      ["an endpoint to add", "/portal/webhooks", button("Add endpoint"), small],
      ["a secret to replace", `/portal/webhooks/${webhookId}`, button("Replace secret"), small],
      ["a delivery", "/portal/webhooks?tab=deliveries", firstRow],
      ["deliveries to resend", "/portal/webhooks?tab=deliveries", button("Resend all failed"), small],
      ["a step", "/portal/logs", firstRow],
      ["a call", "/portal/logs?tab=calls", firstRow],
      ["a response to submit", dispute, button("Preview and submit"), small],
      ["a loss to accept", dispute, button("Accept loss"), small],
      ["an alert to refund", `/portal/alerts/${complaints.alerts["byLink"]}`, button("Refund"), small],
      ["an alert to decline", alert, button("Decline"), small],
      ["rules to change", "/portal/alerts?tab=rules", button("Edit rules")],
      ["a credential to make", "/portal/agents", button("New credential"), small],
      [
        "an agent to revoke",
        `/portal/agents/${agentIds["usedUp"]}`,
        (page) => page.locator("dialog.drawer").getByRole("button", { name: "Revoke" }).click(),
        small,
      ],
      ["all agents to revoke", "/portal/agents", button("Revoke all"), small],
      ["keys to replace", "/portal/keys", button("Create a new pair"), small],
      [
        "a receipt",
        `/portal/transactions/${uuid}`,
        (page) => page.locator("dialog").getByRole("button", { name: "Receipt" }).click(),
        (page) => page.getByText("Merchant copy").waitFor(),
      ],
    ];
    for (const [name, path, open, until = dialog] of opened) {
      await inside.page.setViewportSize(DESK);
      await inside.page.goto(path);
      await open(inside.page);
      await lookAt(inside, { name, path: "", until });
    }
  }

  async function italianPages(): Promise<void> {
    const { owner, links, webhookId, complaints, agentIds, closedDay } = furnished();
    const inside = await world.visitAs(owner, "/portal");
    const speak = async (locale: "it" | "en") => {
      const answer = await inside.page.request.patch("/api/merchant/me", {
        ...{ data: { locale }, headers: { "x-relay-portal": "1", origin: world.origin } },
      });
      assert.equal(answer.status(), 200);
    };
    await speak("it");
    await payToday();
    await exportToday(world.relay, furnished().shop);
    for (const looked of [
      { name: "panoramica", path: "/portal", until: seen("Incasso per ora") },
      { name: "transazioni", path: "/portal/transactions", until: seen("Esporta") },
      ...italianAnalyticsPages(world.relay),
      ...exportPages("it"),
      { name: "link di pagamento", path: "/portal/payment-links", until: seen("Link di pagamento") },
      { name: "un link pagato in ritardo", path: `/portal/payment-links/${links["late"]?.id}`, until: drawer },
      { name: "bacheca", path: "/portal/disputes", until: (page: Page) => page.locator(".case").nth(3).waitFor() },
      { name: "una contestazione", path: `/portal/disputes/${complaints.disputes["prepared"]}`, until: drawer },
      { name: "un avviso", path: `/portal/alerts/${complaints.alerts["pending"]}`, until: drawer },
      { name: "regole", path: "/portal/alerts?tab=rules", until: seen("small-amounts") },
      ...italianSubscriptionPages(furnished().subscribed),
      ...italianAgentPages(agentIds),
      ...italianReconciliationPages(closedDay),
      { name: "metodi", path: "/portal/payment-methods", until: seen("PayPal") },
      { name: "un metodo", path: "/portal/payment-methods/BANCOMAT_PAY", until: drawer },
      { name: "endpoint", path: `/portal/webhooks/${webhookId}`, until: drawer },
      {
        name: "consegne",
        path: "/portal/webhooks?tab=deliveries",
        until: (page: Page) => page.locator("main .row-button").first().waitFor(),
      },
      { name: "log", path: "/portal/logs", until: (page: Page) => page.locator("main .row-button").first().waitFor() },
      { name: "chiavi", path: "/portal/keys", until: seen("sk_merchant_") },
      { name: "impostazioni", path: "/portal/settings", until: seen("Impostazioni") },
    ]) {
      await lookAt(inside, looked);
    }
    await speak("en");
  }

  async function byKeyboard(): Promise<void> {
    const { relay } = world;
    const shop = await newShop(relay, "Bar dello Sport");
    const person = new PortalPerson(relay, addressOf(relay, "anna"));
    await shop.invite(person.email);
    const { page } = await world.visit();
    const tabTo = (name: string) => goTo(page, name);
    await page.goto(`/portal/invitation/${(await lastMailTo(relay, person.email)).token}`);
    await page.getByText("Bar dello Sport invites you as Owner.").waitFor();
    await tabTo("New password");
    await page.keyboard.type(PORTAL_PASSWORD);
    await tabTo("Repeat the new password");
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
    await tabTo("Skip to content");
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
