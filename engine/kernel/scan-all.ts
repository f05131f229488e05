import { type Entry, type Kv, prefixRange } from "./kv.ts";

const PAGE = 10_000;

/** Every entry under a prefix, in key order; for tables that are held in memory as a whole. */
export async function scanAll(kv: Kv, prefix: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let { from, to } = prefixRange(prefix);
  for (;;) {
    const page = await kv.scan({ from, to, limit: PAGE });
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return entries;
    from = `${last.key}\u0001`;
  }
}
