import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { GatewayOrder } from "../../../engine/gateway/gateway.ts";
import { digestHeader } from "../../../http/auth/http-signature.ts";
import { createGatewayClient } from "../../../http/gateway/client.ts";
import { isNotificationSigned } from "../../../http/gateway/notification.ts";
import { startSandboxGateway } from "../../../infra/sandbox/gateway/server.ts";
import { signIndependently } from "../../support/http/independent-signature.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { eventually } from "../../support/within.ts";
import { CARD, CREDENTIALS, type GatewayWorld, startGatewayWorld } from "./gateway-world.ts";

async function initiated({ client, order }: GatewayWorld, members: Partial<GatewayOrder> = {}) {
  const asked = order(members);
  const answer = await client.init(CREDENTIALS, asked);
  assert.equal(answer.type, "done");
  if (answer.type !== "done") throw new Error("unreachable");
  const verify = async () => {
    const verified = await client.verify(CREDENTIALS, { txId: asked.txId, paymentId: answer.value.paymentId });
    assert.equal(verified.type, "done");
    return verified.type === "done" ? verified.value : null;
  };
  return { ...answer.value, order: asked, verify };
}

test("a payment waits, is paid on the page, is notified with a signature and verified", async (t) => {
  const world = await startGatewayWorld(t);
  const payment = await initiated(world);
  assert.match(payment.paymentId, /^[0-9a-f-]{36}$/);
  assertMatches(await payment.verify(), { type: "pending", redirectUrl: payment.redirectUrl });
  const page = await world.submit(payment.redirectUrl, CARD);
  assert.equal(page.status, 303);
  const notification = await world.notifications.next();
  const members = { merId: "M1", txId: payment.order.txId, paymentId: payment.paymentId };
  for (const [name, value] of Object.entries(members)) assert.equal(notification.get(name), value);
  assert.ok(isNotificationSigned(members, notification.get("signature") ?? "", CREDENTIALS.secret), "the signature holds");
  assertMatches(await payment.verify(), {
    type: "paid",
    payment: { resultCode: "GW_000", maskedPan: "411111******1111", cardBrand: "VISA", payerName: "Ada", payerLastName: "Lovelace" },
  });
});

test("the same init gives the same payment; another order under its txId is refused", async (t) => {
  const world = await startGatewayWorld(t);
  const first = await initiated(world);
  const again = await world.client.init(CREDENTIALS, first.order);
  assertMatches(again, { type: "done", value: { paymentId: first.paymentId } });
  assertMatches(await world.client.init(CREDENTIALS, { ...first.order, amount: "12.31" }), { type: "refused", resultCode: "GW_30003" });
});

test("verify finds a payment by its txId alone, and says when there is none", async (t) => {
  const world = await startGatewayWorld(t);
  const { order, paymentId } = await initiated(world);
  const found = await world.client.verify(CREDENTIALS, { txId: order.txId, paymentId: null });
  assertMatches(found, { type: "done", value: { type: "pending", paymentId } });
  const absent = { type: "done", value: { type: "absent" }, httpStatus: 404 };
  assert.deepEqual(await world.client.verify(CREDENTIALS, { txId: "never", paymentId: null }), absent);
  const others = { ...CREDENTIALS, merchantId: "M2", secret: "sandbox-gateway-secret" };
  assert.deepEqual(await world.client.verify(others, { txId: order.txId, paymentId }), absent);
});

for (const number of ["4242424242424242", "4111111111111111", "5555555555554444"]) {
  test(`the test card ${number} pays`, async (t) => {
    const world = await startGatewayWorld(t);
    const payment = await initiated(world);
    assert.equal((await world.submit(payment.redirectUrl, { ...CARD, number })).status, 303);
    assertMatches(await payment.verify(), { type: "paid", payment: { maskedPan: `${number.slice(0, 6)}******${number.slice(-4)}` } });
  });
}

const OUTCOMES: [string, { [field: string]: string }, string][] = [
  ["not authorized", { ...CARD, number: "4000000000000002" }, "GW_10001"],
  ["insufficient funds", { ...CARD, number: "4000-0000-0000-9995" }, "GW_10002"],
  ["session expired", { ...CARD, number: "4000000000000069" }, "GW_20002"],
  ["a code of the gateway's own", { ...CARD, number: "4000000000000119" }, "GW_10099"],
  ["cancelled", { action: "cancel" }, "GW_20090"],
];
for (const [what, fields, code] of OUTCOMES) {
  test(`a payment that ends as ${what} is ${code}`, async (t) => {
    const world = await startGatewayWorld(t);
    const payment = await initiated(world);
    assert.equal((await world.submit(payment.redirectUrl, fields)).status, 303);
    await world.notifications.next();
    assertMatches(await payment.verify(), { type: "failed", resultCode: code });
  });

  test(`after a payment that ends as ${what} the buyer is sent back to the shop`, async (t) => {
    const world = await startGatewayWorld(t);
    const returnUrl = "https://shop.example/orders/7?step=paid";
    const { redirectUrl } = await initiated(world, { returnUrl });
    const response = await world.submit(redirectUrl, fields);
    assert.deepEqual([response.status, response.headers.get("location")], [303, returnUrl]);
  });
}

test("BANCOMAT Pay is paid with a phone number", async (t) => {
  const world = await startGatewayWorld(t);
  const payment = await initiated(world, { instrument: "bancomat_pay" });
  assert.match(await (await fetch(payment.redirectUrl)).text(), /Phone number for BANCOMAT Pay/);
  assert.equal((await world.submit(payment.redirectUrl, { phone: "12", action: "pay" })).status, 422);
  assert.equal((await world.submit(payment.redirectUrl, { phone: "+39 333 1234500", action: "pay" })).status, 303);
  assertMatches(await payment.verify(), { type: "paid", payment: { maskedPan: null, cardBrand: "BANCOMAT_PAY" } });
  const declined = await initiated(world, { instrument: "bancomat_pay" });
  await world.submit(declined.redirectUrl, { phone: "+39 333 1234502", action: "pay" });
  assertMatches(await declined.verify(), { type: "failed", resultCode: "GW_10001" });
});

const MISTAKES: [string, { [field: string]: string }][] = [
  ["a wrong check digit", { number: "4111111111111112" }],
  ["an expiry that has passed", { expiry: "01/20" }],
  ["no expiry", { expiry: "13/30" }],
  ["a short code", { code: "12" }],
  ["no name", { holder: " " }],
];
for (const [what, fields] of MISTAKES) {
  test(`the gateway refuses ${what} whatever the page let through, and the payment waits on`, async (t) => {
    const world = await startGatewayWorld(t);
    const payment = await initiated(world);
    const response = await world.submit(payment.redirectUrl, { ...CARD, ...fields });
    const html = await response.text();
    assert.equal(response.status, 422);
    assert.match(html, /role="alert"/);
    assert.doesNotMatch(html, /41111111|value="123"/);
    assertMatches(await payment.verify(), { type: "pending" });
  });
}

test("the page shows amount and reason, escaped, and may not be framed", async (t) => {
  const world = await startGatewayWorld(t);
  const { redirectUrl } = await initiated(world);
  const response = await fetch(redirectUrl);
  const html = await response.text();
  assert.match(html, /12\.30 EUR/);
  assert.match(html, /Order &#60;7&#62; &#38; café/);
  assert.match(response.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  assert.equal((await fetch(`${world.url}/pay/00000000-0000-0000-0000-000000000000`)).status, 404);
});

test("a payment is paid once, however often the form is sent", async (t) => {
  const world = await startGatewayWorld(t);
  const payment = await initiated(world);
  const [first, second] = await Promise.all([world.submit(payment.redirectUrl, CARD), world.submit(payment.redirectUrl, CARD)]);
  assert.ok(first.status < 400 && second.status < 400, "both are answered");
  const before = await payment.verify();
  await world.submit(payment.redirectUrl, { action: "cancel" });
  assert.deepEqual(await payment.verify(), before);
  assert.equal(world.events.filter(({ type }) => type === "ended").length, 1);
});

test("a payment expires, and cannot be paid any more", async (t) => {
  const world = await startGatewayWorld(t);
  const payment = await initiated(world);
  await world.control("POST", "/control/advance", { ms: 3_600_001 });
  assertMatches(await payment.verify(), { type: "failed", resultCode: "GW_20002" });
  const response = await world.submit(payment.redirectUrl, CARD);
  assert.match(await response.text(), /Expired/);
  assertMatches(await payment.verify(), { type: "failed", resultCode: "GW_20002" });
});

async function paid(t: TestContext, members: Partial<GatewayOrder> = {}) {
  const world = await startGatewayWorld(t);
  const payment = await initiated(world, members);
  await world.control("POST", "/control/payments", { txId: payment.order.txId, action: "pay" });
  const state = await payment.verify();
  assert.ok(state?.type === "paid", "it is paid");
  const followUp = (txId: string, amount = "12.30") => ({ txId, origTranId: state.payment.tranId, amount, currency: "EUR" });
  return { ...world, payment, followUp };
}

test("capture takes an authorized payment once, and refund needs it", async (t) => {
  const { client, followUp } = await paid(t, { capture: "later" });
  assertMatches(await client.refund(CREDENTIALS, followUp("r0")), { type: "refused", resultCode: "GW_30004" });
  const captured = await client.capture(CREDENTIALS, followUp("c1"));
  assertMatches(captured, { type: "done", value: { resultCode: "GW_000" } });
  assert.deepEqual(await client.capture(CREDENTIALS, followUp("c1")), captured, "the same again gives the same answer");
  assertMatches(await client.capture(CREDENTIALS, followUp("c2")), { type: "refused", resultCode: "GW_30004" });
  assertMatches(await client.refund(CREDENTIALS, followUp("c1")), { type: "refused", resultCode: "GW_30003" });
  assertMatches(await client.refund(CREDENTIALS, followUp("r1")), { type: "done" });
});

test("refunds and reversals take no more than there is", async (t) => {
  const { client, followUp } = await paid(t);
  assertMatches(await client.refund(CREDENTIALS, followUp("r1", "12.31")), { type: "refused", resultCode: "GW_30004" });
  assertMatches(await client.refund(CREDENTIALS, followUp("r2", "2.30")), { type: "done" });
  assertMatches(await client.reversal(CREDENTIALS, followUp("v1", "10.00")), { type: "done" });
  assertMatches(await client.reversal(CREDENTIALS, followUp("v2", "10.00")), { type: "refused", resultCode: "GW_30004" });
  assertMatches(await client.reversal(CREDENTIALS, { ...followUp("v3"), origTranId: "none" }), { type: "refused", resultCode: "GW_30002" });
});

test("a wrong secret is refused, and a request that is sent again too", async (t) => {
  const world = await startGatewayWorld(t);
  const order = world.order();
  assertMatches(await world.client.init({ ...CREDENTIALS, secret: "wrong" }, order), { type: "refused", resultCode: "GW_30401" });
  const statuses = await sentTwice(
    world.url,
    JSON.stringify({ txHead: { merId: "M1", txId: "t9" }, txReq: { amount: { value: 1, currency: "EUR" } } }),
  );
  assert.deepEqual(statuses, [200, 401]);
});

test("a merId that is not the signer's is refused", async (t) => {
  const world = await startGatewayWorld(t);
  const statuses = await sentTwice(
    world.url,
    JSON.stringify({ txHead: { merId: "M2", txId: "t9" }, txReq: { amount: { value: 1, currency: "EUR" } } }),
  );
  assert.equal(statuses[0], 401);
});

test("outages: refused, error, no answer, and an answer that is lost after the work was done", async (t) => {
  const world = await startGatewayWorld(t);
  for (const outage of ["refuse", "error"]) {
    await world.control("PATCH", "/control", { outage });
    assertMatches(await world.client.init(CREDENTIALS, world.order()), { type: "unavailable" });
  }
  await world.control("PATCH", "/control", { outage: "drop_answer", outageOf: ["init"] });
  const order = world.order();
  assertMatches(await world.client.init(CREDENTIALS, order), { type: "unavailable" });
  assertMatches(await world.client.verify(CREDENTIALS, { txId: order.txId, paymentId: null }), {
    type: "done",
    value: { type: "pending" },
  });
  await world.control("PATCH", "/control", { outage: "hang", outageOf: ["verify"] });
  const impatient = createGatewayClient({ url: world.url, nowMs: Date.now, limits: { pauseMs: 1, restMs: 50, deadlineMs: 500 } });
  t.after(() => impatient.close());
  assertMatches(await impatient.verify(CREDENTIALS, { txId: order.txId, paymentId: null }), { type: "unavailable" });
  assert.equal((await world.control("PATCH", "/control", { outage: "flood" })).status, 400);
});

test("notifications: wrong, unsigned, twice, never, and again until they are taken", async (t) => {
  const world = await startGatewayWorld(t);
  const end = async (faults: object) => {
    await world.control("PATCH", "/control", { notify: "once", notifySignature: "right", ...faults });
    const { order } = await initiated(world);
    await world.control("POST", "/control/payments", { txId: order.txId, action: "pay" });
    return order.txId;
  };
  await end({ notifySignature: "wrong" });
  assert.match((await world.notifications.next()).get("signature") ?? "", /^0{64}$/);
  await end({ notifySignature: "absent" });
  assert.equal((await world.notifications.next()).get("signature"), null);
  const twice = await end({ notify: "twice" });
  for (let copy = 0; copy < 2; copy++) assert.equal((await world.notifications.next()).get("txId"), twice);
  await end({ notify: "never" });
  world.answerNotificationsWith(500);
  const refused = await end({});
  assert.equal((await world.notifications.next()).get("txId"), refused, "the one before was never sent");
  world.answerNotificationsWith(200);
  assert.equal((await world.notifications.next()).get("txId"), refused, "it is sent again");
  await eventually(() => assert.equal(world.events.filter((event) => event.type === "notified" && event.txId === refused).length, 1));
});

test("payments are kept over a restart where there is a state file, and no card in it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const stateFile = join(folder, "gateway.state");
  const world = await startGatewayWorld(t, { stateFile });
  const payment = await initiated(world);
  await world.submit(payment.redirectUrl, CARD);
  const before = await payment.verify();
  await world.stop();
  const again = await startGatewayWorld(t, { stateFile });
  assert.deepEqual(await again.client.verify(CREDENTIALS, { txId: payment.order.txId, paymentId: payment.paymentId }), {
    type: "done",
    value: before,
    httpStatus: 200,
  });
  const text = await readFile(stateFile, "utf8");
  assert.match(text, /411111\*{6}1111/);
  assert.doesNotMatch(JSON.stringify(world.events), /4111111111111111|"123"/);
  assert.doesNotMatch(text, /4111111111111111|"123"/);
});

test("it listens on loopback addresses only", async () => {
  await assert.rejects(startSandboxGateway({ host: "0.0.0.0" }), /loopback/);
});

test("it answers only to names of this machine, whatever the path", async (t) => {
  const { url } = await startGatewayWorld(t);
  const { hostname, port } = new URL(url);
  const statusFor = (path: string, host: string) =>
    new Promise<number>((resolve, reject) => {
      const out = request({ hostname, port, path, headers: { host } });
      out.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
      out.end();
    });
  for (const path of ["/control", "/control/payments", "/pay/0", "/hosted-page.js"]) {
    assert.equal(await statusFor(path, `evil.example:${port}`), 403, path);
    assert.notEqual(await statusFor(path, `localhost:${port}`), 403, path);
  }
});

/** The same signed bytes twice; the statuses of both answers. */
async function sentTwice(url: string, body: string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  let authorization: { [name: string]: string } = {};
  const send = () =>
    new Promise<number>((resolve, reject) => {
      const out = request({
        hostname,
        port,
        method: "POST",
        path: "/pgw/payment/init",
        headers: { "x-signature-salt": "same", ...authorization },
      });
      out.setHeader("digest", digestHeader(Buffer.from(body)));
      if (authorization["authorization"] === undefined) signIndependently(out, { keyId: "M1", secret: CREDENTIALS.secret });
      authorization = { authorization: String(out.getHeader("authorization")), date: String(out.getHeader("date")) };
      out.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
      out.end(body);
    });
  return [await send(), await send()];
}
