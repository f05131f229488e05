import { GATEWAY_RESULT } from "../../../engine/gateway/gateway.ts";
import { type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";

/** How a payment went, as the shop's page is told (spec). */
export type RedirectStatus = "succeeded" | "failed" | "canceled";

/** Null while nobody knows: an attempt is open, or it has ended here but the gateway has not confirmed that it took nothing. */
export function redirectStatus(intent: Pick<IntentRecord, "attempts" | "cancellation">): RedirectStatus | null {
  switch (statusOf(intent)) {
    case "succeeded":
    case "requires_capture":
      return "succeeded";
    case "canceled":
      return "canceled";
    case "requires_action":
    case "processing":
      return null;
    case "requires_payment_method": {
      const last = intent.attempts.at(-1);
      // Paid for what is not ordered any more: it is given back.
      if (last?.state === "paid") return "failed";
      if (last?.state !== "failed" || !last.settled) return null;
      return last.resultCode === GATEWAY_RESULT.cancelledByBuyer ? "canceled" : "failed";
    }
  }
}

const OURS = ["payment_intent", "payment_intent_client_secret", "redirect_status"];

/**
 * The shop's address with what it is told, its own query and fragment kept as they are; those of an earlier return are replaced. Without a status
 * `redirect_status` is left out. Null where the intent has no address to return to.
 */
export function returnAddress(
  { id, clientSecret, order }: Pick<IntentRecord, "id" | "clientSecret" | "order">,
  status: RedirectStatus | null,
): string | null {
  if (order.returnUrl === null) return null;
  const { href } = new URL(order.returnUrl);
  const [, address = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(href) ?? [];
  const kept = query.split("&").filter((pair) => pair !== "" && !OURS.includes(nameIn(pair)));
  const added = [`payment_intent=${id}`, `payment_intent_client_secret=${clientSecret}`];
  const told = status === null ? added : [...added, `redirect_status=${status}`];
  return `${address}?${[...kept, ...told].join("&")}${fragment}`;
}

/** As the shop reads it: a name may be written in other ways, and the first of several often counts. */
function nameIn(pair: string): string {
  const [name = ""] = new URLSearchParams(pair).keys();
  return name;
}
