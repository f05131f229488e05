import type { Static } from "@sinclair/typebox";
import type { MachineTokenWithSecret } from "../../../surfaces/admin/machine-tokens/create-machine-token.ts";
import type { MachineToken } from "../../../surfaces/admin/machine-tokens/machine-token.ts";
import type { Partner } from "../../../surfaces/admin/partners/partner.ts";
import type { RolloutProgress, RolloutTerminalSchema } from "../../../surfaces/apps/rollout-progress.ts";
import type { Deployment, Version } from "../../../surfaces/apps/schemas.ts";
import type { PortalUser } from "../../../surfaces/parts/portal-user.ts";

export type MachineTokenJson = Static<typeof MachineToken>;
export type MachineTokenWithSecretJson = Static<typeof MachineTokenWithSecret>;
export type PartnerJson = Static<typeof Partner>;
export type VersionJson = Static<typeof Version>;
export type DeploymentJson = Static<typeof Deployment>;
export type RolloutProgressJson = Static<typeof RolloutProgress>;
export type RolloutTerminalJson = Static<typeof RolloutTerminalSchema>;
export type PortalUserJson = Static<typeof PortalUser>;
