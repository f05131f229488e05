import type { UserJson } from "../../../../surfaces/merchant/team/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

const STATE_KINDS: Readonly<Record<UserJson["state"], BadgeKind>> = { INVITED: "warn", ACTIVE: "good", DISABLED: "neutral" };

/** Shows whether the user may sign in, or whether the invitation has expired. */
export function UserState({ user: { state, invitationExpiresAt } }: { user: UserJson }) {
  const { users: words } = text();
  const isOver = state === "INVITED" && (invitationExpiresAt === null || Date.parse(invitationExpiresAt) <= Date.now());
  return <Badge kind={isOver ? "bad" : STATE_KINDS[state]}>{isOver ? words.invitationOver : words.states[state]}</Badge>;
}
