import type { Fleet } from "./fleet.ts";
import type { Measurements } from "./measurements.ts";

/**
 * Cuts the WebSockets of all terminals at one moment, every so often, as a provider does that loses a site: they come back as terminals do. Answers with what ends
 * it, and how many storms there were. `measurements` are told how long each terminal was away.
 */
export function startStorms(fleet: Fleet, everyMs: number, measurements: Measurements): { stop(): number } {
  let storms = 0;
  const timer = setInterval(() => {
    storms += 1;
    for (const terminal of fleet.terminals) if (terminal.link === "websocket") terminal.cut((ms) => measurements.took("back", ms));
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return storms;
    },
  };
}
