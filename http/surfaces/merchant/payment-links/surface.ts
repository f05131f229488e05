import { Type } from "@sinclair/typebox";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of payment links use. */
export interface PaymentLinkOperations {
  portalLinks: Omit<PortalLinks, "byToken" | "pay" | "verified" | "createUncounted" | "createBeside">;
  /** The page where the link with this token is paid. */
  paymentLinkUrl(token: string): string;
  /** Of links that people made, who they are. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const paymentLinks = merchantSurface<PaymentLinkOperations>();

export const PaymentLinkParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "PaymentLinkId", description: "`pl_...`" }),
});

/** The one answer for what is not there, is another merchant's, or is of the other environment. */
export function noSuchLink(): RelayError {
  return new RelayError("not_found", "There is no such payment link");
}

export const NOT_PENDING = "It is paid, cancelled or expired (not_pending)";
