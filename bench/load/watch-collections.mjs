// Loaded into a relay before anything else (so in JavaScript): its threads tell when their heaps are collected, and its main thread, which no payment
// waits for, writes that down. See collections.ts.
import { appendFileSync } from "node:fs";
import { PerformanceObserver, performance } from "node:perf_hooks";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const file = process.env.BENCH_COLLECTIONS;
if (file !== undefined) {
  const channel = new BroadcastChannel("bench-collections");
  if (isMainThread) {
    channel.onmessage = ({ data }) => appendFileSync(file, data);
  } else {
    new PerformanceObserver((list) => {
      const lines = list.getEntries().map(({ startTime, duration }) => `${performance.timeOrigin + startTime} ${duration}\n`);
      channel.postMessage(lines.join(""));
    }).observe({ entryTypes: ["gc"] });
  }
  channel.unref();
}
