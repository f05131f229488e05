import type { Caller } from "../../../engine/access/caller.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { DisputeActor } from "../../../engine/disputes/dispute.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { maySeePersonalData } from "../../endpoint/personal-data.ts";
import { maskedEmail } from "../parts/masking.ts";
import type { Actor, ActorContext, ActorNames } from "./actor-context.ts";
import { merchantOf, userOf } from "./surface.ts";

export async function actorContext<A extends Actor>(
  { users, clock }: { users: Pick<Users, "list">; clock: Pick<Clock, "nowMs"> },
  caller: Caller,
  actors: readonly A[],
): Promise<ActorContext<A>> {
  return { caller, names: await actorNames(users, caller, actors), nowMs: clock.nowMs() };
}

/** Reads the team once, and only if a person is among the actors. */
export async function actorNames<A extends Actor>(
  users: Pick<Users, "list">,
  caller: Caller,
  actors: readonly A[],
): Promise<ActorNames<A>> {
  const team = actors.some(({ type }) => type === "user") ? await users.list(merchantOf(caller)) : [];
  const emails = new Map(team.map(({ userId, email }) => [userId, email]));
  const ownId = caller.type === "merchantUser" ? caller.user.userId : null;
  return (actor, maySee = maySeePersonalData(caller)) => {
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
