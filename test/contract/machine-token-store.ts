import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AdministratorRecord } from "../../engine/access/administrator.ts";
import { type AdministratorStore, administratorUnchanged } from "../../engine/access/administrator-store.ts";
import type { MachineTokenRecord } from "../../engine/access/machine-token.ts";
import type { MachineTokenStore } from "../../engine/access/machine-token-store.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty, beside the administrators'. */
export interface OpenMachineTokenStore {
  store: MachineTokenStore;
  administrators: AdministratorStore;
  close(): Promise<void>;
}

const ANNA: AdministratorRecord = {
  ...{ schema: 1, username: "anna", role: "owner", enabled: true, password: { type: "sha256", hex: "1" } },
  ...{ createdAtMs: 1, updatedAtMs: 1, passwordChangedAtMs: 1 },
};

const NOBODY = { checks: [], operations: [] };

function tokenOf(name: string, tokenSha256 = "digest"): MachineTokenRecord {
  return { schema: 1, name, rights: ["read"], tokenSha256, expiresAtMs: 2, createdAtMs: 1, createdBy: "anna" };
}

/** The contract of engine/access/machine-token-store.ts; each engine's test file calls this. */
export function testMachineTokenStore(name: string, open: () => Promise<OpenMachineTokenStore>): void {
  describe(`${name} keeps the contract of the store of machine tokens`, () => {
    const test = ownWorldTest(open);

    test("keeps a token by its name, regardless of case, until it is removed", async ({ store }) => {
      assert.equal(await store.create(tokenOf("Roll-Outs"), NOBODY), "created");
      const found = await store.find("roll-outs");
      assert.deepEqual(found?.record, tokenOf("Roll-Outs"));
      assert.deepEqual([...(await store.load(0)).keys()], ["roll-outs"]);
      assert.ok(found !== null && (await store.remove(found, NOBODY)));
      assert.equal(await store.find("Roll-Outs"), null);
      assert.equal(await store.remove(found, NOBODY), false);
      assert.equal(await store.create(tokenOf("ROLL-OUTS"), NOBODY), "created");
    });

    test("of a hundred tokens with one name one is created", async ({ store }) => {
      const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => store.create(tokenOf("ci", `digest-${index}`), NOBODY)));
      assert.equal(outcomes.filter((outcome) => outcome === "created").length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === "taken").length, 99);
    });

    test("a name is an administrator's or a token's, and neither takes the other's", async ({ store, administrators }) => {
      const create = (username: string) => administrators.replace({ username, before: null, after: { ...ANNA, username }, actor: null });
      assert.equal(await create("anna"), "replaced");
      assert.equal(await store.create(tokenOf("ANNA"), NOBODY), "taken");
      assert.equal(await store.create(tokenOf("ci"), NOBODY), "created");
      assert.equal(await create("CI"), "taken");
    });

    test("who is no owner any more creates and removes none", async ({ store, administrators }) => {
      await administrators.replace({ username: "anna", before: null, after: ANNA, actor: null });
      const owner = await administrators.find("anna");
      assert.ok(owner !== null);
      await store.create(tokenOf("ci"), administratorUnchanged(owner));
      const present = await store.find("ci");
      assert.ok(present !== null);
      await administrators.replace({ username: "anna", before: owner, after: { ...ANNA, role: "operator" }, actor: null });
      assert.equal(await store.create(tokenOf("other"), administratorUnchanged(owner)), "stale");
      assert.equal(await store.remove(present, administratorUnchanged(owner)), false);
      assert.deepEqual(await store.find("ci"), present);
    });
  });
}
