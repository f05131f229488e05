import { testSimulation, upTo } from "../seed-plan.ts";
import { playIntents } from "./history.ts";

await testSimulation({
  word: "simulation/intents",
  promise: "an intent keeps one payment at most, a canceled one keeps none, and everything is told once",
  play: playIntents,
  chosen: [57, 121, 139, 17, 39, 49, 14, 69, 116, 13],
  nightly: upTo(150),
  seen: [
    "confirm: confirmed",
    "confirm: declined",
    "confirm: unavailable",
    "confirm: unsettled",
    "cancel: canceled",
    "cancel: unavailable",
    "capture: captured",
    "refund: refunded",
    "refund: unsettled",
    "ends succeeded",
    "ends canceled",
    "ends requires_capture",
    "ends requires_payment_method",
    "unwanted",
  ],
});
