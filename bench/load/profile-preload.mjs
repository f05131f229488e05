// JavaScript, because it is loaded before TypeScript is. Profiles all threads of a relay from SIGUSR2 to SIGUSR2 and writes one file each; the
// folder comes in BENCH_PROFILE_DIR.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { isMainThread } from "node:worker_threads";

const directory = process.env["BENCH_PROFILE_DIR"];
if (isMainThread && directory !== undefined) {
  const session = new Session();
  session.connect();
  const workers = [];
  const waiting = new Map();
  let messageId = 0;
  session.on("NodeWorker.attachedToWorker", ({ params }) => workers.push(params.sessionId));
  session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const ask = (sessionId, method, params = {}) =>
    new Promise((resolve) => {
      messageId += 1;
      waiting.set(messageId, resolve);
      session.post("NodeWorker.sendMessageToWorker", { sessionId, message: JSON.stringify({ id: messageId, method, params }) });
    });
  let run = 0;
  let profiling = false;
  const toggle = async () => {
    if (!profiling) {
      profiling = true;
      if (run === 0) await new Promise((resolve) => session.post("NodeWorker.enable", { waitForDebuggerOnStart: false }, resolve));
      for (const worker of workers) {
        await ask(worker, "Profiler.enable");
        await ask(worker, "Profiler.setSamplingInterval", { interval: 200 });
        await ask(worker, "Profiler.start");
      }
      return;
    }
    profiling = false;
    run += 1;
    for (const [index, worker] of workers.entries()) {
      const { profile } = await ask(worker, "Profiler.stop");
      writeFileSync(`${directory}/relay-${process.pid}-run${run}-worker${index}.cpuprofile`, JSON.stringify(profile));
    }
  };
  let queue = Promise.resolve();
  process.on("SIGUSR2", () => {
    queue = queue.then(toggle);
  });
}
