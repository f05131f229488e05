import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";
import type { State } from "./words.ts";

const KINDS: Readonly<Record<State, BadgeKind>> = {
  INCOMPLETE: "warn",
  TRIALING: "accent",
  ACTIVE: "good",
  PAST_DUE: "bad",
  PAUSED: "neutral",
  CANCELLED: "neutral",
};

export function SubscriptionState({ state }: { state: State }) {
  return <Badge kind={KINDS[state]}>{text().subscriptions.states[state]}</Badge>;
}
