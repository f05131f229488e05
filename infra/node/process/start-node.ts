import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { StartRefused } from "../boot/start-refused.ts";
import { createLog } from "../observability/log.ts";
import { type NodeOptions, type RunningNode, tryToStartNode } from "./node.ts";

/** A Redis that restarts, loads its data or waits for its disk has this long. */
const PATIENCE_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/** The least that another attempt is worth: a Redis that is there needs less. */
const ATTEMPT_MIN_MS = 1_000;

/**
 * Starts a node. In a cluster it waits a minute for a Redis that is not there or still loads its data; a start that Redis kept waiting later is given up and
 * begun anew within that minute: whatever starts the nodes would do it too, but it starts them all at once after a power cut, when Redis is slowest. Each
 * reason is logged once. Throws StartRefused with the reason.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { config } = options;
  const monotonicMs = () => performance.now();
  const log = createLog(config.logLevel, "main", monotonicMs);
  const freshPassword = randomBytes(24).toString("base64url");
  let shown = false;
  const passwordGenerated = (password: string): void => {
    if (shown) return;
    shown = true;
    log.generatedPassword(config.administrator.username);
    options.passwordGenerated?.(password);
  };
  const told = new Set<string>();
  const once = (tell: (reason: string) => void) => (reason: string) => {
    if (told.has(reason)) return;
    told.add(reason);
    tell(reason);
  };
  const [storeAwaited, startsAgain] = [once(log.storeAwaited), once(log.startsAgain)];
  const untilMs = monotonicMs() + PATIENCE_MS;
  const leftMs = () => Math.round(untilMs - monotonicMs());
  for (;;) {
    try {
      const storeWithinMs = Math.max(leftMs(), ATTEMPT_MIN_MS);
      return await tryToStartNode({ ...options, freshPassword, passwordGenerated, storeWithinMs, storeAwaited });
    } catch (error) {
      if (!(error instanceof StartRefused && error.mayPass) || leftMs() < AGAIN_AFTER_MS + ATTEMPT_MIN_MS) throw error;
      startsAgain(error.message);
    }
    await pause(AGAIN_AFTER_MS);
  }
}
