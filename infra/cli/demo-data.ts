/** `npm run demo-data`: a month of payments of the sandbox's shop, paid through the relay itself with its clock moved back. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../command-line.ts";
import { createClockShift, shiftClock } from "../node/boot/clock.ts";
import { type Config, readConfig } from "../node/boot/config.ts";
import { ConfigRefused } from "../node/boot/config-reader.ts";
import { POLLING_TERMINAL_ID, SIMULATED_TERMINAL_ID } from "../node/boot/sandbox-names.ts";
import { StartRefused } from "../node/boot/start-refused.ts";
import type { RunningNode } from "../node/process/node.ts";
import { startNode } from "../node/process/start-node.ts";
import { type DemoPayment, demoMonth } from "../sandbox/demo-data/month.ts";
import { readCommand } from "../sandbox/terminal/command.ts";
import { settingsOf } from "../sandbox/terminal/options.ts";
import { scenarioOf } from "../sandbox/terminal/outcomes.ts";
import { paymentResult } from "../sandbox/terminal/payment-result.ts";

const DAY_MS = 86_400_000;

/** How long the feed may take for what is left at the end. */
const FEED_WAIT_MS = 120_000;

const program = commandLine("demo-data")
  .description(
    "Fills a new data directory (RELAY_DATA_DIR, ./data by default) with a month of the sandbox's shop: it sends each payment, polls it and posts its result over HTTP, and moves the relay's clock from a month ago to now. Afterwards `npm start` shows the data.",
  )
  .option("--days <n>", "how many days", days, 31)
  .option("--seed <n>", "another month", seed, 1)
  .action(fill);

/** A payment's way over HTTP: partner, terminal's poll, terminal's result. Throws with what was answered instead. */
async function pay(url: string, { sandboxApiKey, fleet }: Config, { terminalId, service, amountCents, atMs }: DemoPayment): Promise<void> {
  const login = { authorization: `Basic ${Buffer.from(`${fleet?.username}:${fleet?.password}`).toString("base64")}` };
  const json = { "content-type": "application/json" };
  const of = `${url}/api/v1/${terminalId}`;
  const uuid = crypto.randomUUID();
  const command = JSON.stringify({ uuid, amount: amountCents, service });
  await expected(200, await fetch(`${of}/pay`, { method: "POST", headers: { ...json, "API-Key": sandboxApiKey ?? "" }, body: command }));
  const polled = readCommand(await (await expected(200, await fetch(`${of}/get`, { headers: login }))).text());
  if (polled?.uuid !== uuid) throw new Error(`${terminalId} got another command than the one that was sent`);
  const result = paymentResult(polled, scenarioOf(amountCents), settingsOf({ terminalId }), atMs);
  await expected(200, await fetch(`${of}/receipt`, { method: "POST", headers: { ...json, ...login }, body: JSON.stringify(result) }));
}

async function expected(status: number, response: Response): Promise<Response> {
  if (response.status === status) return response;
  throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
}

/** Waits until ClickHouse has everything. */
async function fed(node: RunningNode, { administrator }: Config): Promise<void> {
  const login = `Basic ${Buffer.from(`${administrator.username}:${administrator.password}`).toString("base64")}`;
  for (let waitedMs = 0; waitedMs < FEED_WAIT_MS; waitedMs += 200) {
    const dashboard = await (await fetch(`${node.url}/admin/dashboard`, { headers: { authorization: login } })).text();
    if (/"outbox":\{"depth":0\b/.test(dashboard)) return;
    await delay(200);
  }
  console.error("ClickHouse has not received everything yet; it does when the sandbox is started");
}

async function fill({ days, seed }: { days: number; seed: number }): Promise<void> {
  const config = readConfig({
    ...process.env,
    RELAY_PORT: "0",
    RELAY_ZVT_PORT: "0",
    RELAY_LOG_LEVEL: process.env["RELAY_LOG_LEVEL"] ?? "error",
  });
  if (config.mode !== "sandbox" || config.cluster !== null) program.error("demo data can be created only for a sandbox of one node");
  if (existsSync(join(config.dataDirectory, "state"))) {
    program.error(
      `${config.dataDirectory} already has data: its times would run backwards. Remove it, or name another directory with RELAY_DATA_DIR.`,
    );
  }
  const endMs = Date.now() - 60_000;
  const startMs = endMs - days * DAY_MS;
  const payments = demoMonth({
    ...{ seed, fromMs: startMs, untilMs: endMs, timeZone: config.timeZone },
    terminalIds: [SIMULATED_TERMINAL_ID, POLLING_TERMINAL_ID],
  });
  const clockShift = createClockShift();
  let relayMs = startMs - 3_600_000;
  shiftClock(clockShift, relayMs - Date.now());
  const node = await startNode({
    config,
    clockShift,
    crashed: (where, error) => {
      throw new Error(`${where} crashed`, { cause: error });
    },
  });
  try {
    for (const [index, payment] of payments.entries()) {
      relayMs = Date.now() + (new Float64Array(clockShift)[0] ?? 0);
      shiftClock(clockShift, Math.max(0, payment.atMs - relayMs));
      await pay(node.url, config, payment);
      if (index % 200 === 0) process.stdout.write(`\r${index} of ${payments.length} payments`);
    }
    // The clock is right again, so that nothing of it lies in the future.
    shiftClock(clockShift, -(new Float64Array(clockShift)[0] ?? 0));
    await fed(node, config);
  } finally {
    await node.stop();
  }
  console.log(`\r${payments.length} payments of ${days} days are in ${config.dataDirectory}. Start the sandbox with: npm start`);
}

function days(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 366) program.error("--days: a whole number from 1 to 366");
  return count;
}

function seed(text: string): number {
  if (!/^\d{1,9}$/.test(text)) program.error("--seed: a whole number");
  return Number(text);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigRefused) && !(error instanceof StartRefused)) throw error;
  program.error(error.message);
}
process.exit(0);
