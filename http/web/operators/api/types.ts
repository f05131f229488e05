import type { Static } from "@sinclair/typebox";
import type { Partner } from "../../../surfaces/admin/partners/partner.ts";
import type { Deployment, Version } from "../../../surfaces/apps/schemas.ts";
import type { PortalUser } from "../../../surfaces/portal-user.ts";

export type PartnerJson = Static<typeof Partner>;
export type VersionJson = Static<typeof Version>;
export type DeploymentJson = Static<typeof Deployment>;
export type PortalUserJson = Static<typeof PortalUser>;
