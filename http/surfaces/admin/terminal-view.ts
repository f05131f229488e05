import { createHash } from "node:crypto";
import type { Static } from "@sinclair/typebox";
import type { DeviceInfo } from "../../../engine/sessions/presence.ts";
import type { TerminalView } from "../../../engine/terminals/terminals.ts";
import { connectionRecord } from "../parts/connection-record.ts";
import type { AdminOperations } from "./surface.ts";
import type { TerminalRecord } from "./terminal-record.ts";

/** Computed when it is shown, so that no poll has to do it. */
function fingerprintOf({ fingerprint, userAgent, deviceModel, family }: DeviceInfo): string | undefined {
  if (fingerprint !== undefined) return fingerprint;
  if (userAgent === undefined && deviceModel === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([userAgent, deviceModel, family]))
    .digest("hex")
    .slice(0, 32);
}

/** A terminal as administrators see it. */
export function terminalRecord(view: TerminalView, { directory }: Pick<AdminOperations, "directory">): Static<typeof TerminalRecord> {
  const fingerprint = fingerprintOf(view.device);
  const { commands: _, ...device } = view.device;
  return {
    ...connectionRecord(view),
    denied: directory.isDenied(view.terminalId),
    queued: view.queued,
    awaitingResult: view.sent,
    device: { ...device, ...(fingerprint === undefined ? {} : { fingerprint }) },
  };
}
