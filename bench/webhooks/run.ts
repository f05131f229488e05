import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { writeResultFiles } from "../result-files.ts";
import { ROOT } from "../root.ts";
import type { WebhooksResult, WebhooksTask } from "./child.ts";

async function main(): Promise<void> {
  const { endpoints, events } = commandLine("bench:webhooks")
    .description("One event to many endpoints of a receiver on this machine; see bench/README.md.")
    .option("--endpoints <n>", "that the event goes to", numberBetween(1, 100_000), 10_000)
    .option("--events <n>", "one after the other; the median is reported", numberBetween(1, 20), 3)
    .parse()
    .opts<{ endpoints: number; events: number }>();
  const work = await mkdtemp(join(tmpdir(), "relay-bench-webhooks-"));
  const receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(200).end()));
  receiver.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 });
  await once(receiver, "listening");
  const address = receiver.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  try {
    const task = { directory: join(work, "state"), receiver: `http://127.0.0.1:${address.port}`, endpoints, events };
    const results = await ask(task);
    const text = report({ endpoints, events, results });
    console.log(`\n${text}`);
    const date = new Date().toISOString().slice(0, 10);
    const files = await writeResultFiles({ date, kind: "webhooks", json: { endpoints, events, results }, markdown: text });
    console.log(`written to ${files.join(" and ")}`);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await rm(work, { recursive: true, force: true });
  }
}

async function ask(task: WebhooksTask): Promise<WebhooksResult[]> {
  const child = fork(`${ROOT}bench/webhooks/child.ts`, { cwd: ROOT, execArgv: ["--import", "tsx"] });
  const ended = once(child, "exit").then(() => null);
  const answered = once(child, "message");
  child.send(task);
  const first = await Promise.race([answered, ended]);
  if (first === null) throw new Error("the measuring process has ended");
  const results: WebhooksResult[] = first[0];
  await ended;
  return results;
}

function report({ endpoints, events, results }: { endpoints: number; events: number; results: readonly WebhooksResult[] }): string {
  const median = (of: (result: WebhooksResult) => number) => results.map(of).sort((a, b) => a - b)[Math.floor(results.length / 2)] ?? 0;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const perSecond = (ms: number) => Math.round((endpoints / ms) * 1_000).toLocaleString("en");
  const bare = median(({ bareMs }) => bareMs);
  return [
    `# One event to ${endpoints.toLocaleString("en")} webhook endpoints`,
    "",
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`npm --prefix bench run webhooks\`: one process with the pipeline over LevelDB, which posts to a receiver in another one that answers at once; median of ${events}. Other work may have run on the machine.`,
    "",
    "| | |",
    "|---|--:|",
    `| stored with the event, until all deliveries were stored | ${seconds(median(({ fannedOutMs }) => fannedOutMs))} |`,
    `| until the first one was delivered | ${seconds(median(({ firstMs }) => firstMs))} |`,
    `| until the last one was | ${seconds(median(({ deliveredMs }) => deliveredMs))} |`,
    `| deliveries a second, each claimed and its end stored (two synced commits) | ${perSecond(median(({ deliveredMs }) => deliveredMs))} |`,
    `| the oldest one was due for, at most | ${seconds(median(({ oldestDueMs }) => oldestDueMs))} |`,
    `| of one core | ${(median(({ cpuShare }) => cpuShare) * 100).toFixed(0)}% |`,
    `| the same posts alone, without store and signatures | ${seconds(bare)}, ${perSecond(bare)} a second |`,
    "",
  ].join("\n");
}

await main();
