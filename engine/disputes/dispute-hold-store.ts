import { type CommitPart, NO_PART } from "../kernel/commit-part.ts";
import { uuidKey } from "../kernel/identifiers.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { CommitGuard, Transition } from "../workflow/workflow.ts";
import { DISPUTES_OF_PAYMENT_MAX, type DisputeRecord, holdsRefunds } from "./dispute.ts";

/** The disputes that block refunds of a payment. */
export interface DisputeHold {
  readonly schema: 1;
  /** A stored record has at least one id. */
  readonly disputes: readonly string[];
}

/** The key has the merchant, so nobody blocks refunds of another merchant's payment. */
export interface HeldPayment {
  readonly merchantId: string;
  readonly uuid: string;
}

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface DisputeHoldStore {
  /** Callers ask before they refund, so that they can answer `under_dispute`. */
  isUnderDispute(payment: HeldPayment): Promise<boolean>;
  /** For a commit: `checks` hold only while the answer is unchanged. */
  check(payment: HeldPayment): Promise<{ isHeld: boolean; checks: CommitPart["checks"] }>;
}

export const DISPUTE_HOLDS = "dispute-hold/";

export function createDisputeHoldStore(kv: Kv): DisputeHoldStore {
  const read = (payment: HeldPayment) => available(() => readHold(kv, payment));
  return {
    isUnderDispute: async (payment) => (await read(payment)).disputes.length > 0,
    check: async (payment) => {
      const { key, version, disputes } = await read(payment);
      return { isHeld: disputes.length > 0, checks: [{ key, version }] };
    },
  };
}

interface ReadHold {
  readonly key: string;
  readonly version: number;
  readonly disputes: readonly string[];
}

async function readHold(kv: Kv, payment: HeldPayment): Promise<ReadHold> {
  const key = holdKey(payment);
  const entry = await kv.get(key);
  if (entry === null) return { key, version: 0, disputes: [] };
  return { key, version: entry.version, disputes: readRecord<DisputeHold>("disputeHold", "a hold of refunds", entry.value).disputes };
}

/** Blocks or allows refunds in the commit of a dispute, and limits the disputes of a payment. */
export function createHoldGuard(kv: Kv, expiresAtMs: (transition: Transition<DisputeRecord>) => number | null): CommitGuard<DisputeRecord> {
  return {
    applies: ({ record: { uuid } }) => uuid !== null,
    read: async (transition) => {
      const { record, before } = transition;
      const { id, merchantId, uuid } = record;
      if (uuid === null) return NO_PART;
      const hold = await available(() => readHold(kv, { merchantId, uuid }));
      if (before === null && hold.disputes.length >= DISPUTES_OF_PAYMENT_MAX) return { refused: "too_many" };
      return {
        checks: [{ key: hold.key, version: hold.version }],
        operations: [holdOperation(hold, id, holdsRefunds(record), expiresAtMs(transition))],
      };
    },
    inTurn: (_, commit) => commit(),
  };
}

function holdOperation({ key, disputes }: ReadHold, id: string, holds: boolean, expiresAtMs: number | null): Operation {
  const others = disputes.filter((one) => one !== id);
  const left = holds ? [...others, id] : others;
  if (left.length === 0) return { type: "delete", key };
  const hold: DisputeHold = { schema: 1, disputes: left };
  return { type: "put", key, value: recordText("disputeHold", hold), ...(expiresAtMs === null ? {} : { expiresAtMs }) };
}

function holdKey({ merchantId, uuid }: HeldPayment): string {
  return `${DISPUTE_HOLDS}${merchantId}/${uuidKey(uuid)}`;
}
