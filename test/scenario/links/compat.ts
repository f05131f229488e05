import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const DECLINED_CARD = "4000000000000002";
const GOOD_CARD = "4242424242424242";

/** The compatible API on whole nodes, with a gateway at which buyers pay: the sandbox's shop by its own keys. */
export function compatibleApi(startable: RelayOptions): void {
  const options = { ...startable, environment: { ...startable.environment } };
  const relay = new Relay(options);
  let gateway: TestGateway;
  before(async () => {
    gateway = await TestGateway.start();
    options.environment["RELAY_GATEWAY_URL"] = gateway.url;
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  const shop = () => relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
  const get = (path: string): Promise<Answer> => shop().get(`/v1${path}`);
  const post = (path: string, form = "", key: string = randomUUID()): Promise<Answer> =>
    shop().post(`/v1${path}`, form, { ...FORM, "idempotency-key": key });

  /** A new intent that waits for its buyer. */
  async function open(members = ""): Promise<string> {
    const created = await post(
      "/payment_intents",
      `amount=1099&currency=eur&confirm=true&return_url=https://shop.example/return&metadata[order]=7${members}`,
    );
    assertMatches(created, { status: 200, body: { status: "requires_action", next_action: { redirect_to_url: { url: /\/pay\/i\// } } } });
    return textMember(created.body, "id");
  }

  async function becomes(id: string, expected: object): Promise<void> {
    await eventually(async () => assertMatches((await get(`/payment_intents/${id}`)).body, expected));
  }

  test("a payment is created, confirmed, paid, charged and refunded, and each event is told", async () => {
    const id = await open();
    await gateway.act(`${id}.1`, "pay", { card: GOOD_CARD });
    await becomes(id, { status: "succeeded", amount_received: 1_099, next_action: null, metadata: { order: "7" } });
    const paid = await get(`/payment_intents/${id}?expand[]=latest_charge`);
    const charge = textMember(paid.body, "latest_charge", "id");
    assertMatches(member(paid.body, "latest_charge"), {
      paid: true,
      captured: true,
      payment_intent: id,
      payment_method_details: { card: { brand: "visa" } },
    });
    const key = randomUUID();
    const refunded = await post("/refunds", `payment_intent=${id}&reason=duplicate`, key);
    assertMatches(refunded, { status: 200, body: { object: "refund", status: "succeeded", amount: 1_099, charge, reason: "duplicate" } });
    const again = await post("/refunds", `payment_intent=${id}&reason=duplicate`, key);
    assertMatches(again, { status: 200, text: refunded.text, headers: { "idempotent-replayed": "true" } });
    const twice = await post("/refunds", `charge=${charge}`);
    assertMatches(twice, { status: 400, body: { error: { code: "charge_already_refunded", type: "invalid_request_error" } } });
    assertMatches((await get(`/charges/${charge}`)).body, { refunded: true, amount_refunded: 1_099 });
    assertMatches((await get(`/refunds?payment_intent=${id}`)).body, { data: [{ id: textMember(refunded.body, "id") }], has_more: false });
    assertMatches((await get(`/charges?payment_intent=${id}`)).body, { data: [{ id: charge }], has_more: false });
    await eventually(async () => {
      const events = listOf(member((await get("/events?limit=100")).body, "data"));
      const types = events.filter((event) => JSON.stringify(event).includes(id)).map((event) => textMember(event, "type"));
      for (const type of ["payment_intent.succeeded", "charge.succeeded", "charge.refunded"]) assert.ok(types.includes(type), types.join());
    });
  });

  test("a declined card is told on the intent, which may be tried again", async () => {
    const id = await open();
    await gateway.act(`${id}.1`, "pay", { card: DECLINED_CARD });
    await becomes(id, {
      status: "requires_payment_method",
      last_payment_error: { type: "card_error", code: "card_declined", decline_code: "generic_decline" },
    });
    assertMatches(await post(`/payment_intents/${id}/confirm`), { status: 200, body: { status: "requires_action" } });
    await gateway.act(`${id}.2`, "pay", { card: GOOD_CARD });
    await becomes(id, { status: "succeeded" });
    assertMatches(await post(`/payment_intents/${id}/cancel`), {
      status: 400,
      body: { error: { code: "payment_intent_unexpected_state", payment_intent: { id, status: "succeeded" } } },
    });
  });

  test("an authorized payment is captured in part, and another one is canceled", async () => {
    const [captured, canceled] = [await open("&capture_method=manual"), await open("&capture_method=manual")];
    for (const id of [captured, canceled]) {
      await gateway.act(`${id}.1`, "pay", { card: GOOD_CARD });
      await becomes(id, { status: "requires_capture", amount_capturable: 1_099, amount_received: 0 });
    }
    assertMatches(await post(`/payment_intents/${captured}/capture`, "amount_to_capture=700"), {
      status: 200,
      body: { status: "succeeded", amount_received: 700 },
    });
    assertMatches(await post(`/payment_intents/${captured}/capture`), { status: 400 });
    assertMatches(await post(`/payment_intents/${canceled}/cancel`, "cancellation_reason=abandoned"), {
      status: 200,
      body: { status: "canceled", cancellation_reason: "abandoned" },
    });
  });

  test("a page confirms its payment with the publishable key and the client secret, and sees no more than that", async () => {
    const created = await post("/payment_intents", "amount=500&currency=eur&metadata[order]=8");
    const [id, secret] = [textMember(created.body, "id"), textMember(created.body, "client_secret")];
    const proof = `key=${SANDBOX_MERCHANT.keys.publishable}&client_secret=${secret}`;
    const page = relay.client({ origin: "https://shop.example" });
    const confirmed = await page.post(`/v1/payment_intents/${id}/confirm`, `${proof}&return_url=https://shop.example/return`, FORM);
    assertMatches(confirmed, {
      status: 200,
      headers: { "access-control-allow-origin": "*", "request-id": /^req_/ },
      body: { status: "requires_action", metadata: undefined, amount: 500 },
    });
    assertMatches((await page.get(`/v1/payment_intents/${id}?${proof}`)).body, { id, status: "requires_action", metadata: undefined });
    assert.equal((await page.get(`/v1/payment_intents/${id}?${proof}x`)).status, 404);
  });

  test("a merchant's calls of a minute are limited, wherever they come to, and others' are not", async () => {
    const { call } = await newPartnerApi(relay);
    const merchantId = `LIMITED-${relay.terminalId()}`;
    const key = textMember((await call("POST", "/merchants", { merchantId })).body, "keys", "secretKey");
    assertMatches(await call("POST", `/merchants/${merchantId}/services/IGFS/enable`), { status: 200 });
    assertMatches(await call("PATCH", `/merchants/${merchantId}`, { compatRequestsPerMinute: 5 }), { status: 200 });
    const list = () => relay.client({ authorization: `Bearer ${key}` }).get("/v1/payment_intents");
    // A node hears a moment later of a new merchant's partner; a call before that is refused, and does not count.
    await eventually(async () => assertMatches(await list(), { status: 200 }));
    const answers = await Promise.all(Array.from({ length: 12 }, list));
    assert.equal(answers.filter(({ status }) => status === 200).length, 4);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) {
      assertMatches(answer, { status: 429, headers: { "retry-after": /^\d+$/ }, body: { error: { code: "rate_limit" } } });
    }
    assertMatches(await get("/payment_intents?limit=1"), { status: 200 });
  });

  test("lists are paged, and webhook endpoints registered and removed", async () => {
    for (let made = 0; made < 3; made += 1) await post("/payment_intents", "amount=1&currency=eur");
    const first = await get("/payment_intents?limit=2");
    assertMatches(first.body, { has_more: true, data: [{ object: "payment_intent" }, { object: "payment_intent" }] });
    const last = textMember(listOf(member(first.body, "data"))[1], "id");
    const rest = listOf(member((await get(`/payment_intents?limit=100&starting_after=${last}`)).body, "data"));
    assert.ok(rest.length > 0 && !JSON.stringify(rest).includes(last));
    const endpoint = await post("/webhook_endpoints", "url=https://shop.example/webhook&enabled_events[]=payment_intent.succeeded");
    assertMatches(endpoint, { status: 200, body: { secret: /^whsec_/, status: "enabled", livemode: false } });
    const path = `/webhook_endpoints/${textMember(endpoint.body, "id")}`;
    assertMatches(await post(path, "disabled=true"), { status: 200, body: { status: "disabled", secret: undefined } });
    assertMatches(await shop().send(`/v1${path}`, { method: "DELETE" }), { status: 200, body: { deleted: true } });
    assert.equal((await get(path)).status, 404);
  });
}
