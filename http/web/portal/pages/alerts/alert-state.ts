import { stateBadge } from "../../list/columns.tsx";

export const AlertState = stateBadge((all) => all.alerts.states, {
  PENDING: "warn",
  AUTO_REFUND: "accent",
  REFUNDED: "good",
  DECLINED: "neutral",
  PREVENTED: "good",
});
