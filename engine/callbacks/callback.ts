import { readAdapterOrder } from "./adapter-order.ts";

/** A call that the adapter owes a client whose payment has ended (infra/docs/adapter.md). */
export interface CallbackRecord {
  readonly schema: 1;
  readonly id: string;
  readonly url: string;
  /** What is posted: `{merId, txId, paymentId}`. */
  readonly body: { readonly merId: string; readonly txId: string; readonly paymentId: string };
  /** A dead one was tried often enough; only an administrator has it sent again. */
  readonly state: "waiting" | "dead";
  readonly attempts: number;
  readonly createdAtMs: number;
  /** When it is to be sent; of one that is being sent, when it may be taken over. */
  readonly nextAtMs: number;
  readonly lastAttemptAtMs: number | null;
  readonly lastError: string | null;
}

/** Pauses after failed attempts: about sixteen hours in all, over a night's outage. After the last one it is dead. */
export const CALLBACK_PAUSES_MS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800].map((seconds) => seconds * 1_000);

/** Whoever sends one has this long; then another node may. Longer than an attempt takes. */
export const CALLBACK_LEASE_MS = 60_000;

/** How long a dead one is kept for an administrator. */
export const CALLBACK_DEAD_LIFETIME_MS = 90 * 86_400_000;

/** What a payment's end owes, by what was kept with it; nothing where no client asked to be told. */
export function callbacksOf(ended: { txId: string; attachment: string | null; state: string; atMs: number }): CallbackRecord[] {
  const order = readAdapterOrder(ended.attachment);
  if (order === null) return [];
  const body = { merId: order.merId, txId: order.txId, paymentId: ended.txId };
  const owed = [
    { kind: "callback", url: order.callbackUrl },
    { kind: "notify", url: order.notifyUrl === order.callbackUrl ? null : order.notifyUrl },
  ];
  return owed.flatMap(({ kind, url }) => (url === null ? [] : [fresh(`${ended.txId}.${ended.state}.${kind}`, url, body, ended.atMs)]));
}

function fresh(id: string, url: string, body: CallbackRecord["body"], atMs: number): CallbackRecord {
  const { createdAtMs, nextAtMs } = { createdAtMs: atMs, nextAtMs: atMs };
  return { schema: 1, id, url, body, state: "waiting", attempts: 0, createdAtMs, nextAtMs, lastAttemptAtMs: null, lastError: null };
}

/** Taken by one sender; the others leave it for the time of the lease. */
export function claimedCallback(record: CallbackRecord, atMs: number): CallbackRecord {
  return { ...record, attempts: record.attempts + 1, lastAttemptAtMs: atMs, nextAtMs: atMs + CALLBACK_LEASE_MS };
}

/**
 * After an attempt that failed: later again, or dead. `spread` (0 up to 1) lengthens the pause by up to a tenth, so that what failed together does
 * not come back together.
 */
export function failedCallback(record: CallbackRecord, reason: string, atMs: number, spread: number): CallbackRecord {
  const pauseMs = CALLBACK_PAUSES_MS[record.attempts - 1];
  if (pauseMs === undefined) return { ...record, state: "dead", lastError: reason };
  return { ...record, lastError: reason, nextAtMs: atMs + pauseMs + Math.floor((pauseMs / 10) * spread) };
}

/** At once, and with all its attempts again. */
export function resentCallback(record: CallbackRecord, atMs: number): CallbackRecord {
  return { ...record, state: "waiting", attempts: 0, nextAtMs: atMs };
}
