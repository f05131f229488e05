import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "tinybench";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";

const AT_ONCE = 256;

/** Durable commits as a pay makes them (claim a uuid, rewrite a record), one by one and many at once; runs `work` while the store is there. */
export async function withStore<T>(bench: Bench, work: () => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "relay-micro-"));
  const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
  const value = "x".repeat(400);
  let terminals = 0;
  const commit = async () => {
    const [claim, record] = [`c/${randomUUID()}`, `t/T${terminals++ % 100_000}`];
    const result = await kv.commit({
      checks: [{ key: claim, version: 0 }],
      operations: [
        { type: "put", key: claim, value },
        { type: "put", key: record, value },
      ],
    });
    if (result.type !== "committed") throw new Error("a fresh uuid was not free");
  };
  bench.add("store: durable commit, alone", commit);
  bench.add(`store: durable commit (${AT_ONCE} at once)`, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, commit));
  });
  try {
    return await work();
  } finally {
    await kv.close();
    await rm(directory, { recursive: true, force: true });
  }
}
