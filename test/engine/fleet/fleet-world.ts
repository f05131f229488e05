import type { DeviceInfo } from "../../../engine/sessions/presence.ts";
import type { TerminalView } from "../../../engine/terminals/terminals.ts";

export const DAY_MS = 86_400_000;
export const NOW_MS = 1_763_700_000_000;

export interface FleetClock {
  nowMs(): number;
  monotonicMs(): number;
  advance(ms: number): void;
}

export function fleetClock(): FleetClock {
  let passedMs = 0;
  return {
    nowMs: () => NOW_MS + passedMs,
    monotonicMs: () => passedMs,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}

/** A terminal with a WebSocket, unless `changes` say otherwise. */
export function viewOf(terminalId: string, device: DeviceInfo = {}, changes: Partial<TerminalView> = {}): TerminalView {
  const { connectionStatus = "ONLINE" } = changes;
  const isOnline = connectionStatus === "ONLINE";
  return {
    terminalId,
    connectionStatus,
    connected: isOnline,
    sessions: isOnline ? 1 : 0,
    ...(isOnline ? { connectionType: "WEBSOCKET" as const } : {}),
    device,
    queued: 0,
    sent: 0,
    ...changes,
  };
}
