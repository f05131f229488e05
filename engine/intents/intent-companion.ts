import type { Digest } from "../kernel/prefixed-id.ts";
import { begunBy } from "../links/link.ts";
import type { Accompanied, LinkCompanion } from "../links/link-companion.ts";
import type { LinkChange } from "../links/link-store.ts";
import { attemptOf, isSameAttempt, readAttemptAttachment } from "./attempt.ts";
import type { IntentEvent } from "./events.ts";
import type { Attempt, IntentRecord, IntentRefund } from "./intent.ts";
import { IntentCause } from "./intent-cause.ts";
import type { IsUnderDispute } from "./intents.ts";
import type { IntentWorkflow } from "./workflow.ts";

const NOTHING: Accompanied = { checks: [], operations: [] };

export interface IntentCompanionOptions {
  workflow: Pick<IntentWorkflow, "store" | "prepare">;
  isUnderDispute: IsUnderDispute;
  digest: Digest;
}

/**
 * Keeps intents consistent with the links of their attempts. Each commit that changes the mirrored
 * part of a link also applies a transition of the intent, and fails if the intent has changed since
 * it was read. A link is therefore created together with its attempt or not at all, and every end
 * of a link is also stored in its intent.
 */
export function createIntentCompanion({ workflow, isUnderDispute, digest }: IntentCompanionOptions): LinkCompanion {
  return async (change, cause) => {
    const { record: link, before: linkBefore } = change;
    const attachment = readAttemptAttachment(link.order.attachment);
    if (attachment === null) return NOTHING;
    if (linkBefore !== null && isSameAttempt(attemptOf(linkBefore, null, digest), attemptOf(link, null, digest))) return NOTHING;
    const stored = await workflow.store.load(attachment.intent);
    // An intent is stored longer than its links. Without its intent, no attempt may start.
    if (stored === null) return linkBefore === null ? "refused" : NOTHING;
    const before = stored.record.attempts.find(({ txId }) => txId === link.order.txId) ?? null;
    const attempt = attemptOf(link, before, digest);
    const known = cause instanceof IntentCause ? cause : null;
    // A new payment is not disputed yet. A dispute may precede its capture or refund.
    const isDisputed = before?.state === "paid" && (await isUnderDispute({ merchantId: stored.record.merchantId, uuid: attempt.txId }));
    const event = eventOf(change, attempt, stored.record, known, isDisputed);
    const step = await workflow.prepare(stored, event, known?.operation ?? null);
    if (step === "refused") {
      if (linkBefore === null || known !== null) return "refused";
      throw new Error(`the intent ${stored.record.id} does not take what became of ${attempt.txId}`);
    }
    const beside = { ...step.part, committed: step.committed };
    const isUnwanted = step.record.attempts.some(({ txId, unwanted }) => txId === attempt.txId && unwanted);
    return isUnwanted ? { ...beside, unwanted: true } : beside;
  };
}

function eventOf(
  { record, before, atMs }: LinkChange,
  attempt: Attempt,
  intent: IntentRecord,
  cause: IntentCause | null,
  isDisputed: boolean,
): IntentEvent {
  if (before === null) return { type: "attempt.begun", atMs, attempt, change: cause?.change ?? {} };
  // The cause counts only for the transition that the request asked for. Its response arrives with
  // the same cause.
  const asked = attempt.state === "revoked" || begunBy({ record, before }).length > 0 ? cause : null;
  const { metadata } = asked?.change ?? {};
  return {
    type: "attempt.changed",
    atMs,
    attempt,
    cancellation: asked?.cancellation ?? null,
    refund: refundOf(intent, attempt, atMs, cause),
    isDisputed,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function refundOf(intent: IntentRecord, { chargeId }: Attempt, atMs: number, cause: IntentCause | null): IntentRefund | null {
  const refund = cause?.refund ?? null;
  if (refund === null || intent.refunds.some(({ id }) => id === refund.id)) return null;
  return { ...refund, chargeId, createdAtMs: atMs, told: false };
}
