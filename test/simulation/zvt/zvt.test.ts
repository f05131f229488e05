import { testSimulation, upTo } from "../seed-plan.ts";
import { playZvt } from "./history.ts";

await testSimulation({
  word: "simulation/zvt",
  promise: "each sale that a register takes for paid was charged once, and none twice",
  play: playZvt,
  chosen: [38, 5, 46, 54, 19, 48, 45, 49, 1, 18],
  nightly: upTo(30),
  seen: [
    ...["begin: begun", "begin: reattached", "begin: deliver", "begin: busy", "begin: refused"],
    ...["ends paid", "ends declined", "ends cancelled", "ends unknown", "ends busy"],
    ...["paid", "notPaid", "error", "busy", "repeats beside its old connection"],
    ...["a node died", "a node slept", "the home died"],
  ],
});
