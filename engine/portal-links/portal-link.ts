import type { PORTAL_LINK_STATES } from "./words.ts";
export const PORTAL_LINK_ATTEMPTS_MAX = 20;

/** Limits the mails with the link to its customer. */
export const PORTAL_LINK_MAILS_MAX = 5;

/** For each environment. A program that makes more links repeats itself. */
export const PORTAL_LINKS_PER_HOUR_MAX = 1_000;

export type PortalLinkState = (typeof PORTAL_LINK_STATES)[number];

/** `key`: the merchant's secret key. */
export type PortalLinkCreator =
  | { readonly type: "user"; readonly userId: string }
  | { readonly type: "key" }
  /** A credential of an AI agent. */
  | { readonly type: "agent"; readonly agentId: string };

export interface PortalLinkOrder {
  /** At least 1. */
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** For the customer, 1 to 255 characters. */
  readonly description: string;
  /** Chosen by the merchant, at most 255 characters. */
  readonly reference: string | null;
  /** Personal data. It is never logged, and masked for roles that may not see it. */
  readonly customerEmail: string | null;
  readonly expiresAtMs: number;
}

/**
 * A visit to the gateway's page. The `txId` of its link is `<portal link's id>.<number from 1>`.
 * The commits that change that link update the attempt.
 *
 * - `opening`: the gateway has not answered.
 * - `open`: payable at `url` until `expiresAtMs`. After that the outcome may be unknown.
 * - `paid`, `failed`: the gateway has reported this, or the hour is over.
 */
export interface PortalLinkAttempt {
  readonly txId: string;
  readonly state: "opening" | "open" | "paid" | "failed";
  readonly createdAtMs: number;
  /** The gateway's page. It is not personal, but never logged. */
  readonly url: string | null;
  readonly expiresAtMs: number;
  readonly endedAtMs: number | null;
  readonly resultCode: string | null;
  readonly resultDescription: string | null;
  /** The gateway confirms the failure. Only then may another attempt begin. */
  readonly settled?: true;
  /** Comes from the gateway and may differ from the order. */
  readonly paid: {
    readonly atMs: number;
    readonly amountMinor: number;
    readonly currency: string;
    readonly cardLast4: string | null;
  } | null;
  /** Covers the whole payment; `unknown` while the gateway has not answered. */
  readonly refund: "none" | "unknown" | "done";
}

/**
 * An address (`/l/<token>`) that a merchant gives to a customer. It is paid once. Links at the
 * gateway live for an hour, so each visit begins an attempt, and at most one attempt is open.
 *
 * - PENDING: it is payable.
 * - PAID: `late` if it had been shown as cancelled, expired or refunded before.
 * - CANCELLED: by its merchant.
 * - EXPIRED: its time is over and no attempt is open.
 */
export interface PortalLinkRecord {
  readonly schema: 1;
  /** `pl_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  /** 22 letters or digits that cannot be guessed. Any holder may pay. Never logged. */
  readonly token: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly order: PortalLinkOrder;
  readonly createdBy: PortalLinkCreator;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly state: PortalLinkState;
  readonly late: boolean;
  /** All but the last one have ended, as far as the gateway has reported. */
  readonly attempts: readonly PortalLinkAttempt[];
  readonly paidAtMs: number | null;
  readonly cancelledAtMs: number | null;
  /** The operation that cancelled it. A repetition gets the first answer. */
  readonly cancelledBy?: string;
  /** Mails with the link that were sent or are queued. */
  readonly mails: readonly { readonly id: string; readonly atMs: number }[];
  /** When the relay checks it next without a request; null if never again. */
  readonly nextAtMs: number | null;
  readonly events: number;
}

export function isPaidTwice({ attempts }: Pick<PortalLinkRecord, "attempts">): boolean {
  return attempts.filter(({ state, refund }) => state === "paid" && refund !== "done").length > 1;
}

/** Returns the attempt that was paid first, as far as the gateway has reported. */
export function paidAttempt({ attempts }: Pick<PortalLinkRecord, "attempts">): PortalLinkAttempt | null {
  const paid = attempts.filter(({ state }) => state === "paid");
  return paid.sort((one, other) => (one.paid?.atMs ?? 0) - (other.paid?.atMs ?? 0))[0] ?? null;
}
