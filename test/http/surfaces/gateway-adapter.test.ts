import assert from "node:assert/strict";
import { test } from "node:test";
import { headOrNull, RequestRefused, readFollowUp, readInit } from "../../../http/gateway/requests.ts";
import { derivedId } from "../../../http/surfaces/gateway-adapter/derived-id.ts";
import { gatewayAdapterEndpoints } from "../../../http/surfaces/gateway-adapter/endpoints.ts";
import { ADAPTER_RATE, adapterEnvelope } from "../../../http/surfaces/gateway-adapter/surface.ts";

test("the adapter lies behind the context path of the upstream gateway", () => {
  const paths = gatewayAdapterEndpoints({ contextPath: "/CG_SERVICES" }).map(({ method, path, auth }) => `${auth} ${method} ${path}`);
  assert.deepEqual(paths, [
    "signature POST /CG_SERVICES/pgw/payment/init",
    "signature GET /CG_SERVICES/pgw/payment/verify",
    "signature GET /CG_SERVICES/pgw/payment/verification",
    "signature POST /CG_SERVICES/pgw/payment/capture",
    "signature POST /CG_SERVICES/pgw/payment/reversal",
    "signature POST /CG_SERVICES/pgw/payment/refund",
  ]);
});

test("all operations share one limit of an address", () => {
  const limits = gatewayAdapterEndpoints({ contextPath: "" }).map(({ rateLimit }) => rateLimit);
  assert.deepEqual(new Set(limits), new Set([ADAPTER_RATE]));
});

test("an id follows from partner, kind and txId alone, and has 36 characters", () => {
  const id = derivedId(1, "payment", "order-7");
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(derivedId(1, "payment", "order-7"), id);
  const others = [derivedId(2, "payment", "order-7"), derivedId(1, "refund", "order-7"), derivedId(1, "payment", "order-8")];
  assert.equal(new Set([id, ...others]).size, 4);
});

test("errors are told in the protocol's form", () => {
  assert.deepEqual(adapterEnvelope.body("unavailable", "later", "r1"), {
    txHead: { merId: null, txId: null, resultCode: "GW_30503", errDescription: "later" },
    resultCode: "GW_30503",
  });
  assert.equal(adapterEnvelope.status.unauthorized, 401);
});

test("an init is read from wherever its members stand", () => {
  const expected = {
    merId: "M1",
    txId: "t1",
    txOp: "AUTH",
    amount: { value: 1230, currency: "EUR" },
    description: "Order",
    merchantReference: null,
    expiresAtMs: null,
    instrument: "bancomat_pay",
    terminalId: "T1",
    email: "a@b.example",
    callbackURL: "https://shop.example/c",
    notifyURL: null,
    returnURL: null,
  };
  const rest = { buyer: { email: "a@b.example" }, callbackURL: "https://shop.example/c" };
  const terminal = { pitype: "BPE", terminalId: "T1" };
  const payment = { txOp: "AUTH", amount: { value: 1230, currency: "EUR" }, description: "Order" };
  assert.deepEqual(readInit({ txHead: { merId: "M1", txId: "t1" }, txReq: payment, poiInfo: terminal, ...rest }), expected);
  assert.deepEqual(readInit({ merId: "M1", txId: "t1", ...payment, amount: 1230, currency: "EUR", ...terminal, ...rest }), expected);
  assert.deepEqual(readInit({ poiInfo: { merId: "M1", txId: "t1", ...payment, ...terminal }, ...rest }), expected);
  assert.deepEqual(readInit({ merId: "M1", txHead: { merId: "M1", txId: "t1" }, txReq: payment, poiInfo: terminal, ...rest }), expected);
});

const REFUSED: [object, RegExp][] = [
  [{}, /merId: is required/],
  [{ merId: "M".repeat(17), txId: "t" }, /merId: must be 1 to 16/],
  [{ merId: "M", txId: "a b" }, /txId: must be/],
  [{ merId: "M", txHead: { merId: "N" } }, /merId: was sent in two places with different values/],
  [{ merId: "M", txId: "t", amount: { value: 1, currency: "EUR" }, currency: "USD" }, /currency: differs/],
  [{ merId: "M", txId: "t", amount: 1.5, currency: "EUR" }, /amount: must be/],
  [{ merId: "M", txId: "t", amount: 1, notifyURL: "javascript:alert(1)" }, /notifyURL/],
];
for (const [body, message] of REFUSED) {
  test(`an init is refused: ${message.source}`, () => {
    assert.throws(
      () => readInit(body),
      (error) => error instanceof RequestRefused && message.test(error.message),
    );
  });
}

test("a follow-up without an amount is of the whole", () => {
  const order = readFollowUp({ txHead: { merId: "M", txId: "t" }, txReq: { origTranId: "o" } });
  assert.deepEqual(order, { merId: "M", txId: "t", origTranId: "o", amount: null });
});

test("the head of what cannot be read is told as far as it can", () => {
  assert.deepEqual(headOrNull({ txHead: { merId: "M", txId: 7 } }), { merId: "M", txId: null });
  assert.deepEqual(headOrNull("text"), { merId: null, txId: null });
  assert.deepEqual(headOrNull({ merId: "M", txHead: { merId: "N" } }), { merId: null, txId: null });
});
