import type { PortalLinkAttempt, PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";

export const CREATED_MS = 1_700_000_000_000;
export const NOW_MS = CREATED_MS + 60_000;

export const idOf = (n: number) => `pl_${String(n).padStart(24, "0")}`;
export const tokenOf = (n: number) => `T${String(n).padStart(21, "0")}`;

export function attempt(n: number, state: PortalLinkAttempt["state"], changes: Partial<PortalLinkAttempt> = {}): PortalLinkAttempt {
  const hasEnded = state === "paid" || state === "failed";
  return {
    txId: `${idOf(1)}.${n}`,
    state,
    createdAtMs: CREATED_MS,
    url: state === "opening" ? null : `https://pay.example/${n}`,
    expiresAtMs: CREATED_MS + 3_600_000,
    endedAtMs: hasEnded ? NOW_MS - 1 : null,
    resultCode: hasEnded ? "GW" : null,
    resultDescription: hasEnded ? "said" : null,
    ...(state === "failed" ? { settled: true as const } : {}),
    paid: state === "paid" ? { atMs: NOW_MS - 1, amountMinor: 1_234, currency: "EUR", cardLast4: null } : null,
    refund: "none",
    ...changes,
  };
}

export function portalLink(attempts: readonly PortalLinkAttempt[] = [], changes: Partial<PortalLinkRecord> = {}): PortalLinkRecord {
  const expiresAtMs = CREATED_MS + 7 * 86_400_000;
  return {
    schema: 1,
    id: idOf(1),
    token: tokenOf(1),
    merchantId: "M1",
    partnerId: 1,
    livemode: false,
    order: {
      ...{ amountMinor: 1_234, currency: "EUR", description: "Two nights", reference: "R-7", customerEmail: "ada@example.org" },
      expiresAtMs,
    },
    createdBy: { type: "key" },
    createdAtMs: CREATED_MS,
    updatedAtMs: CREATED_MS,
    state: "PENDING",
    late: false,
    attempts,
    paidAtMs: null,
    cancelledAtMs: null,
    mails: [],
    nextAtMs: expiresAtMs,
    events: 0,
    ...changes,
  };
}
