import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AGENT_CREDENTIALS_MAX, NO_AGENT_LIMITS } from "../../../engine/agents/agent-credential.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { HOUR_MS, OWNER, operation } from "../portal-links/world.ts";
import { AgentWorld, BY_KEY, DAY_MS, LIMITS, onlyTotal } from "./world.ts";

const ALL = { limit: 50, cursor: null, state: null } as const;
const ALL_LINKS = { ...ALL, fromMs: null, beforeMs: null, reference: null } as const;
const BY_ANNA = { type: "user", userId: "usr_anna" } as const;

const isCode =
  (code: string, start = "") =>
  (error: unknown) =>
    error instanceof RelayError && error.code === code && error.message.startsWith(start);

describe("a credential of an agent", () => {
  it("is made once for its operation, with the same token, whose digest alone is stored", async () => {
    const world = new AgentWorld();
    const one = await world.agents.create(OWNER, world.order(), BY_ANNA, operation("same"));
    const other = await world.agents.create(OWNER, world.order({ name: "Another" }), BY_ANNA, operation("same"));
    assert.deepEqual(one, other);
    assert.ok(one.type === "created");
    const { credential, token } = one;
    assert.match(credential.id, /^ac_[a-z0-9]{24}$/);
    assert.match(token, /^ak_merchant_[A-Za-z0-9_-]{43}$/);
    assert.equal(credential.last4, token.slice(-4));
    const stored = world.kv.keys("");
    const texts = (await world.kv.getMany(stored)).map((entry) => entry?.value ?? "");
    assert.ok(![...stored, ...texts].some((text) => text.includes(token)), "the token is stored");
    assert.notEqual((await world.create()).token, token);
    assert.deepEqual(world.heard.became, ["created", "created"]);
  });

  it("is rejected with the name of an invalid member", async () => {
    const world = new AgentWorld();
    const nowMs = world.clock.nowMs();
    const limits = (changes: object) => ({ limits: { ...LIMITS, ...changes } });
    for (const [name, changes] of [
      ["name", { name: " " }],
      ["name", { name: "x".repeat(65) }],
      ["name", { name: "a\u0007b" }],
      ["scopes", { scopes: [] }],
      ["limits.currency", limits({ currency: "XXY" })],
      ["limits.perLinkMaxMinor", limits({ perLinkMaxMinor: 0 })],
      ["limits.perDayMinor", limits({ perDayMinor: 1.5 })],
      ["limits.totalMinor", limits({ totalMinor: 1e12 })],
      ["limits.perLinkMaxMinor", { limits: NO_AGENT_LIMITS }],
      ["limits.perLinkMaxMinor", limits({ perLinkMaxMinor: 3_001 })],
      ["limits.perDayMinor", limits({ perDayMinor: 5_001 })],
      ["limits.linksPerHour", limits({ linksPerHour: 0 })],
      ["limits.linksPerHour", limits({ linksPerHour: 1_001 })],
      ["ipAllow", { ipAllow: ["10.0.0.0/33"] }],
      ["ipAllow", { ipAllow: ["example.com"] }],
      ["ipAllow", { ipAllow: Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`) }],
      ["expiresInDays", { expiresAtMs: nowMs + DAY_MS / 2 }],
      ["expiresInDays", { expiresAtMs: nowMs + 91 * DAY_MS }],
      ["expiresInDays", { expiresAtMs: Number.NaN }],
    ] as const) {
      await assert.rejects(world.create(changes), isCode("invalid_request", `${name}: `), JSON.stringify(changes));
    }
    assert.deepEqual(world.kv.keys("agent-"), []);
    // A credential that makes no links needs no limits, and given limits are ignored.
    const { credential } = await world.create({ scopes: ["links:read"], limits: { ...LIMITS, currency: "?" } });
    assert.deepEqual(credential.limits, NO_AGENT_LIMITS);
    const named = await world.create({ name: " card 4111 1111 1111 1111 " });
    assert.ok(!named.credential.name.includes("4111 1111"));
  });

  it("is limited by the number of usable ones, even for parallel requests", async () => {
    const world = new AgentWorld(2);
    const asked = Array.from({ length: AGENT_CREDENTIALS_MAX + 5 }, (_, index) =>
      world.shard(index % 2).agents.create(OWNER, world.order(), BY_KEY, operation(`at once ${index}`)),
    );
    const types = (await Promise.all(asked)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "created").length, AGENT_CREDENTIALS_MAX);
    // Other merchants are not limited, and an existing credential is still returned.
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal((await world.agents.create(other, world.order(), BY_KEY, world.next())).type, "created");
    }
    const first = types.indexOf("created");
    assert.equal((await world.agents.create(OWNER, world.order(), BY_KEY, operation(`at once ${first}`))).type, "created");
    const { items } = await world.agents.list(OWNER, ALL);
    assert.equal(items.length, AGENT_CREDENTIALS_MAX);
    // A credential that has ended makes room.
    await world.agents.revoke(OWNER, items[0]?.credential.id ?? "", BY_KEY, world.next());
    assert.equal((await world.agents.create(OWNER, world.order(), BY_KEY, world.next())).type, "created");
    assert.equal((await world.agents.create(OWNER, world.order(), BY_KEY, world.next())).type, "full");
    await world.pass(31 * DAY_MS, HOUR_MS);
    assert.equal((await world.agents.create(OWNER, world.order(), BY_KEY, world.next())).type, "created");
  });

  it("is shown only to its merchant, newest first and by pages", async () => {
    const world = new AgentWorld();
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      world.clock.advance(1_000);
      ids.unshift((await world.create()).credential.id);
    }
    await world.agents.revoke(OWNER, ids[1] ?? "", BY_ANNA, world.next());
    const page = async (query: object, owner = OWNER) => {
      const { items, next } = await world.agents.list(owner, { ...ALL, ...query });
      return { ids: items.map(({ credential }) => credential.id), next };
    };
    assert.deepEqual((await page({})).ids, ids);
    const first = await page({ limit: 2 });
    assert.deepEqual(first.ids, ids.slice(0, 2));
    assert.deepEqual((await page({ limit: 2, cursor: first.next })).ids, ids.slice(2, 4));
    assert.deepEqual((await page({ state: "REVOKED" })).ids, [ids[1]]);
    assert.deepEqual((await page({}, { ...OWNER, merchantId: "M2" })).ids, []);
    assert.deepEqual((await page({}, { ...OWNER, livemode: true })).ids, []);
    await assert.rejects(page({ cursor: "nonsense" }), isCode("invalid_request", "cursor"));
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal(await world.agents.show(other, ids[0] ?? ""), null);
      assert.equal(await world.agents.revoke(other, ids[0] ?? "", BY_KEY, world.next()), null);
      assert.deepEqual(await world.agents.revokeAll(other, BY_KEY, world.next()), []);
    }
    for (const id of ["", "ac_1", `${ids[0]}0`, `${ids[0]}/`]) assert.equal(await world.agents.show(OWNER, id), null);
    assert.equal((await world.agents.show(OWNER, ids[0] ?? ""))?.credential.state, "ACTIVE");
  });

  it("authenticates calls from its addresses until it is revoked or expires", async () => {
    const world = new AgentWorld(2);
    const { token, grant, credential } = await world.create({ ipAllow: ["203.0.113.0/24", "2001:db8::1"] });
    const from = (ipAddress: string, shard = 0) => world.shard(shard).agents.byToken(token, ipAddress);
    assert.deepEqual(await from("203.0.113.9"), grant);
    assert.deepEqual(await from("::ffff:203.0.113.9"), grant);
    assert.deepEqual(await from("2001:db8::1"), grant);
    for (const address of ["203.0.114.9", "2001:db8::2", "", "nowhere"]) assert.equal(await from(address), "address");
    for (const none of ["", "ak_merchant_", token.slice(0, -1), `${token}x`, token.toUpperCase(), `sk${token.slice(2)}`]) {
      assert.equal(await world.agents.byToken(none, "203.0.113.9"), null, none);
    }
    for (const refused of ["inactive", "environment"] as const) {
      world.circumstances.refused = refused;
      assert.equal(await from("203.0.113.9"), refused);
    }
    world.circumstances.refused = null;

    world.clock.advance(credential.expiresAtMs - world.clock.nowMs() - 1);
    assert.deepEqual(await from("203.0.113.9"), grant);
    world.clock.advance(1);
    assert.equal(await from("203.0.113.9"), "expired", "nobody has to note it first");
    assert.equal((await world.make(grant, 100)).type, "ended");
    await world.pass(5_000);
    assert.equal((await world.credential(credential.id)).state, "EXPIRED");
    assert.equal(await from("203.0.113.9"), "expired");

    const another = await world.create();
    assert.deepEqual(await world.shard(1).agents.byToken(another.token, "192.0.2.1"), another.grant);
    const revoked = await world.agents.revoke(OWNER, another.credential.id, BY_ANNA, world.next());
    assert.deepEqual(revoked?.credential.revokedBy, BY_ANNA);
    assert.equal(await world.shard(1).agents.byToken(another.token, "192.0.2.1"), "revoked");
    assert.deepEqual(await world.shard(1).agents.createLink(another.grant, world.linkOrder(100), world.next()), {
      type: "ended",
      state: "REVOKED",
    });
    // A second revocation changes nothing.
    const again = await world.agents.revoke(OWNER, another.credential.id, BY_KEY, world.next());
    assert.deepEqual(again?.credential, revoked?.credential);
    assert.deepEqual(world.heard.became, ["created", "expired", "created", "revoked"]);
    assert.deepEqual(world.failures, []);
  });

  it("is revoked together with all other usable ones", async () => {
    const world = new AgentWorld();
    const made = [
      await world.create(),
      await world.create({ limits: { ...LIMITS, totalMinor: 1_000, perDayMinor: 1_000 } }),
      await world.create(),
    ];
    await world.agents.revoke(OWNER, made[0]?.credential.id ?? "", BY_KEY, world.next());
    const [, exhausted] = made;
    assert.ok(exhausted);
    await world.made(exhausted.grant, 1_000);
    assert.equal(await world.stands(exhausted.grant), "EXHAUSTED 1000 1000");
    const revoked = await world.agents.revokeAll(OWNER, BY_ANNA, world.next());
    assert.deepEqual(revoked.map(({ id }) => id).sort(), [made[1]?.credential.id, made[2]?.credential.id].sort());
    for (const { token } of made) assert.equal(await world.agents.byToken(token, "192.0.2.1"), "revoked");
    assert.deepEqual(await world.agents.revokeAll(OWNER, BY_ANNA, world.next()), []);
    assert.equal((await world.create()).credential.state, "ACTIVE");
  });
});

describe("a credential that makes links", () => {
  it("counts links against its limits, and names the limit that rejects", async () => {
    const world = new AgentWorld();
    const { grant } = await world.create();
    assert.equal(await world.outcome(grant, 100, { currency: "USD" }), "currency");
    assert.equal(await world.outcome(grant, 1_001), "perLinkMax");
    for (let made = 0; made < 3; made += 1) assert.equal(await world.outcome(grant, 1_000), "created");
    const refused = await world.make(grant, 1);
    const { limits } = await world.credential(grant.credentialId);
    // The test clock shows 22:13 UTC, which is 23:13 in Rome.
    const midnightMs = Date.parse("2023-11-14T23:00:00Z");
    assert.deepEqual(refused, { type: "refused", limit: "perDay", roomMinor: 0, limits, retryAtMs: midnightMs });
    world.clock.advance(midnightMs - 1 - world.clock.nowMs());
    assert.equal(await world.outcome(grant, 1), "perDay");
    world.clock.advance(1);
    assert.equal(await world.outcome(grant, 1_000), "created");
    assert.equal(await world.stands(grant), "ACTIVE 4000 1000");
    assert.equal(await world.outcome(grant, 1_000), "created");
    assert.equal(await world.stands(grant), "EXHAUSTED 5000 2000");
    assert.deepEqual(await world.make(grant, 1), { type: "refused", limit: "total", roomMinor: 0, limits, retryAtMs: null });
    assert.deepEqual(world.heard.refused, ["currency", "perLinkMax", "perDay", "perDay", "total"]);
    // A link with an invalid member counts for no limit, and no limit rejects it.
    await assert.rejects(world.make(grant, 1, { description: "" }), isCode("invalid_request", "description"));
    assert.equal((await world.told(grant.credentialId)).length, 1);
    const [event] = await world.told(grant.credentialId);
    assert.equal(event?.type, "agent_credential.exhausted");
    assert.equal(event?.sequence, 1);
    // The credential can still read.
    assert.equal((await world.agents.listLinks(grant, ALL_LINKS)).items.length, 5);
  });

  it("limits the links of any hour", async () => {
    const world = new AgentWorld();
    const { grant } = await world.create({
      limits: { currency: "EUR", perLinkMaxMinor: 10, perDayMinor: 1_000, totalMinor: 1_000, linksPerHour: 3 },
    });
    const beganMs = world.clock.nowMs();
    for (let made = 0; made < 3; made += 1) {
      assert.equal(await world.outcome(grant, 10), "created");
      world.clock.advance(10 * 60_000);
    }
    const refused = await world.make(grant, 10);
    assert.equal(refused.type === "refused" && refused.limit, "linksPerHour");
    assert.equal(refused.type === "refused" && refused.retryAtMs, beganMs + HOUR_MS);
    assert.equal((await world.agents.show(OWNER, grant.credentialId))?.linksInHour, 3);
    world.clock.advance(beganMs + HOUR_MS - 1 - world.clock.nowMs());
    assert.equal(await world.outcome(grant, 10), "linksPerHour");
    world.clock.advance(1);
    assert.equal(await world.outcome(grant, 10), "created");
    assert.equal(await world.outcome(grant, 10), "linksPerHour");
    // A cancelled link still counts.
    const [link] = (await world.agents.listLinks(grant, ALL_LINKS)).items;
    await world.agents.cancelLink(grant, link?.id ?? "", world.next());
    assert.equal(await world.outcome(grant, 10), "linksPerHour");
  });

  it("restores the total when a link ends unpaid, and counts it again when it is paid late", async () => {
    const world = new AgentWorld();
    const { grant } = await world.create({ limits: { ...LIMITS, perDayMinor: 3_000, totalMinor: 3_000 } });
    const [cancelled, expired, paid] = [await world.made(grant, 1_000), await world.made(grant, 1_000), await world.made(grant, 1_000)];
    assert.equal(await world.stands(grant), "EXHAUSTED 3000 3000");
    await world.pays(paid);
    assert.equal(await world.stands(grant), "EXHAUSTED 3000 3000");

    // An attempt is open during the cancellation, and is paid afterwards.
    assert.equal((await world.shard(0).portalLinks.pay(cancelled.token))?.type, "payable");
    assert.equal((await world.agents.cancelLink(grant, cancelled.id, operation("cancel")))?.type, "cancelled");
    assert.equal(await world.stands(grant), "ACTIVE 2000 3000");
    assert.equal((await world.agents.cancelLink(grant, cancelled.id, operation("cancel")))?.type, "cancelled");
    assert.equal((await world.agents.cancelLink(grant, cancelled.id, operation("another")))?.type, "not_pending");
    assert.equal(await world.stands(grant), "ACTIVE 2000 3000");
    assert.equal(await world.outcome(grant, 1), "perDay", "the day gives nothing back");

    await world.pass(2 * HOUR_MS + 10_000, 10_000);
    assert.equal((await world.agents.findLink(grant, expired.id))?.state, "EXPIRED");
    assert.equal(await world.stands(grant), "ACTIVE 1000 3000");
    await world.made(grant, 1_000);
    assert.equal(await world.stands(grant), "ACTIVE 2000 1000");

    world.gateway.pay(`${cancelled.id}.1`);
    await world.shard(0).links.verifyNow(`${cancelled.id}.1`);
    const late = await world.agents.findLink(grant, cancelled.id);
    assert.deepEqual([late?.state, late?.late], ["PAID", true]);
    assert.equal(await world.stands(grant), "EXHAUSTED 3000 1000");
    assert.deepEqual(world.heard.became, ["created", "exhausted", "active_again", "exhausted"]);
    assert.deepEqual(
      (await world.told(grant.credentialId)).map(({ sequence }) => sequence),
      [1, 2],
    );
    // A refunded link was sold, so it still counts.
    await world.shard(0).links.followUp({ txId: `${paid.id}.1`, operationId: "refund", type: "refund", amountMinor: null });
    assert.equal((await world.agents.findLink(grant, paid.id))?.attempts[0]?.refund, "done");
    assert.equal(await world.stands(grant), "EXHAUSTED 3000 1000");
    assert.deepEqual(world.failures, []);
  });

  it("restores the total for links that end at the same time, without a failure", async () => {
    const world = new AgentWorld(2);
    const { grant } = await world.create({ limits: onlyTotal(5_000) });
    const links: PortalLinkRecord[] = [];
    for (let made = 0; made < 30; made += 1) links.push(await world.made(grant, 100, { expiresAtMs: world.clock.nowMs() + HOUR_MS }));
    for (const [index, { token }] of links.entries()) {
      assert.equal((await world.shard(index % 2).portalLinks.pay(token))?.type, "payable");
    }
    assert.equal(await world.stands(grant), "ACTIVE 3000 3000");
    // The gateway's pages end with the links. A link ends in the commit that stores this.
    await world.pass(HOUR_MS + 60_000, 10_000);
    assert.equal(await world.stands(grant), "ACTIVE 0 3000");
    assert.deepEqual(world.failures, []);
  });

  it("counts its links to their end after it has ended", async () => {
    const world = new AgentWorld();
    const { grant } = await world.create();
    const [one, other] = [await world.made(grant, 100), await world.made(grant, 200)];
    await world.agents.revoke(OWNER, grant.credentialId, BY_KEY, world.next());
    assert.equal((await world.shard(0).portalLinks.cancel(OWNER, one.id, operation("cancel")))?.type, "cancelled");
    assert.equal(await world.stands(grant), "REVOKED 200 300");
    await world.pays(other);
    await world.pass(3 * HOUR_MS, 60_000);
    assert.equal(await world.stands(grant), "REVOKED 200 300");
  });

  it("makes one link for one operation, and counts it once", async () => {
    const world = new AgentWorld(2);
    const { grant } = await world.create();
    const made = await Promise.all(
      [0, 1, 0, 1].map((shard) => world.shard(shard).agents.createLink(grant, world.linkOrder(1_000), operation("same link"))),
    );
    assert.equal(new Set(made.map((one) => (one.type === "created" ? one.link.id : one.type))).size, 1);
    assert.equal(await world.stands(grant), "ACTIVE 1000 1000");
    // The repetition succeeds even without room.
    for (let more = 0; more < 2; more += 1) await world.made(grant, 1_000);
    assert.equal((await world.agents.createLink(grant, world.linkOrder(1_000), operation("same link"))).type, "created");
    assert.equal(await world.stands(grant), "ACTIVE 3000 3000");
  });

  it("accesses only its own links, as its scopes permit", async () => {
    const world = new AgentWorld();
    const [one, other] = [await world.create(), await world.create()];
    const link = await world.made(one.grant, 100, { reference: "R-1" });
    const own = await world.shard(0).portalLinks.create(OWNER, world.linkOrder(100, { reference: "R-1" }), BY_KEY, world.next());
    assert.ok(own.type === "created");
    const ids = async (query: object = {}, grant = one.grant) =>
      (await world.agents.listLinks(grant, { ...ALL_LINKS, ...query })).items.map(({ id }) => id);
    assert.deepEqual(await ids(), [link.id]);
    assert.deepEqual(await ids({ reference: "R-1" }), [link.id]);
    assert.deepEqual(await ids({ reference: link.id }), [link.id], "an id is found, too");
    assert.deepEqual(await ids({ reference: own.link.id }), []);
    assert.deepEqual(await ids({ state: "PAID" }), []);
    assert.deepEqual(await ids({}, other.grant), []);
    assert.deepEqual(link.createdBy, { type: "agent", agentId: one.credential.id });
    for (const id of [link.id, own.link.id]) {
      assert.equal(await world.agents.findLink(other.grant, id), null);
      assert.equal(await world.agents.cancelLink(other.grant, id, world.next()), null);
    }
    assert.equal(await world.agents.findLink({ ...one.grant, livemode: true }, link.id), null);
    const blind = { ...one.grant, scopes: [] };
    await assert.rejects(world.make(blind, 100), isCode("forbidden"));
    await assert.rejects(world.agents.listLinks(blind, ALL_LINKS), isCode("forbidden"));
    await assert.rejects(world.agents.findLink(blind, link.id), isCode("forbidden"));
    await assert.rejects(world.agents.cancelLink(blind, link.id, world.next()), isCode("forbidden"));
  });

  it("never exceeds the total, and makes all links that fit, for two hundred parallel requests on four threads", {
    timeout: 120_000,
  }, async () => {
    const world = new AgentWorld(4);
    const limits = { currency: "EUR", perLinkMaxMinor: 10, perDayMinor: 1_500, totalMinor: 1_500, linksPerHour: 1_000 };
    const { grant } = await world.create({ limits });
    const asked = Array.from({ length: 200 }, (_, index) => world.make(grant, 10, {}, index % 4));
    const outcomes = await Promise.all(asked);
    assert.equal(outcomes.filter(({ type }) => type === "created").length, 150);
    assert.deepEqual([...new Set(outcomes.flatMap((one) => (one.type === "refused" ? [one.limit] : [])))], ["total"]);
    assert.equal(await world.stands(grant), "EXHAUSTED 1500 1500");
    // Fifty links are cancelled while fifty others are requested.
    const { items } = await world.agents.listLinks(grant, { ...ALL_LINKS, limit: 50 });
    const [cancelled, more] = await Promise.all([
      Promise.all(items.map(({ id }, index) => world.shard(index % 4).agents.cancelLink(grant, id, world.next()))),
      Promise.all(Array.from({ length: 50 }, (_, index) => world.make(grant, 10, {}, index % 4))),
    ]);
    assert.ok(cancelled.every((one) => one?.type === "cancelled"));
    assert.ok(
      more.every(({ type }) => type === "refused"),
      "the day has no room, whatever comes back to the total",
    );
    assert.equal(await world.stands(grant), "ACTIVE 1000 1500");
  });

  it("keeps the limit of an hour for parallel requests", async () => {
    const world = new AgentWorld(4);
    const limits = { currency: "EUR", perLinkMaxMinor: 10, perDayMinor: 10_000, totalMinor: 10_000, linksPerHour: 30 };
    const { grant } = await world.create({ limits });
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => world.make(grant, 10, {}, index % 4)));
    assert.equal(outcomes.filter(({ type }) => type === "created").length, 30);
    assert.equal(await world.stands(grant), "ACTIVE 300 300");
  });
});

describe("the use of a credential", () => {
  it("is shown within a second, with the last twenty calls and the rejections", async () => {
    const world = new AgentWorld(2);
    const { grant, token } = await world.create();
    assert.equal((await world.agents.show(OWNER, grant.credentialId))?.use.lastUsedAtMs, null);
    for (let n = 0; n < 25; n += 1) {
      world.clock.advance(1_000);
      world.shard(n % 2).agents.noteCall(grant, { tool: `tool-${n}`, outcome: "done", argumentsDigest: "ab" });
    }
    await world.outcome(grant, 1_001);
    await world.outcome(grant, 1_001);
    await Promise.all(world.shards.map(({ uses }) => uses.flush()));
    const seen = await world.agents.show(OWNER, grant.credentialId);
    assert.deepEqual(
      seen?.use.calls.map(({ tool }) => tool),
      Array.from({ length: 20 }, (_, index) => `tool-${24 - index}`),
    );
    assert.equal(seen?.use.lastUsedAtMs, world.clock.nowMs());
    assert.deepEqual(seen?.use.refused, { currency: 0, perLinkMax: 2, perDay: 0, total: 0, linksPerHour: 0 });
    world.clock.advance(5_000);
    await world.agents.byToken(token, "192.0.2.1");
    await world.shard(0).uses.flush();
    assert.equal((await world.agents.show(OWNER, grant.credentialId))?.use.lastUsedAtMs, world.clock.nowMs());
  });
});
