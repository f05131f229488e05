import assert from "node:assert/strict";
import { describe } from "node:test";
import { type BrandingRecord, type LogoFile, noBranding } from "../../engine/branding/branding.ts";
import { createBrandingStore } from "../../engine/branding/branding-store.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

const logoOf = (digit: string) => ({ id: digit.repeat(32), type: "image/png", width: 24, height: 16, bytes: 3 }) as const;
const file = (...bytes: number[]): LogoFile => ({ type: "image/png", contents: new Uint8Array(bytes) });

/** The contract of engine/branding/branding-store.ts; each engine's test file calls this. */
export function testBrandingStore(name: string, open: () => Promise<OpenKv>): void {
  describe(`${name} keeps the contract of the store of branding`, () => {
    const test = ownWorldTest(open);

    test("stores a record together with its logo, and deletes the logo before", async ({ kv }) => {
      const store = createBrandingStore(kv);
      const before = await store.load("SHOP-001");
      assert.deepEqual(before, { record: noBranding("SHOP-001"), version: 0 });
      const first: BrandingRecord = { schema: 1, merchantId: "SHOP-001", color: "#aa3300", logo: logoOf("a"), updatedAtMs: 5 };
      assert.equal(await store.replace(before, first, file(1, 2, 255)), true);
      const stored = await store.load("SHOP-001");
      assert.deepEqual(stored.record, first);
      assert.deepEqual([...((await store.logo("a".repeat(32)))?.contents ?? [])], [1, 2, 255]);

      const second = { ...first, logo: logoOf("b") };
      assert.equal(await store.replace(stored, second, file(7)), true);
      assert.equal(await store.logo("a".repeat(32)), null);
      assert.deepEqual((await store.logo("b".repeat(32)))?.type, "image/png");

      const kept = await store.load("SHOP-001");
      assert.equal(await store.replace(kept, { ...second, color: null }, null), true);
      assert.ok((await store.logo("b".repeat(32))) !== null, "another colour has deleted the logo");
      assert.equal(await store.replace(await store.load("SHOP-001"), { ...second, logo: null }, null), true);
      assert.equal(await store.logo("b".repeat(32)), null);
    });

    test("of two changes of one version one is stored, with its logo only", async ({ kv }) => {
      const store = createBrandingStore(kv);
      const before = await store.load("SHOP-001");
      const changes = ["a", "b"].map((digit) => store.replace(before, { ...before.record, logo: logoOf(digit) }, file(1)));
      const outcomes = await Promise.all(changes);
      assert.equal(outcomes.filter((isStored) => isStored).length, 1);
      const files = await Promise.all(["a", "b"].map((digit) => store.logo(digit.repeat(32))));
      assert.deepEqual(
        files.map((found) => found !== null),
        outcomes,
      );
    });

    test("has no logo under an id that is none", async ({ kv }) => {
      const store = createBrandingStore(kv);
      for (const id of ["", "../SHOP-001", "A".repeat(32), "a".repeat(33)]) assert.equal(await store.logo(id), null);
    });
  });
}
