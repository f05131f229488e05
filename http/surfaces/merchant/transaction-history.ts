import type { FollowUp, LinkRecord } from "../../../engine/links/link.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { CommandView } from "../../../engine/terminals/terminals.ts";
import type { ReadOperations } from "./reads.ts";
import type { TransactionDetailJson } from "./schemas.ts";

/** What happened to a transaction, oldest first, and whether it can be refunded from here. */
export interface History {
  timeline: TransactionDetailJson["timeline"];
  refund: TransactionDetailJson["refund"];
}

type Event = TransactionDetailJson["timeline"][number];

/**
 * From the life of its command, or from its link, while that is kept; both are looked at only where they are the merchant's, and of the same terminal as the
 * transaction: other terminals may have posted results under the same uuid.
 */
export async function historyOf(
  { terminals, links }: Pick<ReadOperations, "terminals" | "links">,
  merchantId: string,
  { transaction }: MerchantTransaction,
): Promise<History> {
  const { uuid, terminalId, method, createdAtMs, amountCents, status } = transaction;
  if (method === "PAYBYLINK") {
    const link = await links.byTxId(uuid);
    if (link !== null && link.order.terminalId === terminalId && link.order.shop === merchantId) return historyOfLink(link);
    return {
      timeline: [event("result", createdAtMs, amountCents, status)],
      refund: impossible(status === "OK" ? "not_offered" : "not_paid"),
    };
  }
  const view = await terminals.command(uuid, 0, (candidate) => candidate === terminalId);
  const life = view !== null && view.command?.shop === merchantId ? lifeOf(view) : [];
  return {
    timeline: [...life, event("result", createdAtMs, amountCents, status)],
    refund: impossible("not_refundable_here"),
  };
}

function lifeOf({ command, sentAtMs }: CommandView): Event[] {
  if (command === null) return [];
  const accepted = event("accepted", command.acceptedAtMs, command.amountCents, null);
  return sentAtMs === null ? [accepted] : [accepted, event("sent", sentAtMs, null, null)];
}

function historyOfLink({ order, outcome, state, followUps }: LinkRecord): History {
  const status = state === "success" ? "OK" : "KO";
  const ended = outcome === null ? [] : [event("result", outcome.atMs, outcome.payment?.amount?.amountMinor ?? order.amountMinor, status)];
  return {
    timeline: [
      event("accepted", order.createdAtMs, order.amountMinor, null),
      ...ended,
      ...followUps.map(({ type, requestedAtMs, amountMinor, state: how }) => event(type, requestedAtMs, amountMinor, STATES[how])),
    ],
    refund: impossible(state === "success" ? reasonOf(followUps) : "not_paid"),
  };
}

/** `requested`: the gateway's answer is not known. */
const STATES: Readonly<Record<FollowUp["state"], string>> = { requested: "unknown", done: "done", refused: "refused" };

/** Refunds of links are for whoever created them, by the interface that created them. */
function reasonOf(followUps: readonly FollowUp[]): string {
  const back = followUps.filter(({ type, state }) => type !== "capture" && state !== "refused");
  if (back.some(({ state }) => state === "requested")) return "outcome_unknown";
  return back.length > 0 ? "already_refunded" : "not_offered";
}

function impossible(reason: string): History["refund"] {
  return { possible: false, reason };
}

function event(what: Event["what"], atMs: number, amountMinor: number | null, state: string | null): Event {
  return { what, at: new Date(atMs).toISOString(), amountMinor, state };
}
