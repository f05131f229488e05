import { testSimulation, upTo } from "../seed-plan.ts";
import { playAgents } from "./history.ts";

await testSimulation({
  word: "simulation/agents",
  promise: "credentials and their links agree at every moment, and agents never make more than a credential permits",
  play: playAgents,
  // The first seed found credentials that were not listed among the usable ones.
  chosen: [577685327, 53, 8, 31, 38, 15, 39, 41, 20, 12],
  nightly: upTo(40),
  seen: [
    "make: created",
    "make: total",
    "make: linksPerHour",
    "make: perDay",
    "make: ended",
    "cancel: cancelled",
    "cancel: not_pending",
    "revoke: REVOKED",
    "ends EXPIRED",
    "ends REVOKED",
    "paid late",
    "used up more than once",
  ],
});
