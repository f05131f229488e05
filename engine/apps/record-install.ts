import type { Clock } from "../kernel/clock.ts";
import { maskJson } from "../kernel/mask.ts";
import { isJsonObject, type JsonObject } from "../payments/payment-request.ts";
import type { AppCatalog } from "./app-catalog.ts";
import type { InstallStep } from "./app-deployment.ts";
import type { AppStore } from "./app-store.ts";
import type { Deployments } from "./deployments.ts";
import { UNKNOWN_VERSION_CODE } from "./install-log.ts";
import { failureReason, readInstallReport } from "./install-report.ts";
import type { Reporter, TerminalProof } from "./terminal-proof.ts";

export interface InstallReport {
  reporter: Reporter;
  /** The terminal as a header names it; read where the report names none. */
  terminalId: string | null;
  /** As it was posted. */
  body: JsonObject;
}

export interface RecordInstall {
  /**
   * Keeps the report for 30 days, card numbers masked. If it is the terminal's own and can be read, moves the counts of the deployment that
   * it belongs to, once for each terminal.
   */
  report(report: InstallReport): Promise<void>;
  /** Somebody has got all of a version's package in the terminal's name. Nobody waits for it. */
  downloaded(reporter: Reporter, terminalId: string, versionId: number): void;
}

export interface RecordInstallOptions {
  store: AppStore;
  catalog: AppCatalog;
  deployments: Deployments;
  proof: TerminalProof;
  clock: Clock;
}

export function createRecordInstall({ store, catalog, deployments, proof, clock }: RecordInstallOptions): RecordInstall {
  /** The deployment that offered it this version; where none has (a push to this terminal alone), the most specific one. */
  async function count(terminalId: string, versionId: number, step: InstallStep, reason?: string): Promise<void> {
    const candidates = catalog.deploymentsFor(terminalId, versionId);
    for (const { id } of candidates) {
      const [mark] = await store.marks(id, [terminalId]);
      if (mark?.record.offered === true) return deployments.count(id, terminalId, step, reason);
    }
    const [first] = candidates;
    if (first !== undefined) await deployments.count(first.id, terminalId, step, reason);
  }

  return {
    report: async ({ reporter, terminalId: named, body }) => {
      const { terminalId: told, versionCode, status } = readInstallReport(body);
      const terminalId = told ?? named ?? (reporter.caller.type === "terminal" ? reporter.caller.terminalId : null);
      const version = versionCode === null ? null : catalog.byVersionCode(versionCode);
      const fromTerminal = terminalId !== null && (await proof.isFromTerminal(reporter, terminalId));
      const masked = maskJson(body);
      await store.appendInstallLog({
        receivedAtMs: clock.nowMs(),
        terminalId,
        versionCode: version?.versionCode ?? UNKNOWN_VERSION_CODE,
        status,
        fromTerminal,
        body: JSON.stringify(masked),
      });
      if (!fromTerminal || version === null || status === null) return;
      if (status === "completed") await count(terminalId, version.id, "installed");
      else await count(terminalId, version.id, "failed", isJsonObject(masked) ? (failureReason(masked) ?? undefined) : undefined);
    },
    downloaded: (reporter, terminalId, versionId) =>
      proof.ifFromTerminal(reporter, terminalId, "count a download", () => count(terminalId, versionId, "downloaded")),
  };
}
