import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { taskKindsOf } from "../../../engine/portal-links/link-tasks.ts";
import { PORTAL_LINK_ATTEMPTS_MAX, PORTAL_LINK_MAILS_MAX, PORTAL_LINKS_PER_HOUR_MAX } from "../../../engine/portal-links/portal-link.ts";
import { HOUR_MS, member, OWNER, operation, PortalLinkWorld, QUERY } from "./world.ts";

const isInvalid = (member: string) => (error: unknown) =>
  error instanceof RelayError && error.code === "invalid_request" && error.message.startsWith(`${member}: `);

describe("a payment link of the portal", () => {
  it("is created once for its operation, and found by its id and its token", async () => {
    const world = new PortalLinkWorld();
    const one = await world.portalLinks.create(OWNER, world.order(), { type: "key" }, operation("same"));
    const other = await world.portalLinks.create(OWNER, world.order({ amountMinor: 99 }), { type: "key" }, operation("same"));
    assert.equal(one.type, "created");
    assert.deepEqual(one, other);
    const link = one.type === "created" ? one.link : null;
    assert.match(link?.token ?? "", /^[A-Za-z0-9]{22}$/);
    assert.deepEqual(await world.portalLinks.byToken(link?.token ?? ""), link);
    assert.deepEqual(await world.portalLinks.find(OWNER, link?.id ?? ""), link);
    assert.equal(await world.portalLinks.find({ ...OWNER, merchantId: "M2" }, link?.id ?? ""), null);
    assert.equal(await world.portalLinks.find({ ...OWNER, livemode: true }, link?.id ?? ""), null);
    assert.equal(await world.portalLinks.byToken("0".repeat(22)), null);
    assert.deepEqual(world.heard.became, ["created"]);
    // No key contains the token or the customer.
    assert.ok(!world.kv.keys("").some((key) => key.includes(link?.token ?? "") || /Ada|ada@/.test(key)));
  });

  it("is rejected with the name of an invalid member", async () => {
    const world = new PortalLinkWorld();
    const nowMs = world.clock.nowMs();
    const bad = [
      ["amountMinor", { amountMinor: 0 }],
      ["amountMinor", { amountMinor: 1.5 }],
      ["currency", { currency: "XXY" }],
      ["description", { description: " " }],
      ["description", { description: "a\u0007b" }],
      ["description", { description: "x".repeat(256) }],
      ["reference", { reference: "" }],
      ["customerEmail", { customerEmail: "ada@exa mple.org" }],
      ["expiresInHours", { expiresAtMs: nowMs + HOUR_MS / 2 }],
      ["expiresInHours", { expiresAtMs: nowMs + 91 * 24 * HOUR_MS }],
      ["expiresInHours", { expiresAtMs: Number.NaN }],
    ] as const;
    for (const [name, changes] of bad) await assert.rejects(world.create(changes), isInvalid(name));
    assert.deepEqual(world.kv.keys("portal-link"), []);
    world.circumstances.hasAccount = false;
    assert.deepEqual(await world.portalLinks.create(OWNER, world.order(), { type: "key" }, world.next()), { type: "no_account" });
  });

  it("is limited by number in an hour, for each merchant alone", async () => {
    const world = new PortalLinkWorld();
    for (let made = 0; made < PORTAL_LINKS_PER_HOUR_MAX - 1; made += 1) await world.create();
    const last = await world.portalLinks.create(OWNER, world.order(), { type: "key" }, operation("last"));
    const isLimited = (error: unknown) =>
      error instanceof RelayError && error.code === "rate_limited" && Number(error.retryAfterSeconds) > 0;
    await assert.rejects(world.create(), isLimited);
    // The link that exists is still returned, and other merchants are not limited.
    assert.deepEqual(await world.portalLinks.create(OWNER, world.order(), { type: "key" }, operation("last")), last);
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal((await world.portalLinks.create(other, world.order(), { type: "key" }, world.next())).type, "created");
    }
    // Links that the relay itself makes count for no limit and are not limited.
    const uncounted = { ...world.order(), reference: "sub-sub_000000000000000000000001-1-1" };
    assert.equal((await world.portalLinks.createUncounted(OWNER, uncounted, { type: "key" }, world.next())).type, "created");
    world.clock.advance(HOUR_MS + 1);
    for (let made = 0; made < 3; made += 1) await world.portalLinks.createUncounted(OWNER, world.order(), { type: "key" }, world.next());
    for (let made = 0; made < PORTAL_LINKS_PER_HOUR_MAX; made += 1) await world.create();
    await assert.rejects(world.create(), isLimited);
  });

  it("masks card numbers in its texts", async () => {
    const world = new PortalLinkWorld();
    const { order } = await world.create({ description: "card 4111 1111 1111 1111", reference: "4111111111111111" });
    assert.ok(!/4111 ?1111/.test(JSON.stringify(order)));
  });

  it("opens one attempt for many parallel visitors on two nodes", async () => {
    const world = new PortalLinkWorld(2);
    const { id, token } = await world.create();
    const all = await Promise.all(Array.from({ length: 10 }, (_, index) => world.shard(index % 2).portalLinks.pay(token)));
    assert.ok(all.some((paying) => paying?.type === "payable"));
    for (const paying of all) {
      if (paying?.type === "payable") assert.equal(paying.url, `https://pay.example/${id}.1`);
      else assert.equal(paying?.type, "not_yet");
    }
    assert.deepEqual([...world.gateway.payments.keys()], [`${id}.1`]);
    const later = await world.portalLinks.pay(token);
    assert.equal(later?.type === "payable" && later.url, `https://pay.example/${id}.1`);
    assert.equal((await world.link(id)).attempts.length, 1);
    const order = world.gateway.payments.get(`${id}.1`)?.order;
    assert.equal(order?.returnUrl, `https://relay.example/l/${token}/return`);
    assert.equal(order?.amount, "12.34");
    assert.equal((await world.shard(0).links.byTxId(`${id}.1`))?.order.shop, "M1");
  });

  it("becomes PAID with its attempt, and tells its merchant once", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.paid();
    const link = await world.link(id);
    assert.equal(link.state, "PAID");
    assert.equal(link.late, false);
    assert.equal(link.paidAtMs, world.clock.nowMs());
    assert.equal(link.attempts[0]?.paid?.amountMinor, 1_234);
    assert.equal(link.nextAtMs, null);
    assert.deepEqual(await world.told(id), ["payment_link.paid"]);
    assert.deepEqual((await world.events(id))[0]?.data.object, { id, state: "PAID", late: false });
    assert.equal((await world.portalLinks.pay(token))?.type, "closed");
    assert.deepEqual(world.attention(), []);
    assert.deepEqual(world.kv.keys("due/portal-link/"), []);
    assert.deepEqual(world.heard.became, ["created", "paid"]);
    assert.deepEqual(
      world.heard.workflow.map(({ event, from, to }) => [event, from, to]),
      [
        ["link.created", null, "PENDING"],
        ["attempt.begun", "PENDING", "PENDING"],
        ["attempt.changed", "PENDING", "PENDING"],
        ["attempt.changed", "PENDING", "PAID"],
      ],
    );
  });

  it("begins another attempt only after the gateway confirms that nobody paid the previous one", async () => {
    const world = new PortalLinkWorld();
    const { id, token, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    const again = await world.portalLinks.pay(token);
    assert.equal(again?.type === "payable" && again.url, `https://pay.example/${id}.2`);
    // The hour of the second attempt passes, and the gateway does not report its outcome.
    world.clock.advance(HOUR_MS + 1);
    world.gateway.mode = "away";
    assert.equal((await world.portalLinks.pay(token))?.type, "not_yet");
    world.gateway.mode = "there";
    assert.equal((await world.portalLinks.pay(token))?.type, "not_yet");
    world.fail(`${id}.2`, "GW_20002");
    const third = await world.portalLinks.pay(token);
    assert.equal(third?.type === "payable" && third.url, `https://pay.example/${id}.3`);
  });

  it("continues an attempt whose opening died or got no answer", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create();
    world.gateway.mode = "lost";
    assert.equal((await world.portalLinks.pay(token))?.type, "not_yet");
    const after = world.restarted();
    after.gateway.mode = "there";
    const paying = await after.portalLinks.pay(token);
    assert.equal(paying?.type === "payable" && paying.url, `https://pay.example/${id}.1`);
    assert.equal(after.gateway.payments.size, 1);
  });

  it("reports a rejection by the gateway, and limits the attempts", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create();
    world.gateway.refuses = { resultCode: "GW_30001", description: "no such currency" };
    for (let n = 0; n < PORTAL_LINK_ATTEMPTS_MAX; n += 1) assert.equal((await world.portalLinks.pay(token))?.type, "refused");
    assert.equal((await world.portalLinks.pay(token))?.type, "too_many");
    const link = await world.link(id);
    assert.equal(link.attempts.length, PORTAL_LINK_ATTEMPTS_MAX);
    assert.equal(link.attempts[0]?.resultDescription, "no such currency");
  });

  it("begins nothing for a merchant that is deactivated or has no account, but continues an open attempt", async () => {
    const world = new PortalLinkWorld();
    const { token, id, txId } = await world.open();
    const { token: other } = await world.create();
    world.circumstances.hasAccount = false;
    assert.equal((await world.portalLinks.pay(other))?.type, "no_account");
    world.circumstances.isInactive = true;
    assert.equal((await world.portalLinks.pay(other))?.type, "inactive");
    assert.equal((await world.portalLinks.pay(token))?.type, "payable");
    world.gateway.pay(txId);
    await world.verified(txId);
    assert.equal(await world.state(id), "PAID");
  });

  it("asks the gateway when a customer returns", async () => {
    const world = new PortalLinkWorld();
    const { token, txId } = await world.open();
    world.gateway.pay(txId);
    assert.equal((await world.portalLinks.verified(token))?.state, "PAID");
    assert.equal(await world.portalLinks.verified("0".repeat(22)), null);
  });
});

describe("a cancelled link", () => {
  it("returns no address and begins nothing, and repeats the answer of the same request", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.open();
    const cancelled = await world.portalLinks.cancel(OWNER, id, operation("cancel"));
    assert.equal(cancelled?.type, "cancelled");
    assert.equal(cancelled?.link.state, "CANCELLED");
    assert.equal((await world.portalLinks.cancel(OWNER, id, operation("cancel")))?.type, "cancelled");
    assert.equal((await world.portalLinks.cancel(OWNER, id, operation("another")))?.type, "not_pending");
    assert.equal(await world.portalLinks.cancel({ ...OWNER, merchantId: "M2" }, id, operation("x")), null);
    assert.equal((await world.portalLinks.pay(token))?.type, "closed");
    assert.deepEqual(await world.told(id), ["payment_link.cancelled"]);
    assert.equal((await world.events(id))[0]?.request.id, "req_cancel");
    assert.deepEqual(world.kv.keys("due/portal-link/"), []);
    assert.equal(world.heard.workflow.at(-1)?.outcome, "refused");
  });

  it("stays PAID if the gateway reports the payment first", async () => {
    const world = new PortalLinkWorld();
    const { id, txId } = await world.open();
    world.gateway.pay(txId);
    const outcome = await world.portalLinks.cancel(OWNER, id, world.next());
    assert.deepEqual([outcome?.type, outcome?.link.state], ["not_pending", "PAID"]);
    assert.deepEqual(await world.told(id), ["payment_link.paid"]);
  });

  it("becomes PAID late if its open attempt is paid, notifies operators once, and refunds nothing", async () => {
    const world = new PortalLinkWorld();
    const { id, txId } = await world.open();
    world.gateway.mode = "away";
    assert.equal((await world.portalLinks.cancel(OWNER, id, world.next()))?.type, "cancelled");
    world.gateway.mode = "there";
    world.gateway.pay(txId);
    await world.pass(6 * 60_000, 10_000);
    assert.equal(await world.state(id), "PAID late");
    assert.deepEqual(await world.told(id), ["payment_link.cancelled", "payment_link.paid"]);
    assert.deepEqual(world.attention(), [`link_late ${txId}`]);
    assert.equal(world.gateway.executed.size, 0);
    assert.deepEqual(world.heard.became, ["created", "cancelled", "paid_late"]);
  });

  it("returns no address for an attempt that opens during the cancellation", async () => {
    const world = new PortalLinkWorld(2);
    const { id, token } = await world.create();
    const [paying, cancelling] = await Promise.all([
      world.shard(0).portalLinks.pay(token),
      world.shard(1).portalLinks.cancel(OWNER, id, world.next()),
    ]);
    assert.equal(cancelling?.type, "cancelled");
    assert.equal(paying?.type, "closed");
  });
});

describe("the expiry of a link", () => {
  it("happens within seconds, and tells the merchant", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    await world.pass(HOUR_MS - 2_000, 60_000);
    assert.equal(await world.state(id), "PENDING");
    await world.pass(4_000);
    assert.equal(await world.state(id), "EXPIRED");
    assert.deepEqual(await world.told(id), ["payment_link.expired"]);
    assert.equal((await world.portalLinks.pay(token))?.type, "closed");
    assert.equal((await world.portalLinks.cancel(OWNER, id, world.next()))?.type, "not_pending");
    assert.deepEqual(world.failures, []);
  });

  it("happens later if no node ran, but no attempt begins after the deadline", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    world.clock.advance(26 * HOUR_MS);
    assert.equal((await world.portalLinks.pay(token))?.type, "closed");
    const after = world.restarted();
    await after.pass(7_000);
    assert.equal(await after.state(id), "EXPIRED");
  });

  it("waits for an open attempt, whose payment counts", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    await world.pass(HOUR_MS - 10_000, 60_000);
    assert.equal((await world.portalLinks.pay(token))?.type, "payable");
    await world.pass(60_000);
    assert.equal(await world.state(id), "PENDING");
    assert.deepEqual(world.kv.keys("due/portal-link/"), []);
    assert.equal((await world.portalLinks.pay(token))?.type, "closed");
    world.gateway.pay(`${id}.1`);
    await world.verified(`${id}.1`);
    assert.equal(await world.state(id), "PAID");
    assert.deepEqual(world.attention(), []);
  });

  it("happens in the commit that ends the attempt for which it waited", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    await world.pass(HOUR_MS - 10_000, 60_000);
    await world.portalLinks.pay(token);
    await world.pass(60_000);
    world.fail(`${id}.1`);
    await world.verified(`${id}.1`);
    assert.equal(await world.state(id), "EXPIRED");
    assert.deepEqual(await world.told(id), ["payment_link.expired"]);
  });

  it("waits while the gateway cannot be asked", async () => {
    const world = new PortalLinkWorld();
    const { id } = await world.open({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    world.gateway.mode = "away";
    await world.pass(30 * HOUR_MS, 5 * 60_000);
    assert.equal(await world.state(id), "PENDING");
    world.gateway.mode = "there";
    await world.pass(8 * HOUR_MS, 5 * 60_000);
    assert.equal(await world.state(id), "EXPIRED");
  });

  it("allows a payment after it, which makes the link PAID late and notifies operators once", async () => {
    const world = new PortalLinkWorld();
    const { id, txId } = await world.open({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    await world.pass(HOUR_MS + 120_000, 10_000);
    assert.equal(await world.state(id), "EXPIRED");
    world.gateway.pay(txId);
    await world.pass(10 * 60_000, 10_000);
    assert.equal(await world.state(id), "PAID late");
    assert.deepEqual(world.attention(), [`link_late ${txId}`]);
    const [item] = world.kv.keys("a/link_late/");
    assert.match((await world.kv.get(item ?? ""))?.value ?? "", /shown as expired/);
  });
});

describe("a second payment", () => {
  async function paidTwice(world: PortalLinkWorld) {
    const { id, token, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    await world.portalLinks.pay(token);
    world.gateway.pay(`${id}.2`);
    await world.verified(`${id}.2`);
    // The gateway now reports a payment.
    world.gateway.pay(txId);
    await world.verified(txId);
    return { id, one: txId, other: `${id}.2` };
  }

  it("notifies operators once, and its merchant can refund it once", async () => {
    const world = new PortalLinkWorld(2);
    const { id, one, other } = await paidTwice(world);
    assert.equal(await world.state(id), "PAID");
    assert.deepEqual(world.attention(), [`link_paid_twice ${one}`]);
    assert.deepEqual(await world.told(id), ["payment_link.paid"]);
    assert.equal(world.heard.became.at(-1), "paid_twice");
    await world.pass(10 * 60_000, 10_000);
    assert.equal(world.gateway.executed.size, 0);
    const refund = (shard: number, key: string) =>
      world.shard(shard).links.followUp({ txId: other, operationId: key, type: "refund", amountMinor: null });
    const outcomes = await Promise.all([refund(0, "r1"), refund(1, "r2")]);
    assert.equal(outcomes.filter((outcome) => outcome?.type === "done").length, 1);
    assert.equal(world.gateway.executed.size, 1);
    const link = await world.link(id);
    assert.deepEqual(
      link.attempts.map(({ state, refund: given }) => [state, given]),
      [
        ["paid", "none"],
        ["paid", "done"],
      ],
    );
    assert.deepEqual(world.attention(), []);
  });

  it("counts as late after a refund of the first one, and needs no refund itself", async () => {
    const world = new PortalLinkWorld();
    const { id, token, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    await world.portalLinks.pay(token);
    const other = `${id}.2`;
    world.gateway.pay(other);
    await world.verified(other);
    await world.shard(0).links.followUp({ txId: other, operationId: "r1", type: "refund", amountMinor: null });
    world.gateway.pay(txId);
    await world.verified(txId);
    assert.equal(await world.state(id), "PAID late");
    assert.deepEqual(world.attention(), [`link_late ${txId}`]);
    const [item] = world.kv.keys("a/link_late/");
    assert.match((await world.kv.get(item ?? ""))?.value ?? "", /shown as paid and refunded/);
    assert.deepEqual(taskKindsOf(await world.link(id)), ["link_late"]);
    await world.shard(0).links.followUp({ txId, operationId: "r2", type: "refund", amountMinor: null });
    assert.deepEqual(taskKindsOf(await world.link(id)), []);
    assert.deepEqual(await world.told(id), ["payment_link.paid"]);
  });

  it("reports a refund as unknown until the lost answer is known", async () => {
    const world = new PortalLinkWorld();
    const { id, txId } = await world.paid();
    world.gateway.mode = "lost";
    await world.shard(0).links.followUp({ txId, operationId: "r1", type: "refund", amountMinor: null });
    assert.equal((await world.link(id)).attempts[0]?.refund, "unknown");
    world.gateway.mode = "there";
    await world.pass(6 * 60_000, 10_000);
    assert.equal((await world.link(id)).attempts[0]?.refund, "done");
    assert.equal(await world.state(id), "PAID");
  });
});

describe("createPortalLinkMails", () => {
  it("writes to the creator, else to the owners, in the commit of the payment", async () => {
    const world = new PortalLinkWorld();
    world.circumstances.team = [
      member(1),
      member(2, { role: "FINANCE", locale: "it" }),
      member(3, { state: "DISABLED" }),
      member(4, { state: "INVITED" }),
    ];
    const { id, token } = await world.create({}, { type: "user", userId: "usr_2" });
    await world.portalLinks.pay(token);
    world.gateway.pay(`${id}.1`);
    await world.verified(`${id}.1`);
    assert.deepEqual(await world.mails(), [{ kind: "payment-link-paid", to: "user2@shop.example", text: `paid ${id}` }]);
    const gone = await world.create({}, { type: "user", userId: "usr_3" });
    await world.portalLinks.pay(gone.token);
    world.gateway.pay(`${gone.id}.1`);
    await world.verified(`${gone.id}.1`);
    assert.deepEqual((await world.mails()).map(({ to }) => to).sort(), ["user1@shop.example", "user2@shop.example"]);
  });

  it("never blocks a payment", async () => {
    for (const [change, leftOut] of [
      [{ hasRoom: false }, 1],
      [{ team: "away" }, 1],
      [{ team: [] }, 0],
      [{ team: [member(1, { email: "not an address" })] }, 0],
    ] as const) {
      const world = new PortalLinkWorld();
      Object.assign(world.circumstances, change);
      const { id } = await world.paid();
      assert.equal(await world.state(id), "PAID");
      assert.deepEqual(await world.mails(), []);
      assert.equal(world.heard.leftOut, leftOut, JSON.stringify(change));
    }
  });

  it("sends the link to its customer or another address, once for each request and a few times in total", async () => {
    const world = new PortalLinkWorld();
    const { id, token } = await world.create();
    const send = (email: string | null, key: string) => world.portalLinks.send(OWNER, id, email, "en", operation(key));
    const [one, same] = await Promise.all([send(null, "s1"), send(null, "s1")]);
    assert.deepEqual([one?.type, same?.type], ["sent", "sent"]);
    assert.deepEqual(await world.mails(), [{ kind: "payment-link", to: "ada@example.org", text: `pay ${token}` }]);
    await assert.rejects(send("no address", "s2"), isInvalid("email"));
    world.circumstances.hasRoom = false;
    await assert.rejects(send(null, "s2"), (error) => error instanceof RelayError && error.code === "rate_limited");
    world.circumstances.hasRoom = true;
    for (let n = 2; n <= PORTAL_LINK_MAILS_MAX; n += 1) assert.equal((await send("bob@example.org", `s${n}`))?.type, "sent");
    assert.equal((await send(null, "more"))?.type, "too_many");
    assert.equal((await world.mails()).length, PORTAL_LINK_MAILS_MAX);
    const without = await world.create({ customerEmail: null });
    assert.equal((await world.portalLinks.send(OWNER, without.id, null, "en", world.next()))?.type, "no_address");
    await world.portalLinks.cancel(OWNER, without.id, world.next());
    assert.equal((await world.portalLinks.send(OWNER, without.id, "a@example.org", "en", world.next()))?.type, "not_pending");
    assert.equal(await world.portalLinks.send({ ...OWNER, merchantId: "M2" }, id, null, "en", world.next()), null);
  });
});

describe("the list of links", () => {
  it("filters by state, time, customer, reference, id and payment, page by page", async () => {
    const world = new PortalLinkWorld();
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { id } = await world.create({ reference: n % 2 === 0 ? "even" : null, customerEmail: n < 3 ? "Ada@Example.org" : null });
      made.unshift(id);
      world.clock.advance(1_000);
    }
    await world.portalLinks.create({ ...OWNER, merchantId: "M2" }, world.order({ reference: "even" }), { type: "key" }, world.next());
    const ids = async (query: Partial<typeof QUERY>) =>
      (await world.portalLinks.list(OWNER, { ...QUERY, ...query })).items.map(({ id }) => id);
    assert.deepEqual(await ids({}), made);
    assert.deepEqual(await ids({ q: "even" }), [made[0], made[2], made[4], made[6]]);
    assert.deepEqual(await ids({ customerEmail: "ada@example.ORG" }), made.slice(4));
    assert.deepEqual(await ids({ customerEmail: "bob@example.org" }), []);
    assert.deepEqual(await ids({ currency: "EUR", q: "even" }), [made[0], made[2], made[4], made[6]]);
    assert.deepEqual(await ids({ currency: "CHF" }), []);
    assert.deepEqual(await ids({ currency: "CHF", q: made[0] ?? "" }), []);
    assert.deepEqual(await ids({ customerEmail: "ada@example.org", q: "even" }), [made[4], made[6]]);
    const nowMs = world.clock.nowMs();
    assert.deepEqual(await ids({ fromMs: nowMs - 3_000, beforeMs: nowMs - 1_000 }), made.slice(1, 3));
    const [first = "", second = ""] = made;
    const token = (await world.link(first)).token;
    await world.portalLinks.pay(token);
    assert.deepEqual(await ids({ q: first }), [first]);
    assert.deepEqual(await ids({ q: `${first}.1` }), [first]);
    assert.deepEqual(await ids({ q: `${first}.2` }), []);
    assert.deepEqual(await ids({ q: first, state: "PAID" }), []);
    await world.portalLinks.cancel(OWNER, second, world.next());
    assert.deepEqual(await ids({ state: "CANCELLED" }), [second]);
    assert.deepEqual(
      await ids({ state: "PENDING" }),
      made.filter((id) => id !== second),
    );
    for (const order of ["newest", "oldest"] as const) {
      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await world.portalLinks.list(OWNER, { ...QUERY, limit: 2, cursor, order });
        walked.push(...page.items.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== null);
      assert.deepEqual(walked, order === "newest" ? made : made.toReversed(), order);
    }
    await assert.rejects(world.portalLinks.list(OWNER, { ...QUERY, cursor: "x" }), isInvalid("cursor"));
    assert.deepEqual((await world.portalLinks.list({ ...OWNER, livemode: true }, QUERY)).items, []);
  });
});
