import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { StartRefused } from "../boot/start-refused.ts";
import { createLog } from "../observability/log.ts";
import { type NodeOptions, type RunningNode, tryToStartNode } from "./node.ts";

/** A Redis that restarts, loads its data or waits for its disk has this long; the last attempt begins before it is over. */
const PATIENCE_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/**
 * Starts a node. In a cluster a start that Redis kept waiting is given up and begun anew, for a minute: whatever starts the nodes would do it
 * too, but it starts them all at once after a power cut, when Redis is slowest. Throws StartRefused with the reason.
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
  const untilMs = monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      return await tryToStartNode({ ...options, freshPassword, passwordGenerated });
    } catch (error) {
      if (!(error instanceof StartRefused && error.mayPass) || monotonicMs() > untilMs) throw error;
      log.startsAgain(error.message);
    }
    await pause(AGAIN_AFTER_MS);
  }
}
