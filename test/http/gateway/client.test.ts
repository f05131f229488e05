import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { GatewayOrder } from "../../../engine/gateway/gateway.ts";
import { digestHeader } from "../../../http/auth/http-signature.ts";
import { createGatewayClient, type GatewayLimits } from "../../../http/gateway/client.ts";
import { freePort } from "../../../infra/local/free-port.ts";
import { type Behave, json, startGatewayStub } from "./gateway-stub.ts";

const CREDENTIALS = { terminalId: "TML1", merchantId: "M1", secret: "s3cret" };
const ORDER: GatewayOrder = {
  txId: "tx-1",
  amount: "12.30",
  currency: "EUR",
  description: "Order 7 – café",
  merchantReference: "R7",
  customerEmail: "buyer@example.org",
  instrument: "card",
  capture: "now",
  notifyUrl: "http://127.0.0.1:1/api/v1/gw/notify",
  returnUrl: null,
  expiresAtMs: Date.UTC(2026, 0, 1),
};
const FOLLOW_UP = { txId: "op-1", origTranId: "tran-1", amount: "12.30", currency: "EUR" };
const head = (resultCode = "GW_000", txId = "tx-1") => ({ merId: "M1", txId, resultCode, errDescription: "as told" });

const verified = (members: object, code = "GW_000") => ({ txHead: head(code), resultCode: code, paymentId: "pay-1", ...members });
const PAID = verified({ result: "OK", txRes: { tranId: "tran-1", authCode: "A1", maskedPan: "400000******0002", cardBrand: "VISA" } });

async function world(test: TestContext, behave: Behave, limits: Partial<GatewayLimits> = {}) {
  const stub = await startGatewayStub(test, CREDENTIALS.secret, behave);
  const circuit: string[] = [];
  const client = createGatewayClient({
    ...{ url: stub.url, nowMs: Date.now, limits: { pauseMs: 1, restMs: 50, ...limits } },
    circuit: (state) => circuit.push(state),
  });
  test.after(client.close);
  return { stub, client, circuit, verify: () => client.verify(CREDENTIALS, { txId: "tx-1", paymentId: "pay-1" }) };
}

test("init sends the order in the protocol's form, signed so that another implementation verifies it", async (t) => {
  const { stub, client } = await world(t, (_request, response) =>
    json(response, 200, { txHead: head(), resultCode: "GW_000", paymentId: "pay-1", redirectURL: "https://pay.example/1" }),
  );
  const answer = await client.init(CREDENTIALS, ORDER);
  assert.deepEqual(answer, { type: "done", value: { paymentId: "pay-1", redirectUrl: "https://pay.example/1" }, httpStatus: 200 });
  const body = {
    txHead: { merId: "M1", txId: "tx-1" },
    txReq: {
      txOp: "SALE",
      amount: { value: 1230, currency: "EUR" },
      description: "Order 7 – café",
      merchantReference: "R7",
      expiresAt: "2026-01-01T00:00:00.000Z",
    },
    poiInfo: { pitype: "CC", terminalId: "TML1" },
    buyer: { email: "buyer@example.org" },
    notifyURL: "http://127.0.0.1:1/api/v1/gw/notify",
  };
  assert.deepEqual(stub.received, [
    {
      method: "POST",
      target: "/CG/pgw/payment/init",
      body,
      keyId: "M1",
      signed: ["(request-target)", "host", "date", "x-signature-salt", "digest"],
      digest: digestHeader(Buffer.from(JSON.stringify(body))),
    },
  ]);
});

test("a payment to be captured later, in a currency without decimals, by BANCOMAT Pay", async (t) => {
  const { stub, client } = await world(t, (_request, response) =>
    json(response, 200, { txHead: head(), resultCode: "GW_000", paymentId: "p", redirectURL: "https://pay.example/u" }),
  );
  await client.init(CREDENTIALS, {
    ...ORDER,
    amount: "1230",
    currency: "JPY",
    capture: "later",
    instrument: "bancomat_pay",
    returnUrl: "https://shop.example/",
  });
  const { txReq, poiInfo, returnURL } = Object(stub.received[0]?.body);
  assert.deepEqual(
    [txReq.txOp, txReq.amount, poiInfo.pitype, returnURL],
    ["AUTH", { value: 1230, currency: "JPY" }, "BPE", "https://shop.example/"],
  );
});

test("verify is signed with its query, and tells a payment", async (t) => {
  const { stub, verify } = await world(t, (_request, response) => json(response, 200, PAID));
  assert.deepEqual(await verify(), {
    type: "done",
    httpStatus: 200,
    value: {
      type: "paid",
      paymentId: "pay-1",
      payment: {
        resultCode: "GW_000",
        description: "as told",
        tranId: "tran-1",
        authCode: "A1",
        maskedPan: "400000******0002",
        cardBrand: "VISA",
        payerName: null,
        payerLastName: null,
      },
    },
  });
  const [request] = stub.received;
  assert.equal(request?.target, "/CG/pgw/payment/verify?merId=M1&paymentId=pay-1&txId=tx-1");
  assert.equal(request?.keyId, "M1");
  assert.deepEqual(request?.signed, ["(request-target)", "host", "date", "x-signature-salt"]);
});

test("verify tells what was paid where the gateway says it", async (t) => {
  const paid = verified({ result: "OK", txRes: { tranId: "tran-1", amount: { value: 1230, currency: "EUR" } } });
  const { verify } = await world(t, (_request, response) => json(response, 200, paid));
  const { value } = Object(await verify());
  assert.deepEqual(value.payment.amount, { amountMinor: 1230, currency: "EUR" });
});

test("verify tells what became of a payment, where the gateway says it in a form that can be read", async (t) => {
  let members: object = { captured: true, reversedValue: 100, refundedValue: 0 };
  const { verify } = await world(t, (_request, response) =>
    json(response, 200, verified({ result: "OK", txRes: { tranId: "tran-1", ...members } })),
  );
  assert.deepEqual(Object(await verify()).value.totals, { captured: true, reversedMinor: 100, refundedMinor: 0 });
  members = { captured: "Y", reversedValue: "1.00", refundedValue: -1 };
  assert.equal(Object(await verify()).value.totals, undefined);
});

const STATES: [string, number, object, object][] = [
  [
    "pending",
    200,
    verified({ result: "PENDING", redirectURL: "https://pay.example/u" }, "GW_20001"),
    { type: "pending", paymentId: "pay-1", redirectUrl: "https://pay.example/u" },
  ],
  [
    "declined",
    200,
    verified({ result: "KO" }, "GW_10001"),
    { type: "failed", paymentId: "pay-1", resultCode: "GW_10001", description: "as told" },
  ],
  [
    "a code of its own",
    200,
    verified({ result: "KO" }, "GW_10099"),
    { type: "failed", paymentId: "pay-1", resultCode: "GW_10099", description: "as told" },
  ],
  ["absent", 404, { txHead: head("GW_30002") }, { type: "absent" }],
];
for (const [what, status, body, expected] of STATES) {
  test(`verify tells ${what}`, async (t) => {
    const { verify } = await world(t, (_request, response) => json(response, status, body));
    assert.deepEqual(await verify(), { type: "done", value: expected, httpStatus: status });
  });
}

/** None of these says anything about the payment: never failed, never absent. */
const NOT_HAD: [string, Behave][] = [
  ["a proxy's 404", (_request, response) => response.writeHead(404).end("<html>")],
  ["a 404 of the protocol for the operation", (_request, response) => json(response, 404, { txHead: head("GW_30404") })],
  ["401", (_request, response) => json(response, 401, { txHead: head("GW_30401") })],
  ["500", (_request, response) => json(response, 500, { txHead: head("GW_10001") })],
  ["a declined code with an error status", (_request, response) => json(response, 400, { txHead: head("GW_10001") })],
  ["a page", (_request, response) => response.writeHead(200).end("<html>")],
  ["another form", (_request, response) => json(response, 200, { resultCode: "GW_10001" })],
  ["KO with the code of success", (_request, response) => json(response, 200, verified({ result: "KO" }))],
  ["OK with a code of failure", (_request, response) => json(response, 200, { ...PAID, txHead: head("GW_10001") })],
  ["OK without a movement", (_request, response) => json(response, 200, verified({ result: "OK" }))],
  ["another payment's answer", (_request, response) => json(response, 200, { ...PAID, paymentId: "pay-2" })],
  ["another transaction's answer", (_request, response) => json(response, 200, { ...PAID, txHead: head("GW_000", "tx-2") })],
  ["a connection that breaks", (_request, response) => response.destroy()],
  [
    "an answer that breaks off",
    (_request, response) => response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy()),
  ],
  ["an endless answer", (_request, response) => response.writeHead(200).end("x".repeat(70_000))],
  ["no answer in time", () => undefined],
];
for (const [what, behave] of NOT_HAD) {
  test(`verify is unavailable for ${what}`, async (t) => {
    const { verify } = await world(t, behave, { deadlineMs: 300 });
    assert.equal((await verify()).type, "unavailable");
  });
}

for (const address of ["javascript:alert(1)", "data:text/html,a", "/pay/1", "pay.example", "https://", ""]) {
  test(`nobody is sent to ${address === "" ? "no address at all" : address}`, async (t) => {
    const { client, verify } = await world(t, ({ body }, response) => {
      if (body === null) json(response, 200, verified({ result: "PENDING", redirectURL: address }, "GW_20001"));
      else json(response, 200, { txHead: head(), resultCode: "GW_000", paymentId: "pay-1", redirectURL: address });
    });
    assert.equal((await client.init(CREDENTIALS, ORDER)).type, "unavailable");
    assert.deepEqual(Object(await verify()).value, { type: "pending", paymentId: "pay-1", redirectUrl: null });
  });
}

test("a verify that fails is tried again", async (t) => {
  let failures = 2;
  const { stub, verify } = await world(t, (_request, response) => (failures-- > 0 ? response.destroy() : json(response, 200, PAID)));
  assert.equal((await verify()).type, "done");
  assert.equal(stub.received.length, 3);
});

for (const operation of ["init", "capture", "reversal", "refund"] as const) {
  test(`${operation} is sent once whatever becomes of it`, async (t) => {
    const { stub, client } = await world(t, (_request, response) => response.destroy());
    const answer = operation === "init" ? await client.init(CREDENTIALS, ORDER) : await client[operation](CREDENTIALS, FOLLOW_UP);
    assert.equal(answer.type, "unavailable");
    assert.equal(stub.received.length, 1);
  });

  test(`${operation} is tried again where the connection was refused`, async (t) => {
    const port = await freePort();
    const client = createGatewayClient({ url: `http://127.0.0.1:${port}/CG`, nowMs: Date.now, limits: { pauseMs: 300, restMs: 50 } });
    t.after(client.close);
    const answer = operation === "init" ? client.init(CREDENTIALS, ORDER) : client[operation](CREDENTIALS, FOLLOW_UP);
    await startGatewayStub(
      t,
      CREDENTIALS.secret,
      ({ body }, response) =>
        json(response, 200, {
          txHead: head("GW_000", Object(body).txHead.txId),
          resultCode: "GW_000",
          paymentId: "p",
          redirectURL: "https://pay.example/u",
          txRes: { tranId: "t2", origTranId: "tran-1" },
        }),
      port,
    );
    assert.equal((await answer).type, "done");
  });

  test(`${operation} that is refused keeps code and description`, async (t) => {
    const { client } = await world(t, ({ body }, response) => json(response, 400, { txHead: head("GW_10001", Object(body).txHead.txId) }));
    const answer = operation === "init" ? await client.init(CREDENTIALS, ORDER) : await client[operation](CREDENTIALS, FOLLOW_UP);
    assert.deepEqual(answer, { type: "refused", resultCode: "GW_10001", description: "as told", httpStatus: 400 });
  });
}

/** The operation may have been executed, or will be: a caller that is told "refused" would begin another one. */
const NO_REFUSAL: [string, number, string][] = [
  ["accepted with the code of success", 202, "GW_000"],
  ["created with the code of success", 201, "GW_000"],
  ["a redirect", 302, "GW_30404"],
  ["an error status with the code of success", 400, "GW_000"],
  ["not completed yet", 200, "GW_20001"],
  ["ask again", 200, "GW_30503"],
  ["ask again, with an error status", 400, "GW_30503"],
  ["an internal error", 400, "GW_30500"],
  ["too many", 400, "GW_30429"],
];
for (const [what, status, code] of NO_REFUSAL) {
  test(`an init or a refund is not refused by: ${what}`, async (t) => {
    const { client } = await world(t, ({ body }, response) => {
      const { txId } = Object(body).txHead;
      const members = { paymentId: "p", redirectURL: "https://pay.example/u", txRes: { tranId: "t2", origTranId: "tran-1" } };
      json(response, status, { txHead: head(code, txId), resultCode: code, ...members });
    });
    assert.equal((await client.init(CREDENTIALS, ORDER)).type, "unavailable");
    assert.equal((await client.refund(CREDENTIALS, FOLLOW_UP)).type, "unavailable");
  });
}

test("a follow-up is not done by the answer to one of another movement", async (t) => {
  const { client } = await world(t, (_request, response) =>
    json(response, 200, { txHead: head("GW_000", "op-1"), resultCode: "GW_000", txRes: { tranId: "tran-2", origTranId: "tran-9" } }),
  );
  assert.deepEqual(await client.refund(CREDENTIALS, FOLLOW_UP), {
    ...{ type: "unavailable", reason: "the answer belongs to another movement", httpStatus: 200 },
  });
});

test("what decides nothing keeps nobody from knowing that it was paid", async (t) => {
  const details = {
    authCode: 123456,
    maskedPan: "4".repeat(40),
    cardBrand: ["VISA"],
    payerName: "n".repeat(129),
    payerLastName: null,
    captured: "Y",
  };
  const txHead = { ...head(), merId: "M".repeat(64), errDescription: "d".repeat(1_025) };
  const body = { ...verified({ result: "OK", redirectURL: 7, txRes: { tranId: 4711, ...details } }), txHead };
  const { verify } = await world(t, (_request, response) => json(response, 200, body));
  const { type, payment } = Object(await verify()).value;
  assert.equal(type, "paid");
  const { tranId, authCode, cardBrand, payerName, description } = payment;
  assert.deepEqual([tranId, authCode, cardBrand], ["4711", "123456", null]);
  assert.deepEqual([payerName.length, description.length], [128, 1_024]);
});

test("half of a character in an answer is replaced, and keeps nobody from knowing that it was paid", async (t) => {
  const half = "\ud83d";
  const paid = verified({ result: "OK", txRes: { tranId: "tran-1", cardBrand: `VISA${half}`, payerName: half } });
  const { verify } = await world(t, (_request, response) => json(response, 200, paid));
  const { type, payment } = Object(await verify()).value;
  assert.deepEqual([type, payment.tranId, payment.cardBrand, payment.payerName], ["paid", "tran-1", "VISA\ufffd", "\ufffd"]);
});

test("a byte order mark before an answer is no part of it", async (t) => {
  const paid = `\ufeff${JSON.stringify(verified({ result: "OK", txRes: { tranId: "tran-1" } }))}`;
  const { verify } = await world(t, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(paid);
  });
  assert.equal(Object(await verify()).value?.type, "paid");
});

test("a movement whose number was rounded is none", async (t) => {
  const body = verified({ result: "OK", txRes: { tranId: 2 ** 60 } });
  const { verify } = await world(t, (_request, response) => json(response, 200, body));
  assert.equal((await verify()).type, "unavailable");
});

test("card numbers in a gateway's answer are masked", async (t) => {
  const txRes = { tranId: "tran-1", maskedPan: "4111111111111111", payerName: "5555 5555 5555 4444" };
  const txHead = { ...head(), errDescription: "Paid with 5555555555554444" };
  const { verify } = await world(t, (_request, response) => json(response, 200, { ...verified({ result: "OK", txRes }), txHead }));
  const { payment } = Object(await verify()).value;
  assert.deepEqual(
    [payment.maskedPan, payment.payerName, payment.description],
    ["411111******1111", "555555******4444", "Paid with 555555******4444"],
  );
});

test("follow-ups name the movement and the amount", async (t) => {
  const { stub, client } = await world(t, (_request, response) =>
    json(response, 200, { txHead: head("GW_000", "op-1"), resultCode: "GW_000", txRes: { tranId: "tran-2" } }),
  );
  const done = { type: "done", value: { tranId: "tran-2", resultCode: "GW_000", description: "as told" }, httpStatus: 200 };
  for (const operation of ["capture", "reversal", "refund"] as const)
    assert.deepEqual(await client[operation](CREDENTIALS, FOLLOW_UP), done);
  assert.deepEqual(
    stub.received.map(({ target, body }) => [target, body]),
    ["capture", "reversal", "refund"].map((operation) => [
      `/CG/pgw/payment/${operation}`,
      { txHead: { merId: "M1", txId: "op-1" }, txReq: { origTranId: "tran-1", amount: { value: 1230, currency: "EUR" } } },
    ]),
  );
});

test("connections are used again, and no more calls run at once than allowed", async (t) => {
  let running = 0;
  let most = 0;
  const { stub, verify } = await world(
    t,
    (_request, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        json(response, 200, PAID);
      }, 5);
    },
    { callsMax: 3, waitingMax: 17 },
  );
  const answers = await Promise.all(Array.from({ length: 21 }, verify));
  assert.equal(answers.filter(({ type }) => type === "done").length, 20);
  assert.deepEqual(answers[20], { type: "unavailable", reason: "too many calls are in progress" });
  assert.equal(most, 3);
  assert.equal(stub.connections(), 3);
});

test("a gateway that fails is left alone, and tried again after a rest", async (t) => {
  let healthy = false;
  const { stub, verify, circuit } = await world(t, (_request, response) => (healthy ? json(response, 200, PAID) : response.destroy()), {
    attemptsMax: 1,
  });
  // The rest is over only when the test says so.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (let call = 0; call < 10; call++) await verify();
  const asked = stub.received.length;
  t.mock.timers.tick(49);
  assert.deepEqual(await verify(), { type: "unavailable", reason: "the circuit breaker is open after failed calls" });
  assert.equal(stub.received.length, asked);
  assert.deepEqual(circuit, ["open"]);
  // A trial that fails changes nothing.
  t.mock.timers.tick(1);
  await verify();
  assert.equal(stub.received.length, asked + 1);
  assert.deepEqual(circuit, ["open"]);
  healthy = true;
  t.mock.timers.tick(50);
  assert.equal((await verify()).type, "done");
  assert.deepEqual(circuit, ["open", "closed"]);
});

test("refusals do not open the circuit", async (t) => {
  const { stub, verify } = await world(t, (_request, response) => json(response, 401, { txHead: head("GW_30401") }));
  for (let call = 0; call < 30; call++) await verify();
  assert.equal(stub.received.length, 30);
});

test("an account that no header can carry is unavailable, and costs nobody else the gateway", async (t) => {
  const { stub, client } = await world(t, () => undefined);
  const answer = await client.verify({ ...CREDENTIALS, merchantId: 'M"1\n' }, { txId: "tx-1", paymentId: null });
  assert.equal(answer.type, "unavailable");
  assert.equal(stub.received.length, 0);
});
