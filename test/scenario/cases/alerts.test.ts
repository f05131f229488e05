import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { SANDBOX_OWNER } from "../../../infra/node/boot/sandbox-names.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { assertRefused, BASE, DisputeWorld } from "./dispute-world.ts";

const HOUR_MS = 3_600_000;

const SMALL = { id: "small", amountMaxMinor: 2_000, sources: ["ETHOCA", "CDRN"], categories: null, methods: null };
const RULES = { enabled: true, currency: "EUR", rules: [SMALL], dailyCountMax: 100, dailyAmountMaxMinor: 10_000_000 };

let gateway: TestGateway;
let relay: Relay;
let world: DisputeWorld;

async function save(rules: object): Promise<void> {
  const { body } = await world.shop.get(`${BASE}/alert-rules`);
  const saved = await world.shop.send(`${BASE}/alert-rules`, { method: "PUT", body: { ...rules, seen: member(body, "data", "version") } });
  assert.equal(saved.status, 200, saved.text);
}

const refundAlert = (id: string, key: string | null = null) =>
  world.shop.post(`${BASE}/alerts/${id}/refund`, undefined, key === null ? {} : { "idempotency-key": key });

describe("the pre-dispute alerts", () => {
  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
    world = new DisputeWorld(relay, gateway);
    await world.unlimited();
  });
  beforeEach(() => world.another());
  afterEach(async () => {
    world.another();
    await gateway.faults({ outage: "none" });
    await save({ ...RULES, enabled: false });
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  test("receives an alert once, lists it among disputes, and refunds it once however often this is requested", async () => {
    const uuid = await world.paid();
    const given = world.noticeOf({ uuid });
    const administrator = relay.administrator();
    const fed = await administrator.post("/admin/alerts", given);
    assertMatches(fed, { status: 201, body: { data: { state: "PENDING", uuid, method: "PAYBYLINK", rule: null } } });
    const id = textMember(fed.body, "data", "id");
    assert.deepEqual((await administrator.post("/admin/alerts", given)).body, fed.body);
    assert.equal((await administrator.post("/admin/alerts", { ...given, amountMinor: 1 })).status, 409);
    assertMatches(await world.alert(id), { id, state: "PENDING", answerable: true, refund: null, end: null });
    for (const query of ["status=ALERT", `q=${id}`, `q=${uuid}`, "dueWithinDays=2", "category=FRAUD"]) {
      const listed = await world.shop.get(`${BASE}/disputes?${query}`);
      assertMatches(listed, { body: { data: { items: [{ kind: "alert", id, status: "ALERT", network: "ETHOCA" }] } } });
    }
    assertMatches(await world.shop.get(`${BASE}/alerts?order=due`), { body: { data: { items: [{ id }] } } });
    assertMatches(await administrator.get(`/admin/search?uuid=${id}`), { body: { data: { items: [{ kind: "alert", id }] } } });
    await eventually(async () => {
      world.another();
      const tasks = listOf(member((await world.shop.get(`${BASE}/overview`)).body, "data", "tasks"));
      assert.ok(tasks.some((task) => textMember(task, "kind") === "alert_pending" && textMember(task, "subject") === id));
    });
    const before = gateway.answers("refund");
    const answers = await Promise.all([relay.uuid(), relay.uuid(), relay.uuid()].map((key) => refundAlert(id, key)));
    assert.ok(
      answers.some(({ status }) => status === 200),
      answers.map(({ text }) => text).join("\n"),
    );
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, "outcome_unknown");
    assert.equal(gateway.answers("refund") - before, 1);
    assertMatches(await refundAlert(id), {
      status: 200,
      body: { data: { state: "REFUNDED", refund: { state: "done", moved: true, by: "API key" } } },
    });
    assertRefused(await world.shop.post(`${BASE}/alerts/${id}/decline`), "not_pending");
    assertMatches(await gateway.payment(uuid), { refundedValue: 1_050 });
    assertMatches(await world.shop.get(`${BASE}/disputes?q=${id}`), { body: { data: { items: [] } } });
    await eventually(async () => {
      world.another();
      assertMatches(await world.shop.get(`${BASE}/transactions/${uuid}`), {
        body: { data: { alerts: [{ id, state: "REFUNDED" }], refund: { possible: false, reason: "already_refunded" } } },
      });
    });
  });

  test("marks an alert as REFUNDED without the gateway if its payment was refunded before", async () => {
    const uuid = await world.paid();
    assert.equal((await world.refund(uuid)).status, 200);
    const id = await world.alerted({ uuid });
    const before = gateway.answers("refund");
    assertMatches(await refundAlert(id), { status: 200, body: { data: { state: "REFUNDED", refund: { moved: false } } } });
    assert.equal(gateway.answers("refund"), before);
  });

  test("has a separate code for each reason that prevents a refund", async () => {
    assertRefused(await refundAlert(await world.alerted()), "no_payment");
    const uuid = await world.paid();
    assertRefused(await refundAlert(await world.alerted({ uuid, source: "RDR" })), "network_refunds");
    const disputed = await world.paid();
    const alerted = await world.alerted({ uuid: disputed });
    const dispute = await world.disputed({ uuid: disputed, alertId: alerted });
    assertRefused(await refundAlert(alerted), "under_dispute");
    assertMatches(await world.dispute(dispute), { alertId: alerted });
    assertRefused(await refundAlert("al_000000000000000000000000"), "not_found", 404);
    assert.equal((await relay.administrator().post("/admin/alerts", world.noticeOf({ uuid: "nothing" }))).status, 404);
  });

  test("declines an alert, ends it at its deadline, or lets the network resolve or withdraw it", async () => {
    const declined = await world.alerted();
    const answer = await world.shop.post(`${BASE}/alerts/${declined}/decline`, { reason: "The customer has the goods" });
    assertMatches(answer, {
      status: 200,
      body: { data: { state: "DECLINED", end: { by: "merchant", reason: "The customer has the goods" } } },
    });
    assertRefused(await refundAlert(declined), "not_pending");
    const administrator = relay.administrator();
    const [resolved, none, late] = [await world.alerted(), await world.alerted(), await world.alerted()];
    assertMatches(await administrator.post(`/admin/alerts/${resolved}/resolve`), { status: 200, body: { data: { state: "PREVENTED" } } });
    assertMatches(await administrator.post(`/admin/alerts/${none}/invalid`), {
      status: 200,
      body: { data: { state: "DECLINED", endedBy: "invalid" } },
    });
    assert.equal((await administrator.post(`/admin/alerts/${resolved}/invalid`)).status, 409);
    await relay.restart(async () => {
      relay.advance(24 * HOUR_MS + 1);
    });
    world.another();
    assertRefused(await refundAlert(late), "not_pending");
    assertMatches(await world.alert(late), { state: "DECLINED", end: { by: "deadline" } });
    assertMatches(await world.shop.get(`${BASE}/disputes/stats`), {
      body: { data: { alerts: { counts: { PREVENTED: 1 }, complete: true } } },
    });
  });

  test("refunds matching alerts by a rule, as a whole and once, but not those that the network refunds", async () => {
    await save(RULES);
    const before = gateway.answers("refund");
    const [small, large, rdr] = [await world.paid(), await world.paid(2_001), await world.paid()];
    const matched = await world.alerted({ uuid: small });
    await world.alertBecomes(matched, {
      state: "REFUNDED",
      rule: "small",
      refund: { state: "done", moved: true, byType: "rule", by: "small" },
    });
    const beyond = await world.alerted({ uuid: large, amountMinor: 2_001 });
    const ofNetwork = await world.alerted({ uuid: rdr, source: "RDR" });
    // Half of the payment is disputed, so a whole refund would exceed the rule's decision.
    const partly = await world.alerted({ uuid: large, amountMinor: 1_000 });
    await world.alertBecomes(partly, { state: "PENDING", refund: { state: "refused", detail: "amount_differs" } });
    assertMatches(await relay.administrator().post(`/admin/alerts/${ofNetwork}/resolve`), { body: { data: { state: "PREVENTED" } } });
    assertMatches(await world.alert(beyond), { state: "PENDING", rule: null, refund: null });
    assert.equal(gateway.answers("refund") - before, 1);
    assertMatches(await gateway.payment(small), { refundedValue: 1_050 });
  });

  test("leaves a payment under dispute, and one over the daily limit, to people", async () => {
    await save({ ...RULES, dailyCountMax: 1_000, dailyAmountMaxMinor: 1 });
    const capped = await world.alerted({ uuid: await world.paid() });
    assertMatches(await world.alert(capped), { state: "PENDING", ruleHeld: "daily_cap", refund: null });
    await save(RULES);
    const uuid = await world.paid();
    await world.disputed({ uuid });
    assertMatches(await world.alert(await world.alerted({ uuid })), { state: "PENDING", ruleHeld: "under_dispute", refund: null });
  });

  test("learns the outcome of a rule's refund whose response was lost, and does not refund again", async () => {
    await save(RULES);
    const uuid = await world.paid();
    await gateway.faults({ outage: "drop_answer", outageOf: ["refund"] });
    const id = await world.alerted({ uuid });
    await eventually(async () => assertMatches(await gateway.payment(uuid), { refundedValue: 1_050 }));
    assertMatches(await world.alert(id), { state: "AUTO_REFUND", refund: { state: "requested" } });
    assertRefused(await refundAlert(id), "outcome_unknown");
    assertRefused(await world.shop.post(`${BASE}/alerts/${id}/decline`), "outcome_unknown");
    await gateway.faults({ outage: "none" });
    for (let minutes = 0; minutes < 10; minutes += 1) {
      relay.advance(60_000);
      await gateway.advance(60_000);
      const found = await eventually(async () => {
        world.another();
        assertMatches(await world.alert(id), { state: "REFUNDED", refund: { state: "done" } });
      }, 1_500).then(
        () => true,
        () => false,
      );
      if (found) break;
    }
    assertMatches(await world.alert(id), { state: "REFUNDED", refund: { state: "done", moved: true } });
    assertMatches(await gateway.payment(uuid), { refundedValue: 1_050 });
  });

  test("tests rules on earlier alerts, saves them with a fresh factor, and never overwrites another user's change", async () => {
    const other = await newMerchant(relay);
    const shop = relay.client({ authorization: `Bearer ${other.secretKey}` });
    assertMatches(await shop.get(`${BASE}/alert-rules`), { body: { data: { enabled: false, rules: [], version: 0, updatedBy: null } } });
    const saved = await shop.send(`${BASE}/alert-rules`, { method: "PUT", body: { ...RULES, seen: 0 } });
    assertMatches(saved, { status: 200, body: { data: { enabled: true, rules: [SMALL], updatedBy: "API key" } } });
    const stale = await shop.send(`${BASE}/alert-rules`, { method: "PUT", body: { ...RULES, seen: 0 } });
    assertRefused(stale, "conflict");
    for (const wrong of [
      { rules: [] },
      { rules: [SMALL, SMALL] },
      { rules: [{ ...SMALL, sources: ["RDR"] }] },
      { rules: [{ ...SMALL, amountMaxMinor: 0 }] },
      { dailyCountMax: 0 },
      { currency: "XYZ" },
      { surprise: true },
    ]) {
      const answer = await shop.send(`${BASE}/alert-rules`, {
        method: "PUT",
        body: { ...RULES, ...wrong, seen: member(saved.body, "data", "version") },
      });
      assert.equal(answer.status, 400, JSON.stringify(wrong));
    }

    const owner = new PortalPerson(relay, SANDBOX_OWNER.email);
    owner.scan(SANDBOX_OWNER.totpSecret);
    assert.equal((await owner.signIn(SANDBOX_OWNER.password)).status, 200);
    relay.advance(11 * 60_000);
    const { body } = await owner.send("GET", "/alert-rules");
    const version = member(body, "data", "version");
    assertMatches(await owner.send("PUT", "/alert-rules", { ...RULES, seen: version }), {
      status: 403,
      body: { code: "step_up_required" },
    });
    const alert = await world.alerted({ uuid: await world.paid() });
    assertMatches(await owner.send("POST", `/alerts/${alert}/refund`), { status: 403, body: { code: "step_up_required" } });
    const tried = await owner.send("POST", "/alert-rules/dry-run", { ...RULES, enabled: false });
    assertMatches(tried, { status: 200, body: { data: { complete: true } } });
    assertMatches(listOf(member(tried.body, "data", "items"))[0], { alert: { id: alert }, rule: "small", capped: false });
    const capped = await owner.send("POST", "/alert-rules/dry-run", { ...RULES, dailyCountMax: 1, dailyAmountMaxMinor: 1 });
    const all = listOf(member(tried.body, "data", "items")).length;
    assertMatches(capped.body, { data: { refunded: 0, refundedMinor: 0, capped: all } });
    assert.equal((await owner.send("POST", "/session/step-up", { code: owner.code() })).status, 200);
    assertMatches(await owner.send("PUT", "/alert-rules", { ...RULES, enabled: false, seen: version }), {
      status: 200,
      body: { data: { updatedBy: SANDBOX_OWNER.email } },
    });
  });

  test("hides alerts from other merchants", async () => {
    const id = await world.alerted();
    const other = await newMerchant(relay);
    const stranger = relay.client({ authorization: `Bearer ${other.secretKey}` });
    assertRefused(await stranger.get(`${BASE}/alerts/${id}`), "not_found", 404);
    for (const what of ["refund", "decline"]) assertRefused(await stranger.post(`${BASE}/alerts/${id}/${what}`), "not_found", 404);
    assertMatches(await stranger.get(`${BASE}/alerts`), { body: { data: { items: [] } } });
    assertMatches(await stranger.get(`${BASE}/disputes?q=${id}`), { body: { data: { items: [] } } });
    assertMatches(await world.alert(id), { state: "PENDING" });
  });
});
