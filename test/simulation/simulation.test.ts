import { drawPlan } from "./draw-plan.ts";
import { playHistory } from "./history.ts";
import { unknownIn } from "./known-faults.ts";
import { testSimulation } from "./seed-plan.ts";
import { FAILED_SEEDS } from "./seeds.ts";

await testSimulation({
  word: "simulation/simulation",
  promise: "histories break nothing but what is known",
  play: async (seed) => {
    const outcome = await playHistory(drawPlan(seed));
    const broken = unknownIn(outcome).map(({ invariant, what }) => `${invariant}: ${what}`);
    return { trace: outcome.trace, broken, seen: new Set(outcome.counts.keys()) };
  },
  chosen: FAILED_SEEDS.flatMap(({ seeds }) => seeds.slice(0, 1)),
  nightly: FAILED_SEEDS.flatMap(({ seeds }) => seeds),
  seen: [
    ...["command sent", "look", "cancel", "delivered over websocket", "delivered over poll", "ACK", "NACK"],
    ...["result posted", "result acknowledged", "strange result posted", "closed at a step"],
    ...["device closes", "device is cut", "device takes nothing", "device unsubscribes", "device aborts a poll"],
    ...["read late", "commit late", "answer of a commit lost"],
    ...["message delayed", "message repeated", "message dropped", "message refused"],
    ...["fault: node crashes", "fault: all nodes crash", "fault: node leaves", "fault: node stops", "fault: membership expires"],
    ...["fault: messages suffer", "fault: store is slow", "fault: store is held up", "fault: store is restored", "fault: clock steps"],
  ],
});
