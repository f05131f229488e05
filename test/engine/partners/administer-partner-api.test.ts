import assert from "node:assert/strict";
import { test } from "node:test";
import { createAdministerPartnerApi, type PartnerApiSettings } from "../../../engine/partners/administer-partner-api.ts";
import type { PartnerApiAccess } from "../../../engine/partners/partner.ts";
import { compileAddressList } from "../../../http/auth/address-list.ts";
import { ManualClock } from "../world.ts";
import { bracketed } from "./merchant-world.ts";

function open() {
  let generated = 0;
  return createAdministerPartnerApi({
    administerPartners: {
      create: () => assert.fail("not asked for"),
      change: () => assert.fail("not asked for"),
      toggle: () => assert.fail("not asked for"),
      enable: () => assert.fail("not asked for"),
      disable: () => assert.fail("not asked for"),
      resetPassword: () => assert.fail("not asked for"),
      regenerateKey: () => assert.fail("not asked for"),
      remove: () => assert.fail("not asked for"),
      edit: () => assert.fail("not asked for"),
    },
    apiKeys: { generate: (prefix) => `${prefix}${++generated}`, digest: (key) => `digest of ${key}` },
    box: bracketed,
    clock: new ManualClock(),
    addressLists: { compile: compileAddressList },
  });
}

function granted(settings: PartnerApiSettings, before: PartnerApiAccess | null = null): PartnerApiAccess {
  const access = open().edit(settings).edit(7, before);
  assert.ok(access);
  return access;
}

const FIRST = { partnerCode: "ACME", maxMerchants: 5 };

test("the first grant has defaults, and keys that are shown once and stored as digest and sealed", () => {
  const { edit, keys } = open().edit(FIRST);
  assert.equal(keys(), null);
  assert.deepEqual(edit(7, null), {
    partnerCode: "ACME",
    name: "ACME",
    role: "ADMIN",
    allowedServices: [],
    maxMerchants: 5,
    ipWhitelist: [],
    keySha256: "digest of pk_partner_1",
    previousKey: null,
    sealedSecret: bracketed.seal("sk_partner_2", "partner/7/partnerApiSecret"),
  });
  assert.deepEqual(keys(), { apiKey: "pk_partner_1", secret: "sk_partner_2" });
});

test("an edit that is made again shows the keys that it made last", () => {
  const { edit, keys } = open().edit(FIRST);
  edit(7, null);
  assert.equal(edit(8, null)?.keySha256, "digest of pk_partner_3");
  assert.deepEqual(keys(), { apiKey: "pk_partner_3", secret: "sk_partner_4" });
  // Somebody else's grant was quicker: these settings are a change of it, and its keys are not known here.
  edit(8, granted(FIRST));
  assert.equal(keys(), null);
});

test("a change leaves what it does not name, the keys among it; null takes the access away", () => {
  const before = granted({ ...FIRST, allowedServices: ["PAYPAL"], ipWhitelist: ["10.0.0.0/8"] });
  const { edit, keys } = open().edit({ maxMerchants: 9, role: "VIEWER" });
  assert.deepEqual(edit(7, before), { ...before, maxMerchants: 9, role: "VIEWER" });
  assert.equal(keys(), null);
  const away = open().edit(null);
  assert.deepEqual([away.edit(7, before), away.keys()], [null, null]);
});

test("services are taken as a list or as the text that holds one, in the order of the service codes, each once", () => {
  for (const allowedServices of [["PAYPAL", "IGFS", "PAYPAL"], '["PAYPAL","IGFS"]']) {
    assert.deepEqual(granted({ ...FIRST, allowedServices }).allowedServices, ["IGFS", "PAYPAL"]);
  }
});

const REFUSED: [settings: PartnerApiSettings, says: RegExp][] = [
  [{ maxMerchants: 5 }, /partnerApi.partnerCode: is required/],
  [{ partnerCode: "ACME" }, /partnerApi.maxMerchants: is required/],
  [{ ...FIRST, partnerCode: "a b" }, /partnerApi.partnerCode: must be/],
  [{ ...FIRST, name: " " }, /partnerApi.name: must be/],
  [{ ...FIRST, name: "a\nb" }, /partnerApi.name: must be/],
  [{ ...FIRST, role: "admin" }, /partnerApi.role: must be one of ADMIN, OPERATOR, VIEWER/],
  [{ ...FIRST, allowedServices: ["PAYPAL", "NOPE"] }, /partnerApi.allowedServices: must be a list of IGFS/],
  [{ ...FIRST, allowedServices: "PAYPAL" }, /partnerApi.allowedServices: must be/],
  [{ ...FIRST, allowedServices: '{"a":1}' }, /partnerApi.allowedServices: must be/],
  [{ ...FIRST, allowedServices: "[1]" }, /partnerApi.allowedServices: must be/],
  [{ ...FIRST, maxMerchants: -1 }, /partnerApi.maxMerchants: must be/],
  [{ ...FIRST, maxMerchants: 1.5 }, /partnerApi.maxMerchants: must be/],
  [{ ...FIRST, maxMerchants: 10_001 }, /partnerApi.maxMerchants: must be/],
  [{ ...FIRST, ipWhitelist: ["10.0.0.1", "host"] }, /partnerApi.ipWhitelist: "host" is neither an address/],
  [{ ...FIRST, ipWhitelist: Array.from({ length: 257 }, () => "10.0.0.1") }, /partnerApi.ipWhitelist: may have at most 256/],
];

for (const [settings, says] of REFUSED) {
  test(`refuses ${JSON.stringify(settings).slice(0, 80)}`, () => {
    assert.throws(() => open().edit(settings).edit(7, null), { code: "invalid_request", message: says });
  });
}
