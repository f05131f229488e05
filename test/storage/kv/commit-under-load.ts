/**
 * A process to be killed: commits as fast as it can in the directory of its first argument, and appends each key to the file of its second
 * once its commit was acknowledged (what is written to a file outlives a killed process). Each commit puts a record and moves one of 64 counters on, so that half a commit would show.
 */
import { randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";

/** Ends by itself where nobody kills it. */
const LIFETIME_MS = 10_000;

const [directory = "", acknowledgedFile = ""] = process.argv.slice(2);
setTimeout(() => process.exit(3), LIFETIME_MS).unref();
const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
const acknowledged = openSync(acknowledgedFile, "a");
writeSync(1, "open\n");

async function commitAll(lane: number): Promise<never> {
  const counterKey = `counter/${lane}`;
  const counter = await kv.get(counterKey);
  let version = counter?.version ?? 0;
  for (let count = Number(counter?.value ?? 0) + 1; ; count++) {
    const key = `record/${randomUUID()}`;
    const result = await kv.commit({
      checks: [
        { key, version: 0 },
        { key: counterKey, version },
      ],
      operations: [
        { type: "put", key, value: `${lane} ${count} ${"x".repeat(count % 300)}`, expiresAtMs: Date.now() + 3_600_000 },
        { type: "put", key: counterKey, value: String(count) },
      ],
    });
    if (result.type !== "committed") process.exit(4);
    version = result.version;
    writeSync(acknowledged, `${key}\n`);
  }
}

await Promise.all(Array.from({ length: 64 }, (_, lane) => commitAll(lane)));
