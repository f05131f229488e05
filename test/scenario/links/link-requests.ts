import assert from "node:assert/strict";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { test } from "../layouts.ts";
import type { LinkWorld } from "./link-world.ts";

/** What a link can be asked for with, and what is refused. */
export function linkRequests({ relay }: LinkWorld): void {
  const REFUSED: [what: string, body: unknown, error: RegExp][] = [
    ["no amount", {}, /^amount: /],
    ["zero", { amount: 0 }, /^amount: must be more than zero/],
    ["less than zero", { amount: -1 }, /^amount: /],
    ["three decimals of euros", { amount: 1.234 }, /^amount: may have at most 2 decimals/],
    ["a sum of binary fractions", { amount: 0.1 + 0.2 }, /^amount: /],
    ["a text with a comma", { amount: "1,50" }, /^amount: /],
    ["an exponent", { amount: "1e3" }, /^amount: /],
    ["too much", { amount: 1e15 }, /^amount: /],
    ["something else", { amount: { value: 1 } }, /^amount: /],
    ["decimals of yen", { amount: 1.5, currency: "JPY" }, /^amount: may have no decimals/],
    ["an unknown currency", { amount: 1, currency: "XYZ" }, /^currency: /],
    ["a currency in small letters", { amount: 1, currency: "eur" }, /^currency: /],
    ["a terminal that cannot be one", { amount: 1, terminalID: "a b" }, /^terminalID: /],
    ["a reserved word for a terminal", { amount: 1, terminalID: "status" }, /^terminalID: /],
    ["a number for a reason", { amount: 1, reason: 7 }, /^reason: /],
    ["a long reason", { amount: 1, reason: "x".repeat(256) }, /^reason: /],
    ["a reason with a line break", { amount: 1, reason: "a\nb" }, /^reason: /],
    ["an e-mail address that is none", { amount: 1, customerEmail: "nobody" }, /^customerEmail: /],
    ["a return address that is none", { amount: 1, returnUrl: "javascript:alert(1)" }, /^returnUrl: /],
    ["a list", [], /^body: /],
    ["no JSON", "{", /^body: /],
    ["nothing", "", /^body: /],
  ];
  for (const [what, body, error] of REFUSED) {
    test(`refuses ${what}`, async () => {
      const answer = await relay.partner().post("/api/v1/paybylink", body);
      assertMatches(answer, { status: 400, body: { status: "error", error } });
    });
  }

  test("an empty text is none, wherever a link has one", async () => {
    const none = { reason: "", merchantReference: "", customerEmail: "", returnUrl: "", terminalID: "" };
    const answer = await relay.partner().post("/api/v1/paybylink", { amount: 1, ...none, description: "Order 7" });
    assertMatches(answer, {
      status: 200,
      body: { reason: "Order 7", description: "Order 7", terminalID: SANDBOX_GATEWAY_ACCOUNT.terminalId },
    });
    assert.ok(!("merchantReference" in Object(answer.body)) && !("customerEmail" in Object(answer.body)));
  });

  test("members that a link does not have are named; where they could be an amount to give back, they are refused", async () => {
    const created = await relay.partner().post("/api/v1/paybylink", { amount: 1, shop: "x" });
    assert.deepEqual([created.status, created.headers["relay-ignored"]], [200, "shop"]);
    for (const path of [`/api/payment/refund/${relay.uuid()}`, `/api/payment/cancel/${relay.uuid()}`]) {
      assertMatches(await relay.partner().post(path, { amout: 1 }), {
        status: 400,
        body: { status: "error", error: /^amout: is not expected here/ },
      });
      assertMatches(await relay.partner().post(`${path}?amount=1`, {}), {
        status: 400,
        body: { status: "error", error: /^amount: is not a query parameter/ },
      });
    }
  });

  test("members that would change a payment by link are honoured or refused", async () => {
    const refused = async (path: string, more: object, error: RegExp) =>
      assertMatches(await relay.partner().post(path, { amount: 1, ...more }), { status: 400, body: { status: "error", error } }, path);
    for (const path of ["/api/v1/paybylink", "/api/payment/initiate"]) {
      await refused(path, { tipAmount: 5 }, /^tipAmount: would change the payment/);
      await refused(path, { expiresAt: "2099-01-01T00:00:00Z" }, /^expiresAt: would change the payment/);
      await refused(path, { terminalID: "T1", terminalId: "T2" }, /^terminalId: differs from terminalID/);
      await refused(`${path}?currency=USD`, {}, /^currency: would change the payment/);
    }
    await refused("/api/v1/paybylink", { capture: "later" }, /^capture: would change the payment/);
    await refused("/api/v1/paybylink", { instrument: "bancomat_pay" }, /^instrument: would change the payment/);
    const created = await relay.partner().post("/api/v1/paybylink", { amount: 1, currency: "USD", capture: null });
    assertMatches(created, { status: 200, body: { currency: "USD", amount: "1.00" } });
  });

  test("half of a character in a text is replaced", async () => {
    const answer = await relay.partner().post("/api/v1/paybylink", { amount: 1, reason: "Order \ud83d", merchantReference: "\ude00" });
    assertMatches(answer, { status: 200, body: { reason: "Order \ufffd" } });
  });

  test("amounts are exact in every currency's decimals", async () => {
    for (const [amount, currency, shown] of [
      [0.29, "EUR", "0.29"],
      ["1.10", "EUR", "1.10"],
      [1150, "JPY", "1150"],
      ["1.005", "KWD", "1.005"],
      ["9999999999.99", "EUR", "9999999999.99"],
    ] as const) {
      assertMatches(await relay.partner().post("/api/v1/paybylink", { amount, currency }), {
        status: 200,
        body: { amount: shown, currency },
      });
    }
  });

  test("what a gateway refuses is a 400 with its code", async () => {
    const partner = await newPartner(relay, { gwApiKey: "M6", gwSecretKey: "not the gateway's secret" });
    assertMatches(await partner.byKey.post("/api/v1/paybylink", { amount: 1 }), {
      status: 400,
      body: { status: "error", error: /./, resultCode: /^GW_/ },
    });
  });
}
