import type { AgentCredentialRecord } from "../../../engine/agents/agent-credential.ts";

export const CREATED_MS = 1_700_000_000_000;
export const NOW_MS = CREATED_MS + 60_000;
export const EXPIRES_MS = CREATED_MS + 30 * 86_400_000;
export const DAY = "2023-11-14";

export const idOf = (n: number) => `ac_${String(n).padStart(24, "0")}`;

export function credential(changes: Partial<AgentCredentialRecord> = {}): AgentCredentialRecord {
  return {
    ...{ schema: 1, id: idOf(1), merchantId: "M1", partnerId: 1, livemode: false, name: "Booking assistant" },
    ...{ digest: "ab".repeat(32), last4: "x7Qa", scopes: ["links:create"], ipAllow: [], createdBy: { type: "key" } },
    limits: { currency: "EUR", perLinkMaxMinor: 1_000, perDayMinor: 3_000, totalMinor: 5_000, linksPerHour: 20 },
    ...{ createdAtMs: CREATED_MS, updatedAtMs: CREATED_MS, expiresAtMs: EXPIRES_MS, state: "ACTIVE" },
    reserved: { totalMinor: 0, day: null, dayMinor: 0, links: 0 },
    ...{ revokedAtMs: null, revokedBy: null, nextAtMs: EXPIRES_MS, events: 0 },
    ...changes,
  };
}
