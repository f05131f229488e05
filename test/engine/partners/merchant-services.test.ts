import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVICE_CODES } from "../../../engine/access/partner-grant.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { grant, merchantWorld, storedText } from "./merchant-world.ts";

const PAYPAL = { mode: "sandbox", clientId: "client-1", clientSecret: "paypal-secret-of-twenty-eight" };

async function withShop() {
  const world = merchantWorld();
  await world.merchants.create(grant(), { merchantId: "shop" }, "op");
  return world;
}

test("enables and disables every service, twice being once", async () => {
  const { services, merchants } = await withShop();
  for (const code of SERVICE_CODES) {
    for (const enabled of [true, true, false, false, true]) {
      assertMatches(await services.setEnabled(grant(), "shop", code, enabled), {
        type: "changed",
        merchant: { services: { [code]: { enabled } } },
      });
    }
  }
  assert.deepEqual(Object.keys((await merchants.find(grant(), "shop")).services).sort(), [...SERVICE_CODES].sort());
});

test("changes of several services at once on two shards are all kept", async () => {
  const world = await withShop();
  const shards = [world.services, world.shard().services];
  await Promise.all(SERVICE_CODES.map((code, index) => (shards[index % 2] ?? world.services).setEnabled(grant(), "shop", code, true)));
  const { services } = await world.merchants.find(grant(), "shop");
  assert.deepEqual(
    SERVICE_CODES.filter((code) => services[code]?.enabled !== true),
    [],
  );
});

test("an unknown service is not found, one that is not permitted is refused, and nothing is changed", async () => {
  const { services, merchants, kv } = await withShop();
  const before = await storedText(kv);
  const partner = grant({ allowedServices: ["SKRILL"] });
  for (const word of ["paypal", "NOPE", "", "constructor", "__proto__"]) {
    await assert.rejects(services.setEnabled(partner, "shop", word, true), { code: "not_found" });
    await assert.rejects(services.configure(partner, "shop", word, PAYPAL), { code: "not_found" });
  }
  assert.deepEqual(await services.setEnabled(partner, "shop", "PAYPAL", true), { type: "not_permitted" });
  assert.deepEqual(await services.setEnabled(partner, "shop", "PAYPAL", false), { type: "not_permitted" });
  assert.deepEqual(await services.configure(partner, "shop", "PAYPAL", PAYPAL), { type: "not_permitted" });
  assert.equal(await storedText(kv), before);
  await merchants.patch(grant(), "shop", { active: false });
  assert.deepEqual(await services.setEnabled(grant(), "shop", "PAYPAL", true), { type: "inactive" });
  assert.deepEqual(await services.configure(grant(), "shop", "PAYPAL", PAYPAL), { type: "inactive" });
});

test("a configuration is shown with its secrets masked, is sealed in the store, and can be read by those who use it", async () => {
  const { services, merchants, kv, clock } = await withShop();
  await services.configure(grant(), "shop", "PAYPAL", PAYPAL);
  assert.deepEqual((await merchants.find(grant(), "shop")).services.PAYPAL, {
    enabled: false,
    configuration: { mode: "sandbox", members: { clientId: "client-1", clientSecret: "********ight" }, updatedAtMs: clock.nowMs() },
  });
  assert.equal((await storedText(kv)).includes(PAYPAL.clientSecret), false);
  const used = await services.configurationOf("shop", "PAYPAL");
  assert.equal(used?.mode, "sandbox");
  assert.deepEqual(Object.fromEntries(used?.members ?? []), { clientId: "client-1", clientSecret: PAYPAL.clientSecret });
  assert.equal(await services.configurationOf("shop", "SKRILL"), null);
  assert.equal(await services.configurationOf("nobody", "PAYPAL"), null);
});

test("a secret that is left out, or sent as its mask, stays; another one replaces it", async () => {
  const { services } = await withShop();
  const secret = async () => (await services.configurationOf("shop", "PAYPAL"))?.members.get("clientSecret");
  await services.configure(grant(), "shop", "PAYPAL", PAYPAL);
  await services.configure(grant(), "shop", "PAYPAL", { mode: "live", clientId: "client-2" });
  assert.equal(await secret(), PAYPAL.clientSecret);
  await services.configure(grant(), "shop", "PAYPAL", { mode: "live", clientId: "client-2", clientSecret: "********ight" });
  assert.equal(await secret(), PAYPAL.clientSecret);
  await assert.rejects(
    services.configure(grant(), "shop", "PAYPAL", { mode: "live", clientId: "client-2", clientSecret: "********oops" }),
    /clientSecret: is a mask/,
  );
  await services.configure(grant(), "shop", "PAYPAL", { mode: "live", clientId: "client-2", clientSecret: "another-secret" });
  assert.equal(await secret(), "another-secret");
});

test("a service whose members are not given takes a map of strings, of which each may be a secret", async () => {
  const { services, merchants, kv } = await withShop();
  await services.configure(grant(), "shop", "SKRILL", {
    mode: "live",
    merchantEmail: "shop@example.org",
    secretWord: "skrill-secret-word-1",
  });
  assertMatches((await merchants.find(grant(), "shop")).services.SKRILL?.configuration, {
    mode: "live",
    members: { merchantEmail: "********", secretWord: "********rd-1" },
  });
  const stored = await storedText(kv);
  for (const text of ["shop@example.org", "skrill-secret-word-1"]) assert.equal(stored.includes(text), false);
  // What is left out of a map is removed; what is sent as its mask stays.
  await services.configure(grant(), "shop", "SKRILL", { mode: "live", secretWord: "********rd-1" });
  assert.deepEqual(Object.fromEntries((await services.configurationOf("shop", "SKRILL"))?.members ?? []), {
    secretWord: "skrill-secret-word-1",
  });
});

const BANCOMAT = {
  mode: "sandbox",
  idPg: "1",
  idNegozio: "2",
  merchantName: "😀".repeat(35),
  certificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  privateKey: "-----BEGIN PRIVATE KEY-----\r\n\tBBBB\n-----END PRIVATE KEY-----\n",
};

const REFUSED: { service: string; body: unknown; says: RegExp }[] = [
  { service: "PAYPAL", body: null, says: /body: must be an object/ },
  { service: "PAYPAL", body: [], says: /body: must be an object/ },
  { service: "PAYPAL", body: {}, says: /mode: is required/ },
  { service: "PAYPAL", body: { ...PAYPAL, mode: "test" }, says: /mode: must be one of sandbox, live/ },
  { service: "PAYPAL", body: { mode: "live", clientSecret: "s" }, says: /clientId: is required/ },
  { service: "PAYPAL", body: { mode: "live", clientId: "s" }, says: /clientSecret: is required/ },
  { service: "PAYPAL", body: { ...PAYPAL, clientId: 5 }, says: /clientId: must be a string/ },
  { service: "PAYPAL", body: { ...PAYPAL, clientId: " " }, says: /clientId: must be a string of 1 to 256/ },
  { service: "PAYPAL", body: { ...PAYPAL, clientId: "a\nb" }, says: /clientId: must not have control/ },
  { service: "PAYPAL", body: { ...PAYPAL, clientSecret: "x".repeat(257) }, says: /clientSecret: must be a string of 1 to 256/ },
  { service: "PAYPAL", body: { ...PAYPAL, signatureKey: "x" }, says: /signatureKey: is not a member of PAYPAL/ },
  {
    service: "PAYPAL",
    body: JSON.parse('{"mode":"live","clientId":"a","clientSecret":"b","__proto__":"c"}'),
    says: /__proto__: is not a member/,
  },
  { service: "SHIFT4", body: { mode: "live", merchantId: "a" }, says: /signatureKey: is required/ },
  { service: "BANCOMAT_PAY", body: { ...BANCOMAT, merchantName: "n".repeat(36) }, says: /merchantName: must be a string of 1 to 35/ },
  { service: "BANCOMAT_PAY", body: { ...BANCOMAT, privateKey: "a\u0000" }, says: /privateKey: must not have control/ },
  { service: "BANCOMAT_PAY", body: { ...BANCOMAT, certificate: "c".repeat(16_385) }, says: /certificate: must be/ },
  { service: "BIZUM", body: { mode: "live", "9x": "a" }, says: /9x: is not a name/ },
  { service: "BIZUM", body: JSON.parse('{"mode":"live","__proto__":"a"}'), says: /__proto__: is not a name/ },
  { service: "BIZUM", body: { mode: "live", nested: { a: 1 } }, says: /nested: must be a string/ },
  { service: "BIZUM", body: { mode: "live", a: "x".repeat(4_097) }, says: /a: must be a string of 1 to 4096/ },
  {
    service: "BIZUM",
    body: { mode: "live", ...Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`m${index}`, "x"])) },
    says: /at most 32 members/,
  },
];

test("refuses each configuration that is not one, naming the member and never its value, and changes nothing", async () => {
  const { services, kv } = await withShop();
  assertMatches(await services.configure(grant(), "shop", "BANCOMAT_PAY", BANCOMAT), { type: "changed" });
  const before = await storedText(kv);
  for (const { service, body, says } of REFUSED) {
    await assert.rejects(services.configure(grant(), "shop", service, body), (error: Error & { code?: string }) => {
      assert.equal(error.code, "invalid_request");
      assert.match(error.message, says);
      assert.equal(error.message.includes(PAYPAL.clientSecret), false);
      return true;
    });
  }
  assert.equal(await storedText(kv), before);
});

test("shows the end of a long secret only, and nothing of one with lines", async () => {
  const { services, merchants } = await withShop();
  await services.configure(grant(), "shop", "BANCOMAT_PAY", BANCOMAT);
  await services.configure(grant(), "shop", "SHIFT4", { mode: "live", merchantId: "m", signatureKey: "nineteen-characters" });
  const { services: shown } = await merchants.find(grant(), "shop");
  assertMatches(shown.BANCOMAT_PAY?.configuration, { members: { certificate: "********", privateKey: "********", idPg: "1" } });
  assertMatches(shown.SHIFT4?.configuration, { members: { signatureKey: "********", merchantId: "m" } });
});

test("a configuration that is not the one that was looked at is not replaced; without a look nothing is compared", async () => {
  const { services, ownMerchant, clock, kv } = await withShop();
  const seenOf = async () => ({ updatedAtMs: (await ownMerchant.find("shop")).services.PAYPAL?.configuration?.updatedAtMs ?? null });
  const never = await seenOf();
  assert.deepEqual(never, { updatedAtMs: null });
  assertMatches(await ownMerchant.configure("shop", "PAYPAL", PAYPAL, never), { type: "changed" });
  const first = await seenOf();
  const before = await storedText(kv);
  for (const stale of [never, { updatedAtMs: clock.nowMs() - 1 }]) {
    await assert.rejects(ownMerchant.configure("shop", "PAYPAL", { ...PAYPAL, mode: "live" }, stale), { code: "conflict" });
  }
  assert.equal(await storedText(kv), before);
  // Within one millisecond, and by the partner: it is another configuration all the same.
  await services.configure(grant(), "shop", "PAYPAL", PAYPAL);
  assert.notDeepEqual(await seenOf(), first);
  await assert.rejects(ownMerchant.configure("shop", "PAYPAL", PAYPAL, first), { code: "conflict" });
  // Switching it is no other configuration.
  const second = await seenOf();
  await ownMerchant.setEnabled("shop", "PAYPAL", true);
  assertMatches(await ownMerchant.configure("shop", "PAYPAL", PAYPAL, second), { type: "changed" });
  assertMatches(await ownMerchant.configure("shop", "PAYPAL", PAYPAL), {
    type: "changed",
    merchant: { services: { PAYPAL: { enabled: true } } },
  });
});

test("of two who looked at the same configuration at two shards one replaces it", async () => {
  const world = await withShop();
  const shards = [world.ownMerchant, world.shard().ownMerchant];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      (shards[index % 2] ?? world.ownMerchant).configure(
        "shop",
        "SHIFT4",
        { mode: "live", merchantId: `m${index}`, signatureKey: "key" },
        { updatedAtMs: null },
      ),
    ),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
});

test("a merchant changes the services that its partner permits, and no others", async () => {
  const { ownMerchant, partners, services } = await withShop();
  partners.set(7, ["SKRILL", "PAYPAL"]);
  assert.deepEqual((await ownMerchant.services("shop")).permitted, ["SKRILL", "PAYPAL"]);
  assertMatches(await ownMerchant.setEnabled("shop", "PAYPAL", true), {
    type: "changed",
    merchant: { services: { PAYPAL: { enabled: true } } },
  });
  assert.deepEqual(await ownMerchant.setEnabled("shop", "BIZUM", true), { type: "not_permitted" });
  assert.deepEqual(await ownMerchant.configure("shop", "SHIFT4", { mode: "live" }), { type: "not_permitted" });
  await assert.rejects(ownMerchant.setEnabled("shop", "NOPE", true), { code: "not_found" });
  for (const nobody of ["shop-2", "../shop", ""]) {
    await assert.rejects(ownMerchant.services(nobody), { code: "not_found" });
    await assert.rejects(ownMerchant.setEnabled(nobody, "PAYPAL", true), { code: "not_found" });
  }
  assertMatches(await services.setEnabled(grant(), "shop", "BIZUM", true), { type: "changed" });
  // Its partner was disabled: nobody is told that there are no such services, only that it may not use them.
  partners.delete(7);
  assert.deepEqual((await ownMerchant.services("shop")).permitted, []);
  assert.deepEqual(await ownMerchant.setEnabled("shop", "PAYPAL", false), { type: "not_permitted" });
});

test("the merchant keeps secrets that its partner stored, by their mask or by leaving them out", async () => {
  const { services, ownMerchant } = await withShop();
  await services.configure(grant(), "shop", "PAYPAL", PAYPAL);
  const { merchant } = await ownMerchant.services("shop");
  const mask = merchant.services.PAYPAL?.configuration?.members["clientSecret"] ?? "";
  assert.match(mask, /^\*{8}/);
  await ownMerchant.configure("shop", "PAYPAL", { mode: "live", clientId: "client-2" });
  await ownMerchant.configure("shop", "PAYPAL", { mode: "live", clientId: "client-3", clientSecret: mask });
  const stored = await services.configurationOf("shop", "PAYPAL");
  assert.deepEqual([stored?.mode, ...(stored?.members ?? [])], ["live", ["clientId", "client-3"], ["clientSecret", PAYPAL.clientSecret]]);
});
