import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { SessionStateJson } from "../../../../http/surfaces/merchant/sign-in/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { axeViolations } from "../../../support/node/portal-faults.ts";
import {
  type FakeAnswer,
  type FakeHandler,
  fakeRelay,
  linkAt,
  linkOf,
  MERCHANT,
  meOf,
  OVERVIEW,
  PAYMENT_LINKS,
  sessionOf,
  signedOut,
  TEAM,
  terminalsOf,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const OTHER = { ...MERCHANT, merchantId: "SHOP-002", merchantName: "Libreria Verde" };
const EMAIL = "anna.rossi@example.com";

/** A relay whose session ends when `end` is called. `next` is the session after the next sign-in. */
async function relayWithSession(page: Page, first: SessionStateJson, more: Record<string, FakeHandler> = {}) {
  const at = { now: first, next: first };
  const signedIn = (answer: FakeHandler) => (request: Parameters<FakeHandler>[0]) =>
    at.now.stage === "full" ? answer(request) : ({ status: 401, code: "unauthorized" } as FakeAnswer);
  const { calls } = await fakeRelay(page, {
    "GET /session": () => ({ data: at.now }),
    "POST /session": () => {
      at.now = { ...at.next, stage: "factor", userId: null, merchant: null, merchants: [] };
      return { data: at.now };
    },
    "POST /session/second-factor": () => {
      at.now = at.next;
      return { data: at.now };
    },
    "POST /session/merchant": ({ body }) => {
      const merchant = at.now.merchants.find(({ merchantId }) => merchantId === Object(body)["merchantId"]) ?? null;
      at.now = { ...at.now, merchant };
      return { data: at.now };
    },
    ...Object.fromEntries(
      Object.entries({
        "GET /me": () => ({ data: meOf() }),
        "GET /overview": () => ({ data: OVERVIEW }),
        "GET /terminals": () => ({ data: terminalsOf() }),
        "GET /users": () => ({ data: TEAM }),
        "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
        "GET /payment-links/*": linkAt,
        "POST /payment-links": () => ({ status: 201, data: linkOf({ description: "Two tickets" }) }),
        ...more,
      } satisfies Record<string, FakeHandler>).map(([name, answer]) => [name, signedIn(answer)]),
    ),
  });
  const end = (next: SessionStateJson = first): void => {
    Object.assign(at, { now: signedOut(), next });
  };
  const created = () => calls.filter(({ method, path }) => method === "POST" && path === "/payment-links");
  return { calls, end, created };
}

const signInDialog = (page: Page) => page.locator("dialog", { hasText: "Your session has ended. Sign in again to continue." });
const leaveDialog = (page: Page) => page.locator("dialog", { hasText: "Leave without saving?" }).last();
const form = (page: Page) => page.locator("dialog.dialog", { hasText: "New link" }).first();

async function writeLink(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/portal/payment-links`);
  await page.locator("main").getByRole("button", { name: "New link" }).first().click();
  await form(page).getByLabel("Amount").fill("49.90");
  await form(page).getByLabel("Description").fill("Two tickets");
}

async function signInAgain(page: Page): Promise<void> {
  await signInDialog(page).getByLabel("Password", { exact: true }).fill("a long and secret sentence");
  await page.keyboard.press("Enter");
  await signInDialog(page).getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
}

test("a form that is sent after the session ended is sent once more after sign-in over the page", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls, end, created } = await relayWithSession(page, sessionOf());
  await writeLink(page, url);
  end();
  await form(page).getByRole("button", { name: "Create link" }).click();
  // The person is known, so that only the password is missing, and it has the focus.
  assert.equal(await signInDialog(page).getByLabel("E-mail address").inputValue(), EMAIL);
  await page.locator("[name=password]:focus").waitFor();
  assert.equal(new URL(page.url()).pathname, "/portal/payment-links");
  assert.deepEqual(await axeViolations(page), []);
  await page.keyboard.press("Escape");
  const before = calls.length;
  await signInAgain(page);
  await page.getByText("The link is ready").waitFor();
  assert.equal(await signInDialog(page).count(), 0);
  assert.equal(await page.locator(".toast").count(), 0);
  const [refused, sent, ...more] = created();
  assert.deepEqual([refused?.body, more.length], [sent?.body, 0]);
  assert.deepEqual(sent?.headers["idempotency-key"], refused?.headers["idempotency-key"]);
  // The page asks for nothing while somebody signs in.
  const [first, second] = calls.slice(before);
  assert.deepEqual([first?.path, second?.path], ["/session", "/session/second-factor"]);
  assert.deepEqual(faults, []);
});

test("a page starts over for somebody else, and sends nothing of the former person", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const bruno = sessionOf({ userId: "usr_2", email: "bruno@example.com", merchant: OTHER, merchants: [OTHER] });
  const { calls, end, created } = await relayWithSession(page, sessionOf());
  await writeLink(page, url);
  end(bruno);
  await form(page).getByRole("button", { name: "Create link" }).click();
  await signInDialog(page).getByLabel("E-mail address").fill("bruno@example.com");
  const before = calls.length;
  const loaded = page.waitForEvent("load");
  await signInDialog(page).getByLabel("Password", { exact: true }).fill("another long sentence");
  await page.keyboard.press("Enter");
  // It starts over as soon as it is known who signs in, without asking about the form.
  await loaded;
  await page.locator("main").getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await page.getByText(OTHER.merchantName).first().waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
  assert.equal(created().length, 1);
  assert.deepEqual(
    calls.slice(before, before + 3).map(({ method, path }) => `${method} ${path}`),
    ["POST /session", "GET /session", "POST /session/second-factor"],
  );
});

test("a person with several merchants comes back to the merchant of the page", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const anna = sessionOf({ merchants: [MERCHANT, OTHER] });
  const { end, created } = await relayWithSession(page, anna);
  await writeLink(page, url);
  end({ ...anna, merchant: OTHER });
  await form(page).getByRole("button", { name: "Create link" }).click();
  await signInAgain(page);
  await page.getByText("The link is ready").waitFor();
  assert.equal(await page.locator(".merchant-name").first().textContent(), MERCHANT.merchantName);
  assert.equal(created().length, 2);
});

test("a page starts over if the person is no longer a user of its merchant", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { end, created } = await relayWithSession(page, sessionOf());
  await writeLink(page, url);
  end(sessionOf({ merchant: OTHER, merchants: [OTHER] }));
  await form(page).getByRole("button", { name: "Create link" }).click();
  await signInAgain(page);
  await page.locator(".merchant-name", { hasText: OTHER.merchantName }).first().waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
  assert.equal(created().length, 1);
});

test("a load in the background that finds the session ended keeps the page and its form", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await page.clock.install();
  const { end, created } = await relayWithSession(page, sessionOf());
  await page.goto(`${url}/portal/payment-links?state=PENDING`);
  await page.locator("main .row-button").first().waitFor();
  await page.locator("main").getByRole("button", { name: "New link" }).first().click();
  await form(page).getByLabel("Description").fill("Two tickets");
  end();
  await page.clock.fastForward(10_000);
  await signInDialog(page).waitFor();
  await signInAgain(page);
  await signInDialog(page).waitFor({ state: "detached" });
  assert.equal(await form(page).getByLabel("Description").inputValue(), "Two tickets");
  assert.equal(page.url(), `${url}/portal/payment-links?state=PENDING`);
  assert.equal(created().length, 0);
});

test("another window of the browser that signs in ends the question here", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { end, created } = await relayWithSession(page, sessionOf());
  await writeLink(page, url);
  end();
  await form(page).getByRole("button", { name: "Create link" }).click();
  await signInDialog(page).waitFor();
  await page.evaluate(`fetch("/api/merchant/session", { method: "POST", body: "{}" })
    .then(() => fetch("/api/merchant/session/second-factor", { method: "POST", body: "{}" }))
    .then(() => new BroadcastChannel("portal.session").postMessage("changed"))`);
  await page.getByText("The link is ready").waitFor();
  assert.equal(created().length, 2);
});

test("a changed form asks before Escape, a click outside, the close button, Cancel and Back close it", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await relayWithSession(page, sessionOf());
  await page.goto(`${url}/portal/users`);
  await page.getByText("4 of 5 users").waitFor();
  await page.locator(".sidebar").getByRole("link", { name: "Payment links" }).click();
  const open = () => page.locator("main").getByRole("button", { name: "New link" }).first().click();
  // An unchanged form closes at once, also one whose change was taken back.
  await open();
  await form(page).getByLabel("Description").fill("Two tickets");
  await form(page).getByLabel("Description").fill("");
  await page.keyboard.press("Escape");
  await form(page).waitFor({ state: "detached" });

  await open();
  await form(page).getByLabel("Description").fill("Two tickets");
  const ways: Record<string, () => Promise<unknown>> = {
    escape: () => page.keyboard.press("Escape"),
    outside: () => page.mouse.click(5, 400),
    close: () => form(page).getByRole("button", { name: "Close" }).click(),
    cancel: () => form(page).getByRole("button", { name: "Cancel" }).click(),
    back: () => page.evaluate("history.back()"),
  };
  for (const [way, leave] of Object.entries(ways)) {
    await leave();
    await leaveDialog(page).getByText("What you typed here will be lost.").waitFor();
    await leaveDialog(page).getByRole("button", { name: "Keep editing" }).click();
    await leaveDialog(page).waitFor({ state: "detached" });
    assert.equal(await form(page).getByLabel("Description").inputValue(), "Two tickets", way);
    assert.equal(new URL(page.url()).pathname, "/portal/payment-links", way);
  }
  // However often Escape is pressed, nothing is lost.
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press("Escape");
  assert.equal(await form(page).getByLabel("Description").inputValue(), "Two tickets");
  await leaveDialog(page).getByRole("button", { name: "Keep editing" }).click();
  // The browser asks before the page is loaded again.
  const asked = page.waitForEvent("dialog");
  const reload = page.reload().catch(() => {});
  const question = await asked;
  assert.equal(question.type(), "beforeunload");
  await question.dismiss();
  await reload;
  assert.equal(await form(page).getByLabel("Description").inputValue(), "Two tickets");

  await page.keyboard.press("Escape");
  await leaveDialog(page).getByRole("button", { name: "Leave without saving" }).click();
  await form(page).waitFor({ state: "detached" });
});

test("a drawer whose form was stored closes without a question", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await relayWithSession(page, sessionOf(), { "PATCH /users/*": () => ({ data: TEAM.items[1] }) });
  await page.goto(`${url}/portal/users`);
  await page.getByRole("button", { name: "marco.bianchi@example.com" }).click();
  const drawer = page.locator("dialog.drawer");
  await drawer.getByLabel("Admin").check();
  await page.keyboard.press("Escape");
  await leaveDialog(page).getByRole("button", { name: "Keep editing" }).click();
  await drawer.getByRole("button", { name: "Save" }).click();
  await page.getByText("marco.bianchi@example.com is now Admin.").waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
});

test("a link asks before it leads away from a changed form, and then leads there", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await relayWithSession(page, sessionOf());
  await writeLink(page, url);
  // The page behind cannot be pressed, but a script or a reader's list of links reaches it.
  const follow = () => page.evaluate(`document.querySelector('.nav a[href="/portal/users"]').click()`);
  await follow();
  await leaveDialog(page).getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await form(page).getByLabel("Description").inputValue(), "Two tickets");
  await follow();
  await leaveDialog(page).getByRole("button", { name: "Leave without saving" }).click();
  await page.getByText("4 of 5 users").waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
});

test("offline there is one bar, a page that is not loaded says so, and both come back by themselves", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await relayWithSession(page, sessionOf());
  // The script of another page is not loaded yet, as just after the first load.
  await page.route(/\/users-page-[^/]*\.js$/, (route) => route.abort());
  await page.goto(`${url}/portal/payment-links`);
  await page.locator("main .row-button").first().waitFor();
  await page.context().setOffline(true);
  const bar = page.getByRole("status").filter({ hasText: "You are offline." });
  await bar.waitFor();
  await page.locator(".sidebar").getByRole("link", { name: "Users" }).click();
  await page.getByText("This page is not loaded yet").waitFor();
  assert.equal(page.url(), `${url}/portal/users`);
  assert.equal(await bar.count(), 1);
  assert.deepEqual(await axeViolations(page), []);
  await page.unroute(/\/users-page-[^/]*\.js$/);
  await page.context().setOffline(false);
  await page.getByText("4 of 5 users").waitFor();
  assert.equal(await bar.count(), 0);
});
