/** `npm run cluster`: three nodes on this machine behind a balancer, over the servers that `npm run infra:up` started. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { planSandboxGateway, type SandboxGatewayProcess } from "../node/process/sandbox-gateway.ts";
import { startBalancer } from "./balancer.ts";
import { isFree } from "./free-port.ts";
import { servicesUp } from "./services.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const program = new Command("cluster")
  .description(
    "Starts nodes on ports 8081, 8082, ... and a balancer on 8080. Ends with Ctrl-C, nodes and all; a second one ends them at once.",
  )
  .option("--nodes <count>", "how many", readCount, 3)
  .option("--port <port>", "of the balancer; the nodes' ports follow", readCount, 8080)
  .option("--dir <folder>", "each node's folder, process id and log", "data/cluster")
  .option("--infra <folder>", "where infra:up keeps its state", "data/infra");

const { nodes, port, dir, infra } = program.parse().opts<{ nodes: number; port: number; dir: string; infra: string }>();
const ports = Array.from({ length: nodes }, (_, index) => port + index + 1);
if (port + nodes > 65_535) program.error(`ports go up to 65535: ${nodes} nodes from ${port} have no room`);
for (const taken of [port, ...ports]) {
  if (!(await isFree(taken))) program.error(`port ${taken} is in use: stop what uses it, or name another (--port)`);
}

/** The variables that name Redis, Kafka and ClickHouse: the environment's own, else those of the servers of this machine. */
async function shared(): Promise<Record<string, string>> {
  const given = ["RELAY_REDIS_URL", "RELAY_KAFKA_BROKERS", "RELAY_CLICKHOUSE_URL"].map((name) => [name, process.env[name] ?? ""] as const);
  if (given.every(([, value]) => value !== "")) return Object.fromEntries(given);
  const results = await servicesUp({ directory: resolve(infra), only: ["redis", "kafka", "clickhouse"], ports: {} });
  const variables: Record<string, string> = {};
  for (const result of results) {
    if ("reason" in result) program.error(`${result.name}: ${result.reason}`);
    if ("variable" in result) variables[result.variable.name] = result.variable.value;
  }
  return variables;
}

const variables = await shared();
// One card gateway for all nodes, as in production.
const gateway =
  process.env["RELAY_MODE"] === "production" || process.env["RELAY_GATEWAY_URL"] !== undefined ? null : await sandboxGateway();
await gateway?.start();
const children: ChildProcess[] = [];
let stopping = false;

function start(index: number, nodePort: number): void {
  const folder = resolve(dir, `node-${index}`);
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, "log"), "a", 0o600);
  const child = spawn(process.execPath, ["--import", "tsx", "infra/node/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      ...variables,
      ...(gateway === null ? {} : { RELAY_GATEWAY_URL: gateway.url }),
      RELAY_PORT: String(nodePort),
      RELAY_NODE_ID: `node-${index}`,
      RELAY_DATA_DIR: folder,
      RELAY_PACKAGE_DIR: process.env["RELAY_PACKAGE_DIR"] ?? resolve(dir, "packages"),
      RELAY_SHARDS: process.env["RELAY_SHARDS"] ?? "1",
    },
  });
  children.push(child);
  writeFileSync(join(folder, "pid"), `${child.pid}\n`);
  child.on("exit", (code, signal) => {
    if (!stopping) console.error(`node-${index} ended (${signal ?? code}); its log: ${join(folder, "log")}`);
  });
}

const balancer = await startBalancer(port, ports);
for (const [index, nodePort] of ports.entries()) start(index + 1, nodePort);
console.log(
  `Relay on http://127.0.0.1:${balancer.port}, over nodes on ${ports.join(", ")}; logs and process ids in ${resolve(dir)}/node-N/`,
);

async function stop(): Promise<void> {
  const signal = stopping ? "SIGKILL" : "SIGTERM";
  for (const child of children) child.kill(signal);
  if (stopping) return;
  stopping = true;
  // Until then it still forwards the nodes' responses.
  await Promise.all(children.filter(isRunning).map((child) => new Promise((done) => child.once("exit", done))));
  await balancer.stop();
  await gateway?.stop();
  process.exit(0);
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function sandboxGateway(): Promise<SandboxGatewayProcess> {
  const printed = (line: string) => console.log(`gateway: ${line}`);
  return planSandboxGateway({ port: 0, dataDirectory: resolve(dir), printed, died: (exit) => printed(`ended (${exit})`) });
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("a positive integer");
  return Number(text);
}
