/** Takes from one address as fast as it can and reports the times, in whole milliseconds, at which the bucket admitted it. */
import { parentPort, workerData } from "node:worker_threads";
import { openRateLimit } from "../../../http/auth/rate-limiter.ts";

let readMs = 0;
const monotonicMs = () => {
  const [seconds, nanoseconds] = process.hrtime();
  readMs = seconds * 1_000 + nanoseconds / 1e6;
  return readMs;
};
const bucket = openRateLimit(workerData.memory, monotonicMs);
const admittedMs: number[] = [];
const endMs = monotonicMs() + workerData.durationMs;
while (readMs < endMs) {
  // The bucket reads the clock once, under its lock. A time from before or after the call may be off by as long as this thread waits for a core.
  if (typeof bucket.take(0, 7) === "number") admittedMs.push(Math.floor(readMs));
}
parentPort?.postMessage(admittedMs);
