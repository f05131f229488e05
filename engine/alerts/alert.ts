import type { DisputeActor, DisputeCategory } from "../disputes/dispute.ts";
import type { ALERT_SOURCES, ALERT_STATES } from "./words.ts";

const HOUR_MS = 3_600_000;

/** How long an alert may be answered if its source does not report a deadline. */
export const ALERT_RESPOND_MS = 24 * HOUR_MS;

export type AlertState = (typeof ALERT_STATES)[number];
export type AlertSource = (typeof ALERT_SOURCES)[number];

export type AlertActor = DisputeActor;

/** The data of a source about an alert. They never change. */
export interface AlertNotice {
  readonly source: AlertSource;
  /** Unique within the source. */
  readonly networkRef: string;
  /** The uuid of the payment in the merchant's transactions; null if unknown. */
  readonly uuid: string | null;
  readonly terminalId: string | null;
  /** How it was paid (CARD, PAYBYLINK, ...); null if unknown. */
  readonly method: string | null;
  readonly category: DisputeCategory;
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly respondByMs: number;
}

/**
 * The refund of an alert's payment. There is one under one id, however often it is requested.
 *
 * - `requested`: the gateway is or will be asked, and the outcome is unknown.
 * - `done`: the whole payment is refunded. `moved` is false if it was refunded before.
 * - `refused`: nothing was refunded.
 */
export interface AlertRefund {
  readonly id: string;
  readonly state: "requested" | "done" | "refused";
  readonly by: { readonly type: "rule"; readonly ruleId: string } | AlertActor;
  /** How often it was requested. It may be requested again after it was refused. */
  readonly attempt: number;
  readonly requestedAtMs: number;
  readonly requestId: string | null;
  readonly checks: number;
  /** The time of the next check; null once the outcome is known. */
  readonly nextAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly moved: boolean;
  /** Why it was refused: a word of the relay, or the gateway's code. */
  readonly detail: string | null;
}

export interface AlertEnd {
  /** `network`: resolved by the network; `invalid`: withdrawn by the source. */
  readonly by: "merchant" | "deadline" | "network" | "invalid";
  readonly atMs: number;
  readonly reason: string | null;
}

/** Why a matching rule has not refunded the alert: the daily limit, or a dispute. */
export type RuleHeld = "daily_cap" | "under_dispute";

/**
 * A customer has complained to the bank. A refund in time avoids a dispute.
 *
 * - PENDING: its merchant decides, or a requested refund is under way.
 * - AUTO_REFUND: a rule has decided, and the refund is under way.
 * - REFUNDED: the payment is refunded, now or before.
 * - DECLINED: by its merchant, by the deadline, or because the source withdrew it.
 * - PREVENTED: the network has resolved it.
 */
export interface AlertRecord extends AlertNotice {
  readonly schema: 1;
  /** `al_` and 24 letters or digits, derived from the source and its reference. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly state: AlertState;
  readonly rule: string | null;
  readonly ruleHeld: RuleHeld | null;
  readonly refund: AlertRefund | null;
  readonly end: AlertEnd | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the relay checks it next without a request; null if never again. */
  readonly nextAtMs: number | null;
  readonly events: number;
}

export function refundIdOf(alertId: string): string {
  return `alert-${alertId}`;
}

export function isRefunding({ refund }: Pick<AlertRecord, "refund">): boolean {
  return refund?.state === "requested";
}
