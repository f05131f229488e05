import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { stateBadge } from "../../list/columns.tsx";
import { isRefunded } from "./words.ts";

type Shown = PaymentLinkJson["state"] | "PAID_LATE" | "PAID_TWICE" | "REFUNDED";

const ShownState = stateBadge<Shown>((all) => all.paymentLinks.states, {
  PENDING: "accent",
  PAID: "good",
  PAID_LATE: "warn",
  PAID_TWICE: "bad",
  REFUNDED: "neutral",
  CANCELLED: "neutral",
  EXPIRED: "neutral",
});

/** Shows the link's state. A state that needs action comes first. */
export function LinkState({ link }: { link: PaymentLinkJson }) {
  return <ShownState state={shownState(link)} />;
}

function shownState(link: PaymentLinkJson): Shown {
  if (link.paidTwice) return "PAID_TWICE";
  if (isRefunded(link)) return "REFUNDED";
  return link.state === "PAID" && link.late ? "PAID_LATE" : link.state;
}
