import type { Redis } from "ioredis";
import { type MinuteCounts, PART_MS, WINDOW_PARTS } from "../../../engine/kernel/minute-counts.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { BoundedScript } from "./bounded-script.ts";

/** Calls of all nodes in a minute, in Redis. Rejects if Redis does not answer in time. */
export function createSharedMinutes(redis: Redis, keyPrefix: string, timers: Timers): MinuteCounts {
  const script = new BoundedScript(redis, new URL("./minutes.lua", import.meta.url), timers);
  return {
    take: async (key, max) => {
      const answer = await script.run([`${keyPrefix}minute:${key}`], [max, PART_MS, WINDOW_PARTS]);
      if (typeof answer !== "number") throw new Error("minutes.lua answers with a number");
      return answer;
    },
  };
}
