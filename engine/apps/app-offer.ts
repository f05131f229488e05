import type { AppDeployment, DeploymentTarget, TargetRecord } from "./app-deployment.ts";
import { type AppPackage, type AppVersion, isOfferable } from "./app-version.ts";

export interface OfferLookups {
  target(target: DeploymentTarget): TargetRecord | null;
  deployment(id: number): AppDeployment | null;
  version(id: number): AppVersion | null;
  /** From 0 to below 100, the same for the same terminal and deployment, even over all terminals. */
  bucketOf(deploymentId: number, terminalId: string): number;
}

export interface Offer {
  deployment: AppDeployment;
  version: AppVersion & { package: AppPackage };
}

/** A terminal's targets, the one that decides first. */
export function targetsOf(terminalId: string, merchantId: string | null): DeploymentTarget[] {
  return [
    { type: "terminal", terminalId },
    ...(merchantId === null ? [] : [{ type: "merchant" as const, merchantId }]),
    { type: "global" },
  ];
}

/**
 * Which version a terminal is meant to have (one for the terminal before one for its merchant before one for all), whatever it runs now. A paused deployment
 * holds its terminals; one whose version is withdrawn is as though it were not there: its terminals, and those outside a stage, still get what stood before it.
 */
export function offerFor(terminalId: string, merchantId: string | null, lookups: OfferLookups): Offer | null {
  for (const target of targetsOf(terminalId, merchantId)) {
    const record = lookups.target(target);
    const current = record === null || record.current === null ? null : lookups.deployment(record.current);
    if (record === null || current === null) continue;
    if (current.state === "paused") return null;
    if (current.state !== "active" && current.state !== "disabled") continue;
    for (const id of current.state === "active" ? [current.id, ...record.history] : record.history) {
      const deployment = lookups.deployment(id);
      const version = deployment === null ? null : lookups.version(deployment.versionId);
      if (deployment === null || version === null || !isOfferable(version)) continue;
      if (lookups.bucketOf(id, terminalId) < deployment.rolloutPercent) return { deployment, version };
    }
  }
  return null;
}
