import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AdministratorRecord } from "../../engine/access/administrator.ts";
import { createAdministratorStore } from "../../engine/access/administrator-store.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuditEntry, AuditOutcome } from "../../engine/operators/audit-entry.ts";
import { AUDIT_LIFETIME_MS, createAuditStore } from "../../engine/operators/audit-store.ts";
import { deletedPartner, type PartnerRecord } from "../../engine/partners/partner.ts";
import { createPartnerStore, PARTNER_PARTITIONS } from "../../engine/partners/partner-store.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../engine/tables/record-store.ts";
import { createTableVersions, partitionName, partitionOf } from "../../engine/tables/table-versions.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

/** The contract of the partner store, the audit log and the administered records; each engine's test file calls this. */
export function testAdministrationStores(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of the administration's stores`, () => {
    const test = ownWorldTest(open);

    test("gives partners ids one after the other, also when many are made at once", async ({ kv }) => {
      const store = createPartnerStore(kv);
      const made = await Promise.all(Array.from({ length: 10 }, (_, index) => store.create((id) => partner(id, `p${index}`))));
      const ids = made.map((outcome) => (outcome.type === "created" ? outcome.record.id : 0));
      assert.deepEqual(
        ids.sort((one, other) => one - other),
        Array.from({ length: 10 }, (_, index) => index + 1),
      );
      const partitions = await Promise.all(Array.from({ length: PARTNER_PARTITIONS }, (_, partition) => store.load(partition)));
      assert.equal(
        partitions.reduce((sum, partition) => sum + partition.size, 0),
        10,
      );
      for (const [index, partition] of partitions.entries())
        for (const key of partition.keys()) assert.equal(partitionOf(key, PARTNER_PARTITIONS), index);
    });

    test("lets one of a hundred races for a name win, and takes nothing for the others", async ({ kv }) => {
      const store = createPartnerStore(kv);
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => store.create((id) => partner(id, "same"))));
      assert.equal(outcomes.filter(({ type }) => type === "created").length, 1);
      assert.ok(outcomes.every((outcome) => outcome.type === "created" || outcome.what === "username"));
      const next = await store.create((id) => partner(id, "other"));
      assert.equal(next.type === "created" && next.record.id, 2);
    });

    test("refuses a change of what has changed, frees what a change gives up, and raises the version of the partition", async ({ kv }) => {
      const store = createPartnerStore(kv);
      await store.create((id) => partner(id, "one"));
      await store.create((id) => partner(id, "two"));
      const before = await store.find(1);
      assert.ok(before !== null);
      const tableVersions = createTableVersions(kv);
      const currentVersions = () => tableVersions.load([partitionName("partners", partitionOf("1", PARTNER_PARTITIONS))]);
      const earlierVersions = await currentVersions();
      assert.deepEqual(await store.replace(before, { ...before.record, username: "TWO" }), { type: "taken", what: "username" });
      assert.deepEqual(await currentVersions(), earlierVersions);
      assert.deepEqual(await store.replace(before, { ...before.record, username: "three" }), { type: "replaced" });
      assert.notDeepEqual(await currentVersions(), earlierVersions);
      assert.deepEqual(await store.replace(before, { ...before.record, username: "four" }), { type: "stale" });
      assert.equal((await store.create((id) => partner(id, "one"))).type, "created");
      assert.equal((await store.create((id) => partner(id, "three"))).type, "taken");
    });

    test("keeps a deleted partner for a time, and its name not at all", async ({ kv, advance }) => {
      const store = createPartnerStore(kv);
      await store.create((id) => partner(id, "one"));
      const before = await store.find(1);
      assert.ok(before !== null);
      await store.replace(before, deletedPartner(before.record, NOW_MS));
      assert.equal((await store.find(1))?.record.deletedAtMs, NOW_MS);
      assert.equal((await store.create((id) => partner(id, "one"))).type, "created");
      advance(400 * 86_400_000);
      assert.equal(await store.find(1), null);
      assert.notEqual(await store.find(2), null);
    });

    test("gives a name to one administrator or one partner, also of a hundred who want it at once, and frees it when its owner goes", async ({
      kv,
    }) => {
      const [partners, administrators] = [createPartnerStore(kv), createAdministratorStore(kv)];
      const create = (username: string) => administrators.replace({ username, before: null, after: administrator(username), actor: null });
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          if (index % 2 === 0) return (await partners.create((id) => partner(id, "Same"))).type;
          return create("sAME");
        }),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "created" || outcome === "replaced").length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === "taken").length, 99);
      assert.equal(await create("anna"), "replaced");
      const taken = { type: "taken", what: "username" };
      assert.deepEqual(await partners.create((id) => partner(id, "ANNA")), taken);
      const made = await partners.create((id) => partner(id, "till"));
      assert.ok(made.type === "created");
      assert.equal(await create("Till"), "taken");
      const before = await partners.find(made.record.id);
      assert.ok(before !== null);
      assert.deepEqual(await partners.replace(before, { ...before.record, username: "anna" }), taken);
      const anna = await administrators.find("ANNA");
      assert.equal(await administrators.replace({ username: "anna", before: anna, after: null, actor: null }), "replaced");
      assert.deepEqual(await partners.replace(before, { ...before.record, username: "anna" }), { type: "replaced" });
      assert.equal(await create("anna"), "taken");
      assert.equal(await create("till"), "replaced");
    });

    test("refuses a change of an administrator that has changed, or by one that has, and raises the version of the table", async ({
      kv,
    }) => {
      const store = createAdministratorStore(kv);
      for (const username of ["anna", "bert"]) {
        assert.equal(await store.replace({ username, before: null, after: administrator(username), actor: null }), "replaced");
      }
      const [anna, bert] = [await store.find("anna"), await store.find("bert")];
      assert.ok(anna !== null && bert !== null);
      const currentVersions = () => createTableVersions(kv).load([partitionName("administrators", 0)]);
      const earlierVersions = await currentVersions();
      const outcomes = await Promise.all([
        store.replace({ username: "bert", before: bert, after: null, actor: anna }),
        store.replace({ username: "anna", before: anna, after: null, actor: bert }),
      ]);
      assert.deepEqual(outcomes.sort(), ["replaced", "stale"]);
      assert.notDeepEqual(await currentVersions(), earlierVersions);
      assert.equal((await store.load(0)).size, 1);
      const [left] = [...(await store.load(0)).values()];
      assert.ok(left !== undefined);
      const { username } = left.record;
      assert.equal(await store.replace({ username, before: left, after: { ...left.record, enabled: false }, actor: left }), "replaced");
      assert.equal(await store.replace({ username, before: left, after: left.record, actor: null }), "stale");
      assert.equal(await store.replace({ username: "cleo", before: null, after: administrator("cleo"), actor: left }), "stale");
    });

    test("pages the audit log newest first, settled entries in their place, and forgets them after 400 days", async ({ kv, advance }) => {
      const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`) });
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push(await log.record(entry(index)));
      await log.settle(ids[1] ?? "", entry(1), { type: "refused", code: "not_found" });
      const first = await log.page({ before: "", limit: 3 });
      const second = await log.page({ before: first.at(-1)?.id ?? "", limit: 3 });
      assert.deepEqual(
        [...first, ...second].map(({ id }) => id),
        [...ids].reverse(),
      );
      assert.deepEqual(second[0], { id: ids[1], entry: { ...entry(1), outcome: { type: "refused", code: "not_found" } } });
      advance(AUDIT_LIFETIME_MS + 2);
      assert.equal((await log.page({ before: "", limit: 10 })).length, 2);
    });

    test("keeps the newest of too many audit entries", async ({ kv }) => {
      const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`), entriesMax: 50 });
      for (let index = 0; index < 1_000; index += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, one) => log.record(entry(index + one))));
      }
      for (let looks = 0; looks < 500; looks++) {
        if ((await log.page({ before: "", limit: 1_000 })).length === 50) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const left = await log.page({ before: "", limit: 1_000 });
      assert.deepEqual([left.length, left[0]?.entry.subject, left.at(-1)?.entry.subject], [50, "999", "950"]);
    });

    test("has in a merchant's log what it did itself and what was done to it, and nothing of another", async ({ kv, advance }) => {
      const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`) });
      const own = (index: number, merchantId = "SHOP-1") => ({ ...entry(index), actor: `merchant:${merchantId}`, merchantId });
      const subjects = (page: { entry: AuditEntry }[]) => page.map((one) => one.entry.subject);
      const ofShop = async (range: object = {}) => subjects(await log.pageOfMerchant("SHOP-1", { before: "", limit: 100, ...range }));
      const done = { type: "done" } as const;
      const put = async (one: AuditEntry, outcome: AuditOutcome) => log.settle(await log.record(one), one, outcome);

      // Begun and never settled: the node died.
      await log.record(own(1));
      await put(own(2), done);
      await put(own(3, "SHOP-10"), done);
      await put({ ...entry(4), merchantId: "SHOP-1" }, done);
      await put({ ...entry(5), merchantId: "SHOP-1" }, { type: "refused", code: "invalid_request" });
      await put({ ...entry(6), merchantId: "SHOP-1", actor: "partner-api:7" }, done);
      await put({ ...entry(7), merchantId: "SHOP-1", actor: "partner-api:8" }, { type: "refused", code: "not_found" });
      await put({ ...entry(8), merchantId: "SHOP-1" }, { type: "refused", code: "404" });
      await put({ ...entry(9), actor: "anonymous" }, done);
      // Before anybody looked whose merchant it is: a partner names whichever it likes.
      for (const code of ["forbidden", "conflict", "rate_limited", "unavailable", "404"]) {
        await put({ ...entry(10), merchantId: "SHOP-1", actor: "partner-api:8" }, { type: "refused", code });
      }
      await put({ ...entry(11), merchantId: "SHOP-1", actor: "partner-api:7" }, { type: "refused", code: "409" });

      assert.deepEqual(await ofShop(), ["11", "6", "5", "4", "2", "1"]);
      assert.deepEqual(subjects(await log.pageOfMerchant("SHOP-10", { before: "", limit: 100 })), ["3"]);
      assert.deepEqual(await log.pageOfMerchant("SHOP", { before: "", limit: 100 }), []);
      assert.deepEqual(subjects(await log.page({ before: "", limit: 100 })), ["8", "5", "4"]);
      const [, second] = await log.pageOfMerchant("SHOP-1", { before: "", limit: 2 });
      assert.deepEqual(await ofShop({ before: second?.id ?? "" }), ["5", "4", "2", "1"]);
      assert.deepEqual(await ofShop({ fromMs: NOW_MS + 2, untilMs: NOW_MS + 5 }), ["4", "2"]);
      assert.deepEqual(await ofShop({ before: second?.id ?? "", fromMs: NOW_MS + 2, untilMs: NOW_MS + 6 }), ["5", "4", "2"]);
      assert.deepEqual(await ofShop({ fromMs: NOW_MS + 5, untilMs: NOW_MS + 2 }), []);
      advance(AUDIT_LIFETIME_MS + 3);
      assert.deepEqual(await ofShop(), ["11", "6", "5", "4"]);
    });

    test("keeps the newest of too many entries of a merchant, and all of the others'", async ({ kv }) => {
      const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`), merchantEntriesMax: 30 });
      await log.record({ ...entry(0), actor: "merchant:SHOP-2", merchantId: "SHOP-2" });
      await log.record(entry(0));
      const own = (index: number): AuditEntry => ({ ...entry(index), actor: "merchant:SHOP-1", merchantId: "SHOP-1" });
      // With the first one there are a hundred of merchants.
      for (let index = 1; index < 99; index += 1) await log.record(own(index));
      const all = () => log.pageOfMerchant("SHOP-1", { before: "", limit: 1_000 });
      assert.equal((await all()).length, 98);
      await log.record(own(99));
      for (let looks = 0; looks < 500 && (await all()).length > 30; looks += 1) await new Promise((resolve) => setImmediate(resolve));
      const left = await all();
      assert.deepEqual([left.length, left[0]?.entry.subject, left.at(-1)?.entry.subject], [30, "99", "70"]);
      assert.equal((await log.pageOfMerchant("SHOP-2", { before: "", limit: 10 })).length, 1);
      assert.equal((await log.page({ before: "", limit: 10 })).length, 1);
    });

    test("who makes very many entries pushes out its own, and of few nothing goes", async ({ kv }) => {
      const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`), merchantEntriesMax: 30 });
      const by = (username: string, index: number): AuditEntry => ({
        ...entry(index),
        ...{ username, actor: "merchant:SHOP-1", merchantId: "SHOP-1" },
      });
      for (let index = 0; index < 4; index += 1) await log.record(by("anna@shop.example", index));
      for (let index = 4; index < 20; index += 1) await log.record(by("bruno@shop.example", index));
      for (let index = 20; index < 100; index += 1) await log.record(by("SHOP-1", index));
      const all = () => log.pageOfMerchant("SHOP-1", { before: "", limit: 1_000 });
      for (let looks = 0; looks < 500 && (await all()).length > 30; looks += 1) await new Promise((resolve) => setImmediate(resolve));
      const left = (await all()).map(({ entry: { subject } }) => Number(subject));
      const span = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);
      // Anna has all of hers; the others share what is left.
      assert.deepEqual(left, [...span(99, 13), ...span(19, 13), ...span(3, 4)]);
    });

    test("keeps administered records in their partitions, the latest write of each", async ({ kv }) => {
      const store = createRecordStore<{ schema: 1; text: string }>(kv, CLOUD_CONFIGS);
      const keys = Array.from({ length: 200 }, (_, index) => `T${index}`);
      for (const key of keys) await store.save(key, { schema: 1, text: key });
      await store.save("T7", { schema: 1, text: "again" });
      await store.remove("T8");
      const loaded = await Promise.all(Array.from({ length: store.partitions }, (_, partition) => store.load(partition)));
      const all = new Map(loaded.flatMap((partition) => [...partition]));
      assert.equal(all.size, 199);
      assert.equal(all.get("T7")?.record.text, "again");
      assert.ok((all.get("T7")?.version ?? 0) > (all.get("T9")?.version ?? 0));
      assert.equal(all.has("T8"), false);
    });

    test("changes an administered record as it is stored: of changes at once none is lost, and one that is refused stores nothing", async ({
      kv,
    }) => {
      const store = createRecordStore<{ schema: 1; text: string }>(kv, CLOUD_CONFIGS);
      const letters = [..."abcdefghij"];
      const append = (letter: string) =>
        store.change("T1", (before) => ({ schema: 1, text: [...(before?.text ?? ""), letter].sort().join("") }));
      await Promise.all(letters.map(append));
      const refused = store.change("T1", () => {
        throw new RelayError("invalid_request", "no");
      });
      await assert.rejects(refused, { code: "invalid_request" });
      const [loaded] = (await Promise.all(Array.from({ length: store.partitions }, (_, partition) => store.load(partition)))).filter(
        ({ size }) => size > 0,
      );
      assert.equal(loaded?.get("T1")?.record.text, letters.join(""));
    });
  });
}

/** The time at which the engines' test clocks begin. */
const NOW_MS = 1_700_000_000_000;

function partner(id: number, username: string): PartnerRecord {
  return {
    schema: 1,
    id,
    username,
    passwordHash: "hash",
    keySha256: `key of ${username}, ${id}`.replaceAll(/[^a-z0-9]/g, "-"),
    previousKey: null,
    enabled: true,
    gateway: { terminalId: "T", merchantId: "M", sealedSecret: "sealed" },
    allowedOrigins: {},
    terminals: { ruleType: "ANY" },
    adapter: null,
    partnerApi: null,
    sandbox: false,
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    deletedAtMs: null,
  };
}

function administrator(username: string): AdministratorRecord {
  const times = { createdAtMs: NOW_MS, updatedAtMs: NOW_MS, passwordChangedAtMs: NOW_MS };
  return { schema: 1, username, role: "owner", enabled: true, password: { type: "slow", hash: "hash" }, ...times };
}

function entry(index: number): AuditEntry {
  return {
    atMs: NOW_MS + index,
    actor: "administrator",
    username: "admin",
    ipAddress: "192.0.2.1",
    requestId: `r${index}`,
    action: "partner.toggle",
    subject: String(index),
    members: [],
    outcome: { type: "begun" },
  };
}
