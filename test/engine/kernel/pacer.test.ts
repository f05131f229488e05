import assert from "node:assert/strict";
import test from "node:test";
import { createPacer } from "../../../engine/kernel/pacer.ts";

test("the pacer leaves alone what is few and evens out what is many", () => {
  const few = createPacer(20);
  assert.deepEqual(
    Array.from({ length: 20 }, () => few.place(10_250, 30_000, 0)),
    Array.from({ length: 20 }, () => 10_250),
  );
  const many = createPacer(20);
  const counts = new Map<number, number>();
  for (let index = 0; index < 31_000; index += 1) {
    const second = Math.floor(many.place(10_000, 30_000, 0) / 1_000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  assert.equal(Math.min(...counts.keys()), 10);
  assert.equal(Math.max(...counts.keys()), 40);
  assert.ok(Math.max(...counts.values()) - Math.min(...counts.values()) <= 1, "as even as it can be");
});

test("what is due at one moment is spread evenly, however much it is, and finds its second quickly", () => {
  const pacer = createPacer(60);
  const counts = new Map<number, number>();
  for (let index = 0; index < 100_000; index += 1) {
    const atMs = pacer.place(9_000_000, 1_800_000, 9_000_000);
    assert.ok(atMs >= 9_000_000 && atMs <= 10_800_000);
    counts.set(Math.floor(atMs / 1_000), (counts.get(Math.floor(atMs / 1_000)) ?? 0) + 1);
  }
  assert.equal(Math.max(...counts.values()), 60);
  assert.equal(counts.size, Math.ceil(100_000 / 60));
});

test("seconds that were full have room again once they lie behind, and what is wanted earlier is not put later", () => {
  const pacer = createPacer(2);
  const place = (wantedMs: number, nowMs: number) => Math.floor(pacer.place(wantedMs, 5_000, nowMs) / 1_000);
  assert.deepEqual([place(20_000, 0), place(20_000, 0), place(20_000, 0), place(20_000, 0), place(20_000, 0)], [20, 20, 21, 21, 22]);
  assert.equal(place(18_000, 0), 18);
  assert.equal(place(21_000, 0), 22, "the first with room");
  // A clock that was set back asks for seconds that were forgotten.
  assert.equal(place(20_000, 30_000), 20);
});
