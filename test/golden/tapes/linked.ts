import { available } from "../../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../../engine/kernel/retry-on-conflict.ts";
import type { LinkOrder, LinkRecord } from "../../../engine/links/link.ts";
import type { LinkCause, LinkCompanion } from "../../../engine/links/link-companion.ts";
import { linkOrderOf } from "../../../engine/portal-links/attempt.ts";
import type { PortalLinkAttempt, PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { PAYMENT } from "../../engine/links/machine-world.ts";
import type { TapeKv } from "./tape.ts";

const ATTEMPTS_MAX = 8;

/** Returns a link as commit participants read it. */
export function linkOf(order: LinkOrder, changes: Partial<LinkRecord>): LinkRecord {
  return {
    ...{ order, state: "created", inits: 1, paymentId: null, paymentUrl: null, nextAtMs: null, verifiedAtMs: null, notifications: 0 },
    ...{ outcome: null, late: false, overdue: false, followUps: [] },
    ...changes,
  };
}

/** Returns the outcome of a link from the attempt that mirrors it. */
export function outcomeOf({ endedAtMs, resultCode, resultDescription, paid }: Ended): LinkRecord["outcome"] {
  if (endedAtMs === null) return null;
  const payment = paid === null ? null : { ...PAYMENT, amount: { amountMinor: paid.amountMinor, currency: paid.currency } };
  return { resultCode: resultCode ?? "", description: resultDescription ?? "", atMs: paid?.atMs ?? endedAtMs, payment };
}

interface Ended {
  readonly endedAtMs: number | null;
  readonly resultCode: string | null;
  readonly resultDescription: string | null;
  readonly paid: { readonly atMs: number; readonly amountMinor: number; readonly currency: string } | null;
}

export const ACCOUNT = { type: "account", credentials: { terminalId: "TML1", merchantId: "G1", secret: "s" }, apart: false } as const;

/** Returns the link at the gateway that an attempt of a portal link mirrors. */
export function linkOfPortalAttempt(record: PortalLinkRecord, now: PortalLinkAttempt): LinkRecord {
  const n = Number(now.txId.split(".").at(-1));
  const before = { ...record, attempts: record.attempts.slice(0, n - 1) };
  return linkOf(linkOrderOf(before, ACCOUNT, "https://relay.example/back", now.createdAtMs), {
    state: ({ opening: "created", open: "waiting", paid: "success", failed: "failed" } as const)[now.state],
    paymentUrl: now.url,
    outcome: outcomeOf(now),
    ...(now.settled === true ? { settled: true } : {}),
    followUps: now.refund === "none" ? [] : [refund(now.refund === "done" ? "done" : "requested")],
  });
}

const refund = (state: "done" | "requested"): LinkRecord["followUps"][number] => ({
  ...{ id: "r1", type: "refund", amountMinor: 1_234, whole: true, state, requestedAtMs: 1_700_000_060_000 },
  ...{ finishedAtMs: state === "done" ? 1_700_000_060_000 : null, tranId: null, resultCode: null, description: null },
});

/** Commits the additions of a participant to the commit of a link, without the link. */
export function commitBeside(
  kv: TapeKv,
  companion: LinkCompanion,
  { record, before, atMs }: { record: LinkRecord; before: LinkRecord | null; atMs: number },
  cause: LinkCause | null = null,
): Promise<{ type: string }> {
  const change = { record, before, version: before === null ? 0 : 1, rows: [], attention: [], settled: [], atMs };
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    const beside = await companion(change, cause);
    if (beside === "refused") return { type: "refused" };
    const { checks, operations, late, unwanted, committed } = beside;
    if (operations.length === 0) return { type: "nothing" };
    if ((await available(() => kv.commit({ checks, operations }))).type === "conflict") return CONFLICT;
    committed?.();
    return { type: ["committed", ...(late === undefined ? [] : [JSON.stringify(late)]), ...(unwanted ? ["unwanted"] : [])].join(" ") };
  });
}
