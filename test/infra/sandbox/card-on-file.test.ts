import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { RecurringChargeOrder } from "../../../engine/subscriptions/recurring-charges.ts";
import { createSandboxCharges, mayChargeCards } from "../../../http/gateway/card-on-file.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";

const ORDER: RecurringChargeOrder = {
  ...{ id: "sub-sub_000000000000000000000001-1-1", merchantId: "M1", partnerId: 1, livemode: false },
  ...{ methodId: "card_sandbox_ok", amountMinor: 2_900, currency: "EUR", description: "Gym" },
};
const cycle = (number: number, attempt: number) => `sub-sub_000000000000000000000001-${number}-${attempt}`;
const isAway = (error: unknown) => error instanceof RelayError && error.code === "unavailable";

async function open(t: TestContext) {
  const gateway = await TestGateway.start();
  t.after(() => gateway.stop());
  return { gateway, charges: createSandboxCharges(gateway.url) };
}

test("a charge is made once for its id, however often it is asked for", async (t) => {
  const { gateway, charges } = await open(t);
  const first = await charges.charge(ORDER);
  assertMatches(first, { type: "done" });
  assert.deepEqual(await charges.charge(ORDER), first);
  // Also under another card.
  assert.deepEqual(await charges.charge({ ...ORDER, methodId: "card_sandbox_declined" }), first);
  assert.deepEqual(await charges.verify(ORDER), first);
  assert.deepEqual(await gateway.charges(), [{ id: ORDER.id, type: "done" }]);
});

test("what was said to be absent is never charged, also by a request that comes after that", async (t) => {
  const { gateway, charges } = await open(t);
  assert.deepEqual(await charges.verify(ORDER), { type: "absent" });
  assertMatches(await charges.charge(ORDER), { type: "failed", hard: false, code: "too_late" });
  assert.deepEqual(await charges.verify(ORDER), { type: "absent" });
  assert.deepEqual(await gateway.charges(), [{ id: ORDER.id, type: "absent" }]);
});

for (const { methodId, answers } of [
  { methodId: "card_sandbox_declined", answers: ["soft", "soft", "soft", "soft"] },
  { methodId: "card_sandbox_expired", answers: ["hard", "hard", "hard", "hard"] },
  { methodId: "card_sandbox_recovers", answers: ["done", "soft", "soft", "done"] },
  { methodId: "card_of_nobody", answers: ["hard", "hard", "hard", "hard"] },
]) {
  test(`${methodId} says what is documented`, async (t) => {
    const { charges } = await open(t);
    const said: string[] = [];
    for (const id of [cycle(1, 1), cycle(2, 1), cycle(2, 2), cycle(2, 3)]) {
      const answer = await charges.charge({ ...ORDER, id, methodId });
      said.push(answer.type === "failed" ? (answer.hard ? "hard" : "soft") : answer.type);
    }
    assert.deepEqual(said, answers);
  });
}

test("an answer that gets lost is found out by asking", async (t) => {
  const { gateway, charges } = await open(t);
  const lost = { ...ORDER, methodId: "card_sandbox_lost" };
  await assert.rejects(charges.charge(lost), isAway);
  assertMatches(await charges.verify(lost), { type: "done" });
  await gateway.faults({ outage: "error", outageOf: ["verify"] });
  await assert.rejects(charges.verify(lost), isAway);
  assertMatches(await charges.charge({ ...ORDER, id: cycle(3, 1) }), { type: "done" });
  await gateway.faults({ outage: "drop_answer", outageOf: ["init"] });
  await assert.rejects(charges.charge({ ...ORDER, id: cycle(4, 1) }), isAway);
  assertMatches(await charges.verify({ ...ORDER, id: cycle(4, 1) }), { type: "done" });
  await gateway.faults({ outage: "refuse", outageOf: ["init"] });
  await assert.rejects(charges.charge({ ...ORDER, id: cycle(5, 1) }), isAway);
  assert.deepEqual(await charges.verify({ ...ORDER, id: cycle(5, 1) }), { type: "absent" });
});

test("charges and what was said to be absent are kept over a restart", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "charges-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const first = await TestGateway.start(join(folder, "state"));
  const charged = await createSandboxCharges(first.url).charge(ORDER);
  await createSandboxCharges(first.url).verify({ ...ORDER, id: cycle(2, 1) });
  await first.stop();
  const second = await TestGateway.start(join(folder, "state"));
  t.after(() => second.stop());
  const charges = createSandboxCharges(second.url);
  assert.deepEqual(await charges.charge(ORDER), charged);
  assertMatches(await charges.charge({ ...ORDER, id: cycle(2, 1) }), { type: "failed", code: "too_late" });
});

test("only a gateway of this machine is asked, and what is no charge is refused there", async (t) => {
  const { gateway } = await open(t);
  assert.deepEqual(
    ["http://127.0.0.1:8090", "http://localhost:1", "https://gateway.example", "https://127.0.0.1.example"].map(mayChargeCards),
    [true, true, false, false],
  );
  const post = (body: string, type = "application/json") =>
    fetch(`${gateway.url}/sandbox/charges`, { method: "POST", headers: { "content-type": type }, body });
  const { id, merchantId, methodId, amountMinor, currency } = ORDER;
  const whole = { id, merchantId, methodId, amountMinor, currency };
  for (const body of ["{", "{}", JSON.stringify({ ...whole, amountMinor: 0 }), JSON.stringify({ ...whole, id: "x".repeat(101) })]) {
    assert.equal((await post(body)).status, 400, body);
  }
  // Of a page of another site, which could send no other type without a preflight.
  assert.equal((await post(JSON.stringify(whole), "text/plain")).status, 400);
  assert.deepEqual(await gateway.charges(), []);
});
