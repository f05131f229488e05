import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { VersionCache } from "../../../storage/kv/version-cache.ts";

const KEYS_MAX = 3;

const key = fc.constantFrom("t/1", "t/2", "t/3", "t/4", "q/1");
const action = fc.oneof(
  fc.record({ type: fc.constant("keep" as const), key, version: fc.nat() }),
  fc.record({ type: fc.constant("update" as const), key, version: fc.nat() }),
  fc.record({ type: fc.constant("forget" as const), key }),
  fc.record({ type: fc.constant("ask" as const), key }),
  fc.record({ type: fc.constant("clear" as const) }),
);

describe("version cache", () => {
  it("knows what a table of all keys would know, in whatever order they are kept, changed and asked for", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const cache = new VersionCache(KEYS_MAX);
        const model = new Map<string, number>();
        for (const step of actions) {
          switch (step.type) {
            case "keep":
              cache.keep(step.key, step.version);
              if (!model.has(step.key) && model.size >= KEYS_MAX) model.clear();
              model.set(step.key, step.version);
              break;
            case "update":
              assert.equal(cache.update(step.key, step.version), model.has(step.key));
              if (model.has(step.key)) model.set(step.key, step.version);
              break;
            case "forget":
              cache.forget(step.key);
              model.delete(step.key);
              break;
            case "ask":
              assert.equal(cache.versionOf(step.key), model.get(step.key));
              break;
            case "clear":
              cache.clear();
              model.clear();
          }
        }
        for (const asked of ["t/1", "t/2", "t/3", "t/4", "q/1"]) assert.equal(cache.versionOf(asked), model.get(asked));
      }),
      { numRuns: 500 },
    );
  });

  it("forgets all at its bound, so that no key is known by an older version", () => {
    const cache = new VersionCache(2);
    cache.keep("t/1", 1);
    cache.keep("t/2", 2);
    cache.keep("t/3", 3);
    assert.deepEqual(
      ["t/1", "t/2", "t/3"].map((asked) => cache.versionOf(asked)),
      [undefined, undefined, 3],
    );
  });
});
