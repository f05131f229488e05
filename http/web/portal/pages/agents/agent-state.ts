import { stateBadge } from "../../list/columns.tsx";

export const AgentState = stateBadge((all) => all.agents.states, {
  ACTIVE: "good",
  EXHAUSTED: "warn",
  EXPIRED: "neutral",
  REVOKED: "neutral",
});
