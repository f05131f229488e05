import type { CommandSpec, Plan } from "../plan.ts";
import type { Posting, Witness } from "../witness.ts";
import type { SimFeed } from "../world/sim-feed.ts";
import { judgeDeliveries } from "./deliveries.ts";
import { judgeFeed } from "./feed.ts";
import { judgeLives } from "./lives.ts";
import { judgeRest } from "./rest.ts";
import { judgeResults } from "./results.ts";

/**
 * What has to hold, whatever befalls the relay; test/simulation/README.md says it in sentences.
 * Those that begin with `restored` are judged in the place of the others for what was sent before the store was taken back.
 */
export type Invariant =
  | "handed out once"
  | "redelivered to whoever declared it"
  | "expired never left"
  | "cancelled never executed"
  | "lives move forward"
  | "accepted is known"
  | "accepted once"
  | "refused for what was sent"
  | "results are found"
  | "results stand"
  | "status is not behind"
  | "status is of the latest command"
  | "what is unacknowledged stays sent"
  | "done stays done"
  | "what left is told as sent"
  | "capitals are the same uuid"
  | "taken is not for nobody"
  | "fed once and right"
  | "its shop stays"
  | "seen by its own"
  | "nothing waits"
  | "sent reaches a device"
  | "no defects"
  | "restored: handed out once"
  | "restored: never called expired"
  | "restored: what the feed held is found";

export interface Violation {
  invariant: Invariant;
  /** The command that it is about; null for none. */
  uuid: string | null;
  what: string;
}

/** What is known of a history when it has ended. */
export interface Evidence {
  plan: Plan;
  witness: Witness;
  feed: SimFeed;
  /** When everything that waits has to have ended. */
  settledAtMs: number;
  probes: readonly CommandSpec[];
  probesAtMs: number;
  endMs: number;
}

export function judge(evidence: Evidence): Violation[] {
  return [...judgeDeliveries(evidence), ...judgeLives(evidence), ...judgeResults(evidence), ...judgeFeed(evidence), ...judgeRest(evidence)];
}

/** Whether the store was taken back after this time, so that it may know nothing of what was before. */
export function isBeforeRestore({ restores }: Pick<Witness, "restores">, atMs: number): boolean {
  return restores.some((restore) => atMs <= restore.atMs);
}

/**
 * Whether a command was sent before the store was taken back: it may be another one now, or none. `atMs`: when something else of it was seen, for
 * what nobody here sent (a CANCEL).
 */
export function isOfLostStore({ restores, sendings }: Pick<Witness, "restores" | "sendings">, uuid: string, atMs?: number): boolean {
  if (restores.length === 0) return false;
  const firstMs = sendings.find((sending) => sending.uuid === uuid)?.askedAtMs ?? atMs;
  return firstMs !== undefined && restores.some((restore) => firstMs <= restore.atMs);
}

/** What has to be said of a violation after a restore: nodes that lived on take nothing back of what the feed holds. */
export function restoredHow({ restores }: Pick<Witness, "restores">): string {
  return restores.every(({ restarts }) => restarts) ? "" : "; the nodes lived on";
}

/** Postings by the uuid of their command as it was sent, however they write it. */
export function byCommand(postings: readonly Posting[]): Map<string, Posting[]> {
  const groups = byUuid(postings.map((posting) => ({ uuid: posting.commandUuid, posting })));
  return new Map([...groups].map(([uuid, group]) => [uuid, group.map(({ posting }) => posting)]));
}

/** Items by their uuid, in the order in which they came. */
export function byUuid<T extends { uuid: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.uuid);
    if (group === undefined) groups.set(item.uuid, [item]);
    else group.push(item);
  }
  return groups;
}

/** It was sent before the store was taken back, and neither the copy nor the feed knew of it: it is gone, and its sender's retry is a new command. */
export function isForgotten({ restores, sendings }: Pick<Witness, "restores" | "sendings">, uuid: string): boolean {
  return restores.some(
    ({ atMs, knew }) => !knew.has(uuid) && sendings.some((sending) => sending.uuid === uuid && sending.askedAtMs <= atMs),
  );
}
