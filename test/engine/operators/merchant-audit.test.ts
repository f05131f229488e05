import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "../../../engine/operators/audit-entry.ts";
import { createAuditStore } from "../../../engine/operators/audit-store.ts";
import { createMerchantAudit } from "../../../engine/operators/merchant-audit.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

const AT_MS = 1_700_000_000_000;

function entry(index: number, subject = String(index)): AuditEntry {
  return {
    ...{
      atMs: AT_MS + index,
      actor: "merchant:A",
      merchantId: "A",
      username: "m@a.example",
      ipAddress: "192.0.2.1",
      requestId: `r${index}`,
    },
    ...{ action: "user.change", subject, members: [], outcome: { type: index % 2 === 0 ? "done" : "begun" } },
  };
}

async function world(count: number, subjectOf: (index: number) => string = String) {
  const kv = new MemoryKv();
  const log = createAuditStore({ kv, writer: "w", failed: (what, error) => assert.fail(`${what}: ${error}`) });
  for (let index = 0; index < count; index += 1) await log.record(entry(index, subjectOf(index)));
  const audit = createMerchantAudit(log);
  /** All pages of it, as subjects, and how many they were. */
  async function all(filter: object, limit: number): Promise<{ subjects: string[]; pages: number }> {
    const subjects: string[] = [];
    for (let before = "", pages = 1; ; pages += 1) {
      const { items, next } = await audit.page("A", { filter, before, limit });
      subjects.push(...items.map((item) => item.entry.subject));
      if (next === null) return { subjects, pages };
      before = next;
    }
  }
  return { audit, all };
}

test("pages go on where the last one ended, and the last one says so", async () => {
  const { all } = await world(7);
  const newestFirst = ["6", "5", "4", "3", "2", "1", "0"];
  assert.deepEqual(await all({}, 3), { subjects: newestFirst, pages: 3 });
  assert.deepEqual(await all({}, 7), { subjects: newestFirst, pages: 1 });
  assert.deepEqual(await all({}, 6), { subjects: newestFirst, pages: 2 });
});

test("filters narrow, alone and together", async () => {
  const { all } = await world(10, (index) => (index < 5 ? "usr_1" : "usr_2"));
  assert.equal((await all({ subject: "usr_1" }, 2)).subjects.length, 5);
  assert.deepEqual((await all({ requestId: "r7" }, 50)).subjects, ["usr_2"]);
  assert.equal((await all({ subject: "usr_1", outcome: "done" }, 50)).subjects.length, 3);
  assert.equal((await all({ fromMs: AT_MS + 2, untilMs: AT_MS + 6 }, 3)).subjects.length, 4);
  assert.deepEqual(await all({ subject: "nobody" }, 50), { subjects: [], pages: 1 });
});

test("what is rare is found over several pages, each of bounded work", async () => {
  const { all } = await world(4_500, (index) => (index === 3 ? "rare" : "usual"));
  const { subjects, pages } = await all({ subject: "rare" }, 50);
  assert.deepEqual([subjects, pages], [["rare"], 3]);
});
