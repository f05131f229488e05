import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { KeysJson, PaymentMethodJson } from "../../../../http/surfaces/merchant/methods/schemas.ts";
import { charactersOf } from "../../../../http/web/portal/pages/payment-methods/characters.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import {
  COMPAT_SETTINGS,
  type FakeHandler,
  fakeRelay,
  KEYS,
  MERCHANT,
  METHODS,
  methodOf,
  NEW_KEYS,
  PENDING_KEYS,
  sessionOf,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const PAGE = "/portal/payment-methods";
const ANNA = { "GET /session": () => ({ data: sessionOf() }), "GET /payment-methods": () => ({ data: METHODS }) };

/** What is asked for by people who may change nothing, and by nobody else. */
const dialog = (page: Page) => page.locator("dialog");

test("a character is counted as the relay counts it", () => {
  assert.deepEqual(["", "Caffè", "🎉🎉", "e\u0301"].map(charactersOf), [0, 5, 2, 2]);
});

test("a form is made of the service's members, counts what binds, and sends stored secrets only where they are typed anew", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  const saved = methodOf({ mode: "live", updatedAt: "2026-11-25T12:00:00.000Z" });
  const { calls } = await fakeRelay(page, { ...ANNA, "PUT /payment-methods/*": () => ({ data: saved }) });
  await page.goto(`${url}${PAGE}`);
  await page.getByRole("button", { name: "Configure: BANCOMAT Pay" }).click();
  const name = page.getByLabel("Name shown to customers");
  await page.getByText("11 of 35 characters").waitFor();
  await name.fill("🎉".repeat(35));
  await page.getByText("35 of 35 characters").waitFor();
  assert.equal(await page.getByText("At most 35 characters.").count(), 0);
  await name.fill("🎉".repeat(36));
  await page.getByText("At most 35 characters.").waitFor();
  assert.equal(await name.getAttribute("aria-invalid"), "true");
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal(calls.filter(({ method }) => method === "PUT").length, 0);

  await name.fill("Bar 🎉");
  await page.getByLabel("LIVE").check();
  const pem = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n";
  await page.getByLabel("Private key").fill(pem);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("BANCOMAT Pay is configured.").waitFor();
  const put = calls.find(({ method }) => method === "PUT");
  assert.deepEqual(put?.body, { mode: "live", idPg: "12345", idNegozio: "12345678901", merchantName: "Bar 🎉", privateKey: pem });
  assert.equal(put?.query.get("seen"), "2026-11-24T09:15:00.000Z");
  assert.match(put?.headers["idempotency-key"] ?? "", /^[0-9a-f]{32}$/);
  assert.equal(new URL(page.url()).pathname, PAGE);
  await page.getByRole("article", { name: "BANCOMAT Pay" }).getByText("LIVE", { exact: true }).waitFor();
});

test("a method that was never configured says so, and wants everything", { skip: NO_BROWSER }, async (t) => {
  const { page, url } = await openPortal(t);
  const { calls } = await fakeRelay(page, { ...ANNA, "PUT /payment-methods/*": () => ({ data: METHODS.items[1] }) });
  await page.goto(`${url}${PAGE}/PAYPAL`);
  await page.getByRole("button", { name: "Save" }).click();
  // The mode, the id, the secret.
  await page.getByText("This field is required.").nth(2).waitFor();
  assert.equal(await page.getByText("This field is required.").count(), 3);
  await page.getByLabel("TEST").check();
  await page.getByLabel("Client id").fill("client-1");
  await page.getByLabel("Client secret", { exact: false }).first().fill("secret-1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("PayPal is configured.").waitFor();
  const put = calls.find(({ method }) => method === "PUT");
  assert.deepEqual(put?.body, { mode: "sandbox", clientId: "client-1", clientSecret: "secret-1" });
  assert.equal(put?.query.get("seen"), "never");
});

test("of a service without rules members are added, kept and removed; names that cannot be one are refused", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  const stored = methodOf({ service: "BIZUM", members: null, values: { kept: "********", gone: "********" } });
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /payment-methods": () => ({ data: { items: [stored] } }),
    "PUT /payment-methods/*": () => ({ data: stored }),
  });
  await page.goto(`${url}${PAGE}/BIZUM`);
  await page.getByRole("button", { name: "Remove gone" }).click();
  await page.getByRole("button", { name: "Add" }).click();
  const save = page.getByRole("button", { name: "Save" });
  const name = dialog(page).getByLabel("Name").last();
  await dialog(page).locator('input[type="password"]').last().fill("value-1");
  for (const [wrong, says] of [
    ["9x", "Start with a letter"],
    ["mode", "Start with a letter"],
    ["kept", "is already used"],
  ] as const) {
    await name.fill(wrong);
    await save.click();
    await page.getByText(says).first().waitFor();
  }
  await name.fill("apiKey");
  await save.click();
  await page.getByText("Bizum is configured.").waitFor();
  assert.deepEqual(calls.find(({ method }) => method === "PUT")?.body, { kept: "********", apiKey: "value-1", mode: "sandbox" });
});

test("who edits what somebody else has saved meanwhile is told, keeps what was typed, and sees what is stored when it wants to", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  let items: PaymentMethodJson[] = METHODS.items;
  await fakeRelay(page, {
    ...ANNA,
    "GET /payment-methods": () => ({ data: { items } }),
    "PUT /payment-methods/*": ({ query }) =>
      query.get("seen") === items[2]?.updatedAt ? { data: items[2] } : { status: 409, code: "conflict" },
  });
  await page.goto(`${url}${PAGE}/BANCOMAT_PAY`);
  const name = page.getByLabel("Name shown to customers");
  await name.fill("Mine");
  const theirs = methodOf({
    updatedAt: "2026-11-25T13:00:00.000Z",
    values: { ...methodOf().values, merchantName: "Theirs" },
  });
  items = items.map((item) => (item.service === theirs.service ? theirs : item));
  const save = page.getByRole("button", { name: "Save" });
  await save.click();
  await page.getByText("Somebody else has changed this configuration").waitFor();
  assert.equal(await name.inputValue(), "Mine");
  // Without a look at it a second attempt overwrites nothing either.
  await save.click();
  await page.getByText("Somebody else has changed this configuration").waitFor();
  await page.getByRole("button", { name: "Show the saved version" }).click();
  await page.getByText("6 of 35 characters").waitFor();
  assert.equal(await name.inputValue(), "Theirs");
  await name.fill("Ours");
  await save.click();
  await page.getByText("BANCOMAT Pay is configured.").waitFor();
});

test("what is not saved is not lost by a slip: neither by Escape nor by the browser's Back", { skip: NO_BROWSER }, async (t) => {
  const { page, url } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}${PAGE}`);
  await page.getByRole("button", { name: "Configure: BANCOMAT Pay" }).click();
  const name = page.getByLabel("Name shown to customers");
  await name.fill("Typed");
  await page.keyboard.press("Escape");
  await page.getByText("Leave without saving?").waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await name.inputValue(), "Typed");
  await page.goBack();
  await page.getByText("Leave without saving?").waitFor();
  assert.equal(new URL(page.url()).pathname, `${PAGE}/BANCOMAT_PAY`);
  await page.getByRole("button", { name: "Leave without saving" }).click();
  await dialog(page).waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).pathname, PAGE);
  // Nothing was typed: nobody is asked.
  await page.getByRole("button", { name: "Configure: BANCOMAT Pay" }).click();
  await name.waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
});

test("a method is switched on at once, and off after a question; a refusal is told and changes nothing", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "POST /payment-methods/BIZUM/enable": () => ({ data: { ...METHODS.items[3], enabled: true } }),
    "POST /payment-methods/BANCOMAT_PAY/disable": () => ({ status: 403, code: "service_not_permitted" }),
  });
  await page.goto(`${url}${PAGE}`);
  const bizum = page.getByRole("switch", { name: "Use Bizum" });
  assert.equal(await bizum.getAttribute("aria-checked"), "false");
  await bizum.click();
  await page.getByText("Bizum is on.").waitFor();
  assert.equal(await bizum.getAttribute("aria-checked"), "true");
  const bancomat = page.getByRole("switch", { name: "Use BANCOMAT Pay" });
  await bancomat.click();
  assert.equal(calls.filter(({ method }) => method === "POST").length, 1);
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("Your provider does not offer you").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await bancomat.getAttribute("aria-checked"), "true");
});

test("who may only look sees what is stored, and nothing to change", { skip: NO_BROWSER }, async (t) => {
  const { page, url } = await openPortal(t);
  const finance: FakeHandler = () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "FINANCE" } }) });
  await fakeRelay(page, { ...ANNA, "GET /session": finance });
  await page.goto(`${url}${PAGE}`);
  await page.getByRole("button", { name: "Show: BANCOMAT Pay" }).click();
  await dialog(page).getByText("Caffè Duomo").waitFor();
  assert.equal(await page.getByRole("switch").count(), 0);
  assert.equal(await dialog(page).locator("input, textarea").count(), 0);
  await page.goto(`${url}/portal/keys`);
  await page.getByText("Page not found").first().waitFor();
});

test("a method that is none of the merchant's is said to be none", { skip: NO_BROWSER }, async (t) => {
  const { page, url } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}${PAGE}/SKRILL`);
  await page.getByText("Payment method not found").waitFor();
});

test("apps that customers return to are saved as their schemes, and an empty version takes the default away", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /keys": () => ({ data: KEYS }),
    "GET /compatible-api": () => ({ data: COMPAT_SETTINGS }),
    "PUT /compatible-api/return-schemes": () => ({ data: COMPAT_SETTINGS }),
    "PUT /compatible-api/default-version": () => ({ data: COMPAT_SETTINGS }),
  });
  await page.goto(`${url}/portal/keys`);
  const apps = page.getByLabel("Apps that customers return to");
  await apps.waitFor();
  assert.equal(await apps.inputValue(), "myapp");
  await apps.fill("myapp://, Com.Example.Shop");
  await page.getByRole("button", { name: "Save apps" }).click();
  await page.getByText("The settings are saved.").first().waitFor();
  await page.getByRole("button", { name: "Save version" }).click();
  await eventually(async () => assert.equal(calls.filter(({ method }) => method === "PUT").length, 2));
  assert.deepEqual(
    calls.filter(({ method }) => method === "PUT").map(({ path, body }) => [path, body]),
    [
      ["/compatible-api/return-schemes", { schemes: ["myapp", "com.example.shop"] }],
      ["/compatible-api/default-version", { version: null }],
    ],
  );
});

test("new keys are asked for twice with one key when the answer is lost, are shown until they are saved, and are a file too", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  let attempts = 0;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /keys": () => ({ data: KEYS }),
    "POST /keys": () => {
      attempts += 1;
      return attempts === 1 ? { status: 503, code: "unavailable" } : { status: 201, data: NEW_KEYS };
    },
    "DELETE /webhooks/we_1a2b3c4d5e6f7g8h9i0j1k2l": () => ({ data: { id: "we_1a2b3c4d5e6f7g8h9i0j1k2l" } }),
  });
  await page.goto(`${url}/portal/keys`);
  await page.getByText("sk_merchant_k3Qd…").waitFor();
  await page.getByRole("button", { name: "Create a new pair" }).click();
  const confirm = dialog(page).getByRole("button", { name: "Create a new pair" });
  await page.getByText("cannot take payments until").waitFor();
  await page.getByLabel("Somebody else may have the current keys").check();
  await confirm.click();
  await page.getByText("is not available right now").waitFor();
  await confirm.click();
  await page.getByText(NEW_KEYS.secretKey).waitFor();
  const keys = calls.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(calls.find(({ method }) => method === "POST")?.body, { reason: "leaked", environment: "TEST" });
  await dialog(page).getByText("AI agent token ending in x7Qa: ended").waitFor();
  const listed = dialog(page).getByRole("listitem").filter({ hasText: "Webhook for shop.example" });
  await listed.getByRole("button", { name: "End" }).click();
  await listed.getByText("Webhook for shop.example: ended").waitFor();
  for (const press of ["Escape", "Escape"]) await page.keyboard.press(press);
  await page.getByText(NEW_KEYS.secretKey).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download both" }).click()]);
  assert.equal(download.suggestedFilename(), "api-keys.txt");
  await page.getByLabel("I have stored the secret key").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await dialog(page).waitFor({ state: "detached" });
  assert.equal(await page.getByText(NEW_KEYS.secretKey).count(), 0);
});

test("keys of before the portal kept what it shows are told as such", { skip: NO_BROWSER }, async (t) => {
  const { page, url } = await openPortal(t);
  await fakeRelay(page, {
    ...ANNA,
    "GET /keys": () => ({ data: { ...KEYS, publishableKey: null, secretKeyPrefix: null, createdAt: null } }),
  });
  await page.goto(`${url}/portal/keys`);
  await page.getByText("too old to be shown here").waitFor();
});

test("keys that the payment provider asked for are confirmed by an owner, and refused by an administrator of the shop", {
  skip: NO_BROWSER,
}, async (t) => {
  const { page, url } = await openPortal(t);
  let keys: KeysJson = { ...KEYS, pending: PENDING_KEYS };
  const decided = () => {
    keys = { ...keys, pending: null };
    return { data: keys };
  };
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /keys": () => ({ data: keys }),
    "POST /keys/pending/confirm": decided,
    "DELETE /keys/pending": decided,
  });
  await page.goto(`${url}/portal/keys`);
  await page.getByText(PENDING_KEYS.publishableKey).waitFor();
  await page.getByRole("button", { name: "Use them now" }).click();
  await dialog(page).getByText("stops working at once").waitFor();
  await dialog(page).getByRole("button", { name: "Use them now" }).click();
  await page.getByText(PENDING_KEYS.publishableKey).waitFor({ state: "detached" });
  assert.deepEqual(calls.find(({ method }) => method === "POST")?.body, { publishableKey: PENDING_KEYS.publishableKey });

  keys = { ...KEYS, pending: PENDING_KEYS };
  await fakeRelay(page, {
    ...{ "GET /keys": () => ({ data: keys }), "DELETE /keys/pending": decided },
    "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "ADMIN" } }) }),
  });
  await page.goto(`${url}/portal/keys`);
  await page.getByRole("button", { name: "Reject them" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Use them now" }).count(), 0);
  await page.getByRole("button", { name: "Reject them" }).click();
  await dialog(page).getByRole("button", { name: "Reject them" }).click();
  await page.getByText(PENDING_KEYS.publishableKey).waitFor({ state: "detached" });
});
