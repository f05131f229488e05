import { join } from "node:path";
import type { Directory } from "../../../../engine/access/directory.ts";
import { createAppCatalog, type TerminalMerchants } from "../../../../engine/apps/app-catalog.ts";
import { createAppStore } from "../../../../engine/apps/app-store.ts";
import { createAppVersions } from "../../../../engine/apps/app-versions.ts";
import { createCheckAppVersion } from "../../../../engine/apps/check-app-version.ts";
import { createDeployments } from "../../../../engine/apps/deployments.ts";
import type { PackageStore } from "../../../../engine/apps/package-store.ts";
import { createPushUpdate } from "../../../../engine/apps/push-update.ts";
import { createRecordInstall } from "../../../../engine/apps/record-install.ts";
import { createTerminalProof } from "../../../../engine/apps/terminal-proof.ts";
import { createUploadPackage } from "../../../../engine/apps/upload-package.ts";
import type { Fleet } from "../../../../engine/fleet/fleet.ts";
import { createRolloutProgress } from "../../../../engine/fleet/rollout-progress.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { Tables } from "../../../../engine/tables/replicated-table.ts";
import type { Terminals } from "../../../../engine/terminals/terminals.ts";
import { sameClient } from "../../../../http/server/same-client.ts";
import type { AppsOperations } from "../../../../http/surfaces/apps/surface.ts";
import { createPackageFolder } from "../../../../storage/packages/package-folder.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import { installationOf } from "../shared/installation.ts";

/**
 * A file that another node has not written to for this long belongs to an interrupted upload. A
 * stalled upload ends long before.
 */
const QUIET_MS = 600_000;

export interface AppsParts {
  config: Config;
  kv: Kv;
  tables: Tables;
  terminals: Terminals;
  directory: Pick<Directory, "isDenied">;
  merchants: TerminalMerchants;
  fleet: Fleet;
  clock: Clock;
  ids: Ids;
  /** Unique among all writers. */
  writer: string;
  failed(what: string, error: unknown): void;
}

/** App updates in a shard. */
export interface Apps extends Lifecycle {
  operations: AppsOperations;
  /**
   * Finishes deletions and removes remains of interrupted uploads. One shard of a node calls it
   * before requests are served.
   */
  tidy(): Promise<void>;
}

export async function composeApps(parts: AppsParts): Promise<Apps> {
  const { config, kv, tables, terminals, directory, merchants, fleet, clock, ids, writer, failed } = parts;
  const alone = config.cluster === null;
  const store = createAppStore({ kv, nowMs: clock.nowMs, writer });
  const packages = await packagesOf(config, kv);
  const catalog = createAppCatalog({ store, tables, merchants });
  const deployments = createDeployments({ store, catalog, clock, failed });
  const proof = createTerminalProof({ terminals, directory, sameClient, failed });
  const appVersions = createAppVersions(store, catalog, deployments, packages, clock);
  let base = config.publicUrl;
  const packageUrl = (fileName: string, terminalId: string | null) =>
    `${base ?? ""}/api/v1/app/download/${fileName}${terminalId === null ? "" : `?terminalId=${terminalId}`}`;

  return {
    operations: {
      appVersions,
      appCatalog: catalog,
      deployments,
      checkAppVersion: createCheckAppVersion({ catalog, deployments, proof, directory }),
      recordInstall: createRecordInstall({ store, catalog, deployments, proof, clock }),
      uploadPackage: createUploadPackage({ store, catalog, deployments, packages, clock, ids }),
      pushUpdate: createPushUpdate(catalog, terminals, ids, packageUrl),
      packages,
      rolloutProgress: createRolloutProgress({ fleet, catalog, deployments, store, clock }),
      installLogs: store.installLogs,
      packageUrl,
    },
    tidy: async () => {
      try {
        if (alone) await store.clearUploads();
        const { versions } = await store.load();
        for (const { id, deleting } of versions) if (deleting) await appVersions.remove(id);
        await packages.sweep(new Set(versions.flatMap((version) => (version.deleting ? [] : (version.package?.fileName ?? [])))));
      } catch (error) {
        // Remaining files do no harm.
        failed("tidy packages", error);
      }
    },
    // Addresses of packages use the listener's address if no public address is configured.
    listening: (port) => {
      base ??= `${config.tls === null ? "http" : "https"}://${reachable(config.host)}:${port}`;
    },
  };
}

async function packagesOf(config: Config, kv: Kv): Promise<PackageStore> {
  const alone = config.cluster === null;
  const folder = config.packageDirectory ?? (alone ? join(config.dataDirectory, "packages") : null);
  if (folder === null) return withoutFolder();
  // Files have the machine's time, even if a test moves the relay's clock.
  return createPackageFolder({
    directory: join(folder, await installationOf(kv)),
    quietMs: alone ? 0 : QUIET_MS,
    nowMs: () => Date.now(),
  });
}

/** Nodes without a shared folder store no packages, because another node could not serve them. */
function withoutFolder(): PackageStore {
  return {
    receive: () =>
      Promise.reject(
        new RelayError("conflict", "Packages need RELAY_PACKAGE_DIR, a folder that all nodes share; the operator must set it"),
      ),
    open: async () => null,
    remove: async () => {},
    sweep: async () => 0,
  };
}

function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
