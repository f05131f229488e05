import { type AppDeployment, type DeploymentTarget, startedGroups, type TargetRecord } from "./app-deployment.ts";
import { type AppPackage, type AppVersion, isOfferable } from "./app-version.ts";

export interface OfferLookups {
  target(target: DeploymentTarget): TargetRecord | null;
  deployment(id: number): AppDeployment | null;
  version(id: number): AppVersion | null;
  /** From 0 to below 100, the same for the same terminal and deployment, even over all terminals. */
  bucketOf(deploymentId: number, terminalId: string): number;
  /** The group in the terminal's cloud configuration. */
  groupOf(terminalId: string): string | null;
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

/** The deployment that decides what a terminal gets. While it is paused, the terminal gets nothing. */
export interface Decision extends Offer {
  isPaused: boolean;
}

function includes({ id, rolloutPercent, staged }: AppDeployment, terminalId: string, lookups: OfferLookups): boolean {
  if (lookups.bucketOf(id, terminalId) < rolloutPercent) return true;
  const groups = startedGroups(staged);
  const group = groups.length === 0 ? null : lookups.groupOf(terminalId);
  return group !== null && groups.includes(group);
}

/**
 * Which deployment decides for a terminal (one for the terminal before one for its merchant before one for all), whatever it runs now. A paused deployment
 * holds its terminals; one whose version is withdrawn is as though it were not there: its terminals, and those outside a stage, still get what stood before it.
 */
export function decisionFor(terminalId: string, merchantId: string | null, lookups: OfferLookups): Decision | null {
  for (const target of targetsOf(terminalId, merchantId)) {
    const record = lookups.target(target);
    const current = record === null || record.current === null ? null : lookups.deployment(record.current);
    if (record === null || current === null) continue;
    const isPaused = current.state === "paused";
    if (!isPaused && current.state !== "active" && current.state !== "disabled") continue;
    for (const id of current.state === "disabled" ? record.history : [current.id, ...record.history]) {
      const deployment = lookups.deployment(id);
      const version = deployment === null ? null : lookups.version(deployment.versionId);
      if (deployment === null || version === null || !isOfferable(version)) continue;
      if (includes(deployment, terminalId, lookups)) return { deployment, version, isPaused };
    }
    if (isPaused) return null;
  }
  return null;
}

/** Which version a terminal is meant to have now. */
export function offerFor(terminalId: string, merchantId: string | null, lookups: OfferLookups): Offer | null {
  const decision = decisionFor(terminalId, merchantId, lookups);
  return decision === null || decision.isPaused ? null : { deployment: decision.deployment, version: decision.version };
}
