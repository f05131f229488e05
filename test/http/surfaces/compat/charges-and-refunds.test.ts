import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches, listOf, member } from "../../../support/http/matches.ts";
import { CHARGE_ID, INTENT_ID, OPEN, PAID, REFUND_ID, refundedIntent } from "./records.ts";
import { assertRefused, type Said, startCompat } from "./world.ts";

const REFUNDED = refundedIntent("done");

const REFUSED_REFUNDS: readonly [what: string, said: Said["refund"], status: number, error: object][] = [
  [
    "of what was refunded",
    { type: "already_refunded", intent: REFUNDED },
    400,
    { code: "charge_already_refunded", payment_intent: { id: INTENT_ID } },
  ],
  ["of a part", { type: "partial", intent: PAID }, 400, { code: "charge_not_refundable", param: "amount" }],
  ["of more than was paid", { type: "too_much", intent: PAID }, 400, { code: "amount_too_large", param: "amount" }],
  ["of what was not paid", { type: "not_paid", intent: OPEN }, 400, { code: "charge_not_refundable", param: "payment_intent" }],
  [
    "that the gateway refuses",
    { type: "refused", intent: PAID, description: "Card 4242424242424242 is closed" },
    400,
    { code: "charge_not_refundable", message: "Card 424242******4242 is closed" },
  ],
  ["while an attempt is not settled", { type: "unsettled", intent: OPEN }, 409, { code: "lock_timeout" }],
];

for (const [what, outcome, status, error] of REFUSED_REFUNDS) {
  test(`a refund ${what} is ${status}`, async (t) => {
    const { send, said } = await startCompat(t);
    if (outcome !== undefined) said.refund = outcome;
    assertRefused(await send("POST", "/refunds", { form: `payment_intent=${INTENT_ID}` }), status, error);
  });
}

test("a charge under dispute says so by itself, in the list, and as the latest charge of its intent", async (t) => {
  const { send, records, disputed } = await startCompat(t);
  records.set(INTENT_ID, PAID);
  const charges = async () => {
    const [one, listed, expanded] = await Promise.all([
      send("GET", `/charges/${CHARGE_ID}`),
      send("GET", `/charges?payment_intent=${INTENT_ID}`),
      send("GET", `/payment_intents/${INTENT_ID}?expand[]=latest_charge`),
    ]);
    return [one.body, listOf(member(listed.body, "data"))[0], member(expanded.body, "latest_charge")].map((charge) =>
      member(charge, "disputed"),
    );
  };
  assert.deepEqual(await charges(), [false, false, false]);
  disputed.add(`SHOP-002/${PAID.attempts[0]?.txId}`);
  assert.deepEqual(await charges(), [false, false, false], "another merchant's payment of the same name");
  disputed.add(`SHOP-001/${PAID.attempts[0]?.txId}`);
  assert.deepEqual(await charges(), [true, true, true]);
});

test("a refund is asked for by the intent or the charge, and answered as it stands", async (t) => {
  const { send, said, asked, records } = await startCompat(t);
  for (const state of ["done", "requested"] as const) {
    const record = refundedIntent(state);
    const [paid] = record.attempts;
    const [refund] = record.refunds;
    assert.ok(paid !== undefined && refund !== undefined);
    said.refund = { type: "refunded", intent: record, attempt: paid, refund };
    const form = "reason=requested_by_customer&metadata[a]=1&amount=1099&expand[]=payment_intent.latest_charge";
    const answer = await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&${form}` });
    assertMatches(answer, {
      status: 200,
      body: { id: REFUND_ID, status: state === "done" ? "succeeded" : "pending", payment_intent: { latest_charge: { id: CHARGE_ID } } },
    });
    records.set(INTENT_ID, record);
  }
  assertMatches(asked[0]?.slice(1, 3), [
    { chargeId: CHARGE_ID },
    { amountMinor: 1_099, reason: "requested_by_customer", metadata: { a: "1" } },
  ]);
  assertMatches((await send("GET", `/refunds/${REFUND_ID}?expand[]=charge`)).body, { id: REFUND_ID, charge: { id: CHARGE_ID } });
  assertMatches((await send("GET", `/refunds?payment_intent=${INTENT_ID}`)).body, { object: "list", url: "/v1/refunds", data: [] });
  assertRefused(await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&payment_intent=${INTENT_ID}` }), 400, { param: "charge" });
  assertRefused(await send("POST", "/refunds", { form: "" }), 400, { code: "parameter_missing", param: "payment_intent" });
  assertRefused(await send("POST", "/refunds", { form: `charge=${CHARGE_ID}&reverse_transfer=true` }), 400, { param: "reverse_transfer" });
});

test("of a charge its description and metadata are changed, of a refund its metadata", async (t) => {
  const { send, asked, names, records } = await startCompat(t);
  records.set(INTENT_ID, refundedIntent("done"));
  const charge = await send("POST", `/charges/${CHARGE_ID}`, {
    form: "metadata[a]=1&metadata[b]=&description=Mine&expand[]=payment_intent",
  });
  assertMatches(charge, { status: 200, body: { id: CHARGE_ID, object: "charge", payment_intent: { id: INTENT_ID } } });
  assert.deepEqual(asked.at(-1)?.[1], { description: "Mine", metadata: { a: "1", b: null } });
  const refund = await send("POST", `/refunds/${REFUND_ID}`, { form: "metadata=" });
  assertMatches(refund, { status: 200, body: { id: REFUND_ID, object: "refund" } });
  assert.deepEqual(asked.at(-1)?.slice(0, 2), ["updateRefund", "clear"]);
  const before = names().length;
  // Without anything to change they are just answered.
  assertMatches(await send("POST", `/refunds/${REFUND_ID}`, { form: "" }), { status: 200, body: { id: REFUND_ID } });
  assertMatches(await send("POST", `/charges/${CHARGE_ID}`, { form: "receipt_email=a@b.example" }), {
    status: 200,
    body: { id: CHARGE_ID },
  });
  assert.equal(names().length, before);
  for (const kind of ["charge", "refund"]) {
    const path = `/${kind}s/${kind.slice(0, 2)}_zzzzzzzzzzzzzzzzzzzzzzzz`;
    for (const form of ["", "metadata[a]=1"]) {
      assertRefused(await send("POST", path, { form }), 404, { code: "resource_missing", param: kind });
    }
    const real = kind === "charge" ? CHARGE_ID : REFUND_ID;
    assertRefused(await send("POST", `/${kind}s/${real}`, { form: "metadata[a]=1", key: "sk_merchant_other" }), 404, {});
  }
  assertRefused(await send("POST", `/refunds/${REFUND_ID}`, { form: "amount=5" }), 400, { code: "parameter_unknown", param: "amount" });
});

test("too many keys of metadata are told by the member's name, wherever the engine finds them", async (t) => {
  const { send, said, records } = await startCompat(t);
  records.set(INTENT_ID, refundedIntent("done"));
  const tooMany = { type: "too_many_keys", intent: PAID } as const;
  Object.assign(said, { update: tooMany, capture: tooMany, updateCharge: tooMany, updateRefund: tooMany });
  for (const path of [
    `/payment_intents/${INTENT_ID}`,
    `/payment_intents/${INTENT_ID}/capture`,
    `/charges/${CHARGE_ID}`,
    `/refunds/${REFUND_ID}`,
  ]) {
    assertRefused(await send("POST", path, { form: "metadata[a]=1" }), 400, { type: "invalid_request_error", param: "metadata" });
  }
});
