import { testSimulation, upTo } from "../seed-plan.ts";
import { playPortalLinks } from "./history.ts";

await testSimulation({
  word: "simulation/portal-links",
  promise: "every link is right at every moment: one open attempt at most, every payment is seen and told once",
  play: playPortalLinks,
  // The first seed found a refund whose answer was lost and that nobody asked for again.
  chosen: [309619932, 45, 40, 96, 112, 124, 123, 84, 35, 6],
  nightly: upTo(40),
  seen: [
    "pay: payable",
    "pay: not_yet",
    "pay: refused",
    "pay: closed",
    "cancel: cancelled",
    "cancel: not_pending",
    "send: sent",
    "refund: done",
    "ends PAID",
    "ends PAID late",
    "ends CANCELLED",
    "ends EXPIRED",
    "paid twice",
    "given back",
  ],
});
