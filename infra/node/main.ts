import { isatty } from "node:tty";
import { readConfig } from "./boot/config.ts";
import { ConfigRefused } from "./boot/config-reader.ts";
import { withEnvironmentFile } from "./boot/environment-file.ts";
import { keepHangUps } from "./boot/hang-ups.ts";
import { prepareHeaps } from "./boot/heap.ts";
import { refusedNode } from "./boot/node-version.ts";
import { isRunByNpm, whenParentEnds } from "./boot/parent-process.ts";
import { StartRefused } from "./boot/start-refused.ts";
import { onStopSignals } from "./boot/stop-signals.ts";
import { keepStringMethodsFast } from "./boot/string-methods.ts";
import type { RunningNode } from "./process/node.ts";
import { startShardThreads } from "./process/shard-threads.ts";

/** A second signal, or a stop that takes longer than all its deadlines together, ends the process at once. */
const STOP_MAX_MS = 40_000;

/** In the log, where a signal stands otherwise. */
const DRAIN_REQUESTED = "drain requested";

const STANDARD_INPUT = 0;

/**
 * Without any clean-up: Node would end the shards' threads while they have open sockets, and abort with a core dump, which contains
 * secrets. Nothing that was answered 200 is lost.
 */
function endAtOnce(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("was not ended");
}

async function main(): Promise<void> {
  const refused = refusedNode(process.version);
  if (refused !== null) throw new StartRefused(refused);
  if (process.argv.length > 2) (await import("./boot/arguments.ts")).readArguments();
  // A node that a terminal has started ends with it; any other one reads its configuration again, and is not ended by that while it starts.
  const hangUps = isatty(STANDARD_INPUT) ? null : keepHangUps();
  const environment = { ...process.env };
  const atStart = withEnvironmentFile(environment);
  const given = readConfig(atStart);
  prepareHeaps(given.shards);
  // They load their code while this thread loads its own.
  const started = [startShardThreads(given.shards)];
  const [{ createLog }, { createReloadOnSignal }, { sandboxGatewayOf }, { startNode }] = await Promise.all([
    import("./observability/log.ts"),
    import("./process/reload-on-signal.ts"),
    import("./process/sandbox-gateway.ts"),
    import("./process/start-node.ts"),
  ]);
  keepStringMethodsFast();
  const log = createLog(given.logLevel, "main", () => performance.now());
  const reload = hangUps === null ? null : createReloadOnSignal({ environment, atStart, log });
  if (reload !== null) hangUps?.tell(reload.asked);
  const gateway = await sandboxGatewayOf(given, log);
  const config = gateway === null ? given : { ...given, gatewayUrl: gateway.url };
  const crashed = (where: string, error: unknown): never => {
    log.crashed(where, error);
    return endAtOnce();
  };
  process.on("uncaughtException", (error) => crashed("main", error));
  process.on("unhandledRejection", (error) => crashed("main", error));

  const passwordGenerated = (password: string): void => {
    console.log(
      `Administrator: ${config.administrator.username} / ${password}   (shown only once; set RELAY_ADMIN_PASSWORD to choose the password)`,
    );
  };
  const readyWhen = config.mode === "sandbox" ? "complete" : "listening";
  const threads = () => started.pop() ?? startShardThreads(given.shards);
  let sandbox: { stop(): Promise<void> } | null = null;
  let [drainAsked, stopping] = [false, false];
  let node: RunningNode | null = null;
  const stop = (why: string): void => {
    if (stopping || node === null) return;
    stopping = true;
    log.stopping(why);
    setTimeout(endAtOnce, STOP_MAX_MS).unref();
    Promise.resolve(sandbox?.stop())
      .then(node.stop)
      .then(
        () => process.exit(0),
        (error: unknown) => crashed("stop", error),
      );
  };
  const drainRequested = (): void => {
    drainAsked = true;
    stop(DRAIN_REQUESTED);
  };
  if (isRunByNpm(process.env)) whenParentEnds(() => stop("npm ended"));
  node = await startNode({ config, crashed, passwordGenerated, readyWhen, threads, drainRequested });
  onStopSignals({ stop, again: endAtOnce });
  reload?.started(node);
  // It listens a moment before it is started.
  if (drainAsked) stop(DRAIN_REQUESTED);
  if (config.mode !== "sandbox") return;
  const { startSandbox } = await import("./process/sandbox.ts");
  sandbox = await startSandbox(config, node, log, gateway);
}

main().catch((error: unknown) => {
  // An error that an operator can fix is printed without a stack.
  if (error instanceof ConfigRefused || error instanceof StartRefused) console.error(error.message);
  else console.error(error);
  process.exit(1);
});
