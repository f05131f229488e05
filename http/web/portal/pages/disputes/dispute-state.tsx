import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";
import type { Status } from "./words.ts";

const KINDS: Readonly<Record<Status, BadgeKind>> = {
  ALERT: "warn",
  OPEN: "accent",
  EVIDENCE_REQUIRED: "warn",
  UNDER_REVIEW: "neutral",
  WON: "good",
  LOST: "bad",
  EXPIRED: "bad",
};

export function DisputeState({ status }: { status: Status }) {
  return <Badge kind={KINDS[status]}>{text().disputes.states[status]}</Badge>;
}
