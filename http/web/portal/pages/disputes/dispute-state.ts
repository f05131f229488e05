import { stateBadge } from "../../list/columns.tsx";

export const DisputeState = stateBadge((all) => all.disputes.states, {
  ALERT: "warn",
  OPEN: "accent",
  EVIDENCE_REQUIRED: "warn",
  UNDER_REVIEW: "neutral",
  WON: "good",
  LOST: "bad",
  EXPIRED: "bad",
});
