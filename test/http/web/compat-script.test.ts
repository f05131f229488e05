import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { ID, intent, KEY, SECRET, type ShopSite, startShopSite, waiting } from "./shop-site.ts";

const skip = NO_BROWSER;
const CONFIRM = `/v1/payment_intents/${ID}/confirm`;

/** A browser that cannot reach the platform: a request to it fails the test. */
async function buyer(t: TestContext): Promise<Page> {
  const page = await openPage(t);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!/^http:\/\/127\.0\.0\.1:/.test(request.url())) elsewhere.push(request.url());
  });
  await page.route(`**://${WIRE_NAMES.scriptHost}/**`, (route) => route.abort());
  t.after(() => assert.deepEqual(elsewhere, [], "nothing but the shop and the relay is asked"));
  return page;
}

/** A shop without a bundle: `Client` is the global function. */
async function plain(t: TestContext) {
  const site = await startShopSite(t, null);
  const page = await buyer(t);
  await page.goto(site.page());
  const run = (code: string): Promise<unknown> =>
    page.evaluate(`(async () => { const Client = window[${JSON.stringify(WIRE_NAMES.browserGlobal)}]; ${code} })()`);
  const client = (code: string) => run(`const client = Client(${JSON.stringify(KEY)}); ${code}`);
  return { site, page, run, client };
}

const onlyRequest = ({ received }: ShopSite) => {
  const [request] = received;
  assert.deepEqual(received.map(({ method }) => method).length, 1, "one request, and no preflight before it");
  assert.ok(request !== undefined);
  return request;
};

for (const bundle of ["loader-shop", "react-shop"] as const) {
  test(`${bundle}: the platform's own package enables the button, and paying goes to the payment page`, { skip }, async (t) => {
    const site = await startShopSite(t, bundle);
    const page = await buyer(t);
    site.answers = { status: 200, body: waiting(`${site.relay}/pay?1`) };
    await page.goto(site.page());
    await page.getByText("You will enter your card on the secure payment page in the next step.").waitFor();
    const button = page.getByRole("button", { name: "Pay" });
    // Waits until it is enabled.
    await button.click();
    await page.waitForURL(`${site.relay}/pay?1`);
    const { method, path, query, form, headers } = onlyRequest(site);
    assert.deepEqual([method, path, query], ["POST", CONFIRM, {}]);
    assert.deepEqual(form, { key: KEY, client_secret: SECRET, return_url: `${site.shop}/done` });
    assert.deepEqual([headers.origin, headers.referer, headers.cookie], [site.shop, undefined, undefined]);
  });

  test(`${bundle}: a refused confirmation is told on the page`, { skip }, async (t) => {
    const site = await startShopSite(t, bundle);
    const page = await buyer(t);
    const error = { type: "card_error", code: "card_declined", message: "The card was declined." };
    site.answers = { status: 402, body: { error } };
    await page.goto(site.page());
    await page.getByRole("button", { name: "Pay" }).click();
    await page.locator("#error", { hasText: "The card was declined." }).waitFor();
    assert.equal(page.url(), site.page());
  });
}

test("elements are ready, and then complete", { skip }, async (t) => {
  const site = await startShopSite(t, "loader-shop");
  const page = await buyer(t);
  await page.goto(site.page());
  await page.getByRole("button", { name: "Pay", disabled: false }).waitFor();
  assert.deepEqual(await page.evaluate("window.seen.events"), ["ready", "change true false card"]);
});

test("no element has a field that a card could be entered into", { skip }, async (t) => {
  const { page, client } = await plain(t);
  await client(`
    const elements = client.elements({ mode: "payment", amount: 1050, currency: "eur" });
    for (const type of ["payment", "card", "cardNumber", "cardExpiry", "cardCvc", "address", "expressCheckout"]) {
      const place = document.body.appendChild(document.createElement("div"));
      elements.create(type).mount(place);
    }`);
  assert.equal(await page.locator("input, iframe, textarea, select").count(), 0);
  assert.equal(await page.locator("p").count(), 3);
});

test("elements can be listened to once, no more, unmounted, made again and found", { skip }, async (t) => {
  const { client } = await plain(t);
  const told = await client(`
    const told = [];
    const elements = client.elements({ clientSecret: "${SECRET}" });
    const place = document.body.appendChild(document.createElement("div"));
    const card = elements.create("card");
    const ignored = () => told.push("ignored");
    card.on("ready", ignored).off("ready", ignored);
    card.once("ready", () => told.push("ready"));
    card.mount(place);
    await new Promise((resolve) => card.on("change", resolve));
    card.unmount();
    told.push(place.childElementCount);
    card.mount(place);
    await new Promise((resolve) => card.on("change", resolve));
    told.push(place.childElementCount, elements.getElement("card") === card, elements.getElement("payment"));
    for (const name of ["update", "focus", "blur", "clear", "collapse"]) card[name]();
    card.destroy();
    told.push(place.childElementCount, elements.getElement("card"));
    told.push(await elements.submit(), await elements.fetchUpdates());
    return told;`);
  assert.deepEqual(told, ["ready", 0, 1, true, null, 0, null, {}, {}]);
});

test("a late listener hears what it has missed, and nobody hears it twice", { skip }, async (t) => {
  const { client } = await plain(t);
  const told = await client(`
    const told = [];
    const payment = client.elements({}).create("payment");
    payment.mount(document.body.appendChild(document.createElement("div")));
    await new Promise((resolve) => payment.on("change", resolve));
    payment.on("change", () => told.push("again"));
    await new Promise((resolve) => payment.on("ready", resolve));
    return told;`);
  assert.deepEqual(told, []);
});

test("an intent is read with the key and the secret in the query", { skip }, async (t) => {
  const { site, client } = await plain(t);
  assertMatches(await client(`return client.retrievePaymentIntent("${SECRET}");`), { paymentIntent: { id: ID } });
  const { method, path, query, headers } = onlyRequest(site);
  assert.deepEqual([method, path, query], ["GET", `/v1/payment_intents/${ID}`, { key: KEY, client_secret: SECRET }]);
  assert.equal(headers.referer, undefined);
});

test("a card payment without its actions answers with the intent and goes nowhere", { skip }, async (t) => {
  const { site, page, client } = await plain(t);
  site.answers = { status: 200, body: waiting(`${site.relay}/pay?2`) };
  const result = await client(
    `return client.confirmCardPayment("${SECRET}", { payment_method: {}, return_url: "https://shop.example/" }, { handleActions: false });`,
  );
  assertMatches(result, { paymentIntent: { status: "requires_action" } });
  assert.deepEqual(onlyRequest(site).form, { key: KEY, client_secret: SECRET, return_url: "https://shop.example/" });
  assert.equal(page.url(), site.page());
});

for (const { call, request } of [
  { call: `client.confirmCardPayment("${SECRET}")`, request: `POST ${CONFIRM}` },
  { call: `client.confirmPayment({ clientSecret: "${SECRET}", redirect: "if_required" })`, request: `POST ${CONFIRM}` },
  { call: `client.handleNextAction({ clientSecret: "${SECRET}" })`, request: `GET /v1/payment_intents/${ID}` },
  { call: `client.handleCardAction("${SECRET}")`, request: `GET /v1/payment_intents/${ID}` },
]) {
  test(`${call.slice(0, call.indexOf("("))} goes to the payment page`, { skip }, async (t) => {
    const { site, page, client } = await plain(t);
    site.answers = { status: 200, body: waiting(`${site.relay}/pay?3`) };
    await client(`void ${call};`);
    await page.waitForURL(`${site.relay}/pay?3`);
    const { method, path } = onlyRequest(site);
    assert.equal(`${method} ${path}`, request);
  });
}

test("an intent that waits for nothing is answered with, and confirming says so", { skip }, async (t) => {
  const { site, client } = await plain(t);
  site.answers = { status: 200, body: intent({ status: "processing" }) };
  assertMatches(await client(`return client.handleNextAction({ clientSecret: "${SECRET}" });`), {
    paymentIntent: { status: "processing" },
  });
  const confirmed = await client(`return client.confirmPayment({ clientSecret: "${SECRET}" });`);
  assertMatches(confirmed, { error: { type: "api_error", code: "lock_timeout", payment_intent: { status: "processing" } } });
});

test("an address that is no web address is not gone to", { skip }, async (t) => {
  const { site, page, client } = await plain(t);
  site.answers = { status: 200, body: waiting("javascript:document.body.textContent='run'") };
  await client(`return client.handleCardAction("${SECRET}");`);
  assert.equal(await page.getByText("run").count(), 0);
});

test("every failure settles with an error of the platform's form", { skip }, async (t) => {
  const { site, client } = await plain(t);
  const confirm = `return client.confirmPayment({ clientSecret: "${SECRET}" });`;
  const error = { type: "invalid_request_error", code: "resource_missing", param: "intent", message: "No such payment_intent" };
  site.answers = { status: 404, body: { error } };
  assert.deepEqual(await client(confirm), { error });
  site.answers = "cut off";
  assertMatches(await client(confirm), { error: { type: "api_connection_error" } });
  for (const answers of [
    { status: 502, body: "a proxy's page" },
    { status: 500, body: { error: "text" } },
    { status: 200, body: { object: "list" } },
  ]) {
    site.answers = answers;
    assertMatches(await client(confirm), { error: { type: "api_error" } });
  }
  const before = site.received.length;
  for (const secret of [undefined, null, 1, "", "pi_x", `../${SECRET}`, `${ID}_secret_`, `${SECRET}/../x`]) {
    const result = await client(`return client.retrievePaymentIntent(${JSON.stringify(secret)});`);
    assertMatches(result, { error: { type: "invalid_request_error", param: "client_secret" } }, String(secret));
  }
  assertMatches(await client("return client.confirmPayment({});"), { error: { type: "invalid_request_error" } });
  assert.equal(site.received.length, before, "nothing was sent");
});

test("card data is refused with an error, and nothing is sent", { skip }, async (t) => {
  const { site, client } = await plain(t);
  for (const name of ["createToken", "createPaymentMethod", "createConfirmationToken"]) {
    const result = await client(`return client.${name}({ type: "card", card: { number: "4242424242424242" } });`);
    assertMatches(result, { error: { type: "invalid_request_error" } }, name);
    assert.doesNotMatch(JSON.stringify(result), /4242/);
  }
  assert.deepEqual(await client(`return [client.registerAppInfo({ name: "x" }), client._registerWrapper({ name: "x" })];`), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(site.received, []);
});

test("the function works by itself, applied and with new, and says its version", { skip }, async (t) => {
  const { run } = await plain(t);
  const made = await run(`return [
    Client.version,
    ...[Client("${KEY}"), new Client("${KEY}"), Client.apply(undefined, ["${KEY}", { apiVersion: "2026-10-28.endive" }])].map((made) => typeof made.confirmPayment),
  ];`);
  assert.deepEqual(made, [3, "function", "function", "function"]);
});

test("no key but a merchant's publishable one is taken, and none is repeated", { skip }, async (t) => {
  const { run } = await plain(t);
  for (const key of [
    "sk_merchant_sandbox_0000000000000000",
    "pk_live_sandbox_000000000000",
    "pk_partner_sandbox_000000",
    "pk_test_123456789",
    "pk_merchant_",
    "",
    null,
    7,
  ]) {
    const message = await run(
      `try { Client(${JSON.stringify(key)}); return "taken"; } catch (error) { return error.name + ": " + error.message; }`,
    );
    assert.match(String(message), /^IntegrationError: /, String(key));
    if (typeof key === "string" && key.length > 12) assert.ok(!String(message).includes(key));
  }
});

test("the API is where the script came from, or where the page says", { skip }, async (t) => {
  const { site, page, run } = await plain(t);
  const other = await startShopSite(t, null);
  await run(`return Client("${KEY}", { apiBase: "${other.relay}/" }).retrievePaymentIntent("${SECRET}");`);
  assert.deepEqual([site.received.length, other.received.length], [0, 1]);
  // As a part of another file the script does not know where it came from.
  await page.evaluate(`fetch("${site.relay}/js/compat.js").then((got) => got.text()).then((text) => new Function(text)())`);
  assert.match(String(await run(`try { Client("${KEY}"); } catch (error) { return error.message; }`)), /apiBase/);
});

test("the notice is in the language of the page's choice", { skip }, async (t) => {
  const { page, client } = await plain(t);
  await client(`client.elements({ locale: "it" }).create("payment").mount(document.body.appendChild(document.createElement("div")));`);
  await page.getByText("Inserirai la carta nella pagina di pagamento sicura, al passaggio successivo.").waitFor();
});
