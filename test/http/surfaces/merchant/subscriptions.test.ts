import assert from "node:assert/strict";
import { test } from "node:test";
import { DateTime } from "luxon";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { subscriptionObject } from "../../../../http/surfaces/merchant/subscriptions/schemas.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../engine/subscriptions/world.ts";
import { assertMatches, listOf, member, textMember } from "../../../support/http/matches.ts";
import { CUSTOMER, MONTHLY, msOf, open, ROLES, type World, ZONE } from "./subscriptions-world.ts";

const local = (iso: string) => DateTime.fromISO(iso, { zone: ZONE }).toFormat("yyyy-MM-dd HH:mm");

async function pastDue(world: World): Promise<string> {
  const id = textMember(await world.create(), "id");
  world.engine.charges.card = "soft";
  await world.engine.until(msOf("2026-02-28T09:00"));
  assertMatches(await world.data("OWNER", "GET", `/subscriptions/${id}`), { state: "PAST_DUE" });
  return id;
}

const CALLS = [
  { method: "GET", path: "/plans", body: undefined, may: "look" },
  { method: "POST", path: "/plans", body: MONTHLY, may: "operate" },
  { method: "GET", path: "/plans/{plan}", body: undefined, may: "look" },
  { method: "PATCH", path: "/plans/{plan}", body: { active: true }, may: "operate" },
  { method: "GET", path: "/subscriptions", body: undefined, may: "look" },
  { method: "POST", path: "/subscriptions", body: { planId: "{plan}", customer: CUSTOMER }, may: "operate" },
  { method: "GET", path: "/subscriptions/{subscription}", body: undefined, may: "look" },
  { method: "GET", path: "/dunning", body: undefined, may: "look" },
  { method: "PUT", path: "/dunning", body: { retryDays: [2, 4], finalAction: "PAUSE", mails: true }, may: "configure" },
] as const;

for (const { method, path, body, may } of CALLS) {
  test(`${method} ${path}: nobody, and roles that may not, are refused; all others and the key are answered`, async (t) => {
    const world = await open(t);
    const planId = await world.plan();
    const id = textMember(await world.create(), "id");
    const named = path.replace("{plan}", planId).replace("{subscription}", id);
    const sent = body === undefined ? undefined : (JSON.parse(JSON.stringify(body).replace("{plan}", planId)) as unknown);
    assertMatches(await world.send("nobody", method, named, sent), { status: 401, body: { code: "unauthorized" } });
    assert.ok((await world.send("key", method, named, sent)).status < 300);
    for (const role of ROLES) {
      const answer = await world.send(role, method, named, sent);
      if (!rolesThatMay(may).includes(role)) assertMatches(answer, { status: 403, body: { status: "error", code: "role" } });
      else if (method === "PUT" && role === "ADMIN") assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
      else assert.ok(answer.status < 300, `${role}: ${answer.text}`);
    }
  });
}

for (const change of ["cancel", "pause", "resume", "retry"]) {
  test(`${change} is for those who operate, and of another merchant there is nothing to ${change}`, async (t) => {
    const world = await open(t);
    const id = await pastDue(world);
    if (change === "resume") await world.data("OWNER", "POST", `/subscriptions/${id}/pause`);
    for (const role of ["DEVELOPER", "VIEWER"] as const) {
      assertMatches(await world.send(role, "POST", `/subscriptions/${id}/${change}`), { status: 403, body: { code: "role" } });
    }
    assertMatches(await world.send("other key", "POST", `/subscriptions/${id}/${change}`), { status: 404, body: { code: "not_found" } });
    assert.equal((await world.send("FINANCE", "POST", `/subscriptions/${id}/${change}`)).status, 200);
  });
}

test("what is another merchant's is not there for a merchant, by its true id", async (t) => {
  const { send, create, data } = await open(t);
  const { id, planId } = (await create()) as { id: string; planId: string };
  for (const path of [`/plans/${planId}`, `/subscriptions/${id}`]) {
    assertMatches(await send("other key", "GET", path), { status: 404, body: { code: "not_found" } });
  }
  assertMatches(await send("other key", "PATCH", `/plans/${planId}`, { active: false }), { status: 404 });
  assertMatches(await send("other key", "DELETE", `/plans/${planId}`), { status: 404 });
  assertMatches(await send("other key", "POST", "/subscriptions", { planId, customer: CUSTOMER }), {
    status: 409,
    body: { code: "no_plan" },
  });
  assert.deepEqual(await data("other key", "GET", "/plans"), { items: [], collections: ["LINK", "CARD"] });
  assert.deepEqual(await data("other key", "GET", `/subscriptions?planId=${planId}`), { items: [], next: null });
  await send("key", "PUT", "/dunning", { retryDays: [2], finalAction: "STAY", mails: false });
  assert.deepEqual(await data("other key", "GET", "/dunning"), { retryDays: [1, 3, 5, 7], finalAction: "CANCEL", mails: true });
});

test("from 31 January the card is charged on 28 February and 31 March at nine, and the payments are shown", async (t) => {
  const { data, create, engine } = await open(t);
  const created = await create();
  const id = textMember(created, "id");
  assertMatches(created, { state: "ACTIVE", cycle: 1, unpaid: null, dunning: null, charges: [{ cycle: 1, state: "PAID" }] });
  for (const day of ["2026-02-28", "2026-03-31"]) {
    const nextDueAt = textMember(await data("OWNER", "GET", `/subscriptions/${id}`), "nextDueAt");
    assert.equal(local(nextDueAt), `${day} 09:00`);
    await engine.until(Date.parse(nextDueAt));
  }
  const shown = await data("OWNER", "GET", `/subscriptions/${id}`);
  const charges = listOf(member(shown, "charges"));
  assert.deepEqual(
    charges.map((charge) => [member(charge, "cycle"), member(charge, "state"), local(textMember(charge, "periodFrom"))]),
    [
      [3, "PAID", "2026-03-31 09:00"],
      [2, "PAID", "2026-02-28 09:00"],
      [1, "PAID", "2026-01-31 15:00"],
    ],
  );
  assertMatches(shown, { state: "ACTIVE", cycle: 3, chargesNext: null });
  assert.equal(listOf(member(await data("OWNER", "GET", `/subscriptions/${id}?beforeCycle=3`), "charges")).length, 2);
  assert.equal(engine.charges.done().length, 3);
});

test("fail, fail, recover: the calendar of retries is shown, the customer is written to each time, and it is active again", async (t) => {
  const world = await open(t);
  const { data, engine } = world;
  const id = await pastDue(world);
  const failed = await data("OWNER", "GET", `/subscriptions/${id}`);
  assertMatches(failed, {
    unpaid: { amountMinor: 2_900, currency: "EUR", code: "declined_soft", message: "no", hard: false },
    dunning: { means: "CARD", finalAction: "CANCEL", stays: false, mails: true },
  });
  const steps = listOf(member(failed, "dunning", "steps"));
  const failedAtMs = Date.parse(textMember(failed, "dunning", "failedAt"));
  assert.deepEqual(
    steps.map((step) => [(Date.parse(textMember(step, "at")) - failedAtMs) / DAY_MS, member(step, "made")]),
    [
      [1, false],
      [3, false],
      [5, false],
      [7, false],
    ],
  );
  assert.equal(member(failed, "nextRetryAt"), member(steps[0], "at"));
  await engine.until(failedAtMs + DAY_MS);
  const again = await data("OWNER", "GET", `/subscriptions/${id}`);
  assertMatches(again, { state: "PAST_DUE", dunning: { steps: [{ made: true }, { made: false }, { made: false }, { made: false }] } });
  assert.equal(listOf(member(listOf(member(again, "charges"))[0], "attempts")).length, 2);
  engine.charges.card = "good";
  await engine.until(failedAtMs + 3 * DAY_MS);
  assertMatches(await data("OWNER", "GET", `/subscriptions/${id}`), { state: "ACTIVE", unpaid: null, dunning: null, nextRetryAt: null });
  assert.deepEqual(await engine.mails(), ["failed 2", "step 2", "recovered 2"]);
  assert.deepEqual(await engine.told(id), [
    ...["created", "renewed", "payment_failed", "past_due", "payment_failed", "renewed", "recovered"],
  ]);
  assert.equal(engine.charges.done().length, 2);
});

test("a subscription that is cancelled is charged no more, and one that ends later goes on until then unless that is taken back", async (t) => {
  const world = await open(t);
  const { data, send, engine } = world;
  const id = await pastDue(world);
  const asked = engine.charges.charges.size;
  const key = { "idempotency-key": "cancel-1" };
  const cancel = () => world.send("OWNER", "POST", `/subscriptions/${id}/cancel`, { atPeriodEnd: false }, key);
  const cancelled = await cancel();
  assertMatches(cancelled, {
    status: 200,
    body: { data: { state: "CANCELLED", cancelledBy: "merchant", nextDueAt: null, nextRetryAt: null } },
  });
  assert.equal((await cancel()).text, cancelled.text);
  await engine.until(engine.clock.nowMs() + 10 * DAY_MS);
  assert.equal(engine.charges.charges.size, asked);
  for (const change of ["cancel", "pause", "resume", "retry"]) {
    assertMatches(await send("OWNER", "POST", `/subscriptions/${id}/${change}`), { status: 409, body: { code: "not_in_state" } });
  }

  engine.charges.card = "good";
  const later = textMember(await world.create(), "id");
  assertMatches(await data("OWNER", "POST", `/subscriptions/${later}/cancel`, { atPeriodEnd: true }), {
    ...{ state: "ACTIVE", cancelsAtPeriodEnd: true, cancelledBy: "merchant", nextDueAt: null },
  });
  assertMatches(await data("OWNER", "POST", `/subscriptions/${later}/resume`), { cancelsAtPeriodEnd: false, cancelledBy: null });
  await data("OWNER", "POST", `/subscriptions/${later}/cancel`, { atPeriodEnd: true });
  const { period } = await engine.of(later);
  await engine.until(period.untilMs);
  assertMatches(await data("OWNER", "GET", `/subscriptions/${later}`), { state: "CANCELLED", cycle: 1 });
});

test("retry now charges the card, once in an hour, which is told apart from limits of requests", async (t) => {
  const world = await open(t);
  const { send, data, engine } = world;
  const id = await pastDue(world);
  assertMatches(await data("OWNER", "POST", `/subscriptions/${id}/retry`), {
    state: "PAST_DUE",
    charges: [{ attempts: [{}, { state: "failed" }] }, {}],
  });
  engine.charges.card = "good";
  await engine.pass(10 * MINUTE_MS, MINUTE_MS);
  const early = await send("OWNER", "POST", `/subscriptions/${id}/retry`, undefined, { "idempotency-key": "retry-1" });
  assertMatches(early, { status: 409, body: { code: "too_soon" } });
  assert.equal(early.headers.get("retry-after"), String(50 * 60));
  const retryFrom = textMember(await data("OWNER", "GET", `/subscriptions/${id}`), "retryFrom");
  assert.equal(Date.parse(retryFrom), engine.clock.nowMs() + 50 * MINUTE_MS);
  await engine.pass(HOUR_MS, 10 * MINUTE_MS);
  // The key was not spent by the refusal.
  const retried = await send("OWNER", "POST", `/subscriptions/${id}/retry`, undefined, { "idempotency-key": "retry-1" });
  assertMatches(retried, { status: 200, body: { data: { state: "ACTIVE" } } });
});

test("while nobody says whether the customer was charged nothing else is asked for, and that is said", async (t) => {
  const world = await open(t);
  const { send, data, engine } = world;
  const id = textMember(await world.create(), "id");
  engine.charges.line = "lost";
  engine.charges.isMute = true;
  await engine.until(msOf("2026-02-28T09:00"));
  assertMatches(await data("OWNER", "GET", `/subscriptions/${id}`), {
    state: "ACTIVE",
    charges: [{ attempts: [{ state: "unknown" }] }, {}],
  });
  await data("OWNER", "POST", `/subscriptions/${id}/pause`);
  const resumed = await send("OWNER", "POST", `/subscriptions/${id}/resume`);
  assertMatches(resumed, { status: 409, body: { code: "outcome_unknown" } });
  assert.ok(Number(resumed.headers.get("retry-after")) > 0);
  engine.charges.isMute = false;
  await engine.pass(2 * DAY_MS, HOUR_MS);
  assertMatches(await data("OWNER", "POST", `/subscriptions/${id}/resume`), { state: "ACTIVE" });
  assert.equal(engine.charges.done().length, 2, "what got lost was charged once");
});

test("names and addresses of people are masked for those who do not see personal data, and the customer's page is not theirs", async (t) => {
  const { send, create } = await open(t);
  const id = textMember(await create(), "id");
  for (const [who, name, email, url, createdBy] of [
    ["OWNER", "Ada Rossi", "ada@example.org", /^https:\/\/relay\.example\/s\/[A-Za-z0-9]{22}$/, "owner@shop.example"],
    ["key", "Ada Rossi", "ada@example.org", /^https:/, "owner@shop.example"],
    ["VIEWER", "A***", "a***@example.org", null, "o***@shop.example"],
    ["DEVELOPER", "A***", "a***@example.org", null, "o***@shop.example"],
  ] as const) {
    const expected = { customer: { name, email }, url, createdBy, creator: "user" };
    assertMatches((await send(who, "GET", `/subscriptions/${id}`)).body, { data: expected });
    assertMatches((await send(who, "GET", "/subscriptions")).body, { data: { items: [expected], next: null } });
  }
  assertMatches(await send("VIEWER", "GET", "/subscriptions?customerEmail=ada@example.org"), { status: 403, body: { code: "role" } });
  const found = async (query: string) =>
    listOf(member((await send("FINANCE", "GET", `/subscriptions?${query}`)).body, "data", "items")).length;
  assert.deepEqual(
    [await found("customerEmail=ADA@example.org"), await found("customerEmail=eve@example.org"), await found("state=ACTIVE")],
    [1, 0, 1],
  );
  assert.deepEqual([await found("state=PAUSED"), await found("from=2026-01-31&to=2026-01-31"), await found("from=2026-02-01")], [0, 1, 0]);
});

test("a plan is created with its defaults, deactivated, and removed only where it was never used", async (t) => {
  const { send, data, create, engine } = await open(t);
  assertMatches(await data("OWNER", "POST", "/plans", MONTHLY), { currency: "EUR", count: 1, trialDays: 0, active: true, used: false });
  const { id, planId } = (await create({ trialDays: 7 })) as { id: string; planId: string };
  assertMatches(await data("OWNER", "GET", `/plans/${planId}`), { used: true, trialDays: 7 });
  assertMatches(await send("OWNER", "DELETE", `/plans/${planId}`), { status: 409, body: { code: "plan_used" } });
  assertMatches(await data("OWNER", "PATCH", `/plans/${planId}`, { active: false }), { active: false });
  assertMatches(await send("OWNER", "POST", "/subscriptions", { planId, customer: CUSTOMER }), {
    status: 409,
    body: { code: "plan_inactive" },
  });
  assertMatches(await data("OWNER", "GET", `/subscriptions/${id}`), { state: "TRIALING", cycle: 0 });
  const unused = textMember(await data("OWNER", "POST", "/plans", MONTHLY), "id");
  assertMatches(await send("OWNER", "DELETE", `/plans/${unused}`), { status: 200, body: { data: { id: unused } } });
  assertMatches(await send("OWNER", "GET", `/plans/${unused}`), { status: 404 });
  engine.circumstances.isInactive = true;
  const other = textMember(await data("OWNER", "POST", "/plans", MONTHLY), "id");
  assertMatches(await send("OWNER", "POST", "/subscriptions", { planId: other, customer: CUSTOMER }), {
    status: 409,
    body: { code: "inactive" },
  });
});

test("the same request with its key makes one plan and one subscription", async (t) => {
  const { send, plan, engine } = await open(t);
  const key = { "idempotency-key": "same" };
  const plans = [await send("key", "POST", "/plans", MONTHLY, key), await send("key", "POST", "/plans", MONTHLY, key)];
  assert.equal(plans[0]?.text, plans[1]?.text);
  const order = { planId: await plan(), customer: CUSTOMER, collection: "CARD", methodId: "card_1" };
  const made = [await send("key", "POST", "/subscriptions", order, key), await send("key", "POST", "/subscriptions", order, key)];
  assert.equal(made[0]?.text, made[1]?.text);
  assert.equal(engine.charges.charges.size, 1);
});

test("what is not as declared is refused, and nothing is asked for", async (t) => {
  const { send, plan, engine } = await open(t);
  const planId = await plan();
  for (const [members, named] of [
    [{ amountMinor: 0 }, /amountMinor/],
    [{ amountMinor: 1.5 }, /amountMinor/],
    [{ currency: "EUX" }, /currency/],
    [{ name: "" }, /name/],
    [{ interval: "DAY" }, /interval/],
    [{ interval: "YEAR", count: 4 }, /count/],
    [{ trialDays: -1 }, /trialDays/],
    [{ merchantId: "M2" }, /merchantId/],
  ] as const) {
    const answer = await send("OWNER", "POST", "/plans", { ...MONTHLY, ...members });
    assertMatches(answer, { status: 400, body: { code: "invalid_request", error: named } });
  }
  for (const [members, named] of [
    [{ planId: "plan_1" }, /planId/],
    [{ customer: { ...CUSTOMER, email: "nobody" } }, /email/],
    [{ customer: { ...CUSTOMER, name: "" } }, /name/],
    [{ customer: { ...CUSTOMER, locale: "de" } }, /locale/],
    [{ customer: { ...CUSTOMER, phone: "1" } }, /phone/],
    [{ collection: "CARD" }, /methodId/],
    [{ methodId: "card_1" }, /methodId/],
    [{ collection: "CARD", methodId: "a b" }, /methodId/],
    [{ state: "ACTIVE" }, /state/],
  ] as const) {
    const answer = await send("OWNER", "POST", "/subscriptions", { planId, customer: CUSTOMER, ...members });
    assertMatches(answer, { status: 400, body: { code: "invalid_request", error: named } });
  }
  for (const members of [{ retryDays: [] }, { retryDays: [3, 1] }, { retryDays: [46] }, { finalAction: "BILL" }, { mails: "yes" }]) {
    const policy = { retryDays: [1], finalAction: "CANCEL", mails: true, ...members };
    assertMatches(await send("OWNER", "PUT", "/dunning", policy), { status: 400, body: { code: "invalid_request" } });
  }
  for (const query of ["state=OPEN", "planId=x", "from=2026-02-30", "from=2026-11-02&to=2026-11-01", "limit=0", "cursor=x"]) {
    assertMatches(await send("OWNER", "GET", `/subscriptions?${query}`), { status: 400, body: { code: "invalid_request" } });
  }
  engine.charges.offered = false;
  const card = { planId, customer: CUSTOMER, collection: "CARD", methodId: "card_1" };
  assertMatches(await send("OWNER", "POST", "/subscriptions", card), { status: 400, body: { error: /collection/ } });
  assertMatches(await send("OWNER", "GET", "/plans"), { body: { data: { collections: ["LINK"] } } });
  assert.equal(engine.charges.charges.size + engine.links.links.size, 0);
});

test("the object of events has the money and nothing of the customer or the page's address", async (t) => {
  const { create, engine } = await open(t);
  const record = await engine.of(textMember(await create(), "id"));
  const object = subscriptionObject(record);
  assertMatches(object, {
    ...{ id: record.id, object: "subscription", environment: "TEST", state: "ACTIVE", amountMinor: 2_900, cycle: 1 },
    charge: { cycle: 1, state: "PAID", attempts: [{ means: "CARD", state: "done" }] },
  });
  const text = JSON.stringify(object);
  for (const secret of [record.token, "ada@", "Ada", "card_1"]) assert.ok(!text.includes(secret), secret);
});
