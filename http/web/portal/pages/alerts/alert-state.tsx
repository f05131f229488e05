import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

const KINDS: Readonly<Record<AlertJson["state"], BadgeKind>> = {
  PENDING: "warn",
  AUTO_REFUND: "accent",
  REFUNDED: "good",
  DECLINED: "neutral",
  PREVENTED: "good",
};

export function AlertState({ state }: { state: AlertJson["state"] }) {
  return <Badge kind={KINDS[state]}>{text().alerts.states[state]}</Badge>;
}
