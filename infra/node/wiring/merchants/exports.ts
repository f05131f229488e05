import { join } from "node:path";
import { createExports } from "../../../../engine/exports/create-exports.ts";
import type { ExportFiles } from "../../../../engine/exports/export-files.ts";
import { createExportRunner } from "../../../../engine/exports/export-runner.ts";
import { createExportStore } from "../../../../engine/exports/export-store.ts";
import type { Exports } from "../../../../engine/exports/exports.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { openSharedCounts } from "../../../../engine/kernel/shared-counts.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import { createWaitPlaces } from "../../../../engine/terminals/wait-places.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { createExportSource } from "../../../../http/exports/export-source.ts";
import type { ListOperations } from "../../../../http/exports/list-rows.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { createExportFolder } from "../../../../storage/files/export-folder.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardBoot } from "../../boot/shard-boot.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { installationOf } from "../shared/installation.ts";

/** Limits the wait until files in progress are back in the queue when the node stops. */
const STOP_MS = 5_000;

/** Longer than the creation of a file takes. */
const QUIET_MS = 3_600_000;

/**
 * The store may be on the same disk and needs extra space while it compacts. Without space it
 * accepts no payments.
 */
const FREE_BYTES_MIN = 1_073_741_824;

const SWEEP_EVERY_MS = 3_600_000;

/**
 * The holder in the table of waiting lookups, which also limits these. No sender has such a key.
 */
const SHEET = "sheet of an export";

export interface ExportParts extends Omit<ListOperations, "localTime" | "clock"> {
  config: Pick<Config, "timeZone" | "cluster" | "dataDirectory" | "exportDirectory" | "exportBytesMax">;
  boot: Pick<ShardBoot, "open">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  timers: Timers;
  ids: Ids;
  /** Whether this thread removes remains of interrupted files for its node. */
  sweeps: boolean;
  metrics: Pick<ShardMetrics, "gauge" | "exportBecame">;
  failed(what: string, error: unknown): void;
}

/** Exports in a shard: their operations, and the creation of those whose home it is. */
export async function composeExports(parts: ExportParts): Promise<Lifecycle & { exports: Exports }> {
  const { config, boot, kv, bus, homes, clock, timers, ids, sweeps, metrics, failed, ...lists } = parts;
  const store = createExportStore(kv);
  const files = await folderOf(config, kv);
  const exports = createExports({ store, files, clock, digest: sha256Hex, became: (state) => metrics.exportBecame(state, null) });
  if (files === null) return { exports };
  const sheets = createWaitPlaces(openSharedCounts(boot.open.waits), () => 1);
  const source = createExportSource({
    ...lists,
    ...{ clock, localTime: createLocalTime(config.timeZone) },
    takeSheet: () => sheets.take(SHEET),
    giveSheetBack: () => sheets.giveBack(SHEET),
    pause: (ms) =>
      new Promise((resolve) => {
        timers.set(ms, resolve);
      }),
  });
  const runner = createExportRunner({
    ...{ store, files, source, bytesMax: config.exportBytesMax, homes, self: bus.self, clock, timers, failed },
    newLease: ids.uuid,
    became: (state, { failure }) => metrics.exportBecame(state, failure),
  });
  metrics.gauge("relay_exports_due", "Exports that are running, waiting, or being removed now.", () => runner.counts().held);
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let stopped: Promise<void> | null = null;

  async function sweep(): Promise<void> {
    // The files are listed first. A file that is stored in the meantime is too new to be removed.
    await files?.sweep(await store.files());
  }

  return {
    exports,
    tick: runner.tick,
    everySecond: () => {
      const nowMs = clock.monotonicMs();
      if (!sweeps || stopped !== null || nowMs - sweptAtMs < SWEEP_EVERY_MS) return;
      sweptAtMs = nowMs;
      // Remaining files do no harm.
      sweep().catch((error: unknown) => failed("export.sweep", error));
    },
    drain: () => {
      stopped ??= runner.stop();
    },
    close: async () => {
      stopped ??= runner.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}

/** Nodes without a shared folder create no files, because another node could not serve them. */
async function folderOf(config: ExportParts["config"], kv: Kv): Promise<ExportFiles | null> {
  const folder = config.exportDirectory ?? (config.cluster === null ? join(config.dataDirectory, "exports") : null);
  if (folder === null) return null;
  return createExportFolder({
    directory: join(folder, await installationOf(kv)),
    quietMs: QUIET_MS,
    freeBytesMin: FREE_BYTES_MIN,
    // Files have the machine's time, even if a test moves the relay's clock.
    nowMs: () => Date.now(),
  });
}
