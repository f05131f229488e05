import assert from "node:assert/strict";
import { test } from "node:test";
import { testKv } from "../contract/kv.ts";
import { AtOnceKv } from "./world/at-once-kv.ts";
import { SimStore } from "./world/sim-store.ts";

const START_MS = 1_700_000_000_000;

testKv("the simulated store", async () => {
  let nowMs = START_MS;
  const kv = new AtOnceKv(new SimStore(() => nowMs));
  return {
    kv,
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    close: () => kv.close(),
  };
});

test("a store that was taken back is as it was, and takes no commit of those who have not heard that something is lost", () => {
  const store = new SimStore(() => START_MS);
  const put = (value: string) => ({ checks: [], operations: [{ type: "put", key: "a", value } as const] });
  store.commit(put("one"), "writer", 0);
  const copy = store.copy();
  const later = store.commit(put("two"), "writer", 0);
  store.restore(copy);

  assert.equal(store.get("a")?.value, "one");
  assert.ok(later.type === "committed" && store.lastOf("writer") < later.version);
  const lost = store.markLost();
  assert.deepEqual(store.commit(put("three"), "writer", 0), { type: "refused" });
  assert.equal(store.commit(put("three"), "writer", lost).type, "committed");
});
