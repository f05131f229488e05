import type { Caller } from "../../../engine/access/caller.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { AgentCredentialCreator } from "../../../engine/agents/agent-credential.ts";
import type { DisputeActor } from "../../../engine/disputes/dispute.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { PortalLinkCreator } from "../../../engine/portal-links/portal-link.ts";
import { maySeePersonalData } from "../../endpoint/personal-data.ts";
import type { ResourceContext } from "../../endpoint/resource.ts";
import { maskedEmail } from "../parts/masking.ts";
import { merchantOf, userOf } from "./surface.ts";

/** Somebody or something that acts for a merchant. */
type Actor = DisputeActor | PortalLinkCreator | AgentCredentialCreator;

/** Names an actor as the caller may see it, or with `maySee` as somebody who sees personal data may or may not. */
export type ActorNames<A extends Actor> = (actor: A, maySee?: boolean) => { by: string; byType: A["type"] | "former_user" };

/** The context of resources that show when it is, and who did something. */
export interface ActorContext<A extends Actor> extends ResourceContext {
  readonly names: ActorNames<A>;
  readonly nowMs: number;
}

export async function actorContext<A extends Actor>(
  { users, clock }: { users: Pick<Users, "list">; clock: Pick<Clock, "nowMs"> },
  caller: Caller,
  actors: readonly A[],
): Promise<ActorContext<A>> {
  return { caller, names: await actorNames(users, caller, actors), nowMs: clock.nowMs() };
}

/** The context in which documents show examples: that of a secret key. */
export const EXAMPLE_CONTEXT = {
  caller: {
    type: "merchantKey",
    merchant: { merchantId: "SHOP-001", partnerId: 1, livemode: true, kind: "secret", keyId: "", requestsPerMinute: 1, services: [] },
  },
  names: () => ({ by: "anna@example.com", byType: "user" }),
  nowMs: Date.parse("2026-11-26T10:00:00.000Z"),
} as const satisfies ActorContext<DisputeActor>;

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
