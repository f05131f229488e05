import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../../../engine/kernel/retry-on-conflict.ts";

/** An attempt that loses so often first. */
function losing(times: number): { attempt: () => Promise<string | typeof CONFLICT>; attempts: () => number } {
  let attempts = 0;
  return {
    attempt: async () => {
      attempts += 1;
      return attempts <= times ? CONFLICT : "stored";
    },
    attempts: () => attempts,
  };
}

describe("an attempt that is repeated on conflict", () => {
  it("is repeated until nothing came between, up to its limit", async () => {
    for (const times of [0, 1, 3]) {
      const { attempt, attempts } = losing(times);
      assert.equal(await retryOnConflict(4, attempt), "stored");
      assert.equal(attempts(), times + 1);
    }
  });

  it("is given up after the limit, with an answer that says to try again, or with the caller's own", async () => {
    const { attempt, attempts } = losing(4);
    await assert.rejects(retryOnConflict(4, attempt), (error) => error instanceof RelayError && error.code === "unavailable");
    assert.equal(attempts(), 4);
    await assert.rejects(
      retryOnConflict(2, losing(2).attempt, () => new RangeError("too many")),
      { name: "RangeError", message: "too many" },
    );
  });

  it("is not repeated where it fails", async () => {
    let attempts = 0;
    const fails = retryOnConflict(4, async () => {
      attempts += 1;
      throw new Error("the store is away");
    });
    await assert.rejects(fails, /the store is away/);
    assert.equal(attempts, 1);
  });
});
