import type { AppDeployment, DeploymentTarget, TargetRecord } from "./app-deployment.ts";
import type { Offer } from "./app-offer.ts";
import type { AppVersion } from "./app-version.ts";

/** Versions and deployments in memory, so that no terminal's check waits for the store. Counts are only in the store. */
export interface AppCatalog {
  /** By version code, descending. */
  versions(): readonly AppVersion[];
  version(id: number): AppVersion | null;
  byVersionCode(versionCode: number): AppVersion | null;
  /** The version whose package this is. */
  byFileName(fileName: string): AppVersion | null;
  deployment(id: number): AppDeployment | null;
  /** By id, descending. */
  deployments(): readonly AppDeployment[];
  target(target: DeploymentTarget): TargetRecord | null;
  /** How many targets have deployments. */
  targetCount(): number;
  /** The version that a terminal is meant to have, whatever it runs now. */
  offerFor(terminalId: string): Offer | null;
  /** The deployment that a terminal's report about a version belongs to, the most specific first. */
  deploymentsFor(terminalId: string, versionId: number): AppDeployment[];
  /** To be called after each change of the table: resolves when every shard has it. */
  spread(): Promise<void>;
}

/** Which merchant a terminal belongs to, from the settings in memory; null for none. */
export interface TerminalMerchants {
  merchantOf(terminalId: string): string | null;
}
