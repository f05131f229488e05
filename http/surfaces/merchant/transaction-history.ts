import { holdsRefunds } from "../../../engine/disputes/dispute.ts";
import type { MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import { amountOf, type FollowUp, type LinkRecord } from "../../../engine/links/link.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { CommandView } from "../../../engine/terminals/terminals.ts";
import { iso } from "../../endpoint/time.ts";
import type { ReadOperations } from "./reads.ts";
import { ownLink, type RefundDecision, refundDecision } from "./refund-decision.ts";
import type { TransactionDetailJson } from "./transaction-schemas.ts";

/** The events of a transaction, oldest first, and whether it can be refunded from the portal. */
export interface History {
  timeline: TransactionDetailJson["timeline"];
  refund: TransactionDetailJson["refund"];
  /** The disputes of the transaction, as far as they are stored. */
  disputes: TransactionDetailJson["disputes"];
  alerts: TransactionDetailJson["alerts"];
}

type Event = TransactionDetailJson["timeline"][number];

/**
 * Reads the history from the transaction's command or link while that is stored. Both are used only
 * if they belong to the merchant and to the transaction's terminal, because other terminals may
 * have posted results with the same uuid.
 */
export async function historyOf(
  { terminals, links, disputes, alerts }: Pick<ReadOperations, "terminals" | "links" | "disputes" | "alerts">,
  owner: MerchantScope,
  found: MerchantTransaction,
): Promise<History> {
  const { merchantId } = owner;
  const { uuid, terminalId, method, createdAtMs, amountCents, status } = found.transaction;
  const [link, ofDisputes, ofAlerts] = await Promise.all([
    method === "PAYBYLINK" ? ownLink(links, merchantId, uuid) : null,
    disputes.ofPayment(owner, uuid),
    alerts.ofPayment(owner, uuid),
  ]);
  const ofIt = link?.order.terminalId === terminalId ? link : null;
  const rest = {
    refund: refundJson(refundDecision(found, ofIt, ofDisputes.some(holdsRefunds))),
    disputes: ofDisputes.map(({ id, state, respondByMs }) => ({ id, status: state, respondBy: iso(respondByMs) })),
    alerts: ofAlerts.map(({ id, state, respondByMs }) => ({ id, state, respondBy: iso(respondByMs) })),
  };
  if (ofIt !== null) return { timeline: timelineOfLink(ofIt), ...rest };
  if (method === "PAYBYLINK") return { timeline: [event("result", createdAtMs, amountCents, status)], ...rest };
  const view = await terminals.command(uuid, 0, (candidate) => candidate === terminalId);
  const life = view !== null && view.command?.shop === merchantId ? lifeOf(view) : [];
  return {
    timeline: [...life, event("result", createdAtMs, amountCents, status)],
    ...rest,
  };
}

function lifeOf({ command, sentAtMs }: CommandView): Event[] {
  if (command === null) return [];
  const accepted = event("accepted", command.acceptedAtMs, command.amountCents, null);
  return sentAtMs === null ? [accepted] : [accepted, event("sent", sentAtMs, null, null)];
}

function timelineOfLink(link: LinkRecord): Event[] {
  const { order, outcome, state, followUps } = link;
  const status = state === "success" ? "OK" : "KO";
  const ended = outcome === null ? [] : [event("result", outcome.atMs, amountOf(link).amountMinor, status)];
  return [
    event("accepted", order.createdAtMs, order.amountMinor, null),
    ...ended,
    ...followUps.map(({ type, requestedAtMs, amountMinor, state: how }) => event(type, requestedAtMs, amountMinor, STATES[how])),
  ];
}

/** `requested` means that the gateway's response is unknown. */
const STATES: Readonly<Record<FollowUp["state"], string>> = { requested: "unknown", done: "done", refused: "refused" };

function refundJson(decision: RefundDecision): History["refund"] {
  return decision.type === "possible" ? { possible: true, reason: null } : { possible: false, reason: decision.reason };
}

function event(what: Event["what"], atMs: number, amountMinor: number | null, state: string | null): Event {
  return { what, at: iso(atMs), amountMinor, state };
}
