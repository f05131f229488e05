/** Takes from one address as fast as it can and reports between which times each admission happened. */
import { parentPort, workerData } from "node:worker_threads";
import { openRateLimit } from "../../../http/auth/rate-limiter.ts";

const monotonicMs = () => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
};
const bucket = openRateLimit(workerData.memory, monotonicMs);
const admitted: { beforeMs: number; afterMs: number }[] = [];
const endMs = monotonicMs() + workerData.durationMs;
for (let beforeMs = monotonicMs(); beforeMs < endMs; beforeMs = monotonicMs()) {
  if (typeof bucket.take(0, 7) === "number") admitted.push({ beforeMs, afterMs: monotonicMs() });
}
parentPort?.postMessage(admitted);
