import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SANDBOX_SECRET } from "../../../infra/sandbox/gateway/options.ts";
import { NO_CLICKHOUSE } from "../../fault/node-process.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { bearer, type NewPartnerApi, newPartnerApi } from "../../support/people/new-partner-api.ts";
import { mailsTo } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";

const BASE = "/api/merchant";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** What is due is spread over half an hour. */
const SPREAD_MS = 31 * MINUTE_MS;

let gateway: TestGateway;
let relay: Relay;

/** A merchant of its own for each test. */
class Shop {
  readonly partner: NewPartnerApi;
  readonly merchantId: string;
  readonly key: HttpClient;
  readonly email = `ada.${relay.uuid()}@example.org`;

  private constructor(partner: NewPartnerApi, merchantId: string, key: HttpClient) {
    this.partner = partner;
    this.merchantId = merchantId;
    this.key = key;
  }

  static async open(): Promise<Shop> {
    const partner = await newPartnerApi(relay, {}, SANDBOX_SECRET);
    const merchantId = `gym-${relay.uuid()}`;
    const made = await partner.call("POST", "/merchants", { merchantId, merchantName: "Palestra Bella" });
    assert.equal(made.status, 201, made.text);
    const limit = await relay
      .administrator()
      .send(`/admin/api/merchants/${merchantId}`, { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } });
    assert.equal(limit.status, 200, limit.text);
    return new Shop(partner, merchantId, bearer(relay, textMember(made.body, "keys", "secretKey")));
  }

  async create(members: object): Promise<unknown> {
    const plan = await this.key.post(`${BASE}/plans`, { name: "Yoga", amountMinor: 2_900, interval: "WEEK" });
    assert.equal(plan.status, 201, plan.text);
    const order = { planId: textMember(plan.body, "data", "id"), customer: { name: "Ada", email: this.email, locale: "en" }, ...members };
    const made = await this.key.post(`${BASE}/subscriptions`, order);
    assert.equal(made.status, 201, made.text);
    return member(made.body, "data");
  }

  async show(id: string): Promise<unknown> {
    const shown = await this.key.get(`${BASE}/subscriptions/${id}`);
    assert.equal(shown.status, 200, shown.text);
    return member(shown.body, "data");
  }

  becomes(id: string, expected: object): Promise<void> {
    return eventually(async () => assertMatches(await this.show(id), expected));
  }
}

/** To a moment and over the half hour after it. */
function until(iso: string): void {
  relay.advance(Math.max(0, Date.parse(iso) + SPREAD_MS - relay.nowMs()));
}

describe("subscriptions", () => {
  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url, ...NO_CLICKHOUSE, RELAY_LOG_LEVEL: "fatal" } });
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  test("a card that fails twice and recovers is charged once a cycle, and its customer is written to each time", async () => {
    const shop = await Shop.open();
    const made = await shop.create({ collection: "CARD", methodId: "card_sandbox_recovers" });
    const id = textMember(made, "id");
    assertMatches(made, { state: "ACTIVE", cycle: 1 });
    until(textMember(made, "nextDueAt"));
    await shop.becomes(id, { state: "PAST_DUE", cycle: 2, unpaid: { code: "insufficient_funds", message: "Insufficient funds" } });
    const [failed] = await mailsTo(relay, shop.email);
    assert.match(failed?.text ?? "", /Hello Ada,[\s\S]*We will try the same card again on [\s\S]*\/s\/[A-Za-z0-9]{22}\n/);
    relay.advance(DAY_MS + MINUTE_MS);
    await shop.becomes(id, { state: "PAST_DUE", dunning: { steps: [{ made: true }, { made: false }, { made: false }, { made: false }] } });
    relay.advance(2 * DAY_MS);
    await shop.becomes(id, { state: "ACTIVE", unpaid: null, dunning: null });
    const charges = (await gateway.charges()).filter((charge) => charge.id.includes(id));
    assert.deepEqual(charges, [
      { id: `sub-${id}-1-1`, type: "done" },
      { id: `sub-${id}-2-1`, type: "failed" },
      { id: `sub-${id}-2-2`, type: "failed" },
      { id: `sub-${id}-2-3`, type: "done" },
    ]);
    // The first one has expired by then: nobody sends mails here.
    const mails = listOf(member((await relay.administrator().get("/admin/mails?limit=500")).body, "data"));
    assert.deepEqual(
      mails
        .filter((mail) => member(mail, "to") === shop.email)
        .map((mail) => member(mail, "kind"))
        .toSorted(),
      ["subscription-failed", "subscription-recovered", "subscription-reminder"],
    );
    const search = await relay.administrator().get(`/admin/search?uuid=sub-${id}-2-3`);
    assertMatches(search.body, { data: { items: [{ kind: "subscription", id, merchantId: shop.merchantId, state: "ACTIVE" }] } });
  });

  test("a charge whose answer got lost is found out, and not made again", async () => {
    const shop = await Shop.open();
    const made = await shop.create({ collection: "CARD", methodId: "card_sandbox_lost" });
    const id = textMember(made, "id");
    assertMatches(made, { state: "INCOMPLETE", charges: [{ attempts: [{ state: "unknown" }] }] });
    assertMatches(await shop.key.post(`${BASE}/subscriptions/${id}/retry`), { status: 409, body: { code: "outcome_unknown" } });
    relay.advance(2 * MINUTE_MS);
    await shop.becomes(id, { state: "ACTIVE", charges: [{ attempts: [{ state: "done" }] }] });
    assert.equal((await gateway.charges()).filter((charge) => charge.id.includes(id)).length, 1);
  });

  test("a card that is of no use leads to a link; when that is paid the subscription hears of it at once", async () => {
    const shop = await Shop.open();
    const made = await shop.create({ collection: "CARD", methodId: "card_sandbox_expired" });
    const id = textMember(made, "id");
    assertMatches(made, { state: "INCOMPLETE", unpaid: { code: "card_expired", hard: true } });
    const customer = relay.nobody();
    const page = new URL(textMember(made, "url")).pathname;
    assertMatches(await customer.get(page), { status: 200, text: /Palestra Bella[\s\S]*can no longer be used[\s\S]*Pay €29\.00/ });
    const sent = await customer.post(`${page}/pay`);
    assert.equal(sent.status, 303);
    const pressed = await customer.post(`${String(sent.headers["location"])}/pay`);
    assert.equal(pressed.status, 303);
    const attempts = listOf(member(listOf(member(await shop.show(id), "charges"))[0], "attempts"));
    const linkId = textMember(attempts.at(-1), "paymentLinkId");
    await gateway.act(`${linkId}.1`, "pay");
    await shop.becomes(id, { state: "ACTIVE", unpaid: null });
    assertMatches(await shop.key.get(`${BASE}/payment-links/${linkId}`), { body: { data: { state: "PAID", reference: `sub-${id}-1-2` } } });
  });

  test("those of a merchant that is deactivated are paused, and go on when it resumes them", async () => {
    const shop = await Shop.open();
    const ids = [
      textMember(await shop.create({ collection: "CARD", methodId: "card_sandbox_ok" }), "id"),
      textMember(await shop.create({ collection: "CARD", methodId: "card_sandbox_ok" }), "id"),
    ];
    const switched = (active: boolean) => shop.partner.call("PATCH", `/merchants/${shop.merchantId}`, { active });
    assert.equal((await switched(false)).status, 200);
    for (const id of ids) {
      await eventually(async () => {
        const search = await relay.administrator().get(`/admin/search?uuid=${id}`);
        assertMatches(search.body, { data: { items: [{ id, state: "PAUSED" }] } });
      });
    }
    const charged = async () => (await gateway.charges()).filter((charge) => ids.some((id) => charge.id.includes(id))).length;
    assert.equal(await charged(), 2);
    relay.advance(8 * DAY_MS);
    assert.equal((await switched(true)).status, 200);
    for (const id of ids) {
      assertMatches(await shop.show(id), { state: "PAUSED", pausedBy: "deactivated" });
      assertMatches(await shop.key.post(`${BASE}/subscriptions/${id}/resume`), { status: 200, body: { data: { state: "ACTIVE" } } });
    }
    assert.equal(await charged(), 2);
  });

  test("the customer cancels on the page, and is charged no more", async () => {
    const shop = await Shop.open();
    const made = await shop.create({ collection: "CARD", methodId: "card_sandbox_ok" });
    const id = textMember(made, "id");
    const page = new URL(textMember(made, "url")).pathname;
    const customer = relay.nobody();
    assertMatches(await customer.get(`${page}/cancel`, { "accept-language": "it" }), { status: 200, text: /Vuoi disdire/ });
    assert.equal((await customer.post(`${page}/cancel?when=end`)).status, 303);
    await shop.becomes(id, { state: "ACTIVE", cancelsAtPeriodEnd: true, cancelledBy: "customer" });
    until(textMember(made, "nextDueAt"));
    await shop.becomes(id, { state: "CANCELLED" });
    assert.equal((await gateway.charges()).filter((charge) => charge.id.includes(id)).length, 1);
  });
});
