import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { freePort } from "../../infra/local/free-port.ts";
import { SANDBOX_SECRET } from "../../infra/sandbox/gateway/options.ts";
import { payOnHostedPage } from "../clients/support/hosted-page.ts";
import { startWebhookReceiver } from "../clients/support/webhook-receiver.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { type Answer, HttpClient } from "../support/http/http-client.ts";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { basic } from "../support/node/node.ts";
import { eventually } from "../support/within.ts";
import { formsOf } from "./forms-of.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CARD = "4242424242424242";
const DECLINED_CARD = "4000000000000002";
const OUTPUT_CHARS_MAX = 190_000;

test("a payment's whole life at the compatible API leaves no key, secret, token, address or person in the logs, the metrics or the audit log", {
  timeout: 240_000,
}, async (context) => {
  const gateway = await TestGateway.start();
  const receiver = await startWebhookReceiver();
  context.after(() => Promise.all([gateway.stop(), receiver.stop()]));
  const environment = { ...NO_CLICKHOUSE, RELAY_LOG_LEVEL: "trace", RELAY_GATEWAY_URL: gateway.url };
  const node = startNodeProcess(context, { ...(await placeOf(context)), environment });
  await node.ready();

  const secrets = new Map<string, string>();
  const known = (about: string, secret: string): string => {
    secrets.set(secret, about);
    return secret;
  };
  const made = (about: string, prefix = ""): string => known(about, `${prefix}s3cret${randomBytes(12).toString("hex")}`);

  let callers = 0;
  const caller = (headers: { [name: string]: string } = {}) => {
    callers += 1;
    return new HttpClient(() => node.url, headers, `127.10.0.${callers}`);
  };
  const must = async (status: number, answer: Promise<Answer>): Promise<Answer> => {
    const found = await answer;
    assert.equal(found.status, status, found.text);
    return found;
  };

  // A shop of its own, known to the gateway.
  const administrator = caller({ authorization: basic("admin", "admin") });
  const username = `partner-${randomUUID()}`;
  const partner = await must(
    201,
    administrator.post("/admin/api/partners", {
      ...{ username, gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: SANDBOX_SECRET },
      partnerApi: { partnerCode: username, maxMerchants: 10, allowedServices: ["IGFS"] },
    }),
  );
  const partnerKey = known("the partner's key", textMember(partner.body, "partnerApiKeys", "apiKey"));
  known("the partner's secret", textMember(partner.body, "partnerApiKeys", "secret"));
  const ofPartner = caller({ authorization: `Bearer ${partnerKey}` });
  const merchantId = `shop-${randomUUID()}`;
  const keys = member((await must(201, ofPartner.post("/partner/api/v1/merchants", { merchantId, merchantName: "Shop" }))).body, "keys");
  await must(200, ofPartner.post(`/partner/api/v1/merchants/${merchantId}/services/IGFS/enable`));
  const secretKey = known("the secret key", textMember(keys, "secretKey"));
  const publishableKey = known("the publishable key", textMember(keys, "publishableKey"));
  const shop = caller({ authorization: `Bearer ${secretKey}` });
  const page = caller({ origin: "https://shop.example" });
  const post = (path: string, members: { [name: string]: string }, by = shop) =>
    by.post(`/v1${path}`, new URLSearchParams(members).toString(), { ...FORM, "idempotency-key": randomUUID() });

  // Webhooks that are delivered, that fail, that nobody takes, and that a partner gets.
  const queryOf = (about: string) => `?hook=${made(`the query of ${about}`)}`;
  const gone = `http://127.0.0.1:${await freePort()}/hooks/nobody`;
  async function register(url: string): Promise<string> {
    const { body } = await must(200, post("/webhook_endpoints", { url, "enabled_events[0]": "*" }));
    const whole = known("a webhook secret", textMember(body, "secret"));
    known("a webhook secret without its prefix", whole.slice("whsec_".length));
    return textMember(body, "id");
  }
  const delivered = `good${queryOf("a webhook")}`;
  await register(receiver.urlOf(delivered));
  // The receiver tells endpoints by all that stands behind its path.
  const failing = `failing${queryOf("a failing webhook")}`;
  receiver.answerWith(failing, 500);
  const failingId = await register(receiver.urlOf(failing));
  const goneId = await register(gone + queryOf("a webhook that nobody takes"));
  await register(`http://nowhere.invalid/${queryOf("a webhook without a host")}`);
  const ofAll = { url: receiver.urlOf(`partner${queryOf("a partner's webhook")}`), events: ["*"], environment: "TEST" };
  await must(201, ofPartner.post("/partner/api/v1/webhooks", ofAll));

  // One payment by a page, with what a shop knows of its buyer.
  const returnUrl = `${receiver.returnUrl}&cart=${made("the query of a return address")}`;
  const person = made("an e-mail address", "buyer.");
  const buyer = {
    receipt_email: `${person}@example.org`,
    "shipping[name]": made("a buyer's name", "Ada "),
    "shipping[phone]": made("a phone"),
    "shipping[address][line1]": made("a street"),
  };
  async function create(members: { [name: string]: string } = {}) {
    const { body } = await must(200, post("/payment_intents", { amount: "1099", currency: "eur", ...buyer, ...members }));
    const id = textMember(body, "id");
    const clientSecret = known("a client secret", textMember(body, "client_secret"));
    known("a client secret without its id", clientSecret.slice(id.length));
    return { id, clientSecret };
  }
  async function confirmByPage({ id, clientSecret }: { id: string; clientSecret: string }): Promise<string> {
    const proof = { key: publishableKey, client_secret: clientSecret };
    const { body } = await must(200, post(`/payment_intents/${id}/confirm`, { ...proof, return_url: returnUrl }, page));
    await must(200, page.get(`/v1/payment_intents/${id}?${new URLSearchParams(proof)}`));
    const url = textMember(body, "next_action", "redirect_to_url", "url");
    known("the token of a buyer's pages", url.slice(url.lastIndexOf("/") + 1));
    return url;
  }
  const paid = await create();
  const payUrl = await confirmByPage(paid);
  known("a card number", DECLINED_CARD);
  known("a card number", CARD);
  await payOnHostedPage(payUrl, DECLINED_CARD, returnUrl);
  await payOnHostedPage(await confirmByPage(paid), CARD, returnUrl);
  // What is over, and what never was.
  await page.get(new URL(payUrl).pathname);
  const token = payUrl.slice(payUrl.lastIndexOf("/") + 1);
  for (const path of ["/pay/i/", "/pay/return/"]) {
    await page.get(`${path}${token}?secret=${made("the query of a page")}`);
    await page.get(`${path}${made("a wrong token")}`);
    await page.post(`${path}${token}`, `member=${made("a form of a page")}`, FORM);
  }
  await must(200, post(`/payment_intents/${paid.id}`, { "metadata[note]": made("metadata"), description: made("a description") }));
  const refunded = await must(200, post("/refunds", { payment_intent: paid.id }));
  await must(200, post(`/refunds/${textMember(refunded.body, "id")}`, { "metadata[note]": made("metadata of a refund") }));
  const charge = textMember(refunded.body, "charge");
  await must(200, post(`/charges/${charge}`, { description: made("a description of a charge") }));
  await must(200, caller({ authorization: basic(secretKey, "") }).get(`/v1/charges/${charge}`));

  // What is refused is not written down either.
  const other = await create();
  for (const key of [made("a made-up key", "sk_merchant_"), made("a made-up key", "pk_live_"), publishableKey]) {
    await caller({ authorization: `Bearer ${key}` }).get("/v1/payment_intents");
    await caller({ authorization: basic(key, made("a password beside a key")) }).get("/v1/payment_intents");
    await page.get(`/v1/payment_intents/${other.id}?key=${key}&client_secret=${made("a wrong client secret")}`);
    await post(`/payment_intents/${other.id}/confirm`, { key, client_secret: `${other.clientSecret}x`, return_url: returnUrl }, page);
    await page.get(`/v1/${key}?key=${key}`);
  }
  const refusals: [body: unknown, type?: string][] = [
    [{ amount: 1, currency: "eur", description: made("a refused order"), nonsense: made("an unknown member") }],
    [`{"amount":1,"client_secret":"${made("broken JSON")}"`],
    [`a[${made("a broken name")}=1`, "application/x-www-form-urlencoded"],
    [`note=${made("an oversized form")}${"x".repeat(70_000)}`, "application/x-www-form-urlencoded"],
    [`note=${made("another type")}`, "text/plain"],
    [{ amount: 1, currency: "eur", payment_method_data: { card: { number: known("a card number sent here", "5555555555554444") } } }],
    [{ amount: 1, currency: "eur", return_url: `ftp://shop.example/?cart=${made("a refused return address")}` }],
    [{ amount: 1, currency: "eur", receipt_email: `${made("a refused e-mail address")}@` }],
    [{ amount: made("a refused amount"), currency: made("a refused currency") }],
  ];
  for (const [body, type = "application/json"] of refusals) {
    for (const path of ["/payment_intents", `/payment_intents/${other.id}`, "/webhook_endpoints"]) {
      const answer = await shop.post(`/v1${path}`, body, { "content-type": type, "stripe-account": "" });
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
    }
  }
  for (const url of [`http://10.0.0.1/?hook=${made("a refused webhook")}`, `https://u:${made("a password in a webhook")}@shop.example/`]) {
    await post("/webhook_endpoints", { url, "enabled_events[0]": "*" });
    await ofPartner.post("/partner/api/v1/webhooks", { url, events: ["*"], environment: "LIVE" });
  }
  await shop.get("/v1/account", { "stripe-account": made("another account") });
  await shop.get("/v1/account", { "stripe-version": made("a wrong version") });

  // Every kind of delivery was tried.
  await receiver.find(delivered, "refund.created", textMember(refunded.body, "id"));
  await receiver.find(failing, "payment_intent.created", paid.id);
  await eventually(async () => {
    const { body } = await must(200, administrator.get("/admin/webhooks/deliveries?state=waiting&limit=500"));
    const tried = listOf(member(body, "data")).filter((delivery) => typeof member(delivery, "lastError") === "string");
    const ids = new Set(tried.map((delivery) => member(delivery, "endpointId")));
    assert.ok(ids.has(failingId) && ids.has(goneId));
  });

  // Without the gateway: failures with their causes.
  await gateway.stop();
  const unpaid = await create();
  const unconfirmed = await post(`/payment_intents/${unpaid.id}/confirm`, { return_url: returnUrl });
  assert.ok(unconfirmed.status >= 400, unconfirmed.text);

  const metrics = await must(200, administrator.get("/metrics"));
  const audit = await must(200, administrator.get("/admin/audit?limit=500"));
  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
  const output = node.output();
  assert.ok(output.length < OUTPUT_CHARS_MAX, "the beginning of the output was not kept");
  const places = [
    { place: "the logs", text: output },
    { place: "the metrics", text: metrics.text },
    { place: "the audit log", text: audit.text },
  ];
  assert.ok(secrets.size >= 60, `only ${secrets.size} secrets`);
  const found = [...secrets].flatMap(([secret, about]) => {
    const forms = formsOf(secret).map(String);
    return places.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ place }) => `${about} in ${place}`);
  });
  assert.deepEqual(found, []);
  // The search itself: what is no secret is there.
  assert.match(output, /listening/);
  assert.match(output, /unavailable|gateway|ECONNREFUSED/i);
  assert.match(metrics.text, /compatCreatePaymentIntent/);
  assert.ok(audit.text.includes(username));
});
