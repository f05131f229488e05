import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, afterEach, before } from "node:test";
import { CALLBACK_LEASE_MS, CALLBACK_PAUSES_MS } from "../../../engine/callbacks/callback.ts";
import { AdapterClient } from "../../support/http/adapter-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { eventually, Inbox } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const MINUTE_MS = 60_000;
/** As upstream gateways have one; signatures cover it. */
const CONTEXT_PATH = "/CG_SERVICES";
const UUID_LENGTH = 36;

interface Call {
  path: string;
  body: unknown;
  headers: { [name: string]: unknown };
}

/** The adapter, from a client that signs by itself to the page of the sandbox gateway and back by callbacks. */
export function gatewayAdapter(startable: RelayOptions): void {
  const options = { ...startable, environment: { ...startable.environment } };
  const relay = new Relay(options);
  const base = () => relay.node.url + CONTEXT_PATH;
  const client = new AdapterClient(base);
  let gateway: TestGateway;
  let shop: Server;
  let shopUrl = "";
  let shopStatus = 200;
  let calls = new Inbox<Call>("callback");
  let orders = 0;

  before(async () => {
    shop = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      request.on("end", () => {
        calls.add({ path: request.url ?? "", body: JSON.parse(text), headers: request.headers });
        response.writeHead(shopStatus).end();
      });
    }).listen(0, "127.0.0.1");
    await once(shop, "listening");
    const address = shop.address();
    assert.ok(address !== null && typeof address === "object", "the shop has a port");
    shopUrl = `http://127.0.0.1:${address.port}`;
    gateway = await TestGateway.start();
    options.environment["RELAY_GATEWAY_URL"] = gateway.url;
    options.environment["RELAY_ADAPTER_CONTEXT_PATH"] = CONTEXT_PATH;
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
    shop.closeAllConnections();
    shop.close();
  });
  afterEach(async () => {
    shopStatus = 200;
    calls = new Inbox<Call>("callback");
    await gateway.faults({ outage: "none", notify: "once", notifySignature: "right", notifyDelayMs: 0, latencyMs: 0 });
  });

  function order(members: object = {}) {
    orders += 1;
    return {
      txHead: { merId: client.merId, txId: `order-${orders}` },
      txReq: { txOp: "SALE", amount: { value: 1230, currency: "EUR" }, description: "Order 7" },
      poiInfo: { pitype: "CC" },
      ...members,
    };
  }

  async function initiated(members: object = {}) {
    const asked = order(members);
    const answer = await client.post("/pgw/payment/init", asked);
    assert.equal(answer.status, 200, answer.text);
    return { txId: asked.txHead.txId, paymentId: textMember(answer.body, "paymentId"), url: textMember(answer.body, "redirectURL"), asked };
  }

  async function paid(members: object = {}) {
    const payment = await initiated(members);
    await gateway.act(payment.paymentId, "pay");
    const verified = await client.verify({ paymentId: payment.paymentId });
    assertMatches(verified.body, { result: "OK", resultCode: "GW_000" });
    return { ...payment, tranId: textMember(verified.body, "txRes", "tranId") };
  }

  const followUp = (operation: string, txId: string, origTranId: string, value?: number) =>
    client.post(`/pgw/payment/${operation}`, {
      txHead: { merId: client.merId, txId },
      txReq: { origTranId, ...(value === undefined ? {} : { amount: { value, currency: "EUR" } }) },
    });

  testOnNodes("init, page, callbacks to both addresses, verify", async () => {
    const payment = await initiated({ callbackURL: `${shopUrl}/callback`, notifyURL: `${shopUrl}/notify?shop=1` });
    assert.equal(payment.paymentId.length, UUID_LENGTH);
    assertMatches((await client.verify({ paymentId: payment.paymentId })).body, {
      txHead: { merId: client.merId, txId: payment.txId, resultCode: "GW_20001" },
      result: "PENDING",
      redirectURL: payment.url,
      txRes: null,
    });
    const page = await fetch(payment.url, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ number: "4111111111111111", expiry: "12/40", code: "123", holder: "Ada Lovelace", action: "pay" }),
    });
    assert.equal(page.status, 303);
    const told = [await calls.next(), await calls.next()].sort((one, other) => (one.path < other.path ? -1 : 1));
    assert.deepEqual(
      told.map(({ path, body }) => [path, body]),
      ["/callback", "/notify?shop=1"].map((path) => [path, { merId: client.merId, txId: payment.txId, paymentId: payment.paymentId }]),
    );
    assert.equal(told[0]?.headers["authorization"], undefined, "callbacks are unsigned");
    for (const query of [{ paymentId: payment.paymentId }, { txId: payment.txId }, { paymentId: payment.paymentId, txId: payment.txId }]) {
      for (const operation of ["verify", "verification"]) {
        assertMatches((await client.verify(query, operation)).body, {
          txHead: { merId: client.merId, txId: payment.txId, resultCode: "GW_000" },
          result: "OK",
          paymentId: payment.paymentId,
          txRes: {
            maskedPan: "411111******1111",
            cardBrand: "VISA",
            payerName: "Ada",
            payerLastName: "Lovelace",
            amount: { value: 1230, currency: "EUR" },
          },
        });
      }
    }
  });

  test("what would change a payment is honoured or refused", async () => {
    const until = new Date(relay.nowMs() + 10 * MINUTE_MS).toISOString();
    const soon = order({ txReq: { txOp: "SALE", amount: { value: 1230, currency: "EUR" }, expiresAt: until } });
    const created = await client.post("/pgw/payment/init", soon);
    assert.equal(created.status, 200, created.text);
    const paymentId = textMember(created.body, "paymentId");
    relay.advance(11 * MINUTE_MS);
    // The same order again is the same payment, though its time is over.
    assertMatches(await client.post("/pgw/payment/init", soon), { status: 200, body: { paymentId } });
    await eventually(async () => {
      assertMatches((await relay.partner().get(`/api/v1/payment/status/${paymentId}`)).body, { status: "EXPIRED" });
    });

    const refused = async (txReq: object, errDescription: RegExp) => {
      const asked = order({ txReq: { txOp: "SALE", amount: { value: 1230, currency: "EUR" }, ...txReq } });
      assertMatches(await client.post("/pgw/payment/init", asked), { status: 400, body: { txHead: { errDescription } } });
    };
    await refused({ expiresAt: new Date(relay.nowMs() + 120 * MINUTE_MS).toISOString() }, /^expiresAt: may be at most one hour ahead/);
    await refused({ expiresAt: new Date(relay.nowMs() - MINUTE_MS).toISOString() }, /^expiresAt: has passed/);
    await refused({ installments: 3 }, /^txReq\.installments: would change the payment/);
    const twice = JSON.stringify(order()).replace('"value":1230', '"value":1230,"value":99900');
    assertMatches(await client.post("/pgw/payment/init", twice), {
      status: 400,
      body: { txHead: { errDescription: /^value: is given more/ } },
    });

    const payment = await paid();
    const refund = (txReq: object) =>
      client.post("/pgw/payment/refund", {
        txHead: { merId: client.merId, txId: relay.uuid() },
        txReq: { origTranId: payment.tranId, ...txReq },
      });
    assertMatches(await refund({ currency: "USD" }), { status: 400, body: { txHead: { errDescription: /^currency: is given without/ } } });
    assertMatches(await refund({ refundAmount: 1 }), { status: 400, body: { txHead: { errDescription: /^txReq\.refundAmount: would/ } } });
  });

  test("a payment is also a payment link of the partner, with the same id", async () => {
    const { paymentId } = await initiated();
    const status = await relay.partner().get(`/api/v1/payment/status/${paymentId}`);
    assertMatches(status.body, { status: "PENDING", txId: paymentId, amount: "12.30" });
  });

  const FORMS: [string, (txId: string) => object][] = [
    ["at the top", (txId) => ({ merId: client.merId, txId, amount: 1230, currency: "EUR", pitype: "CC", description: "Order 7" })],
    ["in poiInfo", (txId) => ({ poiInfo: { merId: client.merId, txId, amount: { value: 1230, currency: "EUR" }, pitype: "CC" } })],
    ["in txHead and txReq", (txId) => ({ txHead: { merId: client.merId, txId }, txReq: { amount: { value: 1230, currency: "EUR" } } })],
  ];
  for (const [where, form] of FORMS) {
    test(`init takes its members ${where}`, async () => {
      const { txId } = order().txHead;
      const answer = await client.post("/pgw/payment/init", form(txId));
      assertMatches(answer.body, { txHead: { merId: client.merId, txId, resultCode: "GW_000" }, resultCode: "GW_000" });
      const payment = await gateway.payment(textMember(answer.body, "paymentId"));
      assertMatches(payment, { amount: { value: 1230, currency: "EUR" } });
    });
  }

  const BAD: [string, object, RegExp][] = [
    ["no txId", { txHead: { merId: client.merId } }, /txId: is required/],
    ["no merId", { txHead: { txId: "t" } }, /merId: is required/],
    ["no amount", { txReq: {} }, /amount: is required/],
    ["an amount of zero", { txReq: { amount: { value: 0, currency: "EUR" } } }, /amount: must be/],
    ["an amount in units", { txReq: { amount: { value: 12.3, currency: "EUR" } } }, /amount: must be/],
    ["an amount as text", { txReq: { amount: "12.30" } }, /amount: must be/],
    ["a currency that there is not", { txReq: { amount: { value: 5, currency: "XYZ" } } }, /currency/],
    ["two amounts", { amount: { value: 5, currency: "EUR" } }, /amount: is in two places with different values/],
    ["a callback that is no URL", { callbackURL: "shop" }, /callbackURL: must be an http/],
    ["a callback with a login", { callbackURL: "https://u:p@shop.example/" }, /callbackURL: must not contain a login/],
    ["another pitype", { poiInfo: { pitype: "XX" } }, /pitype: must be CC or BPE/],
  ];
  for (const [what, members, message] of BAD) {
    test(`init refuses ${what}`, async () => {
      const before = (await gateway.payments()).length;
      const answer = await client.post("/pgw/payment/init", order(members));
      assert.equal(answer.status, 400, answer.text);
      assert.match(textMember(answer.body, "txHead", "errDescription"), message);
      assertMatches(answer.body, { resultCode: "GW_30001" });
      assert.equal((await gateway.payments()).length, before);
    });
  }

  testOnNodes("the same txId again is the same payment; with another order it is refused", async () => {
    const { asked, paymentId } = await initiated();
    const [again, twice] = await Promise.all([client.post("/pgw/payment/init", asked), client.post("/pgw/payment/init", asked)]);
    assert.deepEqual([textMember(again.body, "paymentId"), textMember(twice.body, "paymentId")], [paymentId, paymentId]);
    const other = await client.post("/pgw/payment/init", { ...asked, txReq: { amount: { value: 1231, currency: "EUR" } } });
    assert.equal(other.status, 409, other.text);
    assertMatches(other.body, { txHead: { txId: asked.txHead.txId }, resultCode: "GW_30003" });
  });

  test("an init whose answer the gateway lost is found by asking again", async () => {
    await gateway.faults({ outage: "drop_answer", outageOf: ["init"] });
    const asked = order();
    const lost = await client.post("/pgw/payment/init", asked);
    assert.equal(lost.status, 503, lost.text);
    assertMatches(lost.body, { resultCode: "GW_30503" });
    await gateway.faults({ outage: "none" });
    const found = await client.post("/pgw/payment/init", asked);
    assert.equal(found.status, 200, found.text);
    const made = (await gateway.payments()).filter((payment) => member(payment, "txId") === textMember(found.body, "paymentId"));
    assert.equal(made.length, 1);
  });

  const OUTCOMES: [string, string, string, RegExp][] = [
    ["declined", "4000000000000002", "GW_10001", /Card not authorized/],
    ["insufficient funds", "4000000000009995", "GW_10002", /Insufficient funds/],
    ["a code that has no meaning of its own to the relay", "4000000000000119", "GW_10099", /Card issuer not available/],
  ];
  for (const [what, card, code, description] of OUTCOMES) {
    test(`${what}: KO with the gateway's code and words, and a callback`, async () => {
      const { paymentId } = await initiated({ callbackURL: `${shopUrl}/callback` });
      await gateway.act(paymentId, "pay", { card });
      assertMatches((await calls.next()).body, { paymentId });
      const verified = await client.verify({ paymentId });
      assertMatches(verified.body, { result: "KO", resultCode: code, txHead: { resultCode: code }, txRes: null });
      assert.match(textMember(verified.body, "txHead", "errDescription"), description);
    });
  }

  test("verify says when the gateway last answered, and that it cannot be asked now", async () => {
    const { paymentId } = await initiated();
    const fresh = await client.verify({ paymentId });
    assertMatches(fresh, { body: { result: "PENDING" }, headers: { "relay-answer-stale": undefined, "relay-verified-at": /Z$/ } });
    await gateway.faults({ outage: "error", outageOf: ["verify"] });
    relay.advance(4_000);
    const heard = fresh.headers["relay-verified-at"];
    assertMatches(await client.verify({ paymentId }), {
      body: { result: "PENDING" },
      headers: { "relay-answer-stale": "true", "relay-verified-at": heard },
    });
    await gateway.faults({ outage: "none" });
  });

  test("another amount than the order's: verify tells what was paid", async () => {
    const { paymentId } = await initiated();
    await gateway.act(paymentId, "pay", { amount: { value: 1000, currency: "EUR" } });
    assertMatches((await client.verify({ paymentId })).body, { result: "OK", txRes: { amount: { value: 1000, currency: "EUR" } } });
  });

  test("cancelled by the buyer: GW_20090 with its original description", async () => {
    const { paymentId } = await initiated();
    await gateway.act(paymentId, "cancel");
    const verified = await client.verify({ paymentId });
    assertMatches(verified.body, { result: "KO", txHead: { resultCode: "GW_20090", errDescription: "Payment cancelled by the buyer" } });
  });

  test("capture takes an authorized payment, refund by its movement pays it back", async () => {
    const { tranId, txId } = await paid({ txReq: { txOp: "AUTH", amount: { value: 1230, currency: "EUR" } } });
    const early = await followUp("refund", `${txId}-r0`, tranId);
    assert.equal(early.status, 409, early.text);
    assertMatches(early.body, { resultCode: "GW_30004" });
    const captured = await followUp("capture", `${txId}-c1`, tranId);
    assertMatches(captured.body, { txHead: { txId: `${txId}-c1`, resultCode: "GW_000" }, txRes: { origTranId: tranId } });
    assert.deepEqual((await followUp("capture", `${txId}-c1`, tranId)).body, captured.body, "the same again gives the same answer");
    const refunded = await followUp("refund", `${txId}-r1`, textMember(captured.body, "txRes", "tranId"));
    assertMatches(refunded.body, { resultCode: "GW_000" });
  });

  test("a refund is of the whole; a partial one gets a clear error", async () => {
    const { tranId, txId } = await paid();
    const partial = await followUp("refund", `${txId}-r1`, tranId, 500);
    assert.equal(partial.status, 400, partial.text);
    assertMatches(partial.body, { resultCode: "GW_30005" });
    assert.match(textMember(partial.body, "txHead", "errDescription"), /partial refund is not available/);
    assertMatches((await followUp("refund", `${txId}-r2`, tranId, 1230)).body, { resultCode: "GW_000" });
    const again = await followUp("refund", `${txId}-r3`, tranId);
    assert.deepEqual([again.status, member(again.body, "resultCode")], [409, "GW_30004"]);
  });

  test("what is wrong with an order is told by its own names", async () => {
    const wrong = [
      [{ txReq: { amount: { value: 1, currency: "EUR" }, description: "d".repeat(256) } }, /^description: /],
      [{ buyer: { email: "nobody" } }, /^buyer\.email: /],
    ] as const;
    for (const [members, told] of wrong) {
      const refused = await client.post("/pgw/payment/init", order(members));
      assertMatches(refused, { status: 400, body: { resultCode: "GW_30001", txHead: { errDescription: told } } });
    }
  });

  test("a follow-up's txId is one payment's", async () => {
    const [one, other] = [await paid(), await paid()];
    assertMatches(await followUp("refund", `${one.txId}-r1`, one.tranId), { status: 200 });
    const reused = await followUp("refund", `${one.txId}-r1`, other.tranId);
    assert.deepEqual([reused.status, member(reused.body, "resultCode")], [409, "GW_30003"], reused.text);
    assertMatches(await followUp("refund", `${other.txId}-r1`, other.tranId), { status: 200 });
  });

  test("a whole reversal is executed once; its txId with another amount is refused", async () => {
    const { tranId, txId } = await paid();
    assertMatches((await followUp("reversal", `${txId}-v1`, tranId, 230)).body, { resultCode: "GW_000" });
    const other = await followUp("reversal", `${txId}-v1`, tranId, 231);
    assert.deepEqual([other.status, member(other.body, "resultCode")], [409, "GW_30003"]);
    assertMatches((await followUp("reversal", `${txId}-v2`, tranId)).body, { resultCode: "GW_000" });
    const again = await followUp("reversal", `${txId}-v3`, tranId);
    assert.deepEqual([again.status, member(again.body, "resultCode")], [409, "GW_30004"]);
    const unknown = await followUp("reversal", `${txId}-v4`, "999");
    assert.deepEqual([unknown.status, member(unknown.body, "resultCode")], [404, "GW_30002"]);
  });

  test("a follow-up whose answer the gateway lost is executed once, and found by asking again", async () => {
    const { tranId, txId, paymentId } = await paid();
    await gateway.faults({ outage: "drop_answer", outageOf: ["reversal"] });
    assert.equal((await followUp("reversal", `${txId}-v1`, tranId)).status, 503);
    await gateway.faults({ outage: "none" });
    assertMatches((await followUp("reversal", `${txId}-v1`, tranId)).body, { resultCode: "GW_000" });
    assertMatches(await gateway.payment(paymentId), { reversedValue: 1230 });
  });

  test("payments of others, of no one, and of other surfaces are not there", async () => {
    const { paymentId, txId, tranId } = await paid();
    const other = await newPartner(relay);
    const secret = "a-secret-of-the-other-client-of-the-adapter";
    const login = { adapterMerId: `M${orders}`, adapterSecret: secret };
    const changed = await relay.administrator().send(`/admin/api/partners/${other.id}`, { method: "PUT", body: login });
    assert.equal(changed.status, 200, changed.text);
    const stranger = new AdapterClient(base, login.adapterMerId, secret);
    for (const query of [{ paymentId }, { txId }, { paymentId: "none" }]) {
      const answer = await stranger.verify(query);
      assert.deepEqual([answer.status, member(answer.body, "resultCode")], [404, "GW_30002"]);
    }
    const refund = await stranger.post("/pgw/payment/refund", {
      txHead: { merId: stranger.merId, txId: "x" },
      txReq: { origTranId: tranId },
    });
    assert.equal(refund.status, 404, refund.text);
    assert.equal((await client.verify({ paymentId, txId: "another" })).status, 404);
    const link = await relay.partner().post("/api/v1/paybylink", { amount: 5 });
    assert.equal((await client.verify({ paymentId: textMember(link.body, "txId") })).status, 404);
    assert.equal((await client.get(`/pgw/payment/verify?merId=${client.merId}`)).status, 400);
  });

  test("a merId that is not the keyId is refused, whatever its signature", async () => {
    const body = order();
    const wrong = await client.post("/pgw/payment/init", { ...body, txHead: { ...body.txHead, merId: "OTHER" } });
    assert.equal(wrong.status, 401, wrong.text);
    assertMatches(wrong.body, { resultCode: "GW_30401" });
    assert.equal((await client.get("/pgw/payment/verify?merId=OTHER&txId=1")).status, 401);
    const long = await client.post("/pgw/payment/init", { ...body, txHead: { ...body.txHead, merId: "M".repeat(17) } });
    assert.equal(long.status, 400, long.text);
    const forged = new AdapterClient(base, client.merId, "another secret");
    const refused = await forged.post("/pgw/payment/init", body);
    assert.equal(refused.status, 401, refused.text);
    assertMatches(refused.body, { txHead: { resultCode: "GW_30401" }, resultCode: "GW_30401" });
  });

  test("a disabled partner's signature counts no longer", async () => {
    const partner = await newPartner(relay);
    const login = { adapterMerId: `D${orders}`, adapterSecret: "a-secret-of-somebody-who-is-disabled-soon" };
    await relay.administrator().send(`/admin/api/partners/${partner.id}`, { method: "PUT", body: login });
    const disabled = new AdapterClient(base, login.adapterMerId, login.adapterSecret);
    assert.equal((await disabled.verify({ txId: "none" })).status, 404);
    const toggled = await relay.administrator().send(`/admin/api/partners/${partner.id}/toggle`, { method: "PATCH" });
    assert.equal(toggled.status, 200, toggled.text);
    assert.equal((await disabled.verify({ txId: "none" })).status, 401);
  });

  for (const path of ["/pgw/paymail/init", "/pgw/payment/selector", "/pgw/tokenizer/check", "/pgw/checkout/complete", "/pgw/payment"]) {
    test(`${path} is not exposed: 404 in the protocol's form`, async () => {
      const answer = await client.post(path, order());
      assert.equal(answer.status, 404);
      assertMatches(answer.body, { txHead: { merId: null, txId: null, resultCode: "GW_30404" }, resultCode: "GW_30404" });
    });
  }

  test("a flood from one address is refused beyond the limit, before signatures are looked at, and others come through", async () => {
    const flooding = relay.nobody();
    const answers = await Promise.all(Array.from({ length: 300 }, () => flooding.get(`${CONTEXT_PATH}/pgw/payment/verify?txId=none`)));
    const limited = answers.filter(({ status }) => status === 429);
    assert.ok(limited.length > 0, "none was refused");
    for (const { status, body } of answers) assertMatches(body, { resultCode: status === 429 ? "GW_30429" : "GW_30401" });
    assertMatches(limited[0]?.headers, { "retry-after": "1", "ratelimit-limit": "100", "ratelimit-remaining": "0" });
    assertMatches((await client.verify({ txId: "none" })).body, { resultCode: "GW_30002" });
  });

  test("without its context path the adapter is not there", async () => {
    const elsewhere = new AdapterClient(() => relay.node.url);
    assert.equal((await elsewhere.verify({ txId: "none" })).status, 404);
    assertMatches((await client.verify({ txId: "none" })).body, { resultCode: "GW_30002" });
  });

  test("a callback that fails is tried again, then dead, listed, and re-sent by an administrator", async () => {
    shopStatus = 500;
    const { paymentId } = await initiated({ notifyURL: `${shopUrl}/notify` });
    await gateway.act(paymentId, "pay");
    await calls.next();
    const administrator = relay.administrator();
    for (const [index, pauseMs] of CALLBACK_PAUSES_MS.entries()) {
      // The attempt has to be over before time passes: while it runs, its place in time is the end of its lease.
      await eventually(async () => {
        const waiting = listOf(member((await administrator.get("/admin/callbacks?state=waiting")).body, "data"));
        const found = waiting.find((item) => textMember(item, "body", "paymentId") === paymentId);
        assertMatches(found, { attempts: index + 1, lastError: "answered 500" });
        const leftMs = Date.parse(textMember(found, "nextAttemptAt")) - Date.parse(textMember(found, "lastAttemptAt"));
        assert.notEqual(leftMs, CALLBACK_LEASE_MS);
      });
      const before = calls;
      relay.advance(pauseMs * 1.1 + MINUTE_MS);
      await before.next();
    }
    const dead = await eventually(async () => {
      const page = await administrator.get("/admin/callbacks");
      assert.equal(page.status, 200, page.text);
      const found = listOf(member(page.body, "data")).find((item) => textMember(item, "body", "paymentId") === paymentId);
      assertMatches(found, { state: "dead", attempts: CALLBACK_PAUSES_MS.length + 1, lastError: "answered 500", nextAttemptAt: null });
      return found;
    });
    await eventually(async () => assert.ok((await relay.metric('relay_callbacks{state="dead"}')) >= 1));
    assert.ok((await relay.metric('relay_callback_attempts_total{outcome="failed"}')) >= CALLBACK_PAUSES_MS.length);
    assert.ok((await relay.metric('relay_callback_attempts_total{outcome="dead"}')) >= 1);
    const delivered = await relay.metric('relay_callback_attempts_total{outcome="delivered"}');
    shopStatus = 200;
    const resent = await administrator.post(`/admin/callbacks/${textMember(dead, "id")}/resend`, undefined);
    assertMatches(resent.body, { status: "ok", data: { state: "waiting", attempts: 0 } });
    assertMatches((await calls.next()).body, { paymentId });
    await eventually(async () => {
      const rest = listOf(member((await administrator.get("/admin/callbacks")).body, "data"));
      assert.equal(rest.length, 0);
      assert.equal(await relay.metric('relay_callback_attempts_total{outcome="delivered"}'), delivered + 1);
      assert.equal(await relay.metric('relay_callbacks{state="dead"}'), 0);
    });
    assert.ok((await relay.metric('relay_gateway_call_duration_seconds_count{operation="init",outcome="done"}')) >= 1);
    assert.equal(await relay.metric("relay_gateway_circuits_open"), 0);
    assert.equal((await administrator.post("/admin/callbacks/unknown/resend", undefined)).status, 404);
    assert.equal((await relay.partner().get("/admin/callbacks")).status, 401);
  });

  testOnNodes("a callback is owed over a restart", async () => {
    shopStatus = 500;
    const { paymentId } = await initiated({ notifyURL: `${shopUrl}/notify` });
    await gateway.act(paymentId, "pay");
    await calls.next();
    await relay.restart();
    shopStatus = 200;
    relay.advance(10 * MINUTE_MS);
    assertMatches((await calls.next()).body, { paymentId });
  });
}
