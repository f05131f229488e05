import type { AppVersions } from "../../../engine/operations/app-versions.ts";
import type { CheckAppVersion } from "../../../engine/operations/check-app-version.ts";
import type { PackageUrl, PushUpdate } from "../../../engine/operations/push-update.ts";
import type { RecordInstall } from "../../../engine/operations/record-install.ts";
import type { UploadPackage } from "../../../engine/operations/upload-package.ts";
import type { AppCatalog } from "../../../engine/ports/app-catalog.ts";
import type { AppStore } from "../../../engine/ports/app-store.ts";
import type { Deployments } from "../../../engine/ports/deployments.ts";
import type { PackageStore } from "../../../engine/ports/package-store.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../relay-envelope.ts";

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
  installLogs: AppStore["installLogs"];
  packageUrl: PackageUrl;
}

export const apps = surface<AppsOperations>()({ name: "apps", tags: ["App updates"], envelope: relayEnvelope });
