import { type Config, readConfig } from "../boot/config.ts";
import { ConfigRefused, type Environment } from "../boot/config-reader.ts";
import { withEnvironmentFile } from "../boot/environment-file.ts";
import { namesToRestartFor } from "../boot/reload.ts";
import { StartRefused } from "../boot/start-refused.ts";
import type { Log } from "../observability/log.ts";
import type { RunningNode } from "./node.ts";

export interface ReloadOnSignal {
  /** The configuration is to be read again: at once, or when the node runs. Never throws; the log says what came of it. */
  asked(): void;
  /** The node runs. */
  started(node: Pick<RunningNode, "reload">): void;
}

export interface ReloadOnSignalOptions {
  /** That of the process; what its file has is read again. */
  environment: Environment;
  /** The same with what its file had when the node's configuration was read. */
  atStart: Environment;
  log: Log;
}

/** Reads the configuration again and has the node take it over. However often it is asked while that is under way, it is done once more. */
export function createReloadOnSignal({ environment, atStart, log }: ReloadOnSignalOptions): ReloadOnSignal {
  let node: Pick<RunningNode, "reload"> | null = null;
  let [wanted, underWay] = [false, false];

  async function reload(running: Pick<RunningNode, "reload">): Promise<void> {
    try {
      const now = withEnvironmentFile(environment);
      const next: Config = readConfig(now);
      const { changed, validUntilMs } = await running.reload(next);
      log.setLevel(next.logLevel);
      const restartFor = namesToRestartFor(atStart, now);
      log.reloaded({
        certificateChanged: changed,
        certificateValidUntil: validUntilMs === null ? null : new Date(validUntilMs).toISOString(),
        restartFor,
      });
    } catch (error) {
      if (error instanceof ConfigRefused || error instanceof StartRefused) log.reloadFailed(error.message);
      else log.engineFailed("reload", error);
    }
  }

  async function run(): Promise<void> {
    if (node === null || underWay) return;
    underWay = true;
    while (wanted) {
      wanted = false;
      await reload(node);
    }
    underWay = false;
  }

  return {
    asked: () => {
      wanted = true;
      void run();
    },
    started: (running) => {
      node = running;
      void run();
    },
  };
}
