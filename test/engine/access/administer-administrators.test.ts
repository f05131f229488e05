import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAdministerAdministrators, type NewAdministrator } from "../../../engine/access/administer-administrators.ts";
import { ADMINISTRATORS_MAX } from "../../../engine/access/administrator.ts";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import { createAdministratorStore } from "../../../engine/access/administrator-store.ts";
import { createAdministrators } from "../../../engine/access/administrators.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { syncedShards } from "../tables/world.ts";

const TAKEN = { name: "RelayError", code: "invalid_request", message: "username: already exists" };
const NO_LONGER = { name: "RelayError", code: "forbidden", message: "You are no longer an owner" };
const CONFIGURED = { name: "RelayError", code: "conflict", message: /RELAY_ADMIN_USERNAME/ };
const NOT_FOUND = { name: "RelayError", code: "not_found" };

const kvOf = () => new MemoryKv();

function world(kv = kvOf(), shardCount = 1, configured = "admin") {
  const clock = { now: 1_000_000, nowMs: () => clock.now, monotonicMs: () => clock.now };
  let made = 0;
  const secrets = {
    newPassword: () => `generated-${++made}`,
    digest: (password: string) => `digest of ${password}`,
    hashPassword: async (password: string) => `hash of ${password}`,
  };
  const shards = syncedShards(shardCount, kv).shards.map(({ tables }) => {
    const store = createAdministratorStore(kv);
    const administrators = createAdministrators({ tables, store, configured });
    const administer = createAdministerAdministrators({ store, administrators, secrets, clock, reservedUsernames: [configured, "fleet"] });
    return { tables, administrators, administer };
  });
  const [first] = shards;
  assert.ok(first !== undefined);
  return { kv, clock, shards, ...first };
}

type Shard = ReturnType<typeof world>["shards"][number];

const draft = (username: string, role: AdministratorRole = "owner"): NewAdministrator => ({
  username,
  role,
  enabled: true,
  password: "chosen password",
});

describe("administrators", () => {
  it("have a chosen password slowly hashed, and a generated one as a digest that is shown once", async () => {
    const { administer, administrators } = world();
    const chosen = await administer.create("admin", draft("anna"));
    assert.equal(chosen.generated, null);
    assert.deepEqual(administrators.byUsername("anna")?.password, { type: "slow", hash: "hash of chosen password" });
    const { generated } = await administer.create("admin", { ...draft("bert"), password: null });
    assert.equal(generated, "generated-1");
    assert.deepEqual(administrators.byUsername("bert")?.password, { type: "sha256", hex: "digest of generated-1" });
  });

  it("are made once with one name, whatever its case, also at once, and never with one of the configuration", async () => {
    const { administer, administrators } = world();
    const outcomes = await Promise.allSettled(["anna", "ANNA", "Anna"].map((name) => administer.create("admin", draft(name))));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes) if (outcome.status === "rejected") assert.equal(outcome.reason.message, TAKEN.message);
    for (const name of ["Admin", "FLEET"]) await assert.rejects(administer.create("admin", draft(name)), TAKEN);
    assert.equal(administrators.list().length, 1);
    await administer.remove("admin", "aNNa");
    await administer.create("admin", draft("anna"));
  });

  it("are known to every shard when a change is answered, and each change is a new generation", async () => {
    const { shards, administer } = world(kvOf(), 3);
    const generations = () => shards.map(({ administrators }) => administrators.generation());
    const changes = [
      () => administer.create("admin", draft("anna")),
      () => administer.change("admin", "anna", { role: "operator" }),
      () => administer.change("admin", "anna", { enabled: false }),
      () => administer.resetPassword("admin", "anna", null),
      () => administer.remove("admin", "anna"),
    ];
    for (const change of changes) {
      const before = generations();
      await change();
      for (const [index, generation] of generations().entries()) assert.ok(generation > (before[index] ?? 0));
      const known = shards.map(({ administrators }) => administrators.byUsername("anna"));
      for (const one of known) assert.deepEqual(one, known[0]);
    }
    assert.equal(shards[2]?.administrators.byUsername("anna"), null);
  });

  it("leave the one of the configuration as it is, whatever its case, and it hides a stored one of its name", async () => {
    const { kv, administer } = world();
    await administer.create("admin", draft("anna"));
    for (const name of ["admin", "ADMIN"]) {
      await assert.rejects(administer.change("anna", name, { role: "read-only" }), CONFIGURED);
      await assert.rejects(administer.change("anna", name, { enabled: false }), CONFIGURED);
      await assert.rejects(administer.resetPassword("anna", name, null), CONFIGURED);
      await assert.rejects(administer.remove("anna", name), CONFIGURED);
      await assert.rejects(administer.changeOwnPassword(name, "chosen password"), CONFIGURED);
    }
    const renamed = world(kv, 1, "Anna");
    await renamed.tables.load();
    assert.equal(renamed.administrators.byUsername("anna"), null);
    assert.deepEqual(renamed.administrators.list(), []);
  });

  it("change only what is said, and are not found where there are none", async () => {
    const { administer, administrators, clock } = world();
    await administer.create("admin", draft("anna"));
    clock.now += 5;
    await administer.change("admin", "anna", { enabled: false });
    const { role, enabled, createdAtMs, updatedAtMs, passwordChangedAtMs } = await administer.change("admin", "anna", { role: "operator" });
    assert.deepEqual([role, enabled, updatedAtMs - createdAtMs, passwordChangedAtMs], ["operator", false, 5, createdAtMs]);
    await assert.rejects(administer.changeOwnPassword("anna", "another password"), NOT_FOUND);
    await administer.change("admin", "anna", { enabled: true });
    await administer.changeOwnPassword("anna", "another password");
    assert.deepEqual(administrators.byUsername("anna")?.password, { type: "slow", hash: "hash of another password" });
    assert.equal(administrators.byUsername("anna")?.passwordChangedAtMs, clock.now);
    await assert.rejects(administer.change("admin", "bert", {}), NOT_FOUND);
    await assert.rejects(administer.resetPassword("admin", "bert", null), NOT_FOUND);
    await assert.rejects(administer.remove("admin", "bert"), NOT_FOUND);
  });

  it("act only while they are owners: who was downgraded, disabled or removed a moment ago changes nothing", async () => {
    const { administer } = world();
    await administer.create("admin", draft("victim", "read-only"));
    const losses: ((name: string) => Promise<unknown>)[] = [
      (name) => administer.change("admin", name, { role: "operator" }),
      (name) => administer.change("admin", name, { enabled: false }),
      (name) => administer.remove("admin", name),
    ];
    for (const [index, lose] of losses.entries()) {
      const name = `owner-${index}`;
      await administer.create("admin", draft(name));
      await administer.change(name, "victim", { role: "operator" });
      await lose(name);
      await assert.rejects(administer.create(name, draft("friend")), NO_LONGER);
      await assert.rejects(administer.change(name, "victim", { role: "owner" }), NO_LONGER);
      await assert.rejects(administer.change(name, name, { role: "owner", enabled: true }), NO_LONGER);
      await assert.rejects(administer.resetPassword(name, "victim", null), NO_LONGER);
      await assert.rejects(administer.remove(name, "victim"), NO_LONGER);
    }
  });

  for (const [how, act] of [
    ["remove", (by, whom, { administer }) => administer.remove(by, whom)],
    ["downgrade", (by, whom, { administer }) => administer.change(by, whom, { role: "read-only" })],
    ["disable", (by, whom, { administer }) => administer.change(by, whom, { enabled: false })],
  ] as [string, (by: string, whom: string, at: Shard) => Promise<unknown>][]) {
    it(`of two owners who ${how} each other at once one stays`, async () => {
      for (let round = 0; round < 20; round += 1) {
        const { shards, administer, administrators } = world(kvOf(), 2);
        const [here, there] = shards;
        assert.ok(here !== undefined && there !== undefined);
        await administer.create("admin", draft("anna"));
        await administer.create("admin", draft("bert"));
        const outcomes = await Promise.allSettled([act("anna", "bert", here), act("bert", "anna", there)]);
        const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.message] : []));
        assert.deepEqual(refused, [NO_LONGER.message]);
        const left = administrators.list().filter(({ role, enabled }) => role === "owner" && enabled);
        assert.equal(left.length, 1);
      }
    });
  }

  it("are at most a hundred", async () => {
    const { administer } = world();
    for (let index = 0; index < ADMINISTRATORS_MAX; index += 1) await administer.create("admin", draft(`a${index}`, "read-only"));
    await assert.rejects(administer.create("admin", draft("one-more")), {
      code: "invalid_request",
      message: /There are already 100 administrators/,
    });
  });
});
