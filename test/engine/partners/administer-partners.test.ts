import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { NO_TERMINAL, type TerminalRule } from "../../../engine/access/terminal-rule.ts";
import type { GatewayAccount } from "../../../engine/gateway/gateway-account.ts";
import { createInstallationAccount } from "../../../engine/gateway/installation-account.ts";
import { createGatewayAccounts } from "../../../engine/links/gateway-accounts.ts";
import { createMerchantAccounts } from "../../../engine/links/merchant-accounts.ts";
import { createAdministerPartners, type NewPartner } from "../../../engine/partners/administer-partners.ts";
import { partnerPlace } from "../../../engine/partners/partner.ts";
import { createPartnerStore } from "../../../engine/partners/partner-store.ts";
import { createPartners } from "../../../engine/partners/partners.ts";
import { createPatternCompiler } from "../../../http/auth/pattern.ts";
import { createSecretBox } from "../../../infra/node/boot/secret-box.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { syncedShards } from "../tables/world.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const refused = (message: RegExp) => ({ name: "RelayError", code: "invalid_request", message });
const NOT_FOUND = { name: "RelayError", code: "not_found", message: "Partner not found" };

function world(defaultRule: TerminalRule = { ruleType: "ANY" }) {
  const kv = new MemoryKv();
  const clock = { now: 1_000_000, nowMs: () => clock.now, monotonicMs: () => clock.now };
  let made = 0;
  const [shard] = syncedShards(1, kv).shards;
  assert.ok(shard !== undefined);
  const { tables } = shard;
  const store = createPartnerStore(kv);
  const patterns = createPatternCompiler();
  const partners = createPartners({ tables, store, patterns, clock, sandbox: true });
  const box = createSecretBox({ current: "11223344556677889900aabbccddeeff".repeat(2), old: null });
  const secrets = {
    newPassword: () => `password-${++made}`,
    newApiKey: () => `pk_live_${++made}`,
    hashPassword: async (password: string) => `hash of ${digest(password)}`,
    digest,
  };
  const administer = createAdministerPartners({
    ...{ store, partners, secrets, box, patterns, clock, reservedUsernames: ["admin"], defaultRule },
  });
  return { kv, clock, store, partners, box, administer };
}

const draft = (username: string): NewPartner => ({ username, gateway: { terminalId: "GW1", merchantId: "MER1", secret: "gw-s3cret" } });

describe("partners", () => {
  it("have the default rule until theirs is set, which may name no terminal, and may be given it back", async () => {
    const { administer, partners } = world(NO_TERMINAL);
    const { partner } = await administer.create(draft("till"));
    assert.deepEqual(partner.terminals, { ruleType: "LIST", ruleValue: "" });
    const matches = () => partners.byId(partner.id)?.terminals.matches("T1");
    assert.equal(matches(), false);
    await administer.change(partner.id, { terminals: { ruleType: "LIST", ruleValue: "T1" } });
    assert.equal(matches(), true);
    await administer.change(partner.id, { terminals: partner.terminals });
    assert.equal(matches(), false);
    assert.deepEqual((await administer.create({ ...draft("shop"), terminals: { ruleType: "ANY" } })).partner.terminals, {
      ruleType: "ANY",
    });
    for (const forgotten of [{ ruleType: "LIST" }, { ruleType: "LIST", ruleValue: " , " }, { ruleType: "REGEX", ruleValue: "" }] as const)
      await assert.rejects(administer.change(partner.id, { terminals: forgotten }), refused(/ruleValue/));
  });

  it("get ids one after the other, also when many are made at once", async () => {
    const { administer, partners } = world();
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => administer.create(draft(`till-${index}`))));
    assert.deepEqual(
      made.map(({ partner }) => partner.id).sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal(partners.list().length, 20);
  });

  it("are made once with one name, whatever its case, also at once", async () => {
    const { administer, partners } = world();
    const outcomes = await Promise.allSettled(["till", "TILL", "Till"].map((name) => administer.create(draft(name))));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes) if (outcome.status === "rejected") assert.equal(outcome.reason.message, "username: already exists");
    await assert.rejects(administer.create(draft("Admin")), refused(/username: already exists/));
    assert.equal(partners.list().length, 1);
  });

  it("have their secrets hashed or sealed in the store", async () => {
    const { administer, store, box, kv } = world();
    const { partner, generatedPassword, apiKey } = await administer.create({
      ...draft("till"),
      adapter: { merchantId: "M1", secret: "ad-s3cret" },
    });
    const text = JSON.stringify(await kv.scan({ from: "!", to: "~", limit: 100 }));
    for (const secret of [generatedPassword ?? "", apiKey, "gw-s3cret", "ad-s3cret"]) assert.ok(!text.includes(secret), secret);
    const stored = await store.find(partner.id);
    assert.equal(box.open(stored?.record.gateway.sealedSecret ?? "", partnerPlace(partner.id, "gwSecretKey")), "gw-s3cret");
    assert.equal(box.open(stored?.record.adapter?.sealedSecret ?? "", partnerPlace(partner.id, "adapterSecret")), "ad-s3cret");
  });

  it("may be created with a password, which is hashed and not told back", async () => {
    const { administer, kv } = world();
    const { partner, generatedPassword } = await administer.create({ ...draft("till"), password: "a password of one's own" });
    assert.deepEqual([generatedPassword, partner.passwordHash], [null, `hash of ${digest("a password of one's own")}`]);
    assert.ok(!JSON.stringify(await kv.scan({ from: "!", to: "~", limit: 100 })).includes("a password of one's own"));
  });

  it("keep what a change does not name, and give back what it frees", async () => {
    const { administer, partners, box } = world();
    const { partner } = await administer.create({ ...draft("till"), adapter: { merchantId: "M1", secret: "ad-s3cret" } });
    const changed = await administer.change(partner.id, { username: "shop", gateway: { terminalId: "GW2" } });
    assert.deepEqual({ ...changed.gateway, sealedSecret: "" }, { terminalId: "GW2", merchantId: "MER1", sealedSecret: "" });
    assert.equal(box.open(changed.gateway.sealedSecret, partnerPlace(partner.id, "gwSecretKey")), "gw-s3cret");
    assert.equal(partners.byUsername("till"), null);
    assert.equal(partners.byUsername("shop")?.record.id, partner.id);
    await administer.create(draft("till"));
    await assert.rejects(administer.change(partner.id, { username: "till" }), refused(/username: already exists/));
    assert.equal(partners.byUsername("shop")?.record.id, partner.id);
    await administer.change(partner.id, { adapter: { merchantId: "M2" } });
    assert.equal(partners.byAdapterMerchant("M1"), null);
    assert.equal(partners.byAdapterMerchant("M2")?.record.id, partner.id);
    await administer.change(partner.id, { adapter: null });
    assert.equal(partners.byAdapterMerchant("M2"), null);
  });

  it("keep the gateway accounts that they had, for payments that run on them, and show payments the right one", async () => {
    const { administer, partners, box, clock } = world();
    const installation = new Map<string, GatewayAccount>();
    const accounts = createGatewayAccounts({
      ...{ partners, box, installation, cloudConfigs: new Map(), merchantOwners: new Map() },
    });
    const { partner } = await administer.create(draft("till"));
    const of = (merchantId?: string) => accounts.ofPayment(partner.id, merchantId)?.secret ?? null;
    await administer.change(partner.id, { gateway: { terminalId: "GW9", secret: "rotated" } });
    assert.deepEqual([of(), of("MER1")], ["rotated", "rotated"]);
    await administer.change(partner.id, { gateway: { merchantId: "MER2", secret: "second" } });
    assert.deepEqual([of(), of("MER1"), of("MER2"), of("MER3")], ["second", "rotated", "second", null]);
    await administer.change(partner.id, { gateway: { merchantId: "MER1", secret: "back" } });
    assert.deepEqual([of("MER1"), of("MER2")], ["back", "second"]);
    await administer.remove(partner.id);
    assert.deepEqual([of("MER1"), of("MER2")], ["back", "second"]);

    const own = createInstallationAccount({
      accounts: {
        get: (key) => installation.get(key),
        change: async (key, work) => {
          const account = work(installation.get(key));
          installation.set(key, account);
          return account;
        },
      },
      ...{ box, clock },
    });
    await own.save({ terminalId: "T", merchantId: "OWN1", secret: "one" });
    await own.save({ merchantId: "OWN2", secret: "two" });
    assert.deepEqual(
      [undefined, "OWN1", "OWN2"].map((id) => accounts.ofPayment(null, id)?.secret),
      ["two", "one", "two"],
    );
    for (let index = 3; index < 12; index += 1) await own.save({ merchantId: `OWN${index}` });
    assert.deepEqual(
      ["OWN2", "OWN3", "OWN10"].map((id) => accounts.ofPayment(null, id) !== null),
      [false, true, true],
      "eight of them",
    );
    clock.now += 401 * 86_400_000;
    await own.save({ secret: "later" });
    assert.equal(accounts.ofPayment(null, "OWN10"), null);
  });

  it("keep an account of their own for TEST, whole and another than the live one, and payments on it are followed to their end", async () => {
    const { administer, partners, box } = world();
    const accounts = createGatewayAccounts({
      ...{ partners, box, installation: new Map(), cloudConfigs: new Map(), merchantOwners: new Map() },
    });
    const { id } = (await administer.create(draft("till"))).partner;
    const keep = (testGateway: object) => administer.change(id, { testGateway });
    await assert.rejects(keep({ merchantId: "TEST1" }), refused(/are all required, because no value is stored/));
    await assert.rejects(keep({ terminalId: "T", merchantId: "MER1", secret: "s" }), refused(/must differ from the live account's/));
    await keep({ terminalId: "T", merchantId: "TEST1", secret: "first" });
    await assert.rejects(administer.change(id, { gateway: { merchantId: "TEST1" } }), refused(/must differ from the live account's/));
    const of = (merchantId?: string) => accounts.ofPayment(id, merchantId)?.secret ?? null;
    assert.deepEqual([of(), of("MER1"), of("TEST1")], ["gw-s3cret", "gw-s3cret", "first"]);
    await keep({ merchantId: "TEST2", secret: "second" });
    assert.deepEqual([of("TEST1"), of("TEST2"), accounts.ofPartner(id)?.merchantId], ["first", "second", "MER1"]);
  });

  it("pay for merchants on the account of the environment, and on none that was not kept for it", async () => {
    const { administer, partners, box } = world();
    const { id } = (await administer.create(draft("till"))).partner;
    let environment: "TEST" | "LIVE" | null = "TEST";
    const accounts = createMerchantAccounts({
      ...{ partners, box, environmentOf: async () => environment },
      accounts: createGatewayAccounts({
        ...{ partners, box, installation: new Map(), cloudConfigs: new Map(), merchantOwners: new Map() },
      }),
    });
    const of = async (livemode: boolean) => {
      const found = await accounts.ofMerchant({ merchantId: "shop", partnerId: id, livemode });
      return found.type === "account" ? `${found.credentials.merchantId}${found.apart ? " apart" : ""}` : found.type;
    };
    assert.deepEqual([await of(false), await of(true)], ["MER1", "other_environment"]);
    environment = "LIVE";
    assert.deepEqual([await of(false), await of(true)], ["other_environment", "MER1"]);
    await administer.change(id, { testGateway: { terminalId: "T", merchantId: "TEST1", secret: "s" } });
    assert.deepEqual([await of(false), await of(true)], ["TEST1 apart", "MER1"]);
    environment = "TEST";
    assert.deepEqual([await of(false), await of(true)], ["TEST1", "other_environment"]);
    assert.deepEqual(
      [accounts.isKeptForTest(id, "TEST1"), accounts.isKeptForTest(id, "MER1"), accounts.isKeptForTest(null, "TEST1")],
      [true, false, false],
    );
    await administer.toggle(id);
    assert.deepEqual([await of(false), await of(true)], ["no_account", "other_environment"]);
  });

  it("that are disabled or gone have no account for new payments, by whomever they are begun; those that run go on", async () => {
    const { administer, partners, box } = world();
    const accounts = createGatewayAccounts({
      ...{ partners, box, installation: new Map(), cloudConfigs: new Map(), merchantOwners: new Map() },
    });
    const { id } = (await administer.create(draft("till"))).partner;
    assert.equal(accounts.ofPartner(id)?.terminalId, "GW1");
    await administer.toggle(id);
    assert.deepEqual([accounts.ofPartner(id), accounts.ofPayment(id, "MER1")?.terminalId], [null, "GW1"]);
    await administer.toggle(id);
    assert.equal(accounts.ofPartner(id)?.terminalId, "GW1");
    assert.equal(accounts.ofTerminal("T1"), null);
    const byDefault = createGatewayAccounts({
      ...{ partners, box, installation: new Map(), cloudConfigs: new Map(), merchantOwners: new Map() },
      defaultPartner: () => partners.byId(id),
    });
    assert.deepEqual(byDefault.ofTerminal("T1")?.partnerId, id);
    await administer.toggle(id);
    assert.equal(byDefault.ofTerminal("T1"), null);
    await administer.toggle(id);
    await administer.remove(id);
    assert.deepEqual([accounts.ofPartner(id), accounts.ofPayment(id, "MER1")?.terminalId], [null, "GW1"]);
  });

  it("lose the key before at once, or when its grace has passed", async () => {
    const { administer, partners, clock } = world();
    const { partner, apiKey } = await administer.create(draft("till"));
    const first = await administer.regenerateKey(partner.id, 0);
    assert.equal(partners.byKeySha256(digest(apiKey)), null);
    const second = await administer.regenerateKey(partner.id, 60);
    assert.equal(partners.byKeySha256(digest(first.apiKey))?.record.id, partner.id);
    assert.equal(partners.byKeySha256(digest(second.apiKey))?.record.id, partner.id);
    const generation = partners.generation();
    clock.now += 59_999;
    assert.equal(partners.generation(), generation);
    assert.equal(partners.byKeySha256(digest(first.apiKey))?.record.id, partner.id);
    clock.now += 1;
    assert.equal(partners.generation(), generation + 1, "what was verified before has to be forgotten");
    assert.equal(partners.generation(), generation + 1);
    assert.equal(partners.byKeySha256(digest(first.apiKey)), null);
    assert.equal(partners.byKeySha256(digest(second.apiKey))?.record.id, partner.id);
    await assert.rejects(administer.regenerateKey(partner.id, 604_801), refused(/graceSeconds/));
  });

  it("are toggled once for each call, also when called at once", async () => {
    const { administer, partners } = world();
    const { partner } = await administer.create(draft("till"));
    await Promise.all([1, 2, 3].map(() => administer.toggle(partner.id)));
    assert.equal(partners.byId(partner.id)?.record.enabled, false);
  });

  it("are disabled once by two who both want it, and the second is told", async () => {
    const { administer, partners } = world();
    const { partner } = await administer.create(draft("till"));
    const outcomes = await Promise.allSettled([administer.disable(partner.id), administer.disable(partner.id)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.equal(partners.byId(partner.id)?.record.enabled, false);
    await assert.rejects(administer.disable(partner.id), { code: "conflict" });
    assert.equal((await administer.enable(partner.id)).enabled, true);
    await assert.rejects(administer.enable(partner.id), { code: "conflict" });
  });

  it("can do nothing once deleted, leave their name free, and keep their gateway account for payments under way", async () => {
    const { administer, partners, kv } = world();
    const { partner, apiKey } = await administer.create({ ...draft("till"), allowedOrigins: { shop: "https://shop.example" } });
    assert.equal(partners.isOriginListed("https://shop.example"), true);
    await administer.remove(partner.id);
    assert.equal(partners.byId(partner.id), null);
    assert.equal(partners.byUsername("till"), null);
    assert.equal(partners.byKeySha256(digest(apiKey)), null);
    assert.equal(partners.isOriginListed("https://shop.example"), false);
    assert.deepEqual(partners.list(), []);
    assert.equal(partners.everById(partner.id)?.record.gateway.merchantId, "MER1");
    for (const call of [
      () => administer.remove(partner.id),
      () => administer.toggle(partner.id),
      () => administer.enable(partner.id),
      () => administer.disable(partner.id),
      () => administer.change(partner.id, {}),
      () => administer.regenerateKey(partner.id, 0),
      () => administer.resetPassword(partner.id),
    ]) {
      await assert.rejects(call(), NOT_FOUND);
    }
    const again = await administer.create(draft("till"));
    assert.equal(again.partner.id, partner.id + 1);
    assert.equal((await kv.scan({ from: "nu/", to: "nu0", limit: 10 })).length, 2);
  });

  it("are refused what is not right, with nothing half-done", async () => {
    const { administer, partners, kv } = world();
    const { partner } = await administer.create(draft("till"));
    const before = JSON.stringify(await kv.scan({ from: "!", to: "~", limit: 100 }));
    const table: [Partial<NewPartner>, RegExp][] = [
      [{ allowedOrigins: { shop: "shop.example" } }, /origins.shop: must be an origin/],
      [{ allowedOrigins: { shop: "https://shop.example/" } }, /origins.shop/],
      [{ allowedOrigins: { shop: "https://SHOP.example" } }, /origins.shop/],
      [{ allowedOrigins: { shop: "https://shop.example:443" } }, /origins.shop/],
      [{ allowedOrigins: { shop: "*" } }, /origins.shop/],
      [{ allowedOrigins: { shop: "null" } }, /origins.shop/],
      [
        { allowedOrigins: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`o${index}`, "https://a.example"])) },
        /at most 100/,
      ],
      [{ terminals: { ruleType: "LIST", ruleValue: " , " } }, /ruleValue must list/],
      [{ terminals: { ruleType: "LIST", ruleValue: "T1,T 2" } }, /not a terminal id/],
      [{ terminals: { ruleType: "REGEX", ruleValue: "(" } }, /pattern is not accepted/],
      [{ terminals: { ruleType: "REGEX", ruleValue: "((a{50}){50}){50}" } }, /pattern is not accepted/],
      [{ terminals: { ruleType: "ANY", ruleValue: "T1" } }, /ruleValue/],
      [{ adapter: { merchantId: "M1" } }, /adapterSecret: is required/],
      [{ adapter: { secret: "s" } }, /adapterMerId: is required/],
    ];
    for (const [change, told] of table) {
      await assert.rejects(administer.create({ ...draft("shop"), ...change }), refused(told), JSON.stringify(change));
      await assert.rejects(administer.change(partner.id, change), refused(told), JSON.stringify(change));
    }
    assert.equal(JSON.stringify(await kv.scan({ from: "!", to: "~", limit: 100 })), before);
    assert.equal(partners.list().length, 1);
  });
});
