import type { AgentCredentialRecord, AgentLimit, AgentReserved } from "./agent-credential.ts";
import type { Of } from "./events.ts";

/** Whether its time is over, also where nobody has noted that yet. */
export function isTimeOver({ expiresAtMs }: Pick<AgentCredentialRecord, "expiresAtMs">, atMs: number): boolean {
  return atMs >= expiresAtMs;
}

/** What was made on a day. A day that has passed does not come again where clocks differ: what is made then counts for the latest one. */
export function madeOn({ day: latest, dayMinor }: AgentReserved, day: string): { readonly day: string; readonly minor: number } {
  return latest === null || day > latest ? { day, minor: 0 } : { day: latest, minor: dayMinor };
}

/** What a link is asked for with. */
export interface AskedLink {
  readonly amountMinor: number;
  readonly currency: string;
  readonly day: string;
  /** Links that it has made in the last 60 minutes. */
  readonly linksInHour: number;
}

/** The limit by which a link is refused, and what that has room for; null where it is none. */
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

/** Whether the amounts permit it. How many links an hour has is not in the record: whoever asks for the step has counted them. */
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

/** It counts though there is no room for it: the money was paid. */
export function withPaidLate({ reserved }: AgentCredentialRecord, { amountMinor }: Of<"link.paid_late">): AgentReserved {
  return { ...reserved, totalMinor: reserved.totalMinor + amountMinor };
}

/** Whether the smallest link, of one minor unit, has no room any more. */
export function isUsedUp({ limits }: Pick<AgentCredentialRecord, "limits">, { totalMinor }: AgentReserved): boolean {
  return totalMinor >= limits.totalMinor;
}
