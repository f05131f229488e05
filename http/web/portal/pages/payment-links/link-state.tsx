import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";
import { isRefunded } from "./words.ts";

type Shown = PaymentLinkJson["state"] | "PAID_LATE" | "PAID_TWICE" | "REFUNDED";

const KINDS: Readonly<Record<Shown, BadgeKind>> = {
  PENDING: "accent",
  PAID: "good",
  PAID_LATE: "warn",
  PAID_TWICE: "bad",
  REFUNDED: "neutral",
  CANCELLED: "neutral",
  EXPIRED: "neutral",
};

/** The state of a link in the words of the page: what needs somebody first. */
export function LinkState({ link }: { link: PaymentLinkJson }) {
  const shown = shownState(link);
  return <Badge kind={KINDS[shown]}>{text().paymentLinks.states[shown]}</Badge>;
}

function shownState(link: PaymentLinkJson): Shown {
  if (link.paidTwice) return "PAID_TWICE";
  if (isRefunded(link)) return "REFUNDED";
  return link.state === "PAID" && link.late ? "PAID_LATE" : link.state;
}
