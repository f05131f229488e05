/** How long a link of the portal may be paid: an hour to ninety days, seven days unless something else is asked for. */
export const PORTAL_LINK_HOURS_MIN = 1;
export const PORTAL_LINK_HOURS_MAX = 90 * 24;
export const PORTAL_LINK_HOURS_DEFAULT = 7 * 24;

/** Visits to the gateway's page that one link may begin. */
export const PORTAL_LINK_ATTEMPTS_MAX = 20;

/** Mails with the link to its customer. */
export const PORTAL_LINK_MAILS_MAX = 5;

/** Links that a merchant makes in an hour, in one environment; a program that makes more of them repeats itself, and each is kept for years. */
export const PORTAL_LINKS_PER_HOUR_MAX = 1_000;

export const PORTAL_LINK_STATES = ["PENDING", "PAID", "CANCELLED", "EXPIRED"] as const;
export type PortalLinkState = (typeof PORTAL_LINK_STATES)[number];

/** Who made it. `key`: the merchant's secret key. */
export type PortalLinkCreator =
  | { readonly type: "user"; readonly userId: string }
  | { readonly type: "key" }
  /** A credential of an AI agent. */
  | { readonly type: "agent"; readonly agentId: string };

/** What is to be paid; fixed when it is created. */
export interface PortalLinkOrder {
  /** In minor units of the currency, at least 1. */
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** For the customer: 1 to 255 characters. */
  readonly description: string;
  /** The merchant's own, at most 255 characters. */
  readonly reference: string | null;
  /** Personal data: never logged, and masked for roles that do not see it. */
  readonly customerEmail: string | null;
  readonly expiresAtMs: number;
}

/**
 * One visit to the gateway's page: a link of engine/links, whose `txId` is `<portal link's id>.<number from 1>`. Mirrored here by the commits that change
 * that link.
 *
 *   opening  stored, the gateway has not answered yet
 *   open     at the gateway, payable at `url` until `expiresAtMs`; after that the gateway has not said yet what became of it
 *   paid, failed  (by the gateway's word, or because its hour is over)
 */
export interface PortalLinkAttempt {
  readonly txId: string;
  readonly state: "opening" | "open" | "paid" | "failed";
  readonly createdAtMs: number;
  /** The gateway's page; personal to nobody, but never logged. */
  readonly url: string | null;
  readonly expiresAtMs: number;
  readonly endedAtMs: number | null;
  /** The gateway's words on its end. */
  readonly resultCode: string | null;
  readonly resultDescription: string | null;
  /** Failed by the gateway's own word, or known not to be there: only then may another one be begun. */
  readonly settled?: true;
  /** What was paid, by the gateway's word: it may differ from what was ordered. */
  readonly paid: {
    readonly atMs: number;
    readonly amountMinor: number;
    readonly currency: string;
    readonly cardLast4: string | null;
  } | null;
  /** Whether all of it was given back; `unknown` while the gateway's answer is missing. */
  readonly refund: "none" | "unknown" | "done";
}

/**
 * A payment link of the portal: an address (`/l/<token>`) that a merchant hands to a customer. It is paid once. Links at the gateway live for an hour, so each visit that
 * wants to pay begins an attempt there, and there is one open attempt at a time.
 *
 *   PENDING    payable
 *   PAID       an attempt was paid; `late` where it had been shown as cancelled or expired before, or as paid and given back
 *   CANCELLED  by its merchant
 *   EXPIRED    its time is over and no attempt is open
 */
export interface PortalLinkRecord {
  readonly schema: 1;
  /** `pl_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  /** 22 letters or digits that nobody can guess: whoever knows them may pay. Never logged. */
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
  /** In order; all but the last one have ended, as far as the gateway has said. */
  readonly attempts: readonly PortalLinkAttempt[];
  readonly paidAtMs: number | null;
  readonly cancelledAtMs: number | null;
  /** The operation that cancelled it: the same one again is answered as the first time. */
  readonly cancelledBy?: string;
  /** Mails with the link that were sent or are owed. */
  readonly mails: readonly { readonly id: string; readonly atMs: number }[];
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** Webhook events of it so far. */
  readonly events: number;
}

/** Whether more than one attempt was paid and not given back: somebody has to give one of them back. */
export function isPaidTwice({ attempts }: Pick<PortalLinkRecord, "attempts">): boolean {
  return attempts.filter(({ state, refund }) => state === "paid" && refund !== "done").length > 1;
}

/** The attempt by which it was paid first, as far as the gateway has said; null for none. */
export function paidAttempt({ attempts }: Pick<PortalLinkRecord, "attempts">): PortalLinkAttempt | null {
  const paid = attempts.filter(({ state }) => state === "paid");
  return paid.sort((one, other) => (one.paid?.atMs ?? 0) - (other.paid?.atMs ?? 0))[0] ?? null;
}
