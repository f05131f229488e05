/** `npm run cluster`: three nodes on this machine behind a balancer, over the servers that `npm run infra:up` started. */
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { commandLine } from "../command-line.ts";
import { onStopSignals } from "../node/boot/stop-signals.ts";
import { planSandboxGateway, type SandboxGatewayProcess } from "../node/process/sandbox-gateway.ts";
import { startBalancer } from "./balancer.ts";
import { askCluster, listenForControl } from "./cluster-control.ts";
import { isFree } from "./free-port.ts";
import { createLocalNodes, type LocalNodes } from "./local-nodes.ts";
import { servicesUp } from "./services.ts";

interface Options {
  nodes: number;
  port: number;
  dir: string;
  infra: string;
}

const program = commandLine("cluster")
  .description(
    "Starts nodes on ports 8081, 8082, ... and a balancer on 8080. Ctrl-C drains the nodes and ends them; a second Ctrl-C ends them at once.",
  )
  .option("--nodes <count>", "how many", readCount, 3)
  .option("--port <port>", "port of the balancer; the nodes' ports follow", readCount, 8080)
  .option("--dir <folder>", "folder with each node's data, process id and log", "data/cluster")
  .option("--infra <folder>", "folder in which infra:up keeps its state", "data/infra")
  .action(run);

program
  .command("restart")
  .description("Restarts nodes of a running cluster, one after the other: drains each node, and starts it again when it has ended.")
  .argument("<nodes...>", "numbers of nodes, or all", readNode, [])
  .action(async (numbers: readonly (number | "all")[]) => {
    const { dir } = program.opts<Options>();
    try {
      for (const number of numbers) await askCluster(dir, `restart ${number}`, (line) => console.log(line));
    } catch (error) {
      program.error(error instanceof Error ? error.message : String(error));
    }
  });

await program.parseAsync();

async function run({ nodes: count, port, dir, infra }: Options): Promise<void> {
  const ports = Array.from({ length: count }, (_, index) => port + index + 1);
  if (port + count > 65_535) program.error(`ports end at 65535: there is no room for ${count} nodes from ${port} on`);
  for (const taken of [port, ...ports]) {
    if (!(await isFree(taken))) program.error(`port ${taken} is in use: stop what uses it, or name another (--port)`);
  }
  let nodes: LocalNodes | null = null;
  const control = await listenForControl(dir, async (request, tell) => {
    const [, wanted] = /^restart (all|[1-9]\d{0,4})$/.exec(request) ?? [];
    if (wanted === undefined) throw new Error("the cluster accepts `restart NUMBER` or `restart all`");
    if (nodes === null) throw new Error("the cluster is starting");
    for (const number of wanted === "all" ? ports.map((_, index) => index + 1) : [Number(wanted)]) await nodes.restart(number, tell);
  }).catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));
  const variables = await shared(infra);
  // One card gateway for all nodes, as in production.
  const gateway =
    process.env["RELAY_MODE"] === "production" || process.env["RELAY_GATEWAY_URL"] !== undefined ? null : await sandboxGateway(dir);
  await gateway?.start();
  const started = createLocalNodes({
    ports,
    directory: dir,
    environment: {
      ...process.env,
      ...variables,
      ...(gateway === null ? {} : { RELAY_GATEWAY_URL: gateway.url }),
      RELAY_PACKAGE_DIR: process.env["RELAY_PACKAGE_DIR"] ?? resolve(dir, "packages"),
      RELAY_SHARDS: process.env["RELAY_SHARDS"] ?? "1",
    },
    died: (node, how, logFile) => console.error(`${node} ended (${how}); its log: ${logFile}; npm run cluster -- restart starts it again`),
  });
  const balancer = await startBalancer(port, ports);
  started.start();
  nodes = started;

  async function stop(): Promise<void> {
    control.close();
    // Until then it still forwards the nodes' responses.
    await started.stop();
    await balancer.stop();
    await gateway?.stop();
    process.exit(0);
  }
  // Of a terminal that was closed nothing can be told any more.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  onStopSignals({ stop: () => void stop(), again: started.kill });
  console.log(
    `Relay on http://127.0.0.1:${balancer.port}, over nodes on ${ports.join(", ")}; logs and process ids in ${resolve(dir)}/node-N/`,
  );
}

/** The variables that name Redis, Kafka and ClickHouse: the environment's own, else those of the servers of this machine. */
async function shared(infra: string): Promise<Record<string, string>> {
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

function sandboxGateway(dir: string): Promise<SandboxGatewayProcess> {
  const printed = (line: string) => console.log(`gateway: ${line}`);
  return planSandboxGateway({ port: 0, dataDirectory: resolve(dir), printed, died: (exit) => printed(`ended (${exit})`) });
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("a positive integer");
  return Number(text);
}

function readNode(text: string, before: readonly (number | "all")[]): readonly (number | "all")[] {
  return [...before, text === "all" ? "all" : readCount(text)];
}
