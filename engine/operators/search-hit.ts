import { uuidKey } from "../kernel/identifiers.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import type { FedHit } from "../payments/fed-search.ts";

export type SearchKind =
  | "command"
  | "result"
  | "link"
  | "payment_intent"
  | "payment_link"
  | "dispute"
  | "alert"
  | "subscription"
  | "register_payment";

export interface TimelineEntry {
  readonly atMs: number;
  readonly what: string;
  readonly detail: string | null;
}

/** One thing that has the uuid or id. No personal data, no tokens, nothing that a buyer or a sender wrote. */
export interface SearchHit {
  readonly kind: SearchKind;
  readonly id: string;
  readonly terminalId: string | null;
  readonly merchantId: string | null;
  readonly state: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly createdAtMs: number | null;
  readonly updatedAtMs: number | null;
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  readonly attention: readonly AttentionKind[];
}

/** A hit with the ids of which operators may have attention items. */
export type Found = Omit<SearchHit, "attention"> & { readonly attentionAt: readonly string[] };

export function at(atMs: number | null, what: string, detail: string | null = null): TimelineEntry[] {
  return atMs === null ? [] : [{ atMs, what, detail }];
}

/** Returns what ClickHouse has found, without attention. */
export function hitsOfRows(rows: readonly FedHit[]): SearchHit[] {
  return fedHits(rows).map(({ attentionAt: _, ...hit }) => ({ ...hit, attention: [] }));
}

/** One hit for the life of a command and its result. */
export function fedHits(rows: readonly FedHit[]): Found[] {
  const lives = rows.filter(({ type }) => type === "life");
  const results = rows.filter(({ type }) => type === "result");
  const isSame = (one: FedHit, other: FedHit) => one.terminalId === other.terminalId && uuidKey(one.uuid) === uuidKey(other.uuid);
  const alone = lives.filter((life) => !results.some((result) => isSame(result, life)));
  return [
    ...results.map((result) => {
      const life = lives.find((one) => isSame(one, result));
      const kind = result.what === "PAYBYLINK" ? "link" : result.unsolicited ? "result" : "command";
      return fedHit(kind, result, [...lifeTimes(life), ...at(result.atMs, "result", `${result.what} ${result.state}`)]);
    }),
    ...alone.map((life) => fedHit("command", { ...life, state: life.state.toUpperCase() }, lifeTimes(life))),
  ];
}

function lifeTimes(life: FedHit | undefined): TimelineEntry[] {
  if (life === undefined) return [];
  return [...at(life.atMs, "accepted", life.what), ...at(life.sentAtMs, "sent"), ...at(life.endedAtMs, life.state)];
}

function fedHit(kind: SearchKind, row: FedHit, timeline: readonly TimelineEntry[]): Found {
  const { uuid: id, terminalId, merchantId, state, amountMinor, currency } = row;
  const createdAtMs = timeline.reduce((first, { atMs }) => Math.min(first, atMs), row.atMs);
  const attentionAt = [id, uuidKey(id)];
  return {
    kind,
    id,
    terminalId,
    merchantId,
    state,
    amountMinor,
    currency,
    createdAtMs,
    updatedAtMs: latest(timeline),
    timeline,
    attentionAt,
  };
}

export function latest(timeline: readonly TimelineEntry[]): number | null {
  return timeline.length === 0 ? null : Math.max(...timeline.map(({ atMs }) => atMs));
}
