import type { Kv } from "../../engine/kernel/kv.ts";
import { type OutboxEntry, outboxEntryOf, outboxPages } from "../../storage/feed/outbox.ts";

/** Yields all rows of the outbox, one by one. */
export async function* outboxRows(kv: Kv): AsyncGenerator<OutboxEntry> {
  for await (const page of outboxPages(kv, null, Number.POSITIVE_INFINITY)) yield* page.map(outboxEntryOf);
}
