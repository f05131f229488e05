import type { CommitPart } from "../kernel/commit-part.ts";
import type { LinkRecord } from "../links/link.ts";
import type { Accompanied, LinkCompanion } from "../links/link-companion.ts";
import { type AttentionItem, attentionKey } from "../payments/attention.ts";
import type { PreparedStep } from "../workflow/run-workflow.ts";
import { attemptOf, isSameAttempt, readAttemptAttachment } from "./attempt.ts";
import type { PortalLinkEffect } from "./events.ts";
import type { PortalLinkRecord } from "./portal-link.ts";
import type { PortalLinkWorkflow } from "./workflow.ts";

const NOTHING: Accompanied = { checks: [], operations: [] };

/**
 * Steps a portal link in each commit that changes the link of an attempt. So an attempt never
 * exists without its portal link, and no payment is known without it.
 */
export function createPortalLinkCompanion(workflow: PortalLinkWorkflow): LinkCompanion {
  return async ({ record: link, before: linkBefore, atMs }) => {
    const attachment = readAttemptAttachment(link.order.attachment);
    if (attachment === null) return NOTHING;
    if (linkBefore !== null && isSameAttempt(attemptOf(linkBefore, null), attemptOf(link, null))) return NOTHING;
    const stored = await workflow.store.load(attachment.link);
    // A portal link is stored longer than its attempts. Without one, no attempt begins.
    if (stored === null) return linkBefore === null ? "refused" : NOTHING;
    const before = stored.record.attempts.find(({ txId }) => txId === link.order.txId) ?? null;
    const attempt = attemptOf(link, before);
    const type = linkBefore === null ? "attempt.begun" : "attempt.changed";
    const prepared = workflow.prepare(stored, { type, atMs, attempt }, null);
    const step = prepared instanceof Promise ? await prepared : prepared;
    if (step === "refused") {
      if (linkBefore === null) return "refused";
      throw new Error(`the portal link ${stored.record.id} does not take what became of ${attempt.txId}`);
    }
    const late = lateItem(step, stored.record, link, atMs);
    const { checks, operations } = step.part;
    return {
      ...{ checks, operations: [...operations, ...settled(step, link)] },
      ...(late === null ? {} : { late }),
      committed: step.committed,
    };
  };
}

type PortalLinkStep = PreparedStep<PortalLinkRecord, PortalLinkEffect>;

function has({ effects }: PortalLinkStep, type: PortalLinkEffect["type"]): boolean {
  return effects.some((effect) => effect.type === type);
}

function lateItem(step: PortalLinkStep, before: PortalLinkRecord, { order }: LinkRecord, atMs: number): AttentionItem | null {
  const { terminalId, txId: uuid } = order;
  if (has(step, "flagTwice")) {
    const detail = `The payment link ${step.record.id} was paid a second time; its merchant must refund one of the payments`;
    return { kind: "link_paid_twice", terminalId, uuid, atMs, detail, raw: null };
  }
  if (!has(step, "flagLate")) return null;
  const shownAs = before.state === "PAID" ? "paid and refunded" : before.state.toLowerCase();
  const detail = `The payment link ${step.record.id} was paid after it was shown as ${shownAs}; its merchant keeps or refunds the payment`;
  return { kind: "link_late", terminalId, uuid, atMs, detail, raw: null };
}

/** The item was stored for the second payment, but either payment may be the refunded one. */
function settled(step: PortalLinkStep, { order: { terminalId } }: LinkRecord): CommitPart["operations"] {
  if (!has(step, "settleTwice")) return [];
  return paidTxIds(step.record).map((txId) => ({ type: "delete", key: attentionKey("link_paid_twice", terminalId, txId) }));
}

function paidTxIds({ attempts }: PortalLinkRecord): string[] {
  return attempts.flatMap(({ txId, state }) => (state === "paid" ? [txId] : []));
}
