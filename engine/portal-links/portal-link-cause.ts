import type { LinkCause } from "../links/link-companion.ts";

/** Tells the companion that portal links use a link. */
export class PortalLinkCause implements LinkCause {
  readonly surface = "portal-link";
}
