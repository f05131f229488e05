import { ROOT } from "../root.ts";
import { type Child, startAndWait } from "./child.ts";
import { API_KEY, TERMINAL_SECRET } from "./terminals.ts";

export interface RunningRelay extends Child {
  readonly port: number;
}

/** Starts the whole relay as its users do, with one shard, on a free port. */
export async function startRelay(
  dataDirectory: string,
  environment: { readonly [name: string]: string } = {},
  root = ROOT,
): Promise<RunningRelay> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RELAY_"));
  const { child, match } = await startAndWait("infra/node/main.ts", {
    environment: {
      ...Object.fromEntries(inherited),
      RELAY_MODE: "sandbox",
      RELAY_PORT: "0",
      RELAY_ZVT_PORT: "0",
      RELAY_SHARDS: "1",
      RELAY_LOG_LEVEL: "error",
      RELAY_NODE_ID: "bench",
      RELAY_DATA_DIR: dataDirectory,
      RELAY_TERMINAL_SECRET: TERMINAL_SECRET,
      RELAY_SANDBOX_API_KEY: API_KEY,
      // The generator stands for a proxy, so that requests come from many client addresses.
      RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
      ...environment,
    },
    root,
    ready: /API\s+http:\/\/[^:]+:(\d+)/,
  });
  return {
    ...child,
    port: Number(match[1]),
  };
}
