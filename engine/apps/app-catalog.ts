import { hashOf } from "../kernel/hash.ts";
import type { Tables } from "../tables/replicated-table.ts";
import { type AppDeployment, type DeploymentTarget, deploymentsOf, type TargetRecord, targetName } from "./app-deployment.ts";
import { type Decision, decisionFor, type Offer, type OfferLookups, offerFor, targetsOf } from "./app-offer.ts";
import { APPS_TABLE, type AppStore, type AppTable } from "./app-store.ts";
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
  /** The deployment that decides for a terminal, also while it is paused. */
  decisionFor(terminalId: string): Decision | null;
  /** The deployment that a terminal's report about a version belongs to, the most specific first. */
  deploymentsFor(terminalId: string, versionId: number): AppDeployment[];
  /** To be called after each change of the table: resolves when every shard has it. */
  propagate(): Promise<void>;
}

/** Which merchant and group a terminal belongs to, from the settings in memory; null for none. */
export interface TerminalMerchants {
  merchantOf(terminalId: string): string | null;
  groupOf(terminalId: string): string | null;
}

export interface AppCatalogOptions {
  store: Pick<AppStore, "load">;
  tables: Tables;
  merchants: TerminalMerchants;
}

/** Where a terminal stands in a staged rollout, in steps of a hundredth percent: another place in each deployment, always the same one in each. */
export function rolloutBucketOf(deploymentId: number, terminalId: string): number {
  return (hashOf(`${deploymentId}/${terminalId}`) % 10_000) / 100;
}

interface Indexes {
  versions: readonly AppVersion[];
  versionById: ReadonlyMap<number, AppVersion>;
  versionByCode: ReadonlyMap<number, AppVersion>;
  versionByFile: ReadonlyMap<string, AppVersion>;
  deployments: readonly AppDeployment[];
  deploymentById: ReadonlyMap<number, AppDeployment>;
  targets: ReadonlyMap<string, TargetRecord>;
}

function indexesOf({ versions, deployments, targets }: AppTable): Indexes {
  const byCode = [...versions].sort((one, other) => other.versionCode - one.versionCode);
  const byId = [...deployments].sort((one, other) => other.id - one.id);
  return {
    versions: byCode,
    versionById: new Map(byCode.map((version) => [version.id, version])),
    versionByCode: new Map(byCode.map((version) => [version.versionCode, version])),
    versionByFile: new Map(byCode.flatMap((version) => (version.package === null ? [] : [[version.package.fileName, version]]))),
    deployments: byId,
    deploymentById: new Map(byId.map((deployment) => [deployment.id, deployment])),
    targets: new Map(targets.map((record) => [targetName(record.target), record])),
  };
}

export function createAppCatalog({ store, tables, merchants }: AppCatalogOptions): AppCatalog {
  let indexes = indexesOf({ versions: [], deployments: [], targets: [] });
  const table = tables.whole({
    name: APPS_TABLE,
    load: async () => {
      indexes = indexesOf(await store.load());
    },
  });
  const target = (wanted: DeploymentTarget) => indexes.targets.get(targetName(wanted)) ?? null;
  const lookups: OfferLookups = {
    target,
    deployment: (id) => indexes.deploymentById.get(id) ?? null,
    version: (id) => indexes.versionById.get(id) ?? null,
    bucketOf: rolloutBucketOf,
    groupOf: merchants.groupOf,
  };
  return {
    versions: () => indexes.versions,
    version: lookups.version,
    byVersionCode: (versionCode) => indexes.versionByCode.get(versionCode) ?? null,
    byFileName: (fileName) => indexes.versionByFile.get(fileName) ?? null,
    deployment: lookups.deployment,
    deployments: () => indexes.deployments,
    target,
    targetCount: () => indexes.targets.size,
    offerFor: (terminalId) => offerFor(terminalId, merchants.merchantOf(terminalId), lookups),
    decisionFor: (terminalId) => decisionFor(terminalId, merchants.merchantOf(terminalId), lookups),
    deploymentsFor: (terminalId, versionId) =>
      targetsOf(terminalId, merchants.merchantOf(terminalId)).flatMap((wanted) => {
        const record = target(wanted);
        if (record === null) return [];
        return deploymentsOf(record)
          .map(lookups.deployment)
          .filter((deployment) => deployment !== null)
          .filter((deployment) => deployment.versionId === versionId && deployment.state !== "draft");
      }),
    propagate: table.propagate,
  };
}
