import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { FeedRow } from "../../engine/payments/feed-row.ts";
import { OUTBOX } from "../../engine/payments/outbox.ts";
import { entriesOf, readRow } from "../feed/outbox.ts";
import { SET_ASIDE, setAsideText } from "../feed/set-aside.ts";

/** Limits the callers that wait for the next search. Another one is rejected. */
const WAITING_MAX = 1_000;

/** Searches the outbox for rows that are not in ClickHouse yet. */
export interface OutboxLooks {
  /**
   * Returns the rows whose JSON contains `text`, read after this call, or null if there are too
   * many rows to search.
   */
  find(text: string): Promise<FeedRow[] | null>;
}

interface Waiting {
  text: string;
  resolve(rows: FeedRow[] | null): void;
  reject(error: unknown): void;
}

/**
 * Runs one search at a time. Callers that arrive during a search share the next one. In a cluster
 * the outbox is in Redis, and a search for each page would delay payments.
 */
export function createOutboxLooks(kv: Kv, deliveredUntil: () => string | null, rowsMax: number): OutboxLooks {
  let waiting: Waiting[] = [];
  let looking = false;

  async function look(): Promise<void> {
    looking = true;
    // A caller that searches for two texts gets both from one search.
    await Promise.resolve();
    while (waiting.length > 0) {
      const asked = waiting;
      waiting = [];
      const texts = [...new Set(asked.map(({ text }) => text))];
      try {
        const found = await findInOutbox(kv, deliveredUntil(), texts, rowsMax);
        const byText = new Map(texts.map((text, index) => [text, found?.[index] ?? null]));
        for (const { text, resolve } of asked) resolve(byText.get(text) ?? null);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    looking = false;
  }

  return {
    find: (text) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= WAITING_MAX) {
          reject(new RelayError("too_busy", "Too many lists are requested at once; retry shortly", { retryAfterSeconds: 1 }));
          return;
        }
        waiting.push({ text, resolve, reject });
        if (!looking) void look();
      }),
  };
}

/**
 * Returns, for each of `texts`, the waiting rows (from key `from`) and the rejected rows whose JSON
 * contains it, or null if there are more than `limit` rows to search.
 */
async function findInOutbox(kv: Kv, from: string | null, texts: readonly string[], limit: number): Promise<FeedRow[][] | null> {
  const found = texts.map((): FeedRow[] => []);
  let looked = 0;
  for (const [prefix, start] of [
    [OUTBOX, from],
    [SET_ASIDE, null],
  ] as const) {
    for await (const { value } of entriesOf(kv, prefix, start, limit + 1 - looked)) {
      looked += 1;
      if (looked > limit) return null;
      const rowText = prefix === SET_ASIDE ? setAsideText(value) : value;
      texts.forEach((text, index) => {
        const row = rowText.includes(text) ? readRow(rowText) : null;
        if (row !== null) found[index]?.push(row);
      });
    }
  }
  return found;
}
