import type { AppDeployment, DeploymentTarget, InstallStep, RolloutOptions } from "./app-deployment.ts";

/** App deployment actors: each call is one stored step of one or more of them. Rejects with RelayError `not_found`, `conflict`, `unavailable`. */
export interface Deployments {
  /** A new deployment in the place of what the target had; a draft where the version has no package yet. */
  deploy(versionId: number, target: DeploymentTarget, options: RolloutOptions): Promise<AppDeployment>;
  pause(id: number): Promise<AppDeployment>;
  resume(id: number): Promise<AppDeployment>;
  tune(id: number, options: Partial<RolloutOptions>): Promise<AppDeployment>;
  /** Puts what stood before it in its place; answers with that. */
  rollBack(id: number): Promise<AppDeployment>;
  /** With their counts; null for one that is not there. */
  read(ids: readonly number[]): Promise<(AppDeployment | null)[]>;
  /** Drafts of the version take their places. */
  packageStored(versionId: number): Promise<void>;
  versionSwitched(versionId: number, active: boolean): Promise<void>;
  /** Removes all deployments of a version. */
  removeOf(versionId: number): Promise<void>;
  /** Counts a terminal's step, once; resolves when it is stored. */
  count(id: number, terminalId: string, step: InstallStep): Promise<void>;
}
