import type { AppCatalog } from "../../../engine/apps/app-catalog.ts";
import type { AppStore } from "../../../engine/apps/app-store.ts";
import type { AppVersions } from "../../../engine/apps/app-versions.ts";
import type { CheckAppVersion } from "../../../engine/apps/check-app-version.ts";
import type { Deployments } from "../../../engine/apps/deployments.ts";
import type { PackageStore } from "../../../engine/apps/package-store.ts";
import type { PackageUrl, PushUpdate } from "../../../engine/apps/push-update.ts";
import type { RecordInstall } from "../../../engine/apps/record-install.ts";
import type { UploadPackage } from "../../../engine/apps/upload-package.ts";
import type { RolloutProgresses } from "../../../engine/fleet/rollout-progress.ts";
import { PROPAGATION_DEADLINE_MS } from "../../../engine/tables/replicated-table.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";

/** What the app update endpoints use. */
export interface AppsOperations {
  appVersions: AppVersions;
  appCatalog: AppCatalog;
  deployments: Deployments;
  checkAppVersion: CheckAppVersion;
  recordInstall: RecordInstall;
  uploadPackage: UploadPackage;
  pushUpdate: PushUpdate;
  packages: PackageStore;
  rolloutProgress: RolloutProgresses;
  installLogs: AppStore["installLogs"];
  packageUrl: PackageUrl;
}

export const apps = surface<AppsOperations>()({
  name: "apps",
  tags: ["App releases"],
  envelope: relayEnvelope,
  changeDeadlineMs: PROPAGATION_DEADLINE_MS,
});
