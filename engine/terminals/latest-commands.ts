import { LATEST_SENDERS_MAX } from "../kernel/limits.ts";
import type { CommandKind } from "../payments/command.ts";
import type { LatestEntry } from "./terminal-record.ts";

/** SCAN and PRINT count for `status`, administrator commands and CANCEL do not. */
export function countsAsLatest(kind: CommandKind): boolean {
  return kind === "payment" || kind === "scan" || kind === "print";
}

/** The newest command of its sender takes the place of that sender's former one. */
export function withLatest(latest: readonly LatestEntry[], newest: LatestEntry): readonly LatestEntry[] {
  const [first] = latest;
  if (first === undefined || (latest.length === 1 && first.sender === newest.sender)) return [newest];
  return [newest].concat(latest.filter((entry) => entry.sender !== newest.sender).slice(0, LATEST_SENDERS_MAX - 1));
}

/**
 * What a result does to `status`: its own command is answered; one that nobody asked for is the last transaction only where no
 * command still waits for an answer, so that it never passes for that answer.
 */
export function latestAfterResult(latest: readonly LatestEntry[], uuid: string, unsolicited: boolean): readonly LatestEntry[] {
  if (unsolicited) return latest[0]?.answered === false ? latest : withLatest(latest, { sender: "", uuid, answered: true });
  if (!latest.some((entry) => entry.uuid === uuid && !entry.answered)) return latest;
  return latest.map((entry) => (entry.uuid === uuid ? { ...entry, answered: true } : entry));
}
