import type { Bench } from "tinybench";
import type { TerminalContext, TerminalEvent } from "../../engine/terminals/events.ts";
import { stepTerminal } from "../../engine/terminals/step-terminal.ts";

const ATMS = 1_800_000_000_000;
const IDLE: TerminalContext = { queue: [], sent: [], latest: [] };

/** Steps of a terminal, as a pay that waits and a pay that is pushed take them. */
export function addMachine(bench: Bench): void {
  const accepted: TerminalEvent = {
    type: "command.accepted",
    atMs: ATMS,
    entry: {
      uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
      kind: "payment",
      service: "PAYCC",
      sender: "partner:1",
      acceptedAtMs: ATMS,
      expiresAtMs: ATMS + 60_000,
      cancels: null,
      byAny: true,
    },
  };
  const session = { id: "s1", acknowledges: false, redeliver: false };
  const taken: TerminalEvent = { type: "command.taken", atMs: ATMS, channel: "websocket", session };
  bench.add("machine: accept", () => {
    stepTerminal(IDLE, accepted);
  });
  bench.add("machine: accept and take", () => {
    stepTerminal(stepTerminal(IDLE, accepted).context, taken);
  });
}
