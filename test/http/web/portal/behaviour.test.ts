import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import {
  type FakeHandler,
  fakeRelay,
  invitationOf,
  MERCHANT,
  meOf,
  OVERVIEW,
  RECOVERY_CODES,
  SESSIONS,
  sessionOf,
  signedOut,
  TEAM,
  TOTP,
  TRANSACTION,
  TRANSACTIONS,
  terminalsOf,
  userOf,
  usersOf,
} from "./fake-relay.ts";
import { openPortal, stopTime } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /users": () => ({ data: TEAM }),
  "GET /me": () => ({ data: meOf() }),
  "GET /sessions": () => ({ data: SESSIONS }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: TRANSACTION }),
  "GET /terminals": () => ({ data: terminalsOf() }),
};

/** Presses Tab until what has the focus is named so. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("Tab");
    const focused: string = await page.evaluate(
      `(() => { const element = document.activeElement; return (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent ?? "").trim(); })()`,
    );
    if (focused === name) return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

const focusedText = (page: Page) => page.evaluate(`document.activeElement.textContent.trim()`);

test("the language of a person stays, also where the one that the page began with comes later", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) });
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const english = page.waitForResponse(/\/start\.en-[^/]+\.js$/);
  await page.route(/\/start\.en-[^/]+\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${url}/portal/users`);
  await page.locator('html[lang="it"]').waitFor({ state: "attached" });
  letGo();
  await (await english).finished();
  await page.getByRole("heading", { name: "Utenti", exact: true }).waitFor();
  assert.equal(await page.evaluate("document.documentElement.lang"), "it");
});

test("somebody signs in and invites a user with the keyboard alone", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  let stage: "none" | "factor" | "full" = "none";
  const state = () => (stage === "none" ? signedOut() : sessionOf({ stage }));
  let team = TEAM;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: state() }),
    "POST /session": () => {
      stage = "factor";
      return { data: state() };
    },
    "POST /session/second-factor": () => {
      stage = "full";
      return { data: state() };
    },
    "GET /users": () => ({ data: team }),
    "POST /users": ({ body }) => {
      const email = Object.entries(Object(body)).find(([name]) => name === "email")?.[1];
      const invited = userOf({ userId: "usr_5", email: String(email), state: "INVITED", role: "FINANCE", joinedAt: null });
      team = usersOf(...TEAM.items, invited);
      return { data: invited };
    },
  });
  await page.goto(`${url}/portal/users`);
  await page.getByLabel("E-mail address").waitFor();
  await tabTo(page, "E-mail address");
  await page.keyboard.type("anna.rossi@example.com");
  await tabTo(page, "Password");
  await page.keyboard.type("a long and secret sentence");
  await page.keyboard.press("Enter");

  // The field of the code has the focus by itself.
  await page.getByLabel("Code").waitFor();
  await page.locator(`[name="code"]:focus`).waitFor();
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");

  // The page that was wanted, with its heading in focus.
  await page.getByText("4 of 5 users").waitFor();
  assert.equal(new URL(page.url()).pathname, "/portal/users");
  assert.equal(await focusedText(page), "Users");

  await tabTo(page, "Invite a user");
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor();
  await page.keyboard.type("luca.neri@example.com");
  await page.keyboard.press("Tab");
  // From Viewer, the present choice, up to Finance.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByText("5 of 5 users").waitFor();
  await page.getByText("The invitation was sent to luca.neri@example.com.").waitFor();
  await page.getByText("A merchant can have 5 users").waitFor();
  assert.equal(await page.getByRole("button", { name: "Invite a user" }).isDisabled(), true);

  const sent = calls.filter(({ method }) => method === "POST");
  assert.deepEqual(
    sent.map(({ path, body }) => [path, body]),
    [
      ["/session", { email: "anna.rossi@example.com", password: "a long and secret sentence" }],
      ["/session/second-factor", { code: "123456" }],
      ["/users", { email: "luca.neri@example.com", role: "FINANCE", locale: "en" }],
    ],
  );
  assert.ok(calls.every(({ headers }) => headers["x-relay-portal"] === "1"));
  assert.deepEqual(faults, []);
});

test("a page load without a session leads to sign-in, and back to the page that was wanted", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let ended = true;
  await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: ended ? signedOut() : sessionOf() }),
    "POST /session": () => {
      ended = false;
      return { data: sessionOf() };
    },
  });
  await page.goto(`${url}/portal/settings?tab=1`);
  await page.getByLabel("E-mail address").fill("anna.rossi@example.com");
  assert.equal(new URL(page.url()).searchParams.get("next"), "/portal/settings?tab=1");
  await page.getByLabel("Password", { exact: true }).fill("x");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  assert.equal(page.url(), `${url}/portal/settings?tab=1`);
});

test("sign-in leads to no other site, whatever its address says", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  for (const next of ["https://evil.example/portal", "//evil.example/portal", "/portal/../admin", "javascript:alert(1)", "/portalx"]) {
    await page.goto(`${url}/portal/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForURL(`${url}/portal`);
  }
  assert.deepEqual(faults, []);
});

test("what needs a fresh second factor asks for it, and goes on by itself", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let fresh = false;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "PATCH /users/*": () => (fresh ? { data: userOf({ userId: "usr_2" }) } : { status: 403, code: "step_up_required" }),
    "POST /session/step-up": ({ body }) => {
      fresh = JSON.stringify(body) === '{"code":"123456"}';
      return fresh ? { data: sessionOf() } : { status: 401, code: "invalid_code" };
    },
  });
  await page.goto(`${url}/portal/users`);
  await page.getByRole("button", { name: "marco.bianchi@example.com" }).click();
  await page.getByLabel("Admin").check();
  await page.getByRole("button", { name: "Save" }).click();
  const question = page.locator("dialog", { hasText: "Confirm it is you" });
  await question.getByLabel("Code").fill("000000");
  await page.keyboard.press("Enter");
  await question.getByText("The code is wrong").waitFor();
  await question.getByLabel("Code").fill("123 456");
  await page.keyboard.press("Enter");
  await page.getByText("marco.bianchi@example.com is now Admin.").waitFor();
  assert.equal(await question.count(), 0);
  assert.deepEqual(
    calls.filter(({ method }) => method === "PATCH").map(({ body }) => body),
    [1, 2].map(() => ({ role: "ADMIN", seen: { role: "FINANCE", state: "ACTIVE" } })),
  );
});

test("whoever does not confirm is told so, and nothing is sent again", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, { ...ANNA, "POST /me/recovery-codes": () => ({ status: 403, code: "step_up_required" }) });
  await page.goto(`${url}/portal/settings`);
  await page.getByRole("button", { name: "Create new codes" }).click();
  await page.locator("dialog").getByRole("button", { name: "Create new codes" }).click();
  await page.getByText("Confirm it is you", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("First confirm that it is you.").waitFor();
  assert.equal(calls.filter(({ path }) => path === "/me/recovery-codes").length, 1);
});

test("a panel that cannot be loaded says why, and is loaded when asked again", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let away = true;
  await fakeRelay(page, { ...ANNA, "GET /users": () => (away ? { status: 503, code: "unavailable" } : { data: TEAM }) });
  await page.goto(`${url}/portal/users`);
  await page.getByText("Not available at the moment").waitFor();
  away = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("4 of 5 users").waitFor();
});

test("tokens leave the address bar, and are sent only to the relay", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, {
    "GET /session": () => ({ data: signedOut() }),
    "GET /invitations/*": () => ({ data: invitationOf({ locale: "it" }) }),
    "POST /invitations/*/accept": () => ({ data: sessionOf({ stage: "enrol", methods: [], locale: "it" }) }),
    "POST /me/totp": () => ({ data: TOTP }),
    "POST /password/reset": () => ({ status: 410, code: "used_or_expired" }),
  });
  await page.goto(`${url}/portal/invitation/secret-token`);
  // In the language of the mail.
  await page.getByText("Caffè Duomo ti invita con il ruolo Contabilità.").waitFor();
  assert.equal(page.url(), `${url}/portal/invitation`);
  await page.getByLabel("Nuova password", { exact: true }).fill("una frase lunga");
  await page.getByLabel("Ripeti la nuova password", { exact: true }).fill("una frase diversa");
  await page.keyboard.press("Enter");
  await page.getByText("Le due password non coincidono.").waitFor();
  await page.getByLabel("Ripeti la nuova password", { exact: true }).fill("una frase lunga");
  await page.keyboard.press("Enter");
  await page.getByText("Proteggi il tuo account").waitFor();
  assert.equal(await page.evaluate("document.documentElement.lang"), "it");
  const [accepted] = calls.filter(({ method }) => method === "POST");
  assert.deepEqual([accepted?.path, accepted?.body], ["/invitations/secret-token/accept", { password: "una frase lunga", locale: "it" }]);

  await page.goto(`${url}/portal/reset/another-token`);
  await page.getByLabel("Nuova password", { exact: true }).fill("una frase lunga");
  await page.getByLabel("Ripeti la nuova password", { exact: true }).fill("una frase lunga");
  assert.equal(page.url(), `${url}/portal/reset`);
  await page.keyboard.press("Enter");
  await page.getByText("Questo link non è più valido").waitFor();
  assert.deepEqual(calls.at(-1)?.body, { token: "another-token", password: "una frase lunga" });
});

test("enrolment goes on only when the recovery codes are said to be saved", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ stage: "enrol", methods: [] }) }),
    "POST /me/totp": () => ({ data: TOTP }),
    "POST /me/totp/confirm": ({ body }) =>
      JSON.stringify(body) === '{"code":"123456"}'
        ? { data: { recoveryCodes: RECOVERY_CODES, session: sessionOf() } }
        : { status: 400, code: "invalid_code" },
  });
  await page.goto(`${url}/portal/users`);
  await page.getByText("JBSW Y3DP EHPK 3PXP").waitFor();
  await page.getByLabel("Code").fill("12345");
  await page.keyboard.press("Enter");
  await page.getByText("A code has 6 digits.").waitFor();
  await page.getByLabel("Code").fill("654321");
  await page.keyboard.press("Enter");
  await page.getByText("The code is wrong").waitFor();
  await page.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  for (const code of RECOVERY_CODES) await page.getByText(code).waitFor();
  const go = page.getByRole("button", { name: "Continue" });
  assert.equal(await go.isDisabled(), true);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download" }).click()]);
  assert.equal(download.suggestedFilename(), "recovery-codes.txt");
  await page.getByLabel("I have saved them in a safe place").check();
  await go.click();
  await page.getByText("4 of 5 users").waitFor();
});

test("whoever may not manage users sees them, and nothing to manage", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const merchant = { ...MERCHANT, role: "VIEWER", environment: "LIVE" } as const;
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant, merchants: [merchant] }) }) });
  await page.goto(`${url}/portal/users`);
  await page.getByText("4 of 5 users").waitFor();
  assert.equal(await page.getByRole("button", { name: "Invite a user" }).count(), 0);
  assert.equal(await page.locator(".row-button").count(), 0);
  // A merchant in production has no banner.
  assert.equal(await page.locator(".test-strip").count(), 0);
});

test("the last owner is explained, not offered; an admin cannot touch owners", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/users`);
  await page.locator(".row-button").first().click();
  await page.getByText("This is the only owner.").waitFor();
  assert.equal(await page.locator("dialog").getByRole("button", { name: "Remove" }).count(), 0);

  const merchant = { ...MERCHANT, role: "ADMIN" } as const;
  await page.unrouteAll();
  await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ merchant, merchants: [merchant] }) }),
    "DELETE /users/*": () => ({ status: 409, code: "last_owner" }),
  });
  await page.goto(`${url}/portal/users`);
  await page.locator(".row-button").first().click();
  await page.getByText("Only an owner can change an owner.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".row-button").nth(1).click();
  assert.equal(await page.getByRole("radio", { name: /^Owner/ }).count(), 0);
  await page.locator("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Remove marco.bianchi@example.com?").waitFor();
  await page.locator("dialog").getByRole("button", { name: "Remove" }).last().click();
  // What the relay refuses is said where it was asked.
  await page.locator("dialog").getByText("A merchant needs at least one owner.").waitFor();
});

test("language and appearance change at once, and are there before the next page is painted", skip, async (t) => {
  const { url, page, show } = await openPortal(t);
  let me = meOf();
  await show("light", 1_280);
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ theme: me.theme, locale: me.locale }) }),
    "GET /me": () => ({ data: me }),
    "PATCH /me": ({ body }) => {
      me = { ...me, ...Object(body) };
      return { data: me };
    },
  });
  await page.goto(`${url}/portal/settings`);
  await page.getByLabel("Appearance", { exact: true }).selectOption("dark");
  await page.getByText("Saved.").waitFor();
  const canvas = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  assert.equal(await canvas(), "rgb(12, 15, 21)");
  await page.getByLabel("Language", { exact: true }).selectOption("it");
  await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
  assert.deepEqual(
    calls.filter(({ method }) => method === "PATCH").map(({ body }) => body),
    [{ theme: "dark" }, { locale: "it" }],
  );

  // The first frame of the next load, while the relay has not answered yet.
  await page.unrouteAll();
  let answer = (): void => assert.fail("the relay was not asked");
  const asked = new Promise<void>((resolve) => {
    void fakeRelay(page, {
      ...ANNA,
      "GET /session": async () => {
        resolve();
        await new Promise<void>((go) => {
          answer = go;
        });
        return { data: sessionOf({ theme: "dark", locale: "it" }) };
      },
    }).then(() => page.goto(`${url}/portal/settings`));
  });
  await asked;
  assert.equal(await canvas(), "rgb(12, 15, 21)");
  answer();
  await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
});

test("another merchant is another page, with nothing of the first", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const other = { merchantId: "SHOP-002", merchantName: "Bar Centrale", environment: "LIVE", role: "OWNER" } as const;
  let at: typeof other | typeof MERCHANT = MERCHANT;
  const state = () => ({ data: sessionOf({ merchant: at, merchants: [MERCHANT, other] }) });
  const handlers: Record<string, FakeHandler> = {
    ...ANNA,
    "GET /session": state,
    "POST /session/merchant": ({ body }) => {
      assert.deepEqual(body, { merchantId: "SHOP-002" });
      at = other;
      return state();
    },
    "GET /users": () => ({ data: at === MERCHANT ? TEAM : usersOf(userOf({ you: true, email: "anna.rossi@example.com" })) }),
  };
  await fakeRelay(page, handlers);
  const [second] = await Promise.all([page.waitForEvent("popup"), page.evaluate(`void open("about:blank")`)]);
  await fakeRelay(second, handlers);
  await second.goto(`${url}/portal/users`);
  await second.getByText("4 of 5 users").waitFor();
  await page.goto(`${url}/portal/users`);
  await page.getByText("4 of 5 users").waitFor();
  await page.getByRole("button", { name: "Switch merchant" }).click();
  await page.getByRole("button", { name: /Bar Centrale/ }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.equal(await page.locator(".test-strip").count(), 0);
  await page.getByRole("link", { name: "Users" }).first().click();
  await page.getByText("1 of 5 users").waitFor();
  assert.equal(await page.getByText("marco.bianchi@example.com").count(), 0);
  // The other window of the same browser has the same session.
  await second.getByText("1 of 5 users").waitFor();
  await second.getByText("Bar Centrale").first().waitFor();
});

test("the policy is in force: no text becomes a script or a page, and the checks of these tests see it", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/users`);
  await page.getByText("4 of 5 users").waitFor();
  assert.equal(faults.length, 0, faults.join("\n"));
  const refused = await page.evaluate(
    `(() => { try { document.body.innerHTML = "<b>x</b>"; return "taken"; } catch (error) { return error.name; } })()`,
  );
  assert.equal(refused, "TypeError");
  await eventually(() =>
    assert.ok(
      faults.some((fault) => fault.includes("require-trusted-types-for")),
      faults.join("\n"),
    ),
  );
});

test("what is live is asked for every five seconds, only while somebody can see it", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let connection: "ONLINE" | "OFFLINE" = "ONLINE";
  const { calls } = await fakeRelay(page, { ...ANNA, "GET /terminals": () => ({ data: terminalsOf(connection) }) });
  const asked = () => calls.filter(({ path }) => path === "/terminals").length;
  const turn = (state: "visible" | "hidden") =>
    page.evaluate(`(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
      document.dispatchEvent(new Event("visibilitychange"));
    })()`);
  await page.clock.install();
  await page.goto(`${url}/portal/terminals`);
  await page.getByText("1 of 2 online").waitFor();
  // Nobody knows how much of the five seconds is over by now. After an answer it is less than a second.
  connection = "OFFLINE";
  await stopTime(page);
  await eventually(async () => {
    await page.clock.runFor(900);
    assert.equal(await page.getByText("0 of 2 online").isVisible(), true);
  });
  const before = asked();
  connection = "ONLINE";
  await page.clock.runFor(4_000);
  assert.equal(asked(), before);
  await page.clock.runFor(1_100);
  await page.getByText("1 of 2 online").waitFor();
  assert.equal(asked(), before + 1);

  await turn("hidden");
  await page.clock.runFor(60_000);
  assert.equal(asked(), before + 1);
  connection = "OFFLINE";
  await turn("visible");
  await page.clock.runFor(100);
  await page.getByText("0 of 2 online").waitFor();
  assert.equal(asked(), before + 2);
});

test("a list that could be loaded before stays when it cannot be loaded again, and says so", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let away = false;
  await fakeRelay(page, { ...ANNA, "GET /terminals": () => (away ? { status: 503, code: "unavailable" } : { data: terminalsOf() }) });
  await page.clock.install();
  await page.goto(`${url}/portal/terminals`);
  await page.getByText("1 of 2 online").waitFor();
  away = true;
  await page.clock.runFor(6_000);
  await page.getByText("This may be out of date").waitFor();
  assert.equal(await page.locator(".row-button").count(), 2);
});

test("a row opens beside the list with an address of its own, and Escape gives the focus back", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/transactions?status=OK`);
  await page.locator(".row-button").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog").getByText("A1B2C3").waitFor();
  assert.equal(page.url(), `${url}/portal/transactions/${TRANSACTION.uuid}?status=OK`);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(page.url(), `${url}/portal/transactions?status=OK`);
  assert.equal(await page.evaluate(`document.activeElement.className`), "row-button");
  assert.ok(calls.filter(({ path }) => path === "/transactions").every(({ query }) => query.get("status") === "OK"));
});

test("paper has whose figures they are, and nothing that can only be pressed", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal`);
  const chartButton = page.getByRole("button", { name: "Show as table" });
  await chartButton.waitFor();
  const head = () => page.evaluate(`getComputedStyle(document.querySelector(".column"), "::before").content`);
  assert.equal(await head(), "none");
  await page.emulateMedia({ media: "print" });
  assert.match(String(await head()), new RegExp(`^"${MERCHANT.merchantName} · TEST: .* · Times in Europe/Rome \\(CES?T\\)"$`));
  assert.equal(await chartButton.isVisible(), false);
  assert.equal(await page.locator(".sidebar").isVisible(), false);
  const [sheets, underHead] = [
    (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g),
    await page.evaluate(`document.querySelector("h1").getBoundingClientRect().top`),
  ];
  assert.ok(Number(underHead) < 150, `the page begins ${underHead} px below the top`);
  assert.equal(sheets?.length, 1);
});

test("a receipt has its amount as the language writes it, and stands alone at the top of the paper", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const lines = [
    { label: "amount", value: "1234.50 EUR" },
    { label: "message", value: "10.50 EUR" },
  ];
  const slip = { text: "TOTALE 1234.50", merchantText: "FIRMA" };
  const receipt = { merchantName: MERCHANT.merchantName, terminalId: "SIM00001", createdAt: TRANSACTION.createdAt, lines, ...slip };
  await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ locale: "it" }) }),
    "GET /transactions/*/receipt": () => ({ data: receipt }),
  });
  await page.goto(`${url}/portal/transactions/${TRANSACTION.uuid}`);
  await page.getByRole("button", { name: "Ricevuta" }).click();
  const paper = page.locator(".paper");
  await paper.getByText("1.234,50\u00a0€", { exact: true }).waitFor();
  // What the terminal said stays as it said it.
  await paper.getByText("10.50 EUR", { exact: true }).waitFor();
  await paper.getByLabel("Ricevuta del terminale, copia cliente").getByText(slip.text).waitFor();
  await paper.getByLabel("Ricevuta del terminale, copia esercente").getByText(slip.merchantText).waitFor();
  await page.emulateMedia({ media: "print" });
  const box = await paper.boundingBox();
  assert.ok(box !== null && box.y < 100, `the paper begins ${box?.y} px below the top`);
  assert.equal(await page.locator("table").first().isVisible(), false);
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector(".column"), "::before").display`), "none");
});

test("new recovery codes cannot be closed away, however often Escape is pressed", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "POST /me/recovery-codes": () => ({ data: { recoveryCodes: RECOVERY_CODES } }) });
  await page.goto(`${url}/portal/settings`);
  await page.getByRole("button", { name: "Create new codes" }).click();
  await page.locator("dialog").getByRole("button", { name: "Create new codes" }).click();
  const codes = page.locator("dialog[open]").getByText(RECOVERY_CODES[9] ?? "");
  await codes.waitFor();
  for (let presses = 0; presses < 4; presses += 1) {
    await page.keyboard.press("Escape");
    await codes.waitFor();
  }
  await page.getByLabel("I have saved them in a safe place").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await codes.waitFor({ state: "detached" });
});

test("a portal that cannot be loaded, or cannot ask who is signed in, says so and does not stay empty", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ status: 503, code: "unavailable" }) });
  await page.goto(`${url}/portal/users`);
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.route(/\/portal\/assets\/start\.(?:en|it)-/, (route) => route.abort());
  await page.reload();
  await page.getByText("The portal could not be loaded.").waitFor();
});
