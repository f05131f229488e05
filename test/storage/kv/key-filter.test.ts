import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { KeyFilter } from "../../../storage/kv/key-filter.ts";
import { eventually } from "../../support/within.ts";

describe("the filter of keys", () => {
  it("never forgets a key, over several segments, and seldom takes an absent one for present", () => {
    const filter = new KeyFilter();
    const count = 600_000;
    for (let index = 0; index < count; index++) filter.add(`c/${index}`);
    filter.completed();
    let forgotten = 0;
    for (let index = 0; index < count; index++) if (!filter.mayHave(`c/${index}`)) forgotten++;
    assert.equal(forgotten, 0);
    let mistaken = 0;
    for (let index = 0; index < 100_000; index++) if (filter.mayHave(`c/absent-${index}`)) mistaken++;
    assert.ok(mistaken < 1_000, `${mistaken} of 100,000`);
    assert.equal(filter.isComplete, true);
  });

  it("keeps claims exclusive in a store that was opened again, before and after it is complete", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-filter-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const options = { directory, nowMs: () => 1_000, mostlyAbsentPrefix: "c/" };
    const claim = (key: string) => ({ checks: [{ key, version: 0 }], operations: [{ type: "put" as const, key, value: "x" }] });
    const first = await openEmbeddedKv(options);
    const keys = Array.from({ length: 3_000 }, (_, index) => `c/${index}`);
    for (const result of await Promise.all(keys.map((key) => first.commit(claim(key))))) assert.equal(result.type, "committed");
    for (const key of keys) assert.equal((await first.commit(claim(key))).type, "conflict");
    await first.close();

    const second = await openEmbeddedKv(options);
    // At once, while the filter is being filled, and until after it is: a claim is never given twice.
    for (let round = 0; round < 3; round++) {
      for (const key of keys) assert.equal((await second.commit(claim(key))).type, "conflict");
      assert.equal((await second.commit(claim(`c/new-${round}`))).type, "committed");
      assert.equal((await second.commit(claim(`c/new-${round}`))).type, "conflict");
    }
    await eventually(() => assert.equal(second.stats().filtering, true));
    assert.equal((await second.commit(claim("c/newest"))).type, "committed");
    assert.equal((await second.commit(claim("c/newest"))).type, "conflict");
    await second.close();
  });
});
