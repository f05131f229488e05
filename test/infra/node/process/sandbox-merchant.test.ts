import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceCode } from "../../../../engine/access/partner-grant.ts";
import { createMerchantsByKey } from "../../../../engine/partners/merchant-by-key.ts";
import { createMerchantServices } from "../../../../engine/partners/merchant-services.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { createMerchants } from "../../../../engine/partners/merchants.ts";
import { createReplaceKeys } from "../../../../engine/partners/replace-keys.ts";
import type { CloudConfig } from "../../../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../../../engine/tables/record-store.ts";
import { partitionOf } from "../../../../engine/tables/table-versions.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { SANDBOX_MERCHANT } from "../../../../infra/node/boot/sandbox-names.ts";
import { prepareSandboxMerchant } from "../../../../infra/node/process/sandbox-merchant.ts";
import { demoPartners, prepareSandboxPartner } from "../../../../infra/node/process/sandbox-partner.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";
import { bracketed, grant, newKeys, storedText } from "../../../engine/partners/merchant-world.ts";
import { ManualClock } from "../../../engine/world.ts";
import { assertMatches } from "../../../support/http/matches.ts";

const SANDBOX = readConfig({});
const PRODUCTION = readConfig({
  RELAY_MODE: "production",
  RELAY_HOST: "127.0.0.1",
  RELAY_TERMINAL_SECRET: "a-terminal-secret-of-this-test",
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
});

/** A store, what a node does with it at its start, and who its keys open. */
function world() {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const store = createMerchantStore(kv);
  const services = new Map<number, readonly ServiceCode[]>();
  let generated = 0;
  const apiKeys = { generate: (prefix: string) => prefix + String(++generated).padStart(43, "0"), digest: sha256Hex };
  const merchants = createMerchants({ store, apiKeys, clock, propagate: async () => {} });
  const { merchantByKey } = createMerchantsByKey({ store, apiKeys, clock, servicesOfPartner: (id) => services.get(id) ?? null });
  return {
    kv,
    store,
    merchants,
    replaceKeys: createReplaceKeys({
      ...{ merchants, store, apiKeys, secretBox: bracketed, clock },
      owners: { isAnyActive: async () => false, told: async () => ({ operations: [] }) },
      lookAtKey: async () => ({ items: [], checks: [], operations: [], committed: () => {} }),
    }).replace,
    services: createMerchantServices({ merchants, store, secretBox: bracketed, clock }),
    start: async (config = SANDBOX) => {
      await prepareSandboxPartner(kv, config, bracketed, clock.nowMs());
      await prepareSandboxMerchant(kv, config, bracketed, clock);
      services.clear();
      for (const { id, enabled, partnerApi } of await demoPartners(kv))
        if (enabled && partnerApi !== null) services.set(id, partnerApi.allowedServices);
    },
    demo: async () => {
      const [partner] = await demoPartners(kv);
      return grant({ partnerId: partner?.id ?? assert.fail("there is no demo partner"), maxMerchants: 1_000 });
    },
    openedBy: async (key: keyof typeof SANDBOX_MERCHANT.keys) => {
      const grant = await merchantByKey(SANDBOX_MERCHANT.keys[key]);
      return typeof grant === "object" ? grant : null;
    },
  };
}

test("the sandbox has a shop of the demo partner that takes cards, with the keys that everyone knows", async () => {
  const { start, demo, openedBy, store, kv } = world();
  await start();
  const { partnerId } = await demo();
  const opened = {
    merchantId: "SHOP-001",
    partnerId,
    livemode: false,
    keyId: /^[0-9a-f]{16}$/,
    requestsPerMinute: 100,
    services: ["IGFS"],
  };
  assertMatches(await openedBy("secret"), { ...opened, kind: "secret" });
  assertMatches(await openedBy("publishable"), { ...opened, kind: "publishable" });
  assert.deepEqual((await store.count(partnerId)).record, { active: 1, stored: 1 });
  assert.equal((await storedText(kv)).includes(SANDBOX_MERCHANT.keys.secret), false, "secret keys are not stored");
});

test("a restart leaves the shop as it is, and what was switched off stays off", async () => {
  const { start, demo, openedBy, kv, store, services } = world();
  await start();
  const before = await storedText(kv);
  await start();
  assert.equal(await storedText(kv), before);
  await services.setEnabled(await demo(), "SHOP-001", "IGFS", false);
  await start();
  assert.deepEqual((await openedBy("secret"))?.services, []);
  assert.deepEqual((await store.count((await demo()).partnerId)).record, { active: 1, stored: 1 });
});

test("a start that was killed half-way is made up for by the next", async () => {
  const { start, demo, openedBy, kv, store } = world();
  let commits = 0;
  // The partner, the merchant, and not its service.
  kv.fate = () => (++commits > 2 ? "refused" : "done");
  await assert.rejects(start());
  assert.equal((await store.load("SHOP-001"))?.record.services.IGFS, undefined);
  kv.fate = () => "done";
  await start();
  assert.deepEqual((await openedBy("secret"))?.services, ["IGFS"]);
  assert.deepEqual((await store.count((await demo()).partnerId)).record, { active: 1, stored: 1 });
});

test("keys that were replaced are the fixed ones again after a restart", async () => {
  const { start, demo, openedBy, replaceKeys, store } = world();
  await start();
  await replaceKeys(await demo(), "SHOP-001", newKeys("keys-1"));
  assert.equal(await openedBy("secret"), null);
  await start();
  assert.equal((await openedBy("secret"))?.merchantId, "SHOP-001");
  assert.deepEqual((await store.count((await demo()).partnerId)).record, { active: 1, stored: 1 });
});

test("several nodes that start at once make one shop", async () => {
  const { start, demo, openedBy, store } = world();
  await Promise.all([start(), start(), start()]);
  const { partnerId } = await demo();
  assert.deepEqual((await openedBy("secret"))?.services, ["IGFS"]);
  assert.deepEqual((await store.count(partnerId)).record, { active: 1, stored: 1 });
});

test("a merchant of that name that somebody else made is left alone", async () => {
  const { start, openedBy, merchants, store } = world();
  const other = grant({ partnerId: 900 });
  await merchants.create(other, { merchantId: "SHOP-001", merchantName: "Their shop", environment: "LIVE" }, "op-1");
  await start();
  const { record } = (await store.load("SHOP-001")) ?? assert.fail("it is gone");
  assert.deepEqual([record.partnerId, record.merchantName, record.services], [900, "Their shop", {}]);
  assert.equal(await openedBy("secret"), null);
});

test("in production the known keys open nothing, and another merchant of that name stays", async () => {
  const { start, demo, openedBy, store } = world();
  await start();
  const { partnerId } = await demo();
  await start(PRODUCTION);
  assert.equal(await openedBy("secret"), null);
  // Even if a partner with its number could be asked for again.
  assert.equal((await store.load("SHOP-001"))?.record.active, false);
  assert.deepEqual((await store.count(partnerId)).record, { active: 0, stored: 1 });
  await start(PRODUCTION);
  assert.deepEqual((await store.count(partnerId)).record, { active: 0, stored: 1 });

  const own = world();
  await own.merchants.create(grant(), { merchantId: "SHOP-001", environment: "LIVE" }, "op-1");
  await own.start(PRODUCTION);
  assert.equal((await own.store.load("SHOP-001"))?.record.active, true);
});

async function merchantOfSimulated(kv: MemoryKv): Promise<string | null | undefined> {
  const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
  return (await configs.load(partitionOf("SIM00001", configs.partitions))).get("SIM00001")?.record.merchantId;
}

test("the simulated terminal is the shop's, also in a sandbox of before, unless somebody has configured it", async () => {
  const { start, kv } = world();
  await start();
  assert.equal(await merchantOfSimulated(kv), "SHOP-001");
  const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
  await configs.remove("SIM00001");
  await start();
  assert.equal(await merchantOfSimulated(kv), "SHOP-001");
  await configs.change("SIM00001", (before) => ({ ...(before ?? assert.fail("there is no configuration")), merchantId: null }));
  await start();
  assert.equal(await merchantOfSimulated(kv), null);
});
