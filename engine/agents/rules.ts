import type { AgentCredentialRecord, AgentLimit, AgentReserved } from "./agent-credential.ts";
import type { Of } from "./events.ts";

/** The record may not show the end yet. */
export function isTimeOver({ expiresAtMs }: Pick<AgentCredentialRecord, "expiresAtMs">, atMs: number): boolean {
  return atMs >= expiresAtMs;
}

/** Returns the sum of a day. If clocks differ, an earlier day counts as the latest one. */
export function madeOn({ day: latest, dayMinor }: AgentReserved, day: string): { readonly day: string; readonly minor: number } {
  return latest === null || day > latest ? { day, minor: 0 } : { day: latest, minor: dayMinor };
}

export interface AskedLink {
  readonly amountMinor: number;
  readonly currency: string;
  readonly day: string;
  /** Links of the last 60 minutes. */
  readonly linksInHour: number;
}

/** Returns the limit that rejects a link and its room, or null. */
export function refusedBy(
  { limits, reserved }: Pick<AgentCredentialRecord, "limits" | "reserved">,
  { amountMinor, currency, day, linksInHour }: AskedLink,
): { readonly limit: AgentLimit; readonly roomMinor: number | null } | null {
  const { perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour } = limits;
  if (currency !== limits.currency) return { limit: "currency", roomMinor: null };
  if (amountMinor > perLinkMaxMinor) return { limit: "perLinkMax", roomMinor: perLinkMaxMinor };
  const totalRoom = Math.max(0, totalMinor - reserved.totalMinor);
  if (amountMinor > totalRoom) return { limit: "total", roomMinor: totalRoom };
  const dayRoom = Math.max(0, perDayMinor - madeOn(reserved, day).minor);
  if (amountMinor > dayRoom) return { limit: "perDay", roomMinor: dayRoom };
  return linksInHour >= linksPerHour ? { limit: "linksPerHour", roomMinor: null } : null;
}

/** Checks only the amounts. The record has no count of the last hour, so the caller checks it. */
export function hasRoom(record: AgentCredentialRecord, { amountMinor, day }: Of<"link.made">): boolean {
  return refusedBy(record, { amountMinor, currency: record.limits.currency, day, linksInHour: 0 }) === null;
}

export function withLink({ reserved }: AgentCredentialRecord, { amountMinor, day }: Of<"link.made">): AgentReserved {
  const made = madeOn(reserved, day);
  return {
    totalMinor: reserved.totalMinor + amountMinor,
    day: made.day,
    dayMinor: made.minor + amountMinor,
    links: reserved.links + 1,
  };
}

export function withoutUnpaid({ reserved }: AgentCredentialRecord, { amountMinor }: Of<"link.unpaid">): AgentReserved {
  return { ...reserved, totalMinor: Math.max(0, reserved.totalMinor - amountMinor) };
}

/** A paid link counts even without room. */
export function withPaidLate({ reserved }: AgentCredentialRecord, { amountMinor }: Of<"link.paid_late">): AgentReserved {
  return { ...reserved, totalMinor: reserved.totalMinor + amountMinor };
}

/** The smallest link, of one minor unit, has no room. */
export function isUsedUp({ limits }: Pick<AgentCredentialRecord, "limits">, { totalMinor }: AgentReserved): boolean {
  return totalMinor >= limits.totalMinor;
}
