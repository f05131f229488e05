import type { AttentionKind } from "../../../../../engine/payments/attention-kinds.ts";
import type { AttentionItemJson } from "../../../../surfaces/admin/attention.ts";
import { get } from "../../../portal/api/client.ts";

const PAGE = 500;

/** Whoever has more than this to look at reads a page of them and not all; more would make each look a long one. */
const PAGES_MAX = 4;

export interface Attention {
  items: readonly AttentionItemJson[];
  /** There are more than were loaded. */
  isCut: boolean;
}

/** All that is to be looked at, up to a limit: the relay lists it by kind, and the page counts and sorts. */
export async function loadAttention(signal: AbortSignal): Promise<Attention> {
  const items: AttentionItemJson[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await get<AttentionItemJson[]>("/attention", { signal, query: { limit: PAGE, after: items.at(-1)?.id } });
    items.push(...found);
    if (found.length < PAGE) return { items, isCut: false };
  }
  return { items, isCut: true };
}

export interface KindCount {
  kind: AttentionKind;
  count: number;
  /** When the oldest of them came up. */
  since: string;
}

/** How many there are of each kind, the most first. */
export function countsOf(items: readonly AttentionItemJson[]): KindCount[] {
  const counts = new Map<AttentionKind, KindCount>();
  for (const { kind, at } of items) {
    const before = counts.get(kind);
    counts.set(kind, { kind, count: (before?.count ?? 0) + 1, since: before === undefined || at < before.since ? at : before.since });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count || one.kind.localeCompare(other.kind));
}

/** Those of a kind, or all, by their time. */
export function sorted(items: readonly AttentionItemJson[], kind: string, order: "newest" | "oldest"): AttentionItemJson[] {
  const sign = order === "newest" ? -1 : 1;
  return items.filter((item) => kind === "" || item.kind === kind).sort((one, other) => sign * one.at.localeCompare(other.at));
}
