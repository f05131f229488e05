import type { AgentCredentialCreator } from "../../../engine/agents/agent-credential.ts";
import type { DisputeActor } from "../../../engine/disputes/dispute.ts";
import type { PortalLinkCreator } from "../../../engine/portal-links/portal-link.ts";
import type { ResourceContext } from "../../endpoint/resource.ts";

/** A person, an API key or an AI agent that acts for a merchant. */
export type Actor = DisputeActor | PortalLinkCreator | AgentCredentialCreator;

/**
 * Names an actor as the caller may see it. `maySee` overrides whether the caller sees personal
 * data.
 */
export type ActorNames<A extends Actor> = (actor: A, maySee?: boolean) => { by: string; byType: A["type"] | "former_user" };

/** The context of resources that show who did something, or that depend on the current time. */
export interface ActorContext<A extends Actor> extends ResourceContext {
  readonly names: ActorNames<A>;
  readonly nowMs: number;
}

/** The context of examples in documents, which is that of a secret key. */
export const EXAMPLE_CONTEXT = {
  caller: {
    type: "merchantKey",
    merchant: { merchantId: "SHOP-001", partnerId: 1, livemode: true, kind: "secret", keyId: "", requestsPerMinute: 1, services: [] },
  },
  names: () => ({ by: "anna@example.com", byType: "user" }),
  nowMs: Date.parse("2026-11-26T10:00:00.000Z"),
} as const satisfies ActorContext<DisputeActor>;
