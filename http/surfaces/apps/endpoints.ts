import type { Endpoint } from "../../endpoint/endpoint.ts";
import { checkAppVersion } from "./check-version.ts";
import {
  changeDeployment,
  deployToAll,
  deployToMerchant,
  deployToTerminal,
  listDeployments,
  listDeploymentsOfVersion,
  pauseDeployment,
  resumeDeployment,
  rollBackDeployment,
  startDeployment,
  startNextRing,
  stopDeployment,
} from "./deploy.ts";
import { downloadPackage } from "./download.ts";
import { listInstallLogs, listOtherInstallLogs, recordInstall } from "./install-log.ts";
import { pushUpdate } from "./push-update.ts";
import { listRolloutTerminals, showRolloutProgress } from "./rollout-progress.ts";
import type { AppsOperations } from "./surface.ts";
import { uploadPackageEndpoint } from "./upload-package.ts";
import { changeAppVersion, createAppVersion, deleteAppVersion, listAppVersions, switchAppVersion } from "./versions.ts";

/** App updates for terminals and `/admin/app-versions`, and the relay's own additions for operators. */
export function appsEndpoints(options: { packageBytesMax: number }): Endpoint<AppsOperations>[] {
  return [
    checkAppVersion,
    downloadPackage,
    recordInstall,
    listAppVersions,
    createAppVersion,
    changeAppVersion,
    switchAppVersion,
    deleteAppVersion,
    uploadPackageEndpoint(options),
    pushUpdate,
    deployToTerminal,
    deployToMerchant,
    deployToAll,
    listDeploymentsOfVersion,
    listDeployments,
    changeDeployment,
    startDeployment,
    startNextRing,
    pauseDeployment,
    resumeDeployment,
    stopDeployment,
    rollBackDeployment,
    showRolloutProgress,
    listRolloutTerminals,
    listInstallLogs,
    listOtherInstallLogs,
  ];
}
