import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { startCompat } from "../surfaces/compat/world.ts";
import { attempt } from "../surfaces/compat-pages/intents.ts";
import { startShopSite } from "./shop-site.ts";

const KEY = "pk_merchant_shop";
const PAYMENT_PAGE = "https://relay.example/pay/i/token";

/** A shop's page at one origin, and the API itself at another, with an intent that the shop's server has created. */
async function shop(t: TestContext) {
  const api = await startCompat(t);
  const created = await api.send("POST", "/payment_intents", { form: "amount=1050&currency=eur&metadata[order]=7" });
  assert.equal(created.status, 200, created.text);
  const secret = textMember(created.body, "client_secret");
  const [record] = api.records.values();
  assert.ok(record !== undefined);
  const site = await startShopSite(t, null);
  const page = await openPage(t);
  await page.goto(site.page());
  const client = (call: string): Promise<unknown> =>
    page.evaluate(
      `window[${JSON.stringify(WIRE_NAMES.browserGlobal)}](${JSON.stringify(KEY)}, { apiBase: ${JSON.stringify(api.url)} }).${call}`,
    );
  return { api, record, secret, page, client };
}

test("a page of another origin reads its intent, and nothing that only the shop may see", { skip: NO_BROWSER }, async (t) => {
  const { secret, client, record } = await shop(t);
  const result = await client(`retrievePaymentIntent("${secret}")`);
  assertMatches(result, { paymentIntent: { id: record.id, status: "requires_payment_method", amount: 1_050, currency: "eur" } });
  assert.doesNotMatch(JSON.stringify(result), /"(?:metadata|order|customer|latest_charge|amount_received|receipt_email)"/);
});

test("a page of another origin confirms, with its return address, and goes on to the payment page", { skip: NO_BROWSER }, async (t) => {
  const { api, secret, page, client, record } = await shop(t);
  api.said.confirm = { type: "confirmed", intent: { ...record, attempts: [attempt()] } };
  await page.route(PAYMENT_PAGE, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Pay here</title>" }));
  const confirming = client(
    `confirmPayment({ clientSecret: "${secret}", confirmParams: { return_url: "https://shop.example/done?a=1" } })`,
  );
  // The page ends while it waits.
  await Promise.all([page.waitForURL(PAYMENT_PAGE), confirming.catch(() => {})]);
  assertMatches(api.asked.at(-1)?.slice(0, 2), ["confirm", { returnUrl: "https://shop.example/done?a=1" }]);
});

test("the API's refusals arrive as they are", { skip: NO_BROWSER }, async (t) => {
  const { api, secret, client, record } = await shop(t);
  const confirm = `confirmPayment({ clientSecret: "${secret}", confirmParams: { return_url: "https://shop.example/done" } })`;
  const failed = attempt({ state: "failed", resultCode: "GW_10001", resultDescription: "Not authorized", settled: true });
  api.said.confirm = { type: "declined", intent: { ...record, attempts: [failed] } };
  assertMatches(await client(confirm), { error: { type: "card_error", code: "card_declined" } });
  api.said.confirm = { type: "unsettled", intent: record };
  assertMatches(await client(confirm), { error: { code: "lock_timeout" } });
  const wrong = await client(`retrievePaymentIntent("${secret.slice(0, -1)}c")`);
  assertMatches(wrong, { error: { type: "invalid_request_error", code: "resource_missing" } });
});
