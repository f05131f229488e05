import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchingRule } from "../../../engine/alerts/alert-rules.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { settle } from "../world.ts";
import { AlertWorld, OWNER, PARTY, QUERY, RULES } from "./world.ts";

const isError =
  (code: string, begins = "") =>
  (error: unknown) =>
    error instanceof RelayError && error.code === code && error.message.startsWith(begins);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("an alert", () => {
  it("is received once for its source and reference, may be answered for a day, and is hidden from others", async () => {
    const world = new AlertWorld();
    const one = await world.receive();
    assert.deepEqual(await world.receive(), one);
    assert.match(one.id, /^al_[a-z0-9]{24}$/);
    assert.deepEqual([one.state, one.respondByMs - one.createdAtMs, one.rule], ["PENDING", DAY_MS, null]);
    assert.deepEqual(await world.told(one.id), ["created PENDING"]);
    assert.notEqual((await world.receive({ source: "CDRN" })).id, one.id);
    await assert.rejects(() => world.receive({}, { ...PARTY, merchantId: "M2" }), isError("conflict"));
    await assert.rejects(() => world.receive({ amountMinor: 1 }), isError("conflict"));
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal(await world.alerts.find(other, one.id), null);
      assert.equal(await world.alerts.refund(other, one.id, { type: "key" }, world.next()), null);
      assert.equal(await world.alerts.decline(other, one.id, null, { type: "key" }, world.next()), null);
    }
    assert.deepEqual(world.refunds.asked, []);
  });

  it("is rejected with the name of an invalid member", async () => {
    const world = new AlertWorld();
    const bad: [string, object][] = [
      ["source", { source: "X" }],
      ["networkRef", { networkRef: "a/b" }],
      ["uuid", { uuid: "a b" }],
      ["terminalId", { terminalId: "a b" }],
      ["method", { method: "card" }],
      ["category", { category: "X" }],
      ["amountMinor", { amountMinor: 0 }],
      ["currency", { currency: "EURO" }],
      ["respondBy", { respondByMs: world.clock.nowMs() }],
    ];
    for (const [name, change] of bad) {
      const notice = { ...world.notice(), ...change };
      await assert.rejects(() => world.feed.received(PARTY, notice, world.next()), isError("invalid_request", `${name}: `), name);
    }
    assert.deepEqual(world.kv.keys(""), []);
  });

  it("is refunded once, even if several callers request it repeatedly", async () => {
    const world = new AlertWorld(2);
    const { id } = await world.receive();
    const answers = await Promise.all([
      world.refund(id),
      world.shards[1]?.alerts.refund(OWNER, id, { type: "user", userId: "usr_1" }, world.next()),
      world.refund(id),
    ]);
    for (const answer of answers) assert.ok(["refunded", "outcome_unknown"].includes(answer?.type ?? ""), answer?.type);
    assert.equal((await world.refund(id))?.type, "refunded");
    assert.deepEqual([await world.state(id), world.refunds.asked], ["REFUNDED done", ["refund pl_1.1"]]);
    assert.equal(world.refunds.moved.get("pl_1.1"), `alert-${id}`);
    assert.deepEqual(await world.told(id), ["created PENDING", "closed REFUNDED"]);
    assert.equal((await world.alerts.decline(OWNER, id, null, { type: "key" }, world.next()))?.type, "not_pending");
    assert.equal((await world.alert(id)).nextAtMs, null);
  });

  it("moves no money if the whole payment was refunded before", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.moved.set("pl_1.1", "other");
    assert.equal((await world.refund(id))?.type, "refunded");
    const { state, refund } = await world.alert(id);
    assert.deepEqual([state, refund?.moved, world.refunds.moved.get("pl_1.1")], ["REFUNDED", false, "other"]);
  });

  it("rejects a refund because of its payment, its source or its state", async () => {
    const world = new AlertWorld();
    const unknown = await world.receive({ uuid: null });
    assert.equal((await world.refund(unknown.id))?.type, "no_payment");
    const rdr = await world.receive({ source: "RDR" });
    assert.equal((await world.refund(rdr.id))?.type, "network_refunds");
    const declined = await world.receive({ networkRef: "R-2", uuid: "pl_2.1" });
    const decline = () => world.alerts.decline(OWNER, declined.id, " was delivered ", { type: "key" }, world.next());
    assert.deepEqual([(await decline())?.type, (await decline())?.type], ["declined", "declined"]);
    assert.equal((await world.refund(declined.id))?.type, "not_pending");
    assert.equal((await world.alert(declined.id)).end?.reason, "was delivered");
    const disputed = await world.receive({ networkRef: "R-3", uuid: "pl_3.1" });
    await world.disputes.receive({ uuid: "pl_3.1", networkCaseId: "C-3", alertId: disputed.id });
    assert.equal((await world.refund(disputed.id))?.type, "under_dispute");
    await world.disputes.feed.verdict("VISA", "C-3", "WON", world.next());
    assert.equal((await world.refund(disputed.id))?.type, "refunded");
    const late = await world.receive({ networkRef: "R-4", uuid: "pl_4.1" });
    world.clock.advance(DAY_MS);
    assert.equal((await world.refund(late.id))?.type, "not_pending", "also before anybody has looked");
    assert.equal((await world.alert(late.id)).end?.by, "deadline");
    await assert.rejects(
      () => world.alerts.decline(OWNER, late.id, "a".repeat(256), { type: "key" }, world.next()),
      isError("invalid_request", "reason"),
    );
    assert.deepEqual(world.refunds.asked, ["refund pl_3.1"]);
  });

  it("rejects a refund if a dispute of the payment is stored in the same moment", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    // The case is stored after the check of the refund block, and before the commit of the refund.
    world.kv.hold();
    const received = world.disputes.receive();
    await settle();
    const refunded = world.refund(id);
    await settle();
    assert.equal(world.kv.holding, 2);
    world.kv.release();
    assert.equal((await refunded)?.type, "under_dispute");
    assert.equal((await received).state, "OPEN");
    assert.deepEqual(world.refunds.asked, []);
  });

  it("accepts another refund under the same id after a rejection", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.refuses = "not_refundable_here";
    assert.equal((await world.refund(id))?.type, "refused");
    assert.deepEqual([await world.state(id), (await world.alert(id)).refund?.detail], ["PENDING refused", "not_refundable_here"]);
    assert.deepEqual(world.attention(), [], "whoever has asked was told");
    world.refunds.refuses = null;
    assert.equal((await world.refund(id))?.type, "refunded");
    assert.equal((await world.alert(id)).refund?.id, `alert-${id}`);
  });

  it("repeats a refund that never reached the gateway, before the deadline only", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.mode = "unfinished";
    assert.equal((await world.refund(id))?.type, "outcome_unknown");
    await world.pass(61_000);
    assert.deepEqual(world.refunds.asked, ["refund pl_1.1", "verify pl_1.1", "refund pl_1.1"]);
    await world.pass(DAY_MS, 60_000);
    const asked = world.refunds.asked.length;
    await world.pass(DAY_MS, 60_000);
    assert.ok(
      world.refunds.asked.slice(asked).every((one) => one.startsWith("verify")),
      "nothing begins after the deadline",
    );
    assert.equal(await world.state(id), "PENDING requested");
    world.refunds.moved.set("pl_1.1", `alert-${id}`);
    world.refunds.mode = "there";
    await world.pass(13 * HOUR_MS, 60_000);
    assert.equal(await world.state(id), "REFUNDED done");
  });

  it("verifies a refund whose answer was lost, never repeats it, and delays its deadline meanwhile", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.mode = "lost";
    assert.equal((await world.refund(id))?.type, "outcome_unknown");
    assert.equal((await world.alerts.decline(OWNER, id, null, { type: "key" }, world.next()))?.type, "outcome_unknown");
    await world.pass(2 * DAY_MS, 60_000);
    assert.equal(await world.state(id), "PENDING requested");
    assert.deepEqual(world.attention(), [`alert_refund_unknown/TML1/${id}`]);
    world.refunds.mode = "there";
    await world.pass(13 * HOUR_MS, 60_000);
    assert.equal(await world.state(id), "REFUNDED done");
    assert.deepEqual(world.attention(), [], "it is known now");
    assert.equal(world.refunds.asked.filter((what) => what.startsWith("refund")).length, 1);
  });

  it("is refunded by another node if the first one died before it asked the gateway", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.mode = "dead";
    void world.refund(id);
    await world.pass(1_000);
    const after = world.restarted();
    after.refunds.mode = "there";
    await after.pass(70_000);
    assert.equal(await after.state(id), "REFUNDED done");
    assert.deepEqual(after.refunds.asked, ["refund pl_1.1", "verify pl_1.1", "refund pl_1.1"]);
  });

  it("is not refunded if the node was down until the deadline", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.mode = "dead";
    void world.refund(id);
    await world.pass(1_000);
    world.refunds.mode = "there";
    const after = await world.down(DAY_MS);
    assert.equal(await after.state(id), "DECLINED refused");
    assert.deepEqual(after.refunds.asked, ["refund pl_1.1", "verify pl_1.1"]);
    assert.equal(after.refunds.moved.size, 0);
  });

  it("is declined by the deadline, even while no node runs", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    const after = await world.down(DAY_MS);
    const { state, end } = await after.alert(id);
    assert.deepEqual([state, end?.by], ["DECLINED", "deadline"]);
    assert.deepEqual(await after.told(id), ["created PENDING", "closed DECLINED"]);
    assert.deepEqual(after.heard.became, ["expired"]);
  });

  it("accepts one outcome from its source without asking the gateway", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive({ source: "RDR" });
    assert.equal((await world.feed.resolved("RDR", "R-1", world.next()))?.type, "done");
    assert.equal((await world.feed.resolved("RDR", "R-1", world.next()))?.type, "done");
    assert.equal((await world.feed.invalid("RDR", "R-1", world.next()))?.type, "refused");
    assert.deepEqual(await world.told(id), ["created PENDING", "closed PREVENTED"]);
    const none = await world.receive({ networkRef: "R-2", uuid: "pl_2.1" });
    assert.equal((await world.feed.invalid("ETHOCA", "R-2", world.next()))?.type, "done");
    assert.equal((await world.feed.invalid("ETHOCA", "R-2", world.next()))?.type, "done");
    assert.deepEqual([(await world.alert(none.id)).state, (await world.alert(none.id)).end?.by], ["DECLINED", "invalid"]);
    assert.equal(await world.feed.resolved("ETHOCA", "R-9", world.next()), null);
    assert.deepEqual(world.refunds.asked, []);
    assert.deepEqual((await world.alerts.stats(OWNER)).preventionRate, 1, "what was none counts as neither");
  });

  it("notifies operators of money that was or may have been refunded twice", async () => {
    const world = new AlertWorld();
    const paid = await world.receive();
    await world.refund(paid.id);
    await world.feed.resolved("ETHOCA", "R-1", world.next());
    assert.deepEqual(world.attention(), [`alert_refunded_twice/TML1/${paid.id}`]);
    const begun = await world.receive({ networkRef: "R-2", uuid: "pl_2.1" });
    world.refunds.mode = "lost";
    await world.refund(begun.id);
    await world.feed.resolved("ETHOCA", "R-2", world.next());
    world.refunds.mode = "there";
    await world.pass(3 * 60_000);
    assert.equal(await world.state(begun.id), "PREVENTED done");
    assert.deepEqual(world.attention(), [paid, begun].map(({ id }) => `alert_refunded_twice/TML1/${id}`).sort());
  });

  it("is not refunded if it was prevented before its refund began", async () => {
    const world = new AlertWorld();
    const { id } = await world.receive();
    world.refunds.mode = "dead";
    void world.refund(id);
    await world.pass(1_000);
    const after = world.restarted();
    await after.feed.resolved("ETHOCA", "R-1", after.next());
    after.refunds.mode = "there";
    await after.pass(3 * 60_000);
    assert.deepEqual([await after.state(id), after.refunds.moved.size], ["PREVENTED refused", 0]);
  });
});

describe("a set of rules for alerts", () => {
  it("is off at first, and refunds matching alerts once it is on", async () => {
    const world = new AlertWorld();
    assert.deepEqual((await world.alerts.rules(OWNER)).rules.enabled, false);
    assert.equal((await world.receive()).state, "PENDING");
    await world.ruled({ enabled: false });
    assert.equal((await world.receive({ networkRef: "R-2", uuid: "pl_2.1" })).state, "PENDING");
    await world.ruled();
    const { id, state, rule, refund } = await world.receive({ networkRef: "R-3", uuid: "pl_3.1" });
    assert.deepEqual([state, rule, refund?.by], ["REFUNDED", "small", { type: "rule", ruleId: "small" }]);
    assert.deepEqual(await world.told(id), ["created AUTO_REFUND", "closed REFUNDED"]);
    assert.deepEqual(world.refunds.asked, ["refund pl_3.1"]);
    assert.deepEqual(world.heard.became, ["received", "received", "auto_refund", "refunded"]);
    await world.refund((await world.receive()).id);
    assert.deepEqual(
      world.refunds.limits,
      [{ amountMinor: 1_234, currency: "EUR" }, null],
      "a rule decides by the alert's amount, a person by the payment",
    );
  });

  it("counts its decisions of a day over all nodes", async () => {
    const world = new AlertWorld(2);
    await world.ruled({ dailyCountMax: 3 });
    const received = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        world.shards[n % 2]?.feed.received(PARTY, world.notice({ networkRef: `R-${n}`, uuid: `pl_${n}.1` }), world.next()),
      ),
    );
    assert.equal(received.filter((one) => one?.rule === "small").length, 3);
    assert.equal(received.filter((one) => one?.ruleHeld === "daily_cap" && one.state === "PENDING").length, 3);
    world.clock.advance(DAY_MS);
    assert.equal((await world.receive({ networkRef: "R-9", uuid: "pl_9.1" })).rule, "small", "another day");
    await world.ruled({ dailyCountMax: 100, dailyAmountMaxMinor: 2_000 });
    assert.equal((await world.receive({ networkRef: "R-10", uuid: "pl_10.1" })).ruleHeld, "daily_cap", "by amount");
  });

  it("skips payments under dispute, unknown payments and RDR", async () => {
    const world = new AlertWorld();
    await world.ruled();
    await world.disputes.receive({ uuid: "pl_1.1" });
    assert.deepEqual([(await world.receive()).state, (await world.receive()).ruleHeld], ["PENDING", "under_dispute"]);
    assert.equal((await world.receive({ networkRef: "R-2", uuid: null })).state, "PENDING");
    assert.equal((await world.receive({ source: "RDR", networkRef: "R-3", uuid: "pl_3.1" })).state, "PENDING");
    assert.deepEqual(world.refunds.asked, []);
  });

  it("leaves an alert to its merchant if the refund is rejected, and notifies operators", async () => {
    const world = new AlertWorld();
    await world.ruled();
    world.refunds.refuses = "not_refundable_here";
    const { id } = await world.receive();
    assert.equal(await world.state(id), "PENDING refused");
    assert.deepEqual(world.attention(), [`alert_refund_failed/TML1/${id}`]);
    assert.deepEqual(await world.told(id), ["created AUTO_REFUND"]);
    await world.pass(DAY_MS + 10_000, 60_000);
    assert.equal(await world.state(id), "DECLINED refused");
  });

  it("matches by amount, source, category, method and currency", async () => {
    const judged = { ...new AlertWorld().notice(), respondByMs: 1 };
    const rule = { id: "r", amountMaxMinor: 1_234, sources: ["ETHOCA"], categories: ["FRAUD"], methods: ["PAYBYLINK"] } as const;
    const set = { ...RULES, rules: [rule] };
    assert.equal(matchingRule(set, judged)?.id, "r");
    for (const other of [
      { amountMinor: 1_235 },
      { source: "CDRN" },
      { source: "RDR" },
      { category: "OTHER" },
      { method: "CARD" },
      { method: null },
      { currency: "USD" },
    ] as const) {
      assert.equal(matchingRule(set, { ...judged, ...other }), null, JSON.stringify(other));
    }
    assert.equal(matchingRule({ ...set, enabled: false }, judged), null);
    assert.equal(
      matchingRule({ ...set, rules: [{ ...rule, sources: null, categories: null, methods: null }] }, { ...judged, method: null })?.id,
      "r",
    );
  });

  it("is saved as a whole, and only over the version that the caller has read", async () => {
    const world = new AlertWorld();
    const save = (changes: object, version = 0) => world.alerts.saveRules(OWNER, { ...RULES, ...changes }, version, { type: "key" });
    const [small] = RULES.rules;
    const bad: [string, object][] = [
      ["rules", { rules: [] }],
      ["rules", { rules: [small, small] }],
      ["rules", { rules: Array.from({ length: 21 }, (_, n) => ({ ...small, id: `r${n}` })) }],
      ["rules.id", { rules: [{ ...small, id: "" }] }],
      ["amountMinor", { rules: [{ ...small, amountMaxMinor: 0 }] }],
      ["rules.sources", { rules: [{ ...small, sources: ["RDR"] }] }],
      ["rules.sources", { rules: [{ ...small, sources: [] }] }],
      ["rules.categories", { rules: [{ ...small, categories: ["X"] }] }],
      ["rules.methods", { rules: [{ ...small, methods: ["card"] }] }],
      ["currency", { currency: "EURO" }],
      ["dailyCountMax", { dailyCountMax: 0 }],
      ["dailyAmountMaxMinor", { dailyAmountMaxMinor: 0 }],
    ];
    for (const [name, change] of bad) await assert.rejects(() => save(change), isError("invalid_request", `${name}: `), name);
    const first = await save({});
    assert.equal(first.type, "saved");
    assert.equal((await save({ enabled: false })).type, "changed");
    assert.equal((await save({ enabled: false }, first.version)).type, "saved");
    assert.equal((await world.alerts.rules({ ...OWNER, merchantId: "M2" })).version, 0);
    assert.equal((await world.alerts.rules({ ...OWNER, livemode: true })).version, 0);
  });
});

describe("the list of alerts", () => {
  it("filters by currency, like the figures of a report", async () => {
    const world = new AlertWorld();
    for (const [n, currency] of ["EUR", "CHF", "EUR"].entries()) {
      world.clock.advance(1_000);
      await world.receive({ networkRef: `R-${n}`, uuid: `pl_${n}.1`, respondByMs: world.clock.nowMs() + HOUR_MS, currency });
    }
    const refsOf = async (changes: Partial<typeof QUERY>) =>
      (await world.alerts.list(OWNER, { ...QUERY, ...changes })).items.map(({ networkRef }) => networkRef).join();
    assert.equal(await refsOf({ currency: "CHF" }), "R-1");
    assert.equal(await refsOf({ currency: "EUR" }), "R-2,R-0");
    assert.equal(await refsOf({ currency: "EUR", order: "due" }), "R-0,R-2");
    assert.equal(await refsOf({ currency: "USD" }), "");
  });

  it("returns pages, newest first or by deadline, with filters and sums", async () => {
    const world = new AlertWorld();
    for (let n = 0; n < 5; n += 1) {
      world.clock.advance(1_000);
      const respondByMs = world.clock.nowMs() + (10 - n) * HOUR_MS;
      await world.receive({ networkRef: `R-${n}`, uuid: `pl_${n}.1`, respondByMs, source: n === 0 ? "CDRN" : "ETHOCA" });
    }
    await world.receive({ networkRef: "X", uuid: "pl_0.1" }, { ...PARTY, merchantId: "M2" });
    await world.alerts.decline(OWNER, (await world.alerts.list(OWNER, QUERY)).items[0]?.id ?? "", null, { type: "key" }, world.next());
    const refsOf = async (changes: Partial<typeof QUERY> = {}) =>
      (await world.alerts.list(OWNER, { ...QUERY, ...changes })).items.map(({ networkRef }) => networkRef).join();
    assert.equal(await refsOf(), "R-4,R-3,R-2,R-1,R-0");
    assert.equal(await refsOf({ order: "due" }), "R-3,R-2,R-1,R-0");
    assert.equal(await refsOf({ state: "PENDING" }), "R-3,R-2,R-1,R-0");
    assert.equal(await refsOf({ state: "DECLINED" }), "R-4");
    assert.equal(await refsOf({ source: "CDRN" }), "R-0");
    assert.equal(await refsOf({ fromMs: world.clock.nowMs() }), "R-4");
    for (const order of ["newest", "due"] as const) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof world.alerts.list>> = await world.alerts.list(OWNER, { ...QUERY, order, limit: 2, cursor });
        seen.push(...page.items.map(({ networkRef }) => networkRef));
        cursor = page.next;
      } while (cursor !== null);
      assert.equal(seen.join(), order === "newest" ? "R-4,R-3,R-2,R-1,R-0" : "R-3,R-2,R-1,R-0");
    }
    await assert.rejects(() => world.alerts.list(OWNER, { ...QUERY, cursor: "x" }), isError("invalid_request", "cursor"));
    assert.deepEqual(
      (await world.alerts.ofPayment(OWNER, "pl_0.1")).map(({ networkRef }) => networkRef),
      ["R-0"],
    );
    assert.deepEqual(await world.alerts.stats(OWNER), {
      counts: { PENDING: 4, DECLINED: 1 },
      amountsMinor: { PENDING: { EUR: 4 * 1_234 }, DECLINED: { EUR: 1_234 } },
      ...{ preventionRate: 0, dueSoon: 4, complete: true },
    });
  });
});
