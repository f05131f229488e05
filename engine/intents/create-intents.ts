import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/ids.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { isInScope } from "../kernel/merchant-scope.ts";
import { changedMetadata, hasTooManyKeys, type MetadataChange } from "../kernel/metadata.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { FollowUpOutcome, Links } from "../links/links.ts";
import type { MerchantAccounts } from "../links/merchant-accounts.ts";
import { ATTEMPTS_MAX } from "../workflow/run-workflow.ts";
import { linkOrderOf } from "./attempt.ts";
import {
  type Attempt,
  type CancellationReason,
  type ChargeChange,
  capturedMinor,
  INTENT_ATTEMPTS_MAX,
  type IntentOrder,
  type IntentRecord,
  isReversed,
  type OrderChange,
  paidAttempt,
  statusOf,
} from "./intent.ts";
import { IntentCause } from "./intent-cause.ts";
import { type IntentIndexStore, refundIn } from "./intent-index-store.ts";
import { createIntentLists } from "./intent-lists.ts";
import type {
  CancelOutcome,
  CaptureOutcome,
  ConfirmOutcome,
  Intents,
  Operation,
  RefundOutcome,
  UpdateChargeOutcome,
  UpdateOutcome,
  UpdateRefundOutcome,
} from "./intents.ts";
import { refundIdOf, releaseIdOf } from "./operation-ids.ts";
import { changedOrder, changesMoney, isOpen, isOver } from "./rules.ts";
import { isSameText } from "./same-text.ts";
import { type IntentWorkflow, stepIntent } from "./workflow.ts";

export interface IntentsOptions {
  workflow: IntentWorkflow;
  indexes: IntentIndexStore;
  digest: Digest;
  links: Pick<Links, "createUnlessRefused" | "resume" | "verify" | "verifyNow" | "revoke" | "followUp" | "byTxId">;
  accounts: MerchantAccounts;
  clock: Clock;
  ids: Ids;
  /** The address to which the gateway sends the buyer back. */
  returnUrl(token: string): string;
}

/**
 * The operations on payment intents. They act on the link of an attempt, and the commits of the
 * link apply the transition of the intent (intent-companion.ts).
 */
export function createIntents(options: IntentsOptions): Intents {
  const { workflow, indexes, digest, links, accounts, clock, ids, returnUrl } = options;
  const { store, step } = workflow;

  async function own(owner: MerchantParty, id: string): Promise<Stored<IntentRecord> | null> {
    const stored = await store.load(id);
    return stored !== null && isInScope(stored.record, owner) ? stored : null;
  }

  async function again(id: string): Promise<IntentRecord> {
    const stored = await store.load(id);
    if (stored === null) throw new Error(`the intent ${id} is gone`);
    return stored.record;
  }

  async function create(owner: MerchantParty, order: IntentOrder, operation: Operation): Promise<IntentRecord> {
    const id = prefixedId("pi_", digest(`intent ${operation.id}`));
    const existing = await own(owner, id);
    if (existing !== null) return existing.record;
    const atMs = clock.nowMs();
    const { merchantId, partnerId, livemode } = owner;
    const fresh: IntentRecord = {
      schema: 1,
      id,
      merchantId,
      partnerId,
      livemode,
      clientSecret: `${id}_secret_${random(ids)}`,
      token: id.slice(ID_PREFIX_LENGTH) + random(ids),
      order,
      createdAtMs: atMs,
      attempts: [],
      cancellation: null,
      refunds: [],
      events: 0,
    };
    const event = { type: "intent.created", atMs } as const;
    const created = await workflow.create(stepIntent(fresh, event), event, operation);
    // After a conflict, another request of this operation has created the intent.
    return created.type === "accepted" ? created.record : again(id);
  }

  async function update(owner: MerchantParty, id: string, change: OrderChange, operation: Operation): Promise<UpdateOutcome | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await own(owner, id);
      if (stored === null) return null;
      if (hasTooManyKeys(changedOrder(stored.record.order, change).metadata))
        return { type: "too_many_keys", intent: stored.record } as const;
      const updated = await updatedBy(stored, change, operation);
      if (updated === CONFLICT) return CONFLICT;
      if (updated.type === "refused") return { type: "unexpected", intent: stored.record } as const;
      return { type: "updated", intent: updated.record } as const;
    });
  }

  /** A change without an effect is not stored. */
  async function updatedBy(stored: Stored<IntentRecord>, change: OrderChange, operation: Operation) {
    if (Object.values(change).every((value) => value === undefined)) return { type: "accepted", record: stored.record } as const;
    return step(stored, { type: "intent.updated", atMs: clock.nowMs(), change }, operation);
  }

  async function updateCharge(
    owner: MerchantParty,
    chargeId: string,
    change: ChargeChange,
    operation: Operation,
  ): Promise<UpdateChargeOutcome | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const found = await charge(owner, chargeId);
      const stored = found === null ? null : await own(owner, found.intent.id);
      if (stored === null) return null;
      const changed = await step(stored, { type: "charge.changed", atMs: clock.nowMs(), chargeId, change }, operation);
      if (changed === CONFLICT) return CONFLICT;
      // The charge exists, so the limit is the reason.
      if (changed.type === "refused") return { type: "too_many_keys", intent: stored.record } as const;
      const attempt = changed.record.attempts.find((other) => other.chargeId === chargeId);
      return attempt === undefined ? null : ({ type: "updated", intent: changed.record, attempt } as const);
    });
  }

  async function updateRefund(
    owner: MerchantParty,
    refundId: string,
    metadata: MetadataChange,
    operation: Operation,
  ): Promise<UpdateRefundOutcome | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const found = await refundOf(owner, refundId);
      const stored = found === null ? null : await own(owner, found.intent.id);
      if (stored === null) return null;
      const changed = await step(stored, { type: "refund.changed", atMs: clock.nowMs(), refundId, metadata }, operation);
      if (changed === CONFLICT) return CONFLICT;
      if (changed.type === "refused") return { type: "too_many_keys", intent: stored.record } as const;
      const after = refundIn(changed.record, refundId);
      return after === null ? null : ({ type: "updated", ...after } as const);
    });
  }

  async function confirm(
    owner: MerchantParty,
    id: string,
    change: Omit<OrderChange, "metadata">,
    operation: Operation,
  ): Promise<ConfirmOutcome | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await own(owner, id);
      if (stored === null) return null;
      const { record } = stored;
      const status = statusOf(record);
      if (status === "canceled" || status === "succeeded" || status === "requires_capture") return { type: "unexpected", intent: record };
      const order = changedOrder(record.order, change);
      if (order.returnUrl === null) return { type: "no_return_url", intent: record };
      const last = record.attempts.at(-1);
      if (last !== undefined && isOpen(last)) return confirmOpen(stored, last, change, operation);
      if (last !== undefined && !isOver(last)) {
        // It expired here, but only the gateway can confirm that nobody can pay it any more.
        await links.verifyNow(last.txId);
        const found = await again(id);
        if (statusOf(found) !== "requires_payment_method") return CONFLICT;
        const verified = found.attempts.at(-1);
        return verified === undefined || isOver(verified) ? CONFLICT : { type: "unsettled", intent: found };
      }
      if (record.attempts.length >= INTENT_ATTEMPTS_MAX) return { type: "unexpected", intent: record };
      const account = await accounts.ofMerchant(record);
      if (account.type !== "account") return { type: account.type, intent: record };
      const linkOrder = linkOrderOf(record, order, account, returnUrl(record.token), clock.nowMs());
      const created = await links.createUnlessRefused(linkOrder, new IntentCause(operation, { change }));
      // Another request has canceled, changed or confirmed it in the meantime.
      return created === null ? CONFLICT : confirmedAs(await again(id), linkOrder.txId);
    });
  }

  async function confirmOpen(
    stored: Stored<IntentRecord>,
    last: Attempt,
    change: OrderChange,
    operation: Operation,
  ): Promise<ConfirmOutcome | typeof CONFLICT> {
    if (changesMoney(stored.record, change)) return { type: "unexpected", intent: stored.record };
    const updated = await updatedBy(stored, change, operation);
    if (updated === CONFLICT || updated.type === "refused") return CONFLICT;
    const { id } = stored.record;
    if (last.state === "opening") await links.resume(last.txId, new IntentCause(operation));
    if (last.state === "unreachable") await links.verify(last.txId);
    return confirmedAs(await again(id), last.txId);
  }

  async function captureOnce(
    owner: MerchantParty,
    id: string,
    amountMinor: number | null,
    operation: Operation,
    metadata?: MetadataChange,
  ): Promise<CaptureOutcome | null> {
    const stored = await own(owner, id);
    if (stored === null) return null;
    const { record } = stored;
    const operationId = prefixedId("cp_", digest(`capture ${operation.id}`));
    const attempt = attemptWith(record, operationId) ?? paidAttempt(record);
    const isRepeated = attemptWith(record, operationId) !== null;
    if (!isRepeated && statusOf(record) === "succeeded") return { type: "already_captured", intent: record };
    if (attempt === null || (!isRepeated && statusOf(record) !== "requires_capture")) return { type: "unexpected", intent: record };
    if (amountMinor !== null && amountMinor > (attempt.paid?.amountMinor ?? 0)) return { type: "too_much", intent: record };
    // A partial amount is in the currency of the order.
    if (amountMinor !== null && attempt.paid?.currency !== record.order.currency) return { type: "too_much", intent: record };
    if (!isRepeated && hasTooManyKeys(changedMetadata(record.order.metadata, metadata))) return { type: "too_many_keys", intent: record };
    const request = { txId: attempt.txId, operationId, type: "capture", amountMinor } as const;
    // Its change of the intent was stored when it was first started.
    const cause = new IntentCause(operation, metadata === undefined || isRepeated ? {} : { change: { metadata } });
    const outcome = await links.followUp(request, cause);
    const intent = await again(id);
    switch (outcome?.type) {
      case "done":
        return { type: outcome.followUp.id === operationId ? "captured" : "already_captured", intent };
      case "refused":
        return { type: "refused", intent, description: outcome.followUp.description ?? "" };
      case "unavailable":
        return { type: "unavailable", intent };
      case "impossible":
        if (outcome.reason === "too_much") return { type: "too_much", intent };
        if (outcome.reason === "too_many") return { type: "refused", intent, description: TOO_MANY };
        if (statusOf(intent) === "succeeded") return { type: "already_captured", intent };
        return { type: statusOf(intent) === "requires_capture" ? "unsettled" : "unexpected", intent };
      case undefined:
        return { type: "refused", intent, description: NOT_KEPT };
    }
  }

  async function cancel(
    owner: MerchantParty,
    id: string,
    reason: CancellationReason | null,
    operation: Operation,
  ): Promise<CancelOutcome | null> {
    const cancellation = { reason, operationId: operation.id };
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await own(owner, id);
      if (stored === null) return null;
      const { record } = stored;
      const last = record.attempts.at(-1);
      switch (statusOf(record)) {
        case "canceled":
          return { type: record.cancellation?.operationId === operation.id ? "canceled" : "unexpected", intent: record };
        case "succeeded":
          return { type: "unexpected", intent: record };
        case "requires_capture":
          return release(record, new IntentCause(operation, { cancellation }));
        case "requires_payment_method": {
          // The version check excludes a concurrent confirm. One of them commits first, and the
          // other decides again.
          const canceled = await step(stored, { type: "cancel.requested", atMs: clock.nowMs(), cancellation }, operation);
          if (canceled === CONFLICT) return CONFLICT;
          return canceled.type === "refused" ? { type: "unexpected", intent: record } : { type: "canceled", intent: canceled.record };
        }
      }
      if (last === undefined) throw new Error(`the intent ${id} has no attempt`);
      const revoked = await links.revoke(last.txId, new IntentCause(operation, { cancellation }));
      const intent = await again(id);
      if (revoked?.type === "unavailable") return { type: "unavailable", intent };
      if (statusOf(intent) === "canceled" && intent.cancellation?.operationId === operation.id) return { type: "canceled", intent };
      // It is paid or failed by now, or another request was first. The next attempt decides again.
      return CONFLICT;
    });
  }

  /** Reverses an authorized payment before its capture. */
  async function release(record: IntentRecord, cause: IntentCause): Promise<CancelOutcome> {
    const paid = paidAttempt(record);
    if (paid === null) throw new Error(`the intent ${record.id} is not paid`);
    const operationId = releaseIdOf(cause.operation, digest);
    const outcome = await links.followUp({ txId: paid.txId, operationId, type: "reversal", amountMinor: null }, cause);
    const intent = await again(record.id);
    switch (outcome?.type) {
      case "done":
        return { type: "canceled", intent };
      case "refused":
        return { type: "refused", intent, description: outcome.followUp.description ?? "" };
      case "unavailable":
        return { type: "unavailable", intent };
      case "impossible":
        if (outcome.reason === "too_many") return { type: "refused", intent, description: TOO_MANY };
        if (outcome.reason === "under_dispute") return { type: outcome.reason, intent };
        // A capture or another cancel is in progress.
        return { type: statusOf(intent) === "requires_capture" ? "unsettled" : "unexpected", intent };
      case undefined:
        return { type: "refused", intent, description: NOT_KEPT };
    }
  }

  async function refund(
    owner: MerchantParty,
    of: Parameters<Intents["refund"]>[1],
    { amountMinor, reason, metadata }: Parameters<Intents["refund"]>[2],
    operation: Operation,
  ): Promise<RefundOutcome | null> {
    const found = "intentId" in of ? ((await own(owner, of.intentId))?.record ?? null) : await indexes.ofCharge(of.chargeId);
    if (found === null || !isInScope(found, owner)) return null;
    const id = refundIdOf(operation, digest);
    const paid = paidAttempt(found);
    if (paid === null || ("chargeId" in of && paid.chargeId !== of.chargeId)) return { type: "not_paid", intent: found };
    const isRepeated = attemptWith(found, id) !== null;
    const captured = capturedMinor(paid);
    if (!isRepeated) {
      if (paid.followUps.some(({ type, state }) => type === "refund" && state === "done"))
        return { type: "already_refunded", intent: found };
      if (captured === 0) return { type: "not_paid", intent: found };
      if (amountMinor !== null && amountMinor > captured) return { type: "too_much", intent: found };
      if (amountMinor !== null && amountMinor < captured) return { type: "partial", intent: found };
    }
    const request = { txId: paid.txId, operationId: id, type: "refund", amountMinor: null } as const;
    const outcome = await links.followUp(request, new IntentCause(operation, { refund: { id, reason, metadata } }));
    const intent = await again(found.id);
    switch (outcome?.type) {
      case "done":
        return outcome.followUp.id === id ? refunded(intent, id) : { type: "already_refunded", intent };
      case "refused":
        return { type: "refused", intent, description: outcome.followUp.description ?? "" };
      case "unavailable":
        // Another request has started it, and its response was lost. Only whether it was executed
        // counts.
        return outcome.followUp.id === id ? refunded(await toldOf(intent.id, id, operation), id) : { type: "unsettled", intent };
      case "impossible":
        return refundImpossible(intent, outcome.reason);
      case undefined:
        return { type: "refused", intent, description: NOT_KEPT };
    }
  }

  /** Records that a refund was reported as pending. From then on its outcome is reported too. */
  async function toldOf(intentId: string, refundId: string, operation: Operation): Promise<IntentRecord> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await store.load(intentId);
      if (stored === null) throw new Error(`the intent ${intentId} is gone`);
      const told = await step(stored, { type: "refund.told", atMs: clock.nowMs(), refundId }, operation);
      return told === CONFLICT ? CONFLICT : told.record;
    });
  }

  async function charge(owner: MerchantParty, chargeId: string) {
    const intent = await indexes.ofCharge(chargeId);
    const attempt = intent?.attempts.find((other) => other.chargeId === chargeId);
    return intent === null || attempt === undefined || !isInScope(intent, owner) ? null : { intent, attempt };
  }

  async function refundOf(owner: MerchantParty, refundId: string) {
    const intent = await indexes.ofRefund(refundId);
    return intent === null || !isInScope(intent, owner) ? null : refundIn(intent, refundId);
  }

  async function find(owner: MerchantParty, id: string): Promise<IntentRecord | null> {
    return (await own(owner, id))?.record ?? null;
  }

  const intents: Intents = {
    ...createIntentLists(indexes, { find, charge, refundOf }),
    create,
    update,
    confirm,
    cancel,
    capture: captureOnce,
    refund,
    charge,
    updateCharge,
    refundOf,
    updateRefund,
    find,
    mayBegin: async (owner) => (await accounts.ofMerchant(owner)).type !== "other_environment",
    isKeptForTest: async (intent) => {
      const paid = paidAttempt(intent);
      const link = paid === null ? null : await links.byTxId(paid.txId);
      return link !== null && accounts.isKeptForTest(link.order.partnerId, link.order.merchantId);
    },
    byToken: async (token) => {
      if (!TOKEN.test(token)) return null;
      const stored = await store.load(`pi_${token.slice(0, TOKEN_ID_LENGTH)}`);
      return stored !== null && isSameText(stored.record.token, token) ? stored.record : null;
    },
    verify: async (intent) => {
      const last = intent.attempts.at(-1);
      if (last === undefined || !isOpen(last)) return again(intent.id);
      await links.verify(last.txId);
      return again(intent.id);
    },
  };
  return intents;
}

const TOO_MANY = "The payment has too many operations";
/** An intent that keeps changing is stored longer than the links of its attempts. */
const NOT_KEPT = "The payment is too old to be refunded";

const ID_PREFIX_LENGTH = "pi_".length;
const TOKEN_ID_LENGTH = 24;
const TOKEN = /^[a-z0-9]{24}[0-9a-f]{32}$/;

/** Returns 122 random bits. */
function random(ids: Ids): string {
  return ids.uuid().replaceAll("-", "");
}

/** Returns the outcome of a confirm from the state of its attempt. */
function confirmedAs(intent: IntentRecord, txId: string): ConfirmOutcome {
  switch (intent.attempts.find((attempt) => attempt.txId === txId)?.state) {
    case "open":
    // The gateway took the payment immediately, as requested.
    case "paid":
      return { type: "confirmed", intent };
    case "failed":
      return { type: "declined", intent };
    case "unreachable":
      return { type: "unsettled", intent };
    case "opening":
      return { type: "unavailable", intent };
    default:
      return { type: "unexpected", intent };
  }
}

/** Returns the attempt that has a capture, reversal or refund with this id. */
function attemptWith({ attempts }: IntentRecord, followUpId: string): Attempt | null {
  return attempts.find(({ followUps }) => followUps.some(({ id }) => id === followUpId)) ?? null;
}

/** Returns a refusal if the gateway refused before the refund was reported to anybody. */
function refunded(intent: IntentRecord, refundId: string): RefundOutcome {
  const found = refundIn(intent, refundId);
  if (found !== null) return { type: "refunded", ...found };
  const entry = attemptWith(intent, refundId)?.followUps.find(({ id }) => id === refundId);
  return { type: "refused", intent, description: entry?.description ?? "" };
}

function refundImpossible(intent: IntentRecord, reason: Extract<FollowUpOutcome, { type: "impossible" }>["reason"]): RefundOutcome {
  const paid = paidAttempt(intent);
  switch (reason) {
    case "already_refunded":
    case "already_reversed": {
      const isDone = paid !== null && (isReversed(paid) || paid.followUps.some(({ type, state }) => type === "refund" && state === "done"));
      return { type: isDone ? "already_refunded" : "unsettled", intent };
    }
    case "not_paid":
    case "not_captured":
      return { type: "not_paid", intent };
    case "too_many":
      return { type: "refused", intent, description: TOO_MANY };
    case "under_dispute":
      return { type: reason, intent };
    default:
      return { type: "unsettled", intent };
  }
}
