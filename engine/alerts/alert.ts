import type { DisputeActor, DisputeCategory } from "../disputes/dispute.ts";

const HOUR_MS = 3_600_000;

/** How long an alert may be answered where its source does not say. */
export const ALERT_RESPOND_MS = 24 * HOUR_MS;

export const ALERT_STATES = ["PENDING", "AUTO_REFUND", "REFUNDED", "DECLINED", "PREVENTED"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** `RDR`: the network itself moves the money, by rules that the merchant has there. */
export const ALERT_SOURCES = ["ETHOCA", "CDRN", "RDR", "OTHER"] as const;
export type AlertSource = (typeof ALERT_SOURCES)[number];

export const ALERT_REASON_LENGTH_MAX = 255;

export type AlertActor = DisputeActor;

/** What a source says of an alert when it comes; fixed. */
export interface AlertNotice {
  readonly source: AlertSource;
  /** Unique within the source. */
  readonly networkRef: string;
  /** The payment, as it is named in the merchant's transactions; null where it is not known. */
  readonly uuid: string | null;
  readonly terminalId: string | null;
  /** How it was paid (CARD, PAYBYLINK, ...); null where it is not known. */
  readonly method: string | null;
  readonly category: DisputeCategory;
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly respondByMs: number;
}

/**
 * The refund of an alert's payment: there is one, whoever asks for it and however often, under one id.
 *
 *   requested  stored; the gateway was (about to be) asked, and what came of it is not known
 *   done       all of it was given back; `moved` false: it had been before
 *   refused    nothing was given back
 */
export interface AlertRefund {
  /** `alert-<id>`. */
  readonly id: string;
  readonly state: "requested" | "done" | "refused";
  /** A rule of the merchant's, or somebody. */
  readonly by: { readonly type: "rule"; readonly ruleId: string } | AlertActor;
  /** How often it was asked for: after a refusal somebody may ask again. */
  readonly attempt: number;
  readonly requestedAtMs: number;
  /** Of the request, for logs. */
  readonly requestId: string | null;
  /** How often it was looked up what has become of it. */
  readonly checks: number;
  /** When it is looked up next; null once it is known. */
  readonly nextAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly moved: boolean;
  /** Why it was refused: a word of ours, or the gateway's. */
  readonly detail: string | null;
}

/** Why it ended without a refund of ours. */
export interface AlertEnd {
  /** `merchant`: declined; `deadline`: nobody answered in time; `network`: resolved, or `invalid`. */
  readonly by: "merchant" | "deadline" | "network" | "invalid";
  readonly atMs: number;
  /** The merchant's words. */
  readonly reason: string | null;
}

/** Why no rule has refunded it, where one matched: the day's limit was reached, or its payment is under dispute. */
export type RuleHeld = "daily_cap" | "under_dispute";

/**
 * A notice that a customer has complained to the bank: whoever gives the money back in time has no dispute.
 *
 *   PENDING      its merchant decides; also while a refund that somebody asked for is under way
 *   AUTO_REFUND  a rule of the merchant's has decided, and the refund is under way
 *   REFUNDED
 *   DECLINED     by its merchant, by the deadline, or because the source takes it back
 *   PREVENTED    the network has resolved it
 */
export interface AlertRecord extends AlertNotice {
  readonly schema: 1;
  /** `al_` and 24 letters or digits, derived from the source and its reference: so there is one of each. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly state: AlertState;
  /** The rule that has decided; null for none. */
  readonly rule: string | null;
  readonly ruleHeld: RuleHeld | null;
  readonly refund: AlertRefund | null;
  readonly end: AlertEnd | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** Webhook events of it so far. */
  readonly events: number;
}

export function refundIdOf(alertId: string): string {
  return `alert-${alertId}`;
}

/** Whether money may be moving because of it. */
export function isRefunding({ refund }: Pick<AlertRecord, "refund">): boolean {
  return refund?.state === "requested";
}
