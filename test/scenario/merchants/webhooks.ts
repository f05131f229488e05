import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before } from "node:test";
import { WEBHOOK_PAUSES_MS } from "../../../engine/webhooks/webhook-delivery.ts";
import { SANDBOX_MERCHANT, SANDBOX_PARTNER_API } from "../../../infra/node/boot/sandbox-names.ts";
import { type Delivery, startReceiver } from "../../../infra/sandbox/webhooks/receiver.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { eventually, Inbox } from "../../support/within.ts";
import { test } from "../layouts.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const SECOND_MS = 1_000;

/** Webhooks on whole nodes: `npm run webhooks`' receiver gets what payments of the sandbox's shop bring about. */
export function webhooks(startable: RelayOptions): void {
  const options = { ...startable, environment: { ...startable.environment } };
  const relay = new Relay(options);
  let gateway: TestGateway;
  let aheadMs = 0;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    gateway = await TestGateway.start();
    options.environment["RELAY_GATEWAY_URL"] = gateway.url;
    await relay.start();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  const shop = () => relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
  const partner = () => relay.client({ authorization: `Bearer ${SANDBOX_PARTNER_API.apiKey}` });
  const post = (path: string, form = "") => shop().post(`/v1${path}`, form, { ...FORM, "idempotency-key": randomUUID() });

  /** A receiver whose clock is the relay's. */
  async function receive(status = 200) {
    const secrets: string[] = [];
    const deliveries = new Inbox<Delivery>("webhook");
    const answered = { status };
    const { url, stop } = await startReceiver({
      ...{ host: "127.0.0.1", port: 0, secrets },
      get status() {
        return answered.status;
      },
      nowMs: () => Date.now() + aheadMs,
      onDelivery: (delivery) => deliveries.add(delivery),
    });
    stops.push(stop);
    const answerWith = (next: number): void => {
      answered.status = next;
    };
    return { url: `${url}/hooks`, secrets, deliveries, answerWith };
  }

  async function register(url: string, events = "payment_intent.succeeded"): Promise<{ id: string; secret: string }> {
    const { body } = await post("/webhook_endpoints", `url=${encodeURIComponent(url)}&enabled_events[]=${events}`);
    const id = textMember(body, "id");
    stops.push(async () => void (await shop().send(`/v1/webhook_endpoints/${id}`, { method: "DELETE" })));
    return { id, secret: textMember(body, "secret") };
  }

  async function pay(): Promise<string> {
    const created = await post("/payment_intents", "amount=1099&currency=eur&confirm=true&return_url=https://shop.example/return");
    const id = textMember(created.body, "id");
    await gateway.act(`${id}.1`, "pay", { card: "4242424242424242" });
    return id;
  }

  async function deliveriesIn(state: string, endpointId: string): Promise<unknown[]> {
    const { body } = await relay.administrator().get(`/admin/webhooks/deliveries?state=${state}&limit=500`);
    return listOf(member(body, "data")).filter((delivery) => member(delivery, "endpointId") === endpointId);
  }

  function move(ms: number): void {
    aheadMs += ms;
    relay.advance(ms);
  }

  test("a shop and its partner are told of a payment, each with signatures that hold", async () => {
    const [ofShop, ofPartner] = [await receive(), await receive()];
    const { secret } = await register(ofShop.url);
    ofShop.secrets.push(secret);
    ofPartner.secrets.push(SANDBOX_PARTNER_API.secret);
    const registered = await partner().post("/partner/api/v1/webhooks", {
      url: ofPartner.url,
      events: ["payment_intent.succeeded"],
      environment: "TEST",
    });
    assert.equal(registered.status, 201, registered.text);
    const path = `/partner/api/v1/webhooks/${textMember(registered.body, "webhook", "webhookId")}`;
    const id = await pay();

    const told = { event: { type: "payment_intent.succeeded", objectId: id }, times: 1 };
    const toShop = await ofShop.deliveries.next();
    assertMatches(toShop, told);
    assert.deepEqual(
      toShop.verdicts.map(([, verdict]) => verdict.type),
      ["holds", "holds", "holds"],
    );
    const toPartner = await ofPartner.deliveries.next();
    assertMatches(toPartner, told);
    assert.deepEqual(
      toPartner.verdicts.map(([header, verdict]) => [header, verdict.type]).filter(([, type]) => type !== "absent"),
      [["X-Gateway-Signature", "holds"]],
    );
    await eventually(async () =>
      assertMatches((await partner().get(`${path}/deliveries?state=delivered`)).body, {
        deliveries: [{ objectId: id, merchantId: SANDBOX_MERCHANT.merchantId, attempts: [{ status: 200, error: null }] }],
      }),
    );
    const listed = await partner().get(`${path}/deliveries`);
    const [delivery] = listOf(member(listed.body, "deliveries"));
    assert.equal((await partner().post(`${path}/deliveries/${textMember(delivery, "deliveryId")}/resend`)).status, 200);
    assertMatches(await ofPartner.deliveries.next(), { event: { objectId: id }, times: 2 });
    assert.equal((await partner().send(path, { method: "DELETE" })).status, 200);
    assert.equal((await partner().get(path)).status, 404);
  });

  test("an endpoint that is down for an hour has its deliveries given up, and an operator sends one again", async () => {
    const receiver = await receive(500);
    const { id: endpointId, secret } = await register(receiver.url);
    receiver.secrets.push(secret);
    const intentId = await pay();
    assertMatches(await receiver.deliveries.next(), { event: { objectId: intentId }, times: 1 });
    const [waiting] = await deliveriesIn("waiting", endpointId);
    const path = `/admin/webhooks/deliveries/${textMember(waiting, "id")}`;
    /** `attempts` counts one that is under way as well; an attempt is listed when its outcome is stored. */
    const attemptsHaveFailed = (count: number, expected: { [member: string]: unknown }) =>
      eventually(async () => {
        const latestAttempts = Array.from({ length: count }, () => ({ status: 500, answer: /answered 500, as the receiver was told/ }));
        assertMatches((await relay.administrator().get(path)).body, { data: { attempts: count, latestAttempts, ...expected } });
      });
    for (const [index, pauseMs] of WEBHOOK_PAUSES_MS.entries()) {
      // The pause begins when the outcome is stored: of a clock that moves sooner nothing is left for it.
      await attemptsHaveFailed(index + 1, { state: "waiting" });
      move(pauseMs * 1.1 + SECOND_MS);
      const delivery = await receiver.deliveries.next();
      assert.equal(delivery.times, index + 2);
      // Signed at the time of the attempt: an hour later it still holds.
      for (const [header, verdict] of delivery.verdicts) assert.equal(verdict.type, "holds", header);
    }
    await attemptsHaveFailed(6, { state: "dead", nextAttemptAt: null });
    assertMatches(await deliveriesIn("dead", endpointId), [{ attempts: 6, lastStatus: 500 }]);

    receiver.answerWith(200);
    assertMatches(await relay.administrator().post(`${path}/resend`), { status: 200, body: { data: { state: "waiting", attempts: 0 } } });
    assertMatches(await receiver.deliveries.next(), { times: 7, status: 200 });
    await eventually(async () =>
      assertMatches((await relay.administrator().get(path)).body, { data: { state: "delivered", attempts: 1 } }),
    );
    const audit = await relay.administrator().get("/admin/audit?limit=20");
    assert.match(audit.text, /"webhook\.resend"/);
  });

  test("a shop rolls its secret, and repeats the request without rolling again", async () => {
    const receiver = await receive();
    const { id, secret } = await register(receiver.url);
    const idempotencyKey = randomUUID();
    const roll = () => shop().post(`/v1/webhook_endpoints/${id}/roll_secret`, "", { ...FORM, "idempotency-key": idempotencyKey });
    const rolled = await roll();
    assert.equal(rolled.status, 200, rolled.text);
    const fresh = textMember(rolled.body, "secret");
    assert.notEqual(fresh, secret);
    assertMatches(await roll(), { status: 200, body: { secret: fresh } });
    receiver.secrets.push(fresh);
    await pay();
    const { verdicts } = await receiver.deliveries.next();
    assert.deepEqual(
      verdicts.map(([header, verdict]) => [header === "X-Gateway-Signature", verdict.type === "holds"]),
      [
        [false, true],
        [true, false],
        [false, true],
      ],
      "it has room for one signature, the previous secret's",
    );
  });

  test("an endpoint that answers 410 is disabled, until its owner enables it", async () => {
    const receiver = await receive(410);
    const { id } = await register(receiver.url);
    await pay();
    await receiver.deliveries.next();
    await eventually(async () =>
      assertMatches((await relay.administrator().get(`/admin/webhooks/endpoints/${id}`)).body, {
        data: { status: "disabled", disabledReason: "gone", owner: { type: "merchant", merchantId: SANDBOX_MERCHANT.merchantId } },
      }),
    );
    assertMatches((await shop().get(`/v1/webhook_endpoints/${id}`)).body, { status: "disabled", disabled_reason: "gone" });
    receiver.answerWith(200);
    assertMatches(await post(`/webhook_endpoints/${id}`, "disabled=false"), { body: { status: "enabled", disabled_reason: null } });
    const intentId = await pay();
    assertMatches(await receiver.deliveries.next(), { event: { objectId: intentId } });
  });

  test("an operator disables an endpoint, which gets nothing any more", async () => {
    const [disabled, other] = [await receive(), await receive()];
    const { id } = await register(disabled.url);
    await register(other.url);
    assertMatches(await relay.administrator().post(`/admin/webhooks/endpoints/${id}/disable`), {
      status: 200,
      body: { data: { status: "disabled" } },
    });
    const intentId = await pay();
    assertMatches(await other.deliveries.next(), { event: { objectId: intentId } });
    assert.deepEqual(disabled.deliveries.waiting, []);
    assertMatches((await shop().get(`/v1/webhook_endpoints/${id}`)).body, { status: "disabled", disabled_reason: null });
  });
}
