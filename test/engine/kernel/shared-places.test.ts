import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SharedPlaces } from "../../../engine/kernel/shared-places.ts";

test("nobody has more than a share, and the last quarter is for holders that have none", () => {
  const places = new SharedPlaces({ all: 8, each: 3 });
  const taken = (holder: string, times: number) => {
    let count = 0;
    for (let tries = 0; tries < times; tries += 1) {
      if (places.refusalOf(holder) !== null) continue;
      places.take(holder);
      count += 1;
    }
    return count;
  };
  assert.deepEqual([taken("a", 10), places.refusalOf("a")], [3, "share"]);
  assert.deepEqual([taken("b", 10), taken("c", 10), places.refusalOf("c")], [3, 1, "all"]);
  assert.deepEqual([taken("d", 10), places.refusalOf("e"), places.taken], [1, "all", 8]);
});

test("a place that was given back is free once, for whoever asks next", () => {
  const places = new SharedPlaces({ all: 1, each: 1 });
  const giveBack = places.take("a");
  assert.throws(() => places.take("b"));
  giveBack();
  giveBack();
  assert.deepEqual([places.taken, [...places.holders]], [0, []]);
  places.take("b");
  assert.equal(places.refusalOf("a"), "all");
});

test("counts what is held, whatever is taken and given back in which order", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.boolean())), (steps) => {
      const bounds = { all: 5, each: 2 };
      const places = new SharedPlaces(bounds);
      const held = new Map<string, (() => void)[]>();
      for (const [holder, takes] of steps) {
        const own = held.get(holder) ?? [];
        held.set(holder, own);
        if (!takes) own.pop()?.();
        else if (places.refusalOf(holder) === null) own.push(places.take(holder));
        assert.ok(own.length <= bounds.each);
        const sum = [...held.values()].reduce((all, { length }) => all + length, 0);
        assert.ok(sum <= bounds.all);
        assert.equal(places.taken, sum);
      }
    }),
  );
});
