import type { Caller } from "../../../engine/access/caller.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { AgentCredentialCreator } from "../../../engine/agents/agent-credential.ts";
import type { DisputeActor } from "../../../engine/disputes/dispute.ts";
import type { PortalLinkCreator } from "../../../engine/portal-links/portal-link.ts";
import { maskedEmail } from "../parts/masking.ts";
import { maySeePersonalData } from "./personal-data.ts";
import { merchantOf, userOf } from "./surface.ts";

/** Who made or did something of a merchant's. */
type Actor = DisputeActor | PortalLinkCreator | AgentCredentialCreator;

/** Who it was, as the caller may see it. */
export type ActorNames<A extends Actor> = (actor: A) => { by: string; byType: A["type"] | "former_user" };

/** The team is looked up once, and only where a person is among them. */
export async function actorNames<A extends Actor>(
  users: Pick<Users, "list">,
  caller: Caller,
  actors: readonly A[],
): Promise<ActorNames<A>> {
  const team = actors.some(({ type }) => type === "user") ? await users.list(merchantOf(caller)) : [];
  const emails = new Map(team.map(({ userId, email }) => [userId, email]));
  const maySee = maySeePersonalData(caller);
  const ownId = caller.type === "merchantUser" ? caller.user.userId : null;
  return (actor) => {
    const { type: byType } = actor;
    if (actor.type !== "user") return { by: actor.type === "key" ? "API key" : "AI agent", byType };
    const email = emails.get(actor.userId);
    if (email === undefined) return { by: "Former user", byType: "former_user" };
    return { by: maySee || actor.userId === ownId ? email : maskedEmail(email), byType };
  };
}

export function actorOf(caller: Caller): DisputeActor {
  return caller.type === "merchantKey" ? { type: "key" } : { type: "user", userId: userOf(caller).userId };
}
