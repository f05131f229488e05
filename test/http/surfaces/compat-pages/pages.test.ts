import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { redirectStatus, returnAddress } from "../../../../http/surfaces/compat-pages/buyer-return.ts";
import { compatPageEndpoints } from "../../../../http/surfaces/compat-pages/endpoints.ts";
import { languageOf } from "../../../../http/surfaces/parts/buyer/buyer-language.ts";
import { NO_BROWSER, openPage } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { startWorld } from "../../server/world.ts";
import { AUTHORIZED, attempt, CANCELED, failedWith, GATEWAY_PAGE, intent, PAID, SECRET, Shop, TOKEN } from "./intents.ts";

async function serve(t: TestContext, shop: Shop) {
  const { url, failures } = await startWorld(t, { endpoints: bind(compatPageEndpoints, shop.operations) });
  const get = async (path: string, headers: { [name: string]: string } = {}) => {
    const response = await fetch(url + path, { redirect: "manual", headers });
    return { status: response.status, headers: response.headers, text: await response.text(), location: response.headers.get("location") };
  };
  return { url, get, failures };
}

/** Where the shop's own pages are. */
async function shopSite(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<!doctype html><p>Thanks"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

const TOLD = `payment_intent=pi_0123456789abcdefghijklmn&payment_intent_client_secret=${SECRET}`;

test("a buyer whose attempt is open is sent on to the gateway's page", async (t) => {
  const { get } = await serve(t, new Shop(intent([failedWith("GW_10001"), attempt()])));
  const answer = await get(`/pay/i/${TOKEN}`);
  assert.deepEqual([answer.status, answer.location], [303, GATEWAY_PAGE]);
  assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
  assert.equal(answer.headers.get("cache-control"), "no-store");
});

for (const { name, stored, title } of [
  { name: "paid", stored: intent([PAID]), title: "Already paid" },
  { name: "authorized", stored: intent([AUTHORIZED]), title: "Already paid" },
  { name: "canceled", stored: intent([attempt({ state: "revoked" })], { cancellation: CANCELED }), title: "Payment cancelled" },
  { name: "declined", stored: intent([failedWith("GW_10001")]), title: "This payment has ended" },
  { name: "never confirmed", stored: intent([]), title: "This payment has ended" },
  { name: "at the gateway without an answer", stored: intent([attempt({ state: "opening", url: null })]), title: "One moment" },
]) {
  test(`a buyer of an intent that is ${name} reads so, and is sent nowhere`, async (t) => {
    const { get } = await serve(t, new Shop(stored));
    const answer = await get(`/pay/i/${TOKEN}`);
    assert.equal(answer.status, 200);
    assert.match(answer.text, new RegExp(`<h1>${title}</h1>`));
  });
}

for (const { name, stored, status } of [
  { name: "paid", stored: intent([PAID]), status: "succeeded" },
  { name: "authorized", stored: intent([AUTHORIZED]), status: "succeeded" },
  { name: "declined", stored: intent([failedWith("GW_10001")]), status: "failed" },
  { name: "without funds", stored: intent([failedWith("GW_10002")]), status: "failed" },
  { name: "expired", stored: intent([failedWith("GW_20002")]), status: "failed" },
  { name: "turned away from by its buyer", stored: intent([failedWith("GW_20090")]), status: "canceled" },
  { name: "refused for another reason", stored: intent([failedWith("GW_10099")]), status: "failed" },
  { name: "canceled by the merchant", stored: intent([], { cancellation: CANCELED }), status: "canceled" },
]) {
  test(`the shop is told ${status} of a payment that is ${name}`, async (t) => {
    // Stored as open: it is the gateway's answer that decides.
    const { get } = await serve(t, new Shop(intent([attempt()]), stored));
    const answer = await get(`/pay/return/${TOKEN}?gatewayAdds=this`);
    assert.deepEqual([answer.status, answer.location], [303, `https://shop.example/done?${TOLD}&redirect_status=${status}`]);
    assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
  });
}

test("the gateway is not asked about a payment that has ended", async (t) => {
  const shop = new Shop(intent([PAID]), null);
  const { get } = await serve(t, shop);
  assert.equal((await get(`/pay/return/${TOKEN}`)).status, 303);
  assert.equal(shop.verified, 0);
});

test("what is not certain is nobody's outcome", () => {
  for (const attempts of [
    [],
    [attempt()],
    [attempt({ state: "opening", url: null })],
    [attempt({ state: "unreachable" })],
    [attempt({ state: "failed", resultCode: "GW_20002", settled: false })],
  ]) {
    assert.equal(redirectStatus(intent(attempts)), null, JSON.stringify(attempts));
  }
});

test("a payment of what is not ordered any more has failed: it is given back", () => {
  assert.equal(redirectStatus(intent([{ ...PAID, unwanted: true }])), "failed");
});

test("the shop's own query and fragment stay, and those of an earlier return do not", () => {
  const at = (returnUrl: string) => returnAddress(intent([PAID], {}, returnUrl), "succeeded");
  const told = `${TOLD}&redirect_status=succeeded`;
  assert.equal(at("https://shop.example"), `https://shop.example/?${told}`);
  assert.equal(at("https://shop.example/a?b=1&c=%20x+y#/done?d"), `https://shop.example/a?b=1&c=%20x+y&${told}#/done?d`);
  assert.equal(at("https://shop.example/a?"), `https://shop.example/a?${told}`);
  assert.equal(at("https://shop.example/a?redirect_status=failed&b=1&payment_intent=pi_old"), `https://shop.example/a?b=1&${told}`);
  assert.equal(at("https://shop.example/a?redirect%5Fstatus=failed&b=%7e+1&=c&d"), `https://shop.example/a?b=%7e+1&=c&d&${told}`);
  assert.equal(at("https://shop.example/caffè"), `https://shop.example/caff%C3%A8?${told}`);
  assert.equal(at("myapp://back"), `myapp://back?${told}`);
  assert.equal(at("com.example.shop:///a?b=1#c"), `com.example.shop:///a?b=1&${told}#c`);
  assert.equal(returnAddress(intent([PAID], {}, "https://shop.example/a"), null), `https://shop.example/a?${TOLD}`);
  assert.equal(returnAddress(intent([PAID], {}, null), "succeeded"), null);
});

test("a buyer whose payment nobody knows of waits on our page, which loads itself again without scripts", async (t) => {
  const { get } = await serve(t, new Shop(intent([attempt()])));
  const first = await get(`/pay/return/${TOKEN}`);
  assert.equal(first.status, 200);
  assert.match(first.text, new RegExp(`<noscript><meta http-equiv="refresh" content="3; url=/pay/return/${TOKEN}\\?n=1"></noscript>`));
  assert.match(first.text, /<p id="back" hidden>/);
  const last = await get(`/pay/return/${TOKEN}?n=10`);
  assert.doesNotMatch(last.text, /http-equiv|<script| hidden>/);
  const shown = /href="([^"]+)"/.exec(last.text)?.[1]?.replaceAll("&amp;", "&");
  assert.equal(shown, `https://shop.example/done?${TOLD}`, "the shop is told no outcome that is not known");
});

test("a buyer waits eight seconds for the gateway and no longer", async (t) => {
  const shop = new Shop(intent([attempt()]), null);
  const { get, failures } = await serve(t, shop);
  const asked = get(`/pay/return/${TOKEN}`);
  await eventually(async () => assert.equal(shop.waiting, 1));
  shop.pass();
  assert.match((await asked).text, /Confirming your payment/);
  assert.deepEqual(failures, []);
});

test("a token that names nothing gets a page, whatever it looks like", async (t) => {
  const { get } = await serve(t, new Shop(intent([PAID])));
  for (const token of ["x", "%00", "%3Cscript%3E", TOKEN.replace("T", "t"), `${TOKEN}x`, "a".repeat(300)]) {
    for (const path of [`/pay/i/${token}`, `/pay/return/${token}`]) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [404, "text/html; charset=utf-8"], path);
      assert.match(answer.text, /No such payment/);
    }
    assert.equal((await get(`/pay/return/${token}/state`)).status, 404);
  }
});

test("a store that does not answer is told as a page, which says when to try again", async (t) => {
  const shop = new Shop(intent([PAID]));
  shop.broken = new RelayError("unavailable", "The store does not answer.");
  const { get } = await serve(t, shop);
  for (const path of [`/pay/i/${TOKEN}`, `/pay/return/${TOKEN}`]) {
    const answer = await get(path, { "accept-language": "it" });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "2"]);
    assert.match(answer.text, /Riprova tra poco/);
  }
});

test("every page is strict, private and in the buyer's language", async (t) => {
  const { get } = await serve(t, new Shop(intent([attempt()])));
  for (const path of [`/pay/return/${TOKEN}`, "/pay/i/nothing"]) {
    const { headers, text } = await get(path, { "accept-language": "de, it-IT;q=0.9, en;q=0.5" });
    assert.match(String(headers.get("content-security-policy")), /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self';/);
    assert.deepEqual(
      ["cache-control", "referrer-policy", "x-robots-tag", "content-language"].map((name) => headers.get(name)),
      ["no-store", "no-referrer", "noindex, nofollow", "it"],
    );
    assert.match(text, /^<!doctype html>\n<html lang="it">/);
    assert.doesNotMatch(text, /<script>|<script(?![^>]* src=)| style=| on[a-z]+="|undefined/);
    assert.equal(text.match(/<h1>/g)?.length, 1);
    assert.match(text, /<main>/);
  }
});

test("the language is the one that the buyer likes better", () => {
  for (const [header, language] of [
    ["", "en"],
    ["it", "it"],
    ["IT-ch", "it"],
    ["en, it", "en"],
    ["en;q=0.5, it;q=0.6", "it"],
    ["it;q=0, en;q=0.1", "en"],
    ["de, fr;q=0.5", "en"],
    ["it;q=x", "en"],
  ] as const) {
    assert.equal(languageOf(header), language, header);
  }
});

test("a language is read in time that grows with the length of its header, and no faster", () => {
  const before = process.cpuUsage();
  assert.equal(languageOf(`en${" ".repeat(100_000)}x`), "en");
  assert.equal(languageOf(`it;${" ".repeat(100_000)}x`), "en");
  // By the square of the length it is more than ten seconds.
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < 1_000, `${(user + system) / 1_000} ms`);
});

test("a buyer in a browser is taken to the shop as soon as the outcome is known", { skip: NO_BROWSER }, async (t) => {
  const site = await shopSite(t);
  const shop = new Shop(intent([attempt()], {}, `${site}/done?order=7#top`));
  const { url } = await serve(t, shop);
  const page = await openPage(t);
  await page.goto(`${url}/pay/return/${TOKEN}`);
  assert.equal(await page.getByRole("status").textContent(), "We are waiting for the answer of the bank. Please leave this page open.");
  shop.atGateway = intent([PAID], {}, `${site}/done?order=7#top`);
  await page.waitForURL(`${site}/**`);
  assert.equal(page.url(), `${site}/done?order=7&${TOLD}&redirect_status=succeeded#top`);
});

test("a buyer in a browser is let go after half a minute, without an outcome", { skip: NO_BROWSER }, async (t) => {
  const { url } = await serve(t, new Shop(intent([attempt()], {}, "http://shop.example/done")));
  const page = await openPage(t);
  await page.clock.install();
  await page.goto(`${url}/pay/return/${TOKEN}`);
  const button = page.getByRole("link", { name: "Back to the shop" });
  assert.equal(await button.isVisible(), false);
  // Each look needs its answer before the next pause begins, however long that takes.
  await eventually(async () => {
    await page.clock.runFor(2_000);
    assert.equal(await button.isVisible(), true);
  });
  assert.match((await page.getByRole("status").textContent()) ?? "", /has not answered yet/);
  assert.equal(await button.evaluate((link) => link === link.ownerDocument.activeElement), true, "it has the focus");
  assert.equal(await button.getAttribute("href"), `http://shop.example/done?${TOLD}`);
});

test("a buyer without scripts gets there too", { skip: NO_BROWSER }, async (t) => {
  const site = await shopSite(t);
  const shop = new Shop(intent([attempt()], {}, `${site}/done`));
  const { url } = await serve(t, shop);
  const page = await openPage(t, { javaScriptEnabled: false, locale: "it-IT" });
  await page.goto(`${url}/pay/return/${TOKEN}`);
  shop.atGateway = intent([failedWith("GW_20090")], {}, `${site}/done`);
  await page.waitForURL(`${site}/**`);
  assert.match(page.url(), /redirect_status=canceled$/);
});
