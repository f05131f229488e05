import assert from "node:assert/strict";
import { it } from "node:test";
import { KeyedMutex } from "../../../engine/kernel/keyed-mutex.ts";
import type { AdministeredRecords } from "../../../engine/tables/replicated-table.ts";
import { type AdministerZvtOptions, createAdministerZvt } from "../../../engine/zvt/administer-zvt.ts";
import { createRouteChanges } from "../../../engine/zvt/route-changes.ts";
import { type StoredZvtConfig, ZVT_DEFAULT } from "../../../engine/zvt/zvt-config.ts";
import { compileNetwork } from "../../../http/auth/address-list.ts";
import { backgroundTimers } from "../../../infra/node/boot/machine-timers.ts";
import { createSecretBox } from "../../../infra/node/boot/secret-box.ts";
import { openZvtWorld, type ZvtWorld } from "./zvt-world.ts";

const ROUTE = { id: "till-1", terminalId: "T1", partnerUsername: "shop" };

function administer(world: ZvtWorld, changes: Partial<AdministerZvtOptions> = {}) {
  const { store, clock } = world;
  const stored = new Map<string, StoredZvtConfig>();
  const settings: Pick<AdministeredRecords<StoredZvtConfig>, "get" | "change"> = {
    get: (key) => stored.get(key),
    change: async (key, work) => {
      const record = work(stored.get(key));
      stored.set(key, record);
      return record;
    },
  };
  const administerZvt = createAdministerZvt({
    settings,
    defaults: ZVT_DEFAULT,
    store,
    changes: createRouteChanges({ store, mutex: new KeyedMutex(), timers: backgroundTimers, failed: () => {} }),
    box: createSecretBox({ current: "ab".repeat(32), old: null }),
    clock,
    compileRange: compileNetwork,
    hasPartner: (username) => username === "shop",
    tls: { certificate: true, clientCa: false },
    mayBindOutside: true,
    nodes: async () => [],
    ...changes,
  });
  return { administerZvt, stored };
}

it("listens to other machines only where it is said which may connect, and with certificates that are there", async () => {
  const { administerZvt } = administer(await openZvtWorld());
  const refused = (change: object, message: RegExp) => assert.rejects(administerZvt.save(change), { code: "invalid_request", message });
  await refused({ bindHost: "0.0.0.0" }, /allowedClients: is required/);
  await refused({ bindHost: "::" }, /allowedClients: is required/);
  await refused({ tls: "mutual" }, /RELAY_TLS_CLIENT_CA/);
  await administerZvt.save({ bindHost: "127.0.0.2" });
  await administerZvt.save({ bindHost: "10.1.0.1", allowedClients: ["10.1.0.0/16"], tls: "on" });
  // What is left out stays, and is checked again.
  await refused({ allowedClients: [] }, /allowedClients: is required/);
  assert.equal(administerZvt.config().config.bindHost, "10.1.0.1");
});

it("stores no password that could be read, and tells two of the same apart from none", async () => {
  const { administerZvt, stored } = administer(await openZvtWorld());
  await administerZvt.save({ routes: [{ ...ROUTE, password: "778899" }] });
  assert.equal(JSON.stringify([...stored.values()]).includes("778899"), false);
  const other = { ...ROUTE, id: "till-2" };
  await assert.rejects(
    administerZvt.save({ routes: [ROUTE, { ...other, password: "778899" }] }),
    /till-1 and till-2 cannot be distinguished/,
  );
  await administerZvt.save({ routes: [ROUTE, { ...other, password: "112233" }] });
});

it("frees a route that an unknown outcome holds, and only such a one", async () => {
  const world = await openZvtWorld();
  const node = world.node("a", { timeoutSeconds: 3_600 });
  const { administerZvt } = administer(world);
  assert.deepEqual(await administerZvt.release("till-1"), { type: "not_found" });
  await administerZvt.save({ routes: [ROUTE] });
  assert.deepEqual(await administerZvt.release("till-1"), { type: "nothing_held" });
  const { payment } = await node.pay(1_000);
  await world.pass(500);
  assert.deepEqual(await administerZvt.release("till-1"), { type: "nothing_held" });
  assert.equal((await administerZvt.routes()).routes[0]?.open?.state, "paying");

  await world.pass(303_000);
  assert.equal((await administerZvt.routes()).routes[0]?.open?.state, "unknown");
  assert.deepEqual(await node.begin(1_000), { type: "busy" });
  assert.deepEqual(await administerZvt.release("till-1"), { type: "released", uuid: payment.uuid });
  assert.deepEqual(await administerZvt.release("till-1"), { type: "nothing_held" });

  const next = await node.pay(1_000);
  await world.pass(500);
  // A late result of the one before is recorded as its own, and is not the answer to the new one.
  await world.result(payment.uuid);
  await world.pass(1_000);
  assert.equal(next.told.end, null);
  const view = (await administerZvt.routes()).routes[0];
  assert.deepEqual([view?.open?.uuid, view?.open?.state, view?.lastOutcome?.type], [next.payment.uuid, "paying", "unknown"]);
});

it("leaves a released route no receipt of an older sale, which its register could take for the unknown one", async () => {
  const world = await openZvtWorld();
  const node = world.node("a", { timeoutSeconds: 3_600 });
  const { administerZvt } = administer(world);
  await administerZvt.save({ routes: [ROUTE] });
  const paid = await node.pay(1_000);
  await world.result(paid.payment.uuid);
  await world.pass(500);
  await node.payments.delivered(paid.payment);
  assert.equal((await node.payments.lastReceipt("till-1")).type, "receipt");
  await node.pay(1_000);
  await world.pass(303_000);
  assert.equal((await administerZvt.release("till-1")).type, "released");
  assert.equal((await node.payments.lastReceipt("till-1")).type, "none");
});
