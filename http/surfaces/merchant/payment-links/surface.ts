import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import { qrDataUrl } from "../../parts/buyer/qr-code.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorContext } from "../actor-names.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantSurface } from "../surface.ts";
import { type PaymentLinkContext, paymentLink } from "./schemas.ts";

/** The collaborators of the payment link endpoints. */
export interface PaymentLinkOperations {
  portalLinks: Omit<PortalLinks, "byToken" | "pay" | "verified" | "createUncounted" | "createBeside">;
  /** Returns the URL of the page where the link with this token is paid. */
  paymentLinkUrl(token: string): string;
  /** Names the people who created links. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const paymentLinks = merchantSurface<PaymentLinkOperations>();

export async function paymentLinkContext(
  operations: Pick<PaymentLinkOperations, "users" | "clock" | "paymentLinkUrl">,
  caller: Caller,
  links: readonly PortalLinkRecord[],
): Promise<PaymentLinkContext> {
  const creators = links.map(({ createdBy }) => createdBy);
  return { ...(await actorContext(operations, caller, creators)), urlOf: operations.paymentLinkUrl, qr: null };
}

export const onePaymentLink = oneOf(paymentLinks, {
  noun: "link",
  missing: "There is no such payment link",
  path: "/payment-links",
  idParameter: { parameterName: "PaymentLinkId", description: "`pl_...`" },
  resource: paymentLink,
  find: ({ portalLinks }, owner, id) => portalLinks.find(owner, id),
  context: async (operations, caller, links) => ({
    ...(await paymentLinkContext(operations, caller, links)),
    qr: await qrDataUrl(operations.paymentLinkUrl(links[0].token)),
  }),
});

export const NOT_PENDING = "The link is paid, cancelled or expired (not_pending)";
