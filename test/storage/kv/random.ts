import type { TestContext } from "node:test";

/** Random numbers that can be had again: the seed is printed, and taken from TEST_SEED where that is set. */
export function seededRandom(test: TestContext): (below: number) => number {
  let state = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  test.diagnostic(`seed ${state} (again with TEST_SEED=${state})`);
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
