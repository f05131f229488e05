import type { TestContext } from "node:test";
import { installDebianPackage } from "../../infra/local/debian-package.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { skipReason } from "../support/node/server-process.ts";
import { NODE_NAMES, PROXY_ADDRESS, type Replacement, type RunningProxy, startProxy } from "./proxy.ts";

/** Why a suite on HAProxy cannot run here, or false. Has its Debian package installed where it may. */
export async function haproxyMissing(): Promise<string | false> {
  return skipReason(await installDebianPackage("haproxy", ["-v"]));
}

export interface Haproxy extends RunningProxy {
  /** How each node is, as its check says: `UP`, `DOWN`. */
  states(): Promise<string[]>;
}

/** Starts it with infra/compose/haproxy.cfg before three nodes; `changes` is what a test wants otherwise there. */
export async function startHaproxy(
  test: TestContext,
  nodePorts: readonly number[],
  changes: readonly Replacement[] = [],
): Promise<Haproxy> {
  const statusPort = await freePort();
  const program = {
    program: "haproxy",
    shipped: "haproxy.cfg",
    checkArguments: (file: string) => ["-c", "-f", file],
    runArguments: (file: string) => ["-db", "-f", file],
    replacements: ({ port }: { port: number }) => [
      ...changes,
      ["bind :8080", `bind 127.0.0.1:${port}`] as const,
      ["bind 127.0.0.1:8404", `bind 127.0.0.1:${statusPort}`] as const,
      ...NODE_NAMES.map((name, node) => [`${name}:8080`, `127.0.0.1:${nodePorts[node]} source ${PROXY_ADDRESS}`] as const),
    ],
  };
  const proxy = await startProxy(test, program, nodePorts);
  return { ...proxy, states: () => statesOf(`http://127.0.0.1:${statusPort}/;csv`) };
}

async function statesOf(url: string): Promise<string[]> {
  const text = await (await fetch(url)).text();
  const [names = [], ...rows] = text
    .replace(/^# /, "")
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const [backend, name, status] = ["pxname", "svname", "status"].map((column) => names.indexOf(column));
  const checked = rows.filter((row) => row[backend ?? -1] === "relay" && NODE_NAMES.includes(row[name ?? -1] ?? ""));
  return checked.map((row) => row[status ?? -1] ?? "");
}
