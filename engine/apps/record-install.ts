import type { Clock } from "../kernel/clock.ts";
import { maskJson } from "../kernel/mask.ts";
import type { AppCatalog } from "./app-catalog.ts";
import type { InstallStep } from "./app-deployment.ts";
import type { AppStore } from "./app-store.ts";
import type { Deployments } from "./deployments.ts";
import { type InstallLog, UNKNOWN_VERSION_CODE } from "./install-log.ts";

export interface InstallReport {
  terminalId: string;
  versionCode: number;
  status: InstallLog["status"];
  /** As it was posted. */
  body: unknown;
}

export interface RecordInstall {
  /** Keeps the report for 30 days, card numbers masked, and moves the counts of the deployment that it belongs to. */
  report(report: InstallReport): Promise<void>;
  /** A terminal has got all of a version's package. Nobody waits for it. */
  downloaded(terminalId: string, versionId: number): void;
}

export interface RecordInstallOptions {
  store: AppStore;
  catalog: AppCatalog;
  deployments: Deployments;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

export function createRecordInstall({ store, catalog, deployments, clock, failed }: RecordInstallOptions): RecordInstall {
  /** The deployment that offered it this version; where none has (a push to this terminal alone), the most specific one. */
  async function count(terminalId: string, versionId: number, step: InstallStep): Promise<void> {
    const candidates = catalog.deploymentsFor(terminalId, versionId);
    for (const { id } of candidates) {
      const [mark] = await store.marks(id, [terminalId]);
      if (mark?.record.offered === true) return deployments.count(id, terminalId, step);
    }
    const [first] = candidates;
    if (first !== undefined) await deployments.count(first.id, terminalId, step);
  }

  return {
    report: async ({ terminalId, versionCode, status, body }) => {
      const version = catalog.byVersionCode(versionCode);
      await store.appendInstallLog({
        receivedAtMs: clock.nowMs(),
        terminalId,
        versionCode: version === null ? UNKNOWN_VERSION_CODE : versionCode,
        status,
        body: JSON.stringify(maskJson(body)),
      });
      if (version !== null) await count(terminalId, version.id, status === "completed" ? "installed" : "failed");
    },
    downloaded: (terminalId, versionId) => {
      count(terminalId, versionId, "downloaded").catch((error: unknown) => failed("count a download", error));
    },
  };
}
