import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { SHARD_COUNTS } from "../../support/node/node.ts";
import { Relay } from "../../support/node/relay.ts";

const { publishable, secret } = SANDBOX_MERCHANT.keys;

/** Test cards of the sandbox's gateway, and what a shop is told of each. */
const CARDS = [
  { card: "4242 4242 4242 4242", told: "succeeded", status: "succeeded", code: null },
  { card: "4000 0000 0000 0002", told: "failed", status: "requires_payment_method", code: "card_declined" },
  { card: "4000 0000 0000 9995", told: "failed", status: "requires_payment_method", code: "card_declined" },
] as const;

let gateway: TestGateway;
let relay: Relay;

/** A shop's own pages: one loads the script and confirms, the other only has an address. */
async function shopSite(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const script = request.url?.startsWith("/pay") === true ? `<script src="${relay.node.url}/js/compat.js"></script>` : "";
    response.setHeader("content-type", "text/html").end(`<!doctype html><html lang="en"><title>Shop</title>${script}<p>Shop`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

/** The shop's server. */
const server = (): HttpClient => relay.client({ authorization: `Bearer ${secret}` });

async function createIntent(): Promise<{ id: string; clientSecret: string }> {
  const { status, body, text } = await server().post("/v1/payment_intents", { amount: 1_050, currency: "eur" });
  assert.equal(status, 200, text);
  return { id: textMember(body, "id"), clientSecret: textMember(body, "client_secret") };
}

const read = async (id: string) => (await server().get(`/v1/payment_intents/${id}`)).body;

/** A buyer on the shop's page, who pays with the script: ends at the gateway's page. */
async function goToPay(page: Page, site: string, clientSecret: string): Promise<void> {
  await page.goto(`${site}/pay`);
  const given = JSON.stringify({ clientSecret, confirmParams: { return_url: `${site}/done?order=7#top` } });
  await page.evaluate(`void window[${JSON.stringify(WIRE_NAMES.browserGlobal)}]("${publishable}").confirmPayment(${given})`);
  await page.getByLabel("Card number").waitFor();
}

async function enter(page: Page, card: string): Promise<void> {
  await page.getByLabel("Card number").fill(card);
  await page.getByLabel("Valid until").fill("12/40");
  await page.getByLabel("Security code").fill("123");
  await page.getByLabel("Name on the card").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Pay" }).click();
}

describe("a shop's page, the relay and the gateway, in a browser", { skip: NO_BROWSER }, () => {
  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: SHARD_COUNTS[0], environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  for (const { card, told, status, code } of CARDS) {
    test(`the card ${card} ends as ${told}`, async (t) => {
      const [page, site] = [await openPage(t), await shopSite(t)];
      const { id, clientSecret } = await createIntent();
      await goToPay(page, site, clientSecret);
      assertMatches(await read(id), { status: "requires_action" });
      await enter(page, card);
      await page.waitForURL(`${site}/done**`);
      const secretAndId = `payment_intent=${id}&payment_intent_client_secret=${clientSecret}`;
      assert.equal(page.url(), `${site}/done?order=7&${secretAndId}&redirect_status=${told}#top`);
      const intent = await read(id);
      assertMatches(intent, { status, last_payment_error: code === null ? null : { code } });
    });
  }

  test("a buyer who turns back is told to the shop, and may pay after all", async (t) => {
    const [page, site] = [await openPage(t), await shopSite(t)];
    const { id, clientSecret } = await createIntent();
    await goToPay(page, site, clientSecret);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(`${site}/done**`);
    assert.match(page.url(), /redirect_status=canceled#top$/);
    await goToPay(page, site, clientSecret);
    await enter(page, CARDS[0].card);
    await page.waitForURL(`${site}/done**`);
    assert.match(page.url(), /redirect_status=succeeded#top$/);
    assertMatches(await read(id), { status: "succeeded", amount_received: 1_050 });
  });

  test("the address of a payment leads nowhere once it is paid", async (t) => {
    const [page, site] = [await openPage(t), await shopSite(t)];
    const { id, clientSecret } = await createIntent();
    const confirmed = await server().post(`/v1/payment_intents/${id}/confirm`, { return_url: `${site}/done` });
    assert.equal(confirmed.status, 200, confirmed.text);
    const address = textMember(confirmed.body, "next_action", "redirect_to_url", "url");
    assert.ok(address.startsWith(`${relay.node.url}/pay/i/`), address);
    assert.ok(!address.includes(clientSecret));
    await page.goto(address);
    await enter(page, CARDS[0].card);
    await page.waitForURL(`${site}/done**`);
    await page.goto(address);
    await page.getByRole("heading", { name: "Already paid" }).waitFor();
    await page.getByRole("link", { name: "Back to the shop" }).click();
    await page.waitForURL(`${site}/done**`);
    assert.match(page.url(), /redirect_status=succeeded$/);
  });

  test("a gateway that does not answer keeps the buyer on our page until it does", async (t) => {
    const [page, site] = [await openPage(t), await shopSite(t)];
    const { clientSecret } = await createIntent();
    await goToPay(page, site, clientSecret);
    await gateway.faults({ outage: "error", outageOf: ["verify"], notify: "never" });
    t.after(() => gateway.faults({ outage: "none", notify: "once" }));
    await enter(page, CARDS[0].card);
    await page.getByRole("heading", { name: "Confirming your payment" }).waitFor();
    await gateway.faults({ outage: "none" });
    await page.waitForURL(`${site}/done**`);
    assert.match(page.url(), /redirect_status=succeeded#top$/);
  });

  test("the demo shop sells a cup", async (t) => {
    const page = await openPage(t);
    await page.goto(`${relay.node.url}/demo/checkout`);
    await page.getByRole("button", { name: "Pay €17.40" }).click();
    await enter(page, CARDS[0].card);
    await page.getByRole("heading", { name: "Thank you: paid" }).waitFor();
    assert.equal(await page.locator("#status").textContent(), "succeeded");
  });
});
