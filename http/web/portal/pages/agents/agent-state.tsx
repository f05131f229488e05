import type { AgentStateJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

const KINDS: Readonly<Record<AgentStateJson, BadgeKind>> = { ACTIVE: "good", EXHAUSTED: "warn", EXPIRED: "neutral", REVOKED: "neutral" };

export function AgentState({ state }: { state: AgentStateJson }) {
  return <Badge kind={KINDS[state]}>{text().agents.states[state]}</Badge>;
}
