import { dueOperations } from "../../../engine/kernel/due-index-store.ts";
import { type ManualClock, settle } from "../../engine/world.ts";
import type { TapeKv } from "./tape.ts";

const SECOND_MS = 1_000;

/** Fires the deadline of a record on a shard whose failures are in `failures`. */
export async function fireDeadline(
  { kv, clock, failures, tick }: { kv: TapeKv; clock: ManualClock; failures: readonly unknown[]; tick(): void },
  prefix: string,
  id: string,
  atMs: number,
): Promise<{ type: "fired" }> {
  const dueAtMs = atMs - SECOND_MS;
  for (const operation of dueOperations(prefix, id, null, dueAtMs))
    if (operation.type === "put") await kv.seed(operation.key, operation.value);
  // The first tick reads the index, the second one fires.
  for (const nowMs of [dueAtMs, atMs]) {
    clock.wallMs = nowMs;
    tick();
    await settle();
  }
  if (failures.length > 0) throw failures[0];
  return { type: "fired" };
}
