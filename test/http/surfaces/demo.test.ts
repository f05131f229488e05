import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { createDemoIntents } from "../../../http/surfaces/demo/demo-intents.ts";
import { demoEndpoints } from "../../../http/surfaces/demo/endpoints.ts";
import type { DemoOperations } from "../../../http/surfaces/demo/surface.ts";
import { rootEndpoints } from "../../../http/surfaces/system/endpoints.ts";
import { scriptEndpoints } from "../../../http/web/script-endpoints.ts";
import { loadScripts } from "../../../http/web/script-files.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { axeViolations, FITS } from "../../support/node/portal-faults.ts";
import { envelope, startWorld } from "../server/world.ts";
import { ID, intent, KEY, SECRET, waiting } from "../web/shop-site.ts";

const API_KEY = "pk_live_of_the_sandbox";

const SANDBOX = {
  version: "1.2.3",
  owner: { email: "owner@shop.example", password: "known to everyone" },
  administrator: { username: "<admin>", password: "admin" },
};

/** The demo pages, with a shop's server that only notes what is ordered. */
async function serve(t: TestContext, sandbox: DemoOperations["sandbox"] = SANDBOX) {
  const ordered: number[] = [];
  const operations = {
    scripts: await loadScripts(),
    createDemoIntent: async (quantity: number) => {
      ordered.push(quantity);
      return { clientSecret: SECRET };
    },
    demo: { publishableKey: KEY, apiKey: API_KEY, terminalId: "SIM00001" },
    sandbox,
  };
  const endpoints = [...bind(demoEndpoints, operations), ...bind(scriptEndpoints(envelope), operations)];
  const { url } = await startWorld(t, { endpoints });
  return { url, ordered };
}

const json = (route: Route, body: unknown, status = 200) =>
  route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) });

async function visitor(t: TestContext): Promise<Page> {
  const page = await openPage(t);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  t.after(() => assert.deepEqual(complaints, [], "the page breaks its own policy, or misses a file"));
  return page;
}

test("a buyer orders in the demo shop and goes to the payment page", { skip: NO_BROWSER }, async (t) => {
  const { url, ordered } = await serve(t);
  const page = await visitor(t);
  let confirmed: { [name: string]: string } = {};
  await page.route(`**/v1/payment_intents/${ID}/confirm`, (route) => {
    confirmed = Object.fromEntries(new URLSearchParams(route.request().postData() ?? ""));
    return json(route, waiting(`${url}/pay/i/token`));
  });
  await page.route("**/pay/i/token", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Pay here</title>" }),
  );
  await page.goto(`${url}/demo/checkout`);
  await page.getByLabel("Espresso cups").selectOption("3");
  await page.getByRole("button", { name: "Pay €42.40" }).click();
  await page.waitForURL(`${url}/pay/i/token`);
  assert.deepEqual(ordered, [3]);
  assert.deepEqual(confirmed, { key: KEY, client_secret: SECRET, return_url: `${url}/demo/return` });
});

test("a demo order is made for the sandbox's merchant, at the server's own price", async () => {
  const created: unknown[] = [];
  const owner = { merchantId: "SHOP-001", partnerId: 7, livemode: false };
  const create = createDemoIntents({
    intents: {
      create: (of, order, operation) => {
        created.push({ owner: of, amountMinor: order.amountMinor, currency: order.currency, operation: operation.id });
        return Promise.reject(new Error("kept no further here"));
      },
    },
    findOwner: async () => owner,
    ids: { uuid: () => "a-uuid" },
  });
  await assert.rejects(create(2), /kept no further/);
  assert.deepEqual(created, [{ owner, amountMinor: 2_990, currency: "EUR", operation: "demo-a-uuid" }]);
});

for (const [status, heading, members] of [
  ["succeeded", "Thank you: paid", {}],
  ["requires_payment_method", "Not paid", { last_payment_error: { type: "card_error", message: "The card was declined." } }],
  ["canceled", "Cancelled", {}],
] as const) {
  test(`the demo shop asks the relay how it went: ${status}`, { skip: NO_BROWSER }, async (t) => {
    const { url } = await serve(t);
    const page = await visitor(t);
    await page.route(`**/v1/payment_intents/${ID}?**`, (route) => json(route, intent({ status, last_payment_error: null, ...members })));
    // What the address says is not believed.
    await page.goto(`${url}/demo/return?payment_intent=${ID}&payment_intent_client_secret=${SECRET}&redirect_status=succeeded`);
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    assert.equal(await page.locator("#status").textContent(), status);
    if ("last_payment_error" in members) await page.getByText("The card was declined.").waitFor();
  });
}

test("the demo till scans with the sandbox's key", { skip: NO_BROWSER }, async (t) => {
  const { url } = await serve(t);
  const page = await visitor(t);
  const keys = new Set<string | undefined>();
  let uuid = "";
  await page.route("**/api/v1/**", (route) => {
    const request = route.request();
    keys.add(request.headers()["api-key"]);
    if (request.method() === "POST") {
      ({ uuid } = JSON.parse(request.postData() ?? "{}"));
      return json(route, { status: "ok", data: {} });
    }
    if (request.url().includes("/commands/")) return json(route, { status: "ok", data: { state: "done" } });
    return json(route, {
      status: "ok",
      data: { uuid, scan: { scanResult: "OK", scannedValue: "8001234567890", barcodeFormat: "EAN_13" } },
    });
  });
  await page.goto(`${url}/demo/scan`);
  await page.getByRole("button", { name: "Scan" }).click();
  await page.getByText("8001234567890 (EAN_13)").waitFor();
  assert.deepEqual([...keys], [API_KEY]);
  await page.getByRole("button", { name: "Scan", disabled: false }).waitFor();
});

test("no demo page holds a secret key, and each is strict and points to what there is", async (t) => {
  const { url } = await serve(t);
  for (const path of ["/demo/checkout", "/demo/return", "/demo/scan"]) {
    const response = await fetch(url + path);
    const text = await response.text();
    assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(text, /sk_|<script>| style=| on[a-z]+="|undefined/);
    assert.match(text, /<script src="\/js\/[0-9a-f]{16}\/[a-z]+\.js" integrity="sha384-[^"]+" crossorigin="anonymous">/);
    for (const [, address = ""] of text.matchAll(/(?:src|href)="(\/(?:demo|js)\/[^"]+)"/g)) {
      assert.equal((await fetch(url + address)).status, 200, address);
    }
  }
});

test("an order of nothing, or of too much, is refused", async (t) => {
  const { url, ordered } = await serve(t);
  for (const body of [{ quantity: 0 }, { quantity: 10 }, { quantity: 1.5 }, { quantity: 1, amount: 1 }, {}]) {
    const response = await fetch(`${url}/demo/intents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 400, JSON.stringify(body));
    assertMatches(await response.json(), { status: "error" });
  }
  assert.deepEqual(ordered, []);
});

const WAYS = ["Merchant portal", "Administration", "Documentation", "Demo shop", "Till"];

test("the root of a sandbox is a page with five ways in, for each theme and width", { skip: NO_BROWSER }, async (t) => {
  const { url } = await serve(t);
  const page = await visitor(t);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1_280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${url}/`);
      assert.deepEqual(await page.getByRole("listitem").getByRole("link").allTextContents(), WAYS);
      assert.equal(await page.evaluate(FITS), true, `${colorScheme} ${width}`);
      assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`);
    }
  }
  const text = (await page.textContent("body")) ?? "";
  for (const said of ["Version 1.2.3", "owner@shop.example", "<admin>"]) assert.ok(text.includes(said), said);
});

test("the pages that need a session are named as the host to which passkeys belong, and by their path everywhere else", async (t) => {
  const { url } = await serve(t);
  const linksAt = async (host: string) => {
    const { body } = await request(`${url}/`, { headers: { host } });
    return [...(await body.text()).matchAll(/<li><a href="([^"]+)"/g)].map(([, address]) => address);
  };
  const others = ["/docs", "/demo/checkout", "/demo/scan"];
  assert.deepEqual(await linksAt("127.0.0.1:8080"), ["http://localhost:8080/portal", "http://localhost:8080/admin", ...others]);
  for (const host of ["localhost:8080", "sandbox.example", "127.0.0.1.example", '127.0.0.1:80"><script>'])
    assert.deepEqual(await linksAt(host), ["/portal", "/admin", ...others], host);
});

test("the login of an administrator who was configured is not shown", async (t) => {
  const { url } = await serve(t, { ...SANDBOX, administrator: null });
  const text = await (await fetch(`${url}/`)).text();
  assert.doesNotMatch(text, /admin<\/code>/);
  assert.match(text, /the login that you have configured/);
});

test("the root in production names where the pages are, in JSON", async (t) => {
  const operations = { notReadyBecause: () => null, metrics: async () => "", mayReadMetrics: () => false };
  const { url } = await startWorld(t, { endpoints: bind(rootEndpoints, operations) });
  const answer = await fetch(`${url}/`);
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.deepEqual([answer.status, await answer.json()], [200, { name: "Terminal Relay", portal: "/portal", documentation: "/docs" }]);
  assert.equal((await fetch(`${url}/`, { method: "HEAD" })).status, 200);
  assert.equal((await fetch(`${url}//`)).status, 404);
});
