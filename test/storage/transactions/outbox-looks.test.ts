import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import { lifeRowOf } from "../../../engine/payments/feed-row.ts";
import { setAsideOperations } from "../../../storage/feed/set-aside.ts";
import { createOutboxLooks } from "../../../storage/transactions/outbox-looks.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { endedRow, write } from "../feed/feed-world.ts";

const row = (terminalId: string, uuid: string) =>
  ({
    type: "life",
    uuid,
    terminalId,
    sender: "partner:1",
    service: "PAYCC",
    kind: "payment",
    amountCents: 1,
    state: "expired",
    version: 1,
  }) as const;

/** Creates a store that counts scans, and blocks them until it is released. */
function world() {
  const kv = new MemoryKv();
  const held: (() => void)[] = [];
  const state = { scans: 0, holding: false };
  const counting: Kv = {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.getMany(keys),
    count: (range) => kv.count(range),
    commit: (commit) => kv.commit(commit),
    close: () => kv.close(),
    scan: async (range) => {
      if (range.from.startsWith("o/")) state.scans += 1;
      if (state.holding) await new Promise<void>((resolve) => held.push(resolve));
      return kv.scan(range);
    },
  };
  let written = 0;
  return {
    state,
    looks: (rowsMax = 100) => createOutboxLooks(counting, () => null, rowsMax),
    write: async (terminalId: string, uuid: string) => {
      written += 1;
      const value = JSON.stringify(row(terminalId, uuid));
      const key = `o/${String(written).padStart(13, "0")}-w`;
      await kv.commit({ checks: [], operations: [{ type: "put", key, value }] });
    },
    release: () => {
      state.holding = false;
      for (const go of held.splice(0)) go();
    },
  };
}

const uuids = (rows: readonly { type: string }[] | null) => rows?.map((found) => ("uuid" in found ? found.uuid : null)) ?? null;

describe("the searches of the outbox", () => {
  it("finds rows that were written before the call, for each text", async () => {
    const { looks, write } = world();
    await write("T1", "a");
    await write("T2", "b");
    await write("T1", "c");
    const { find } = looks();
    const [one, two, none] = await Promise.all([find('"T1"'), find('"T2"'), find('"T3"')]);
    assert.deepEqual([uuids(one), uuids(two), uuids(none)], [["a", "c"], ["b"], []]);
  });

  it("finds a command's end in the row of its result, waiting or rejected", async () => {
    const kv = new MemoryKv();
    const rows = ["waiting", "aside"].map((uuid) => endedRow({ uuid, terminalId: "T1" }));
    await write(kv, rows, 1);
    const [, aside] = await kv.scan({ ...prefixRange("o/"), limit: 10 });
    assert.ok(aside !== undefined);
    await kv.commit({ checks: [], operations: setAsideOperations(aside, "too odd", 1) });
    const found = await createOutboxLooks(kv, () => null, 100).find('"T1"');
    assert.deepEqual(
      found?.map((one) => lifeRowOf(one)),
      rows.map(({ life, version, kind, sender, transaction: { uuid, terminalId } }) => ({
        ...life,
        ...{ type: "life", uuid, terminalId, version, kind, sender },
      })),
    );
  });

  it("runs one search at a time, and later callers share the next one, which sees everything written before it", async () => {
    const { looks, write, state, release } = world();
    const { find } = looks();
    state.holding = true;
    const first = find('"T1"');
    await write("T1", "late");
    const others = Array.from({ length: 20 }, (_, index) => find(index % 2 === 0 ? '"T1"' : '"T2"'));
    release();
    await first;
    const found = await Promise.all(others);
    assert.deepEqual(uuids(found[0] ?? null), ["late"]);
    assert.deepEqual(uuids(found[1] ?? null), []);
    assert.equal(state.scans, 2);
  });

  it("reports too many rows, and rejects callers over the limit", async () => {
    const { looks, write, state, release } = world();
    for (let index = 0; index < 3; index += 1) await write("T1", String(index));
    const { find } = looks(2);
    assert.equal(await find('"T1"'), null);
    state.holding = true;
    const all = Array.from({ length: 1_002 }, () => find('"T1"'));
    const refused = assert.rejects(all.at(-1) ?? Promise.resolve(), { code: "too_busy" });
    release();
    await refused;
    await Promise.allSettled(all);
  });
});
