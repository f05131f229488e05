import { stateBadge } from "../../list/columns.tsx";

export const SubscriptionState = stateBadge((all) => all.subscriptions.states, {
  INCOMPLETE: "warn",
  TRIALING: "accent",
  ACTIVE: "good",
  PAST_DUE: "bad",
  PAUSED: "neutral",
  CANCELLED: "neutral",
});
