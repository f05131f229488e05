import type { Caller } from "../../../engine/access/caller.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { DisputeActor } from "../../../engine/disputes/dispute.ts";
import { maskedEmail } from "../masked-email.ts";
import { maySeePersonalData } from "./personal-data.ts";
import { merchantOf, userOf } from "./surface.ts";

/** Who did something at a dispute or an alert, as the caller may see it. */
export type ActorNames = (actor: DisputeActor) => { by: string; byType: "user" | "former_user" | "key" };

/** The team is looked up once, and only where a person is among them. */
export async function actorNames(users: Pick<Users, "list">, caller: Caller, actors: readonly DisputeActor[]): Promise<ActorNames> {
  const team = actors.some(({ type }) => type === "user") ? await users.list(merchantOf(caller)) : [];
  const emails = new Map(team.map(({ userId, email }) => [userId, email]));
  const maySee = maySeePersonalData(caller);
  const ownId = caller.type === "merchantUser" ? caller.user.userId : null;
  return (actor) => {
    if (actor.type === "key") return { by: "API key", byType: "key" };
    const email = emails.get(actor.userId);
    if (email === undefined) return { by: "Former user", byType: "former_user" };
    return { by: maySee || actor.userId === ownId ? email : maskedEmail(email), byType: "user" };
  };
}

export function actorOf(caller: Caller): DisputeActor {
  return caller.type === "merchantKey" ? { type: "key" } : { type: "user", userId: userOf(caller).userId };
}
