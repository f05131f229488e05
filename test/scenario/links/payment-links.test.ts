import assert from "node:assert/strict";
import { after, before, beforeEach, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { mailsTo } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";

const BASE = "/api/merchant";
const LINKS = `${BASE}/payment-links`;

let gateway: TestGateway;
let relay: Relay;

/** The merchant's program. */
let shop: HttpClient;

interface Made {
  id: string;
  /** Path of its page. */
  page: string;
}

async function make(members: object = {}): Promise<Made> {
  const answer = await shop.post(LINKS, { amountMinor: 1_050, description: "Dinner on Thursday", ...members });
  assert.equal(answer.status, 201, answer.text);
  return { id: textMember(answer.body, "data", "id"), page: new URL(textMember(answer.body, "data", "url")).pathname };
}

async function linkOf({ id }: Made): Promise<unknown> {
  const answer = await shop.get(`${LINKS}/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

const press = ({ page }: Made, client = relay.nobody()): Promise<Answer> => client.post(`${page}/pay`);

/** What the gateway's buyer reads then; the gateway is not asked twice within three seconds, and notifies by itself. */
async function comesBack({ page }: Made, expected: RegExp, language = "en"): Promise<void> {
  await eventually(async () => assert.match((await relay.nobody().get(`${page}/return`, { "accept-language": language })).text, expected));
}

/** Pay is pressed and the card is taken; answers with the payment's uuid. */
async function paid(made: Made): Promise<string> {
  assert.equal((await press(made)).status, 303);
  const uuid = `${made.id}.1`;
  await gateway.act(uuid, "pay");
  await comesBack(made, /<h1>Paid<\/h1>/);
  return uuid;
}

const refund = (uuid: string, key: string | null = null): Promise<Answer> =>
  shop.post(`${BASE}/transactions/${uuid}/refund`, { reason: "It was cancelled" }, key === null ? {} : { "idempotency-key": key });

function assertRefused(answer: Answer, code: string): void {
  assertMatches(answer, { status: 409, body: { status: "error", code, error: /./ } });
}

describe("payment links of the portal", () => {
  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
    const limit = { compatRequestsPerMinute: 10_000 };
    const raised = await relay
      .administrator()
      .send(`/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`, { method: "PATCH", body: limit });
    assert.equal(raised.status, 200, raised.text);
  });
  // From an address of its own for each: a fast machine would ask the portal's interface more than fifty times in a second.
  beforeEach(() => {
    shop = relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  test("a link is made once for its key, shown, listed and found", async () => {
    const body = {
      amountMinor: 4_200,
      description: "Two nights",
      reference: relay.uuid(),
      customerEmail: "Ada@Example.com",
      expiresInHours: 2,
    };
    const key = { "idempotency-key": relay.uuid() };
    const made = await shop.post(LINKS, body, key);
    assertMatches(made, {
      status: 201,
      body: {
        data: {
          ...{ id: /^pl_[0-9a-z]{24}$/, url: /\/l\/[A-Za-z0-9]{22}$/, qr: /^data:image\/svg\+xml;base64,/, state: "PENDING" },
          ...{ amountMinor: 4_200, currency: "EUR", description: "Two nights", customerEmail: "Ada@Example.com", createdBy: "API key" },
          ...{ mails: 0, attempts: [], late: false, paidTwice: false },
        },
      },
    });
    const again = await shop.post(LINKS, body, key);
    assert.deepEqual([again.status, again.body, again.headers["idempotent-replayed"]], [201, made.body, "true"]);
    assert.equal((await shop.post(LINKS, { ...body, amountMinor: 1 }, key)).status, 409);
    const id = textMember(made.body, "data", "id");
    assert.deepEqual((await shop.get(`${LINKS}/${id}`)).body, made.body);
    for (const query of [`q=${body.reference}`, `q=${id}`, "customerEmail=ADA@example.com&state=PENDING"]) {
      const listed = await shop.get(`${LINKS}?${query}`);
      assertMatches(listed, { status: 200, body: { data: { items: [{ id, qr: null }], next: null } } });
    }
  });

  test("whoever presses Pay meanwhile is sent to the same page, and a paid link is not payable any more", async () => {
    const made = await make();
    const shown = await relay.nobody().get(made.page);
    assert.equal(shown.status, 200);
    assert.ok(String(shown.headers["content-security-policy"]).includes(`form-action 'self' ${gateway.url};`));
    const presses = await Promise.all([press(made), press(made), press(made)]);
    const [first] = presses;
    assert.equal(first.status, 303, first.text);
    assert.equal(new Set(presses.map(({ headers }) => headers.location)).size, 1);
    assert.ok(first.headers.location?.startsWith(gateway.url));
    assertMatches(await linkOf(made), { state: "PENDING", attempts: [{ uuid: `${made.id}.1`, state: "open" }] });
    assertMatches(await relay.nobody().get(`${made.page}/return/state`), { status: 200, body: { decided: false } });
    await gateway.act(`${made.id}.1`, "pay");
    await comesBack(made, /<h1>Pagato<\/h1>[\s\S]*10,50\u00a0€ a Demo shop/, "it");
    assertMatches(await relay.nobody().get(`${made.page}/return/state`), { status: 200, body: { decided: true } });
    assertMatches(await linkOf(made), { state: "PAID", late: false, attempts: [{ state: "paid", paidMinor: 1_050, last4: "1111" }] });
    assert.match((await press(made)).text, /<h1>Paid<\/h1>/);
    assertRefused(await shop.post(`${LINKS}/${made.id}/cancel`), "not_pending");
    assertRefused(await shop.post(`${LINKS}/${made.id}/send`, { email: "ada@example.com" }), "not_pending");
  });

  test("whoever turns back at the gateway may try again", async () => {
    const made = await make();
    assert.equal((await press(made)).status, 303);
    await gateway.act(`${made.id}.1`, "cancel");
    await comesBack(made, new RegExp(`You have cancelled the payment[\\s\\S]*href="${made.page}"`));
    assert.equal((await press(made)).status, 303);
    assertMatches(await linkOf(made), { attempts: [{ state: "failed" }, { state: "open" }] });
  });

  test("a page of another site begins nothing, and a browser that says nothing of its page is admitted", async () => {
    const made = await make();
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { origin: "https://evil.example" }]) {
      const answer = await relay.nobody().post(`${made.page}/pay`, "", { "content-type": "application/x-www-form-urlencoded", ...headers });
      assert.deepEqual([answer.status, answer.headers.location], [303, made.page], JSON.stringify(headers));
    }
    assertMatches(await linkOf(made), { attempts: [] });
    for (const headers of [{ "sec-fetch-site": "same-origin", origin: "null" }, { origin: "null" }, { origin: relay.node.url }, {}]) {
      const answer = await relay.nobody().post(`${made.page}/pay`, "", { "content-type": "application/x-www-form-urlencoded", ...headers });
      assert.ok(answer.headers.location?.startsWith(gateway.url), JSON.stringify(headers));
    }
  });

  test("a link that was cancelled while somebody paid is paid late, and is refunded once however often that is asked for", async () => {
    const made = await make();
    assert.equal((await press(made)).status, 303);
    assertMatches(await shop.post(`${LINKS}/${made.id}/cancel`), { status: 200, body: { data: { state: "CANCELLED" } } });
    assert.match((await relay.nobody().get(made.page)).text, /<h1>Payment cancelled<\/h1>/);
    await gateway.act(`${made.id}.1`, "pay");
    await comesBack(made, /<h1>Paid<\/h1>/);
    assertMatches(await linkOf(made), { state: "PAID", late: true });
    const before = gateway.answers("refund");
    const answers = await Promise.all([relay.uuid(), relay.uuid(), relay.uuid()].map((key) => refund(`${made.id}.1`, key)));
    const done = answers.filter(({ status }) => status === 200);
    assert.equal(done.length, 1, answers.map(({ text }) => text).join("\n"));
    assertMatches(done[0]?.body, { data: { uuid: `${made.id}.1`, type: "refund", amountMinor: 1_050, currency: "EUR" } });
    for (const { status, body } of answers)
      if (status !== 200) assertMatches({ status, body }, { status: 409, body: { code: /^(already_refunded|outcome_unknown)$/ } });
    assert.equal(gateway.answers("refund") - before, 1);
    assertRefused(await refund(`${made.id}.1`), "already_refunded");
    assertMatches(await linkOf(made), { attempts: [{ refund: "done" }] });
  });

  test("a refund whose answer was lost is found out by the same request, and executed once", async (t) => {
    const uuid = await paid(await make());
    t.after(() => gateway.faults({ outage: "none" }));
    await gateway.faults({ outage: "drop_answer", outageOf: ["refund"] });
    const key = relay.uuid();
    const lost = await refund(uuid, key);
    assertRefused(lost, "outcome_unknown");
    assert.ok(Number(lost.headers["retry-after"]) > 0);
    assertRefused(await refund(uuid, relay.uuid()), "outcome_unknown");
    await gateway.faults({ outage: "none" });
    const found = await refund(uuid, key);
    assertMatches(found, { status: 200, body: { data: { type: "refund", amountMinor: 1_050 } } });
    assert.deepEqual((await refund(uuid, key)).body, found.body);
    assertMatches(await gateway.payment(uuid), { refundedValue: 1_050 });
  });

  test("a payment of an intent is refunded through the intent, and one that is only authorized is released", async () => {
    const pay = async (members: object): Promise<string> => {
      const made = await shop.post("/v1/payment_intents", { amount: 1_050, currency: "eur", ...members });
      const id = textMember(made.body, "id");
      const confirmed = await shop.post(`/v1/payment_intents/${id}/confirm`, { return_url: "https://shop.example/done" });
      assert.equal(confirmed.status, 200, confirmed.text);
      await gateway.act(`${id}.1`, "pay");
      const status = Object.hasOwn(members, "capture_method") ? "requires_capture" : "succeeded";
      await eventually(async () => assertMatches((await shop.get(`/v1/payment_intents/${id}`)).body, { status }));
      return id;
    };
    const taken = await pay({});
    assertMatches(await refund(`${taken}.1`), { status: 200, body: { data: { type: "refund", amountMinor: 1_050 } } });
    assertMatches((await shop.get(`/v1/refunds?payment_intent=${taken}`)).body, { data: [{ status: "succeeded", amount: 1_050 }] });
    assertRefused(await refund(`${taken}.1`), "already_refunded");
    const held = await pay({ capture_method: "manual" });
    const key = relay.uuid();
    const released = await refund(`${held}.1`, key);
    assertMatches(released, { status: 200, body: { data: { type: "reversal", amountMinor: 1_050 } } });
    assert.deepEqual((await refund(`${held}.1`, key)).body, released.body);
    assertMatches((await shop.get(`/v1/payment_intents/${held}`)).body, { status: "canceled" });
    assertRefused(await refund(`${held}.1`), "already_refunded");
  });

  test("what was not paid is not refunded, nor is a payment that is not there", async () => {
    const made = await make();
    assert.equal((await press(made)).status, 303);
    assertRefused(await refund(`${made.id}.1`), "not_paid");
  });

  test("a link is sent to its customer, five times at most", async () => {
    const email = `${relay.uuid()}@example.com`;
    const made = await make({ customerEmail: email });
    const sent = await shop.post(`${LINKS}/${made.id}/send`, { locale: "en" });
    assertMatches(sent, { status: 200, body: { data: { mails: 1 } } });
    const [mail] = await mailsTo(relay, email);
    assertMatches(mail, { kind: "payment-link", subject: /Demo shop asks you to pay €10\.50/ });
    assert.ok(mail?.text.includes(made.page));
    for (let count = 2; count <= 5; count += 1) assert.equal((await shop.post(`${LINKS}/${made.id}/send`, {})).status, 200);
    assertRefused(await shop.post(`${LINKS}/${made.id}/send`, {}), "too_many");
    assertRefused(await shop.post(`${LINKS}/${(await make()).id}/send`, {}), "no_address");
  });

  test("an address that names no link gets a page", async () => {
    for (const path of [`/l/${"x".repeat(22)}`, "/l/short", `/l/${"%00".repeat(3)}`, `/l/${"x".repeat(22)}/return`]) {
      assertMatches(await relay.nobody().get(path, { "accept-language": "it" }), { status: 404, text: /Link non trovato/ });
    }
    assertMatches(await relay.nobody().post(`/l/${"x".repeat(22)}/pay`), { status: 404, text: /No such link/ });
  });

  test("a link that has expired says so, and is payable no more", async () => {
    const made = await make({ expiresInHours: 1 });
    relay.advance(3_600_001);
    assert.match((await relay.nobody().get(made.page)).text, /<h1>This link has expired<\/h1>/);
    assert.match((await press(made)).text, /<h1>This link has expired<\/h1>/);
    await eventually(async () => assertMatches(await linkOf(made), { state: "EXPIRED", attempts: [] }));
  });

  test("paid in one of two browsers, there was one payment", { skip: NO_BROWSER }, async (t) => {
    const made = await make();
    const address = `${relay.node.url}${made.page}`;
    const [one, other] = [await visitor(t, address), await visitor(t, address)];
    await one.getByRole("button", { name: "Pay €10.50" }).click();
    await one.getByLabel("Card number").waitFor();
    await other.getByRole("button", { name: "Pay €10.50" }).click();
    await other.getByLabel("Card number").waitFor();
    assert.equal(one.url(), other.url());
    await one.getByLabel("Card number").fill("4242 4242 4242 4242");
    await one.getByLabel("Valid until").fill("12/40");
    await one.getByLabel("Security code").fill("123");
    await one.getByLabel("Name on the card").fill("Ada Lovelace");
    await one.getByRole("button", { name: "Pay" }).click();
    await one.getByRole("heading", { name: "Paid" }).waitFor();
    assertMatches(await linkOf(made), { state: "PAID", attempts: [{ state: "paid" }] });
    assert.equal(listOf(member(await linkOf(made), "attempts")).length, 1);
    await other.goto(address);
    await other.getByRole("heading", { name: "Paid" }).waitFor();
  });

  test("a gateway that does not answer keeps the customer on our page until it does", { skip: NO_BROWSER }, async (t) => {
    const made = await make();
    const page = await visitor(t, `${relay.node.url}${made.page}`);
    assert.equal((await press(made)).status, 303);
    await gateway.faults({ outage: "error", outageOf: ["verify"], notify: "never" });
    t.after(() => gateway.faults({ outage: "none", notify: "once" }));
    await gateway.act(`${made.id}.1`, "pay");
    await page.goto(`${relay.node.url}${made.page}/return`);
    await page.getByRole("heading", { name: "Confirming your payment" }).waitFor();
    await gateway.faults({ outage: "none" });
    await page.getByRole("heading", { name: "Paid" }).waitFor();
  });
});

/** Somebody with a browser of their own. */
async function visitor(t: TestContext, address: string): Promise<Page> {
  const page = await openPage(t);
  await page.goto(address);
  return page;
}
