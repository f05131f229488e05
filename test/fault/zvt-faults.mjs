/**
 * Loaded into every thread of a node by NODE_OPTIONS. The node kills itself before or after a write to its store, or stops itself after it has acknowledged a
 * payment: moments that a signal of another process hits by chance only. Armed by the write that stores a register's payment of an amount.
 *
 *   TEST_ZVT_KILL=<write>:<before|after>:<amount>   SIGKILL at the so-many-th write from then on; 0 is that one
 *   TEST_ZVT_STOP=<amount>                          SIGSTOP after the next `80 00 00` on any socket
 */
import { Socket } from "node:net";
import { ClassicLevel } from "classic-level";

const { TEST_ZVT_KILL = "", TEST_ZVT_STOP = "" } = process.env;
const [write = "", when = "", amount = TEST_ZVT_STOP] = TEST_ZVT_KILL === "" ? [] : TEST_ZVT_KILL.split(":");
let left = when === "" ? Number.POSITIVE_INFINITY : Number(write);
let armed = false;

/** How long the thread that asked for the stop waits for it. */
const STOPS_WITHIN_MS = 3_000;

const prototypes = new WeakSet();
const { batch } = ClassicLevel.prototype;
ClassicLevel.prototype.batch = function (...parameters) {
  const made = batch.apply(this, parameters);
  const prototype = Object.getPrototypeOf(made);
  if (parameters.length > 0 || prototypes.has(prototype)) return made;
  prototypes.add(prototype);
  const { _put, _write } = prototype;
  prototype._put = function (key, value, ...rest) {
    if (key.includes("zvt-route/") && value.includes(`"amountCents":${amount},`)) armed = true;
    return _put.call(this, key, value, ...rest);
  };
  prototype._write = async function (...options) {
    const isIt = armed && left === 0;
    if (armed) left -= 1;
    if (isIt && when === "before") process.kill(process.pid, "SIGKILL");
    await _write.apply(this, options);
    if (isIt) process.kill(process.pid, "SIGKILL");
  };
  return made;
};

if (TEST_ZVT_STOP !== "") {
  let stopped = false;
  const { write: writeToSocket } = Socket.prototype;
  Socket.prototype.write = function (chunk, ...rest) {
    const written = writeToSocket.call(this, chunk, ...rest);
    if (armed && !stopped && typeof chunk !== "string" && Buffer.from(chunk).toString("hex") === "800000") {
      stopped = true;
      process.kill(process.pid, "SIGSTOP");
      // The signal is the main thread's to take; until that has had its turn this thread would go on, and send.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STOPS_WITHIN_MS);
    }
    return written;
  };
}
