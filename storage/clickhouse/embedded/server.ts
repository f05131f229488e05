/** The child process of the embedded ClickHouse; started by supervisor.ts, never by hand. */
import { Engine } from "./engine.ts";
import { httpInterface } from "./http-interface.ts";
import type { ChildConfig, ChildMessage } from "./protocol.ts";

/** The process must not outlive its relay: running queries are aborted, and confirmed inserts are on disk. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}

function tell(message: ChildMessage): void {
  process.send?.(message);
}

/** Reads the first line of standard input, and ends the process when the input ends. */
function readConfig(): Promise<ChildConfig> {
  return new Promise((resolve) => {
    let head = "";
    let found = false;
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (chunk: string) => {
      if (found) return;
      head += chunk;
      const newline = head.indexOf("\n");
      if (newline < 0) return;
      found = true;
      resolve(JSON.parse(head.slice(0, newline)));
    });
    process.stdin.once("end", end);
    process.stdin.once("error", end);
  });
}

async function openEngine(directory: string): Promise<Engine | null> {
  try {
    await import("chdb");
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    tell({ type: "failed", reason: `chdb cannot be loaded on this machine: ${reason}`, fatal: true });
    return null;
  }
  try {
    return await Engine.open(directory);
  } catch (error) {
    tell({ type: "failed", reason: error instanceof Error ? error.message : String(error), fatal: false });
    return null;
  }
}

// A terminal sends these signals to a whole process group; this process ends at the end of standard input.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const config = await readConfig();
const engine = await openEngine(config.directory);
if (engine !== null) {
  const server = httpInterface({ engine, credentials: config.credentials, onStuck: end });
  server.once("error", (error) => tell({ type: "failed", reason: error.message, fatal: false }));
  server.listen(config.port, config.host, () => {
    const address = server.address();
    if (address !== null && typeof address === "object") tell({ type: "ready", port: address.port });
  });
}
