import type { Span } from "./slow-pushes.ts";

/** `2026/11/22-23:14:25.223094 7f6bf0fff6c0 <what>`, in local time. */
const LINE = /^(\d{4})\/(\d\d)\/(\d\d)-(\d\d:\d\d:\d\d\.\d{3})\d* \S+ (.*)$/;

/** What its thread does beside the commits, as its log words the beginning and the end. */
const KINDS = [
  // Writing out a memory table.
  { begins: /^Level-0 table #\d+: started/, ends: /^Level-0 table #\d+: \d+ bytes/ },
  // Merging tables.
  { begins: /^Compacting \d+@/, ends: /^Compacted \d+@/ },
];

/** When LevelDB wrote out memory tables and merged tables, by its own log. What has not ended lasts. */
export function readStoreWork(log: string): Span[] {
  const spans: Span[] = [];
  const open = new Map<(typeof KINDS)[number], Span>();
  for (const line of log.split("\n")) {
    const [, year, month, day, time, what = ""] = LINE.exec(line) ?? [];
    const kind = KINDS.find(({ begins, ends }) => begins.test(what) || ends.test(what));
    if (kind === undefined) continue;
    const atMs = Date.parse(`${year}-${month}-${day}T${time}`);
    if (kind.begins.test(what)) {
      const span = { fromMs: atMs, toMs: Number.POSITIVE_INFINITY };
      open.set(kind, span);
      spans.push(span);
    } else {
      const span = open.get(kind);
      if (span !== undefined) span.toMs = atMs;
    }
  }
  return spans;
}
