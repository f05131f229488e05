import type { AppCatalog } from "./app-catalog.ts";
import type { AppDeployment } from "./app-deployment.ts";
import type { AppPackage, AppVersion } from "./app-version.ts";
import type { Deployments } from "./deployments.ts";

export interface OfferedVersion {
  version: AppVersion & { package: AppPackage };
  deployment: AppDeployment;
}

/**
 * The version that a terminal is offered, null when it is up to date: never one below, or the same as, what it runs. The offer is counted
 * without being waited for; a count that is lost is counted at the next check.
 */
export type CheckAppVersion = (terminalId: string, currentVersionCode: number | null) => OfferedVersion | null;

export function createCheckAppVersion(
  catalog: AppCatalog,
  deployments: Deployments,
  failed: (what: string, error: unknown) => void,
): CheckAppVersion {
  return (terminalId, currentVersionCode) => {
    const offer = catalog.offerFor(terminalId);
    if (offer === null) return null;
    if (currentVersionCode !== null && offer.version.versionCode <= currentVersionCode) return null;
    deployments.count(offer.deployment.id, terminalId, "offered").catch((error: unknown) => failed("count an offer", error));
    return offer;
  };
}
