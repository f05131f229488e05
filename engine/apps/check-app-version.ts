import type { Directory } from "../access/directory.ts";
import type { AppCatalog } from "./app-catalog.ts";
import type { AppDeployment } from "./app-deployment.ts";
import type { AppPackage, AppVersion } from "./app-version.ts";
import type { Deployments } from "./deployments.ts";
import type { Reporter, TerminalProof } from "./terminal-proof.ts";

export interface OfferedVersion {
  version: AppVersion & { package: AppPackage };
  deployment: AppDeployment;
}

/**
 * The version that a terminal is offered, null when it is up to date: never one below, or the same as, what it runs. A denied terminal is
 * offered nothing. The offer is counted if it is the terminal that asks, without being waited for; a count that is lost is counted at the
 * next check.
 */
export type CheckAppVersion = (reporter: Reporter, terminalId: string, currentVersionCode: number | null) => OfferedVersion | null;

export interface CheckAppVersionOptions {
  catalog: AppCatalog;
  deployments: Pick<Deployments, "count" | "isOfferCounted">;
  proof: Pick<TerminalProof, "ifFromTerminal">;
  directory: Pick<Directory, "isDenied">;
}

export function createCheckAppVersion({ catalog, deployments, proof, directory }: CheckAppVersionOptions): CheckAppVersion {
  return (reporter, terminalId, currentVersionCode) => {
    const offer = directory.isDenied(terminalId) ? null : catalog.offerFor(terminalId);
    if (offer === null) return null;
    if (currentVersionCode !== null && offer.version.versionCode <= currentVersionCode) return null;
    const { id } = offer.deployment;
    if (!deployments.isOfferCounted(id, terminalId)) {
      proof.ifFromTerminal(reporter, terminalId, "count an offer", () => deployments.count(id, terminalId, "offered"));
    }
    return offer;
  };
}
