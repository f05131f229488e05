/** `npm run demo-data`: two months of the sandbox's shop, made through the relay itself with its clock moved back. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../command-line.ts";
import { createClockShift, shiftClock } from "../node/boot/clock.ts";
import { type Config, readConfig } from "../node/boot/config.ts";
import { ConfigRefused } from "../node/boot/config-reader.ts";
import { POLLING_TERMINAL_ID, SANDBOX_MERCHANT, SIMULATED_TERMINAL_ID } from "../node/boot/sandbox-names.ts";
import { StartRefused } from "../node/boot/start-refused.ts";
import { createLog } from "../node/observability/log.ts";
import type { RunningNode } from "../node/process/node.ts";
import { sandboxGatewayOf } from "../node/process/sandbox-gateway.ts";
import { startNode } from "../node/process/start-node.ts";
import { type DemoClock, DemoRelay, memberAt } from "../sandbox/demo-data/demo-relay.ts";
import { type DemoPayment, demoMonth } from "../sandbox/demo-data/month.ts";
import { pay, roundsOf } from "../sandbox/demo-data/payments.ts";
import {
  type DemoEvent,
  demoExports,
  demoStory,
  FAILING_TERMINAL_ID,
  OFFLINE_DAYS,
  OFFLINE_TERMINAL_ID,
  STORY_DAYS,
} from "../sandbox/demo-data/story.ts";
import { startReceiver } from "../sandbox/webhooks/receiver.ts";

const DAY_MS = 86_400_000;

/** The customers of a usual day, in percent. */
const CUSTOMERS = 25;

/** How long ClickHouse and the closing of days may take for what is left at the end. */
const WAIT_MS = 120_000;
const LOOK_AGAIN_MS = 200;

const program = commandLine("demo-data")
  .description(
    "Fills a new data directory (RELAY_DATA_DIR, ./data by default) with two months of the sandbox's shop: payments of its terminals, links, refunds, disputes, alerts, subscriptions, webhooks, agents and exports in each of their states. It calls the relay as a shop and its terminals do, and moves the relay's clock from two months ago to now. Afterwards `npm start` shows the data.",
  )
  .option("--days <n>", "how many days", days, STORY_DAYS)
  .option("--seed <n>", "other payments", seed, 1)
  .option("--customers <n>", "how many percent of the customers of a busy shop come", customers, CUSTOMERS)
  .action(fill);

/** Waits until ClickHouse has everything. */
async function fed(relay: DemoRelay): Promise<void> {
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    if (memberAt(await relay.admin("GET", "/dashboard"), "data", "outbox", "depth") === 0) return;
    await delay(LOOK_AGAIN_MS);
  }
  console.error("ClickHouse has not received everything yet; it does when the sandbox is started");
}

/** Runs payments and events in the order of their times, and moves the clock to each. */
async function play(relay: DemoRelay, payments: readonly DemoPayment[], events: readonly DemoEvent[], endMs: number): Promise<void> {
  const steps = [
    ...roundsOf(payments).map((round) => ({
      atMs: Math.max(...round.map(({ atMs }) => atMs)),
      run: async () => void (await Promise.all(round.map((payment) => pay(relay, payment)))),
    })),
    ...events.map(({ daysAgo, run }) => ({ atMs: endMs - daysAgo * DAY_MS, run })),
  ].sort((one, other) => one.atMs - other.atMs);
  for (const [index, { atMs, run }] of steps.entries()) {
    relay.clock.moveTo(atMs);
    await run();
    if (index % 50 === 0) process.stdout.write(`\r${Math.floor((index / steps.length) * 100)} %`);
  }
}

async function fill({ days, seed, customers }: { days: number; seed: number; customers: number }): Promise<void> {
  const given = readConfig({
    ...process.env,
    RELAY_PORT: "0",
    RELAY_ZVT_PORT: "0",
    RELAY_LOG_LEVEL: process.env["RELAY_LOG_LEVEL"] ?? "error",
  });
  if (given.mode !== "sandbox" || given.cluster !== null) program.error("demo data can be created only for a sandbox of one node");
  if (existsSync(join(given.dataDirectory, "state"))) {
    program.error(
      `${given.dataDirectory} already has data: its times would run backwards. Remove it, or name another directory with RELAY_DATA_DIR.`,
    );
  }
  const gateway = await sandboxGatewayOf(
    given,
    createLog(given.logLevel, "main", () => performance.now()),
  );
  if (gateway === null) return program.error("demo data can be created only with the sandbox's own card gateway: unset RELAY_GATEWAY_URL");
  const config = { ...given, gatewayUrl: gateway.url };
  const endMs = Date.now() - 60_000;
  const startMs = endMs - days * DAY_MS;
  const clockShift = createClockShift();
  const clock: DemoClock = {
    nowMs: () => Date.now() + (new Float64Array(clockShift)[0] ?? 0),
    moveTo: (ms) => shiftClock(clockShift, Math.max(0, ms - clock.nowMs())),
  };
  shiftClock(clockShift, startMs - 3_600_000 - Date.now());
  await gateway.start();
  const receiver = await startReceiver({
    ...{ host: "127.0.0.1", port: 0, secrets: [], status: 200 },
    nowMs: clock.nowMs,
    onDelivery: () => {},
  });
  const node = await startNode({
    config,
    clockShift,
    crashed: (where, error) => {
      throw new Error(`${where} crashed`, { cause: error });
    },
  });
  try {
    await Promise.all([node.clickhouse, gateway.listening]);
    const relay = demoRelay(node, config, { gatewayUrl: gateway.url, seed, clock });
    const payments = paymentsOf(config, { seed, startMs, endMs, share: customers / 100 });
    await play(relay, payments, demoStory(relay, receiver.url), endMs);
    // The clock is right again, so that nothing of it lies in the future.
    shiftClock(clockShift, -(new Float64Array(clockShift)[0] ?? 0));
    await fed(relay);
    await demoExports(relay);
    console.log(`\r${payments.length} payments of ${days} days are in ${config.dataDirectory}. Start the sandbox with: npm start`);
  } finally {
    await node.stop();
    await receiver.stop();
    await gateway.stop();
  }
}

function demoRelay(
  node: RunningNode,
  { sandboxApiKey, fleet, administrator }: Config,
  more: { gatewayUrl: string; seed: number; clock: DemoClock },
): DemoRelay {
  const { username, password } = administrator;
  if (password === null || fleet === null || sandboxApiKey === null) throw new Error("the sandbox has no logins");
  return new DemoRelay({
    ...more,
    ...{ url: node.url, merchantId: SANDBOX_MERCHANT.merchantId, secretKey: SANDBOX_MERCHANT.keys.secret },
    ...{ apiKey: sandboxApiKey, fleet, administrator: { username, password } },
  });
}

/** The offline terminal takes none in the last days. */
function paymentsOf(
  { timeZone }: Config,
  { seed, startMs, endMs, share }: { seed: number; startMs: number; endMs: number; share: number },
): readonly DemoPayment[] {
  const terminalIds = [SIMULATED_TERMINAL_ID, POLLING_TERMINAL_ID, OFFLINE_TERMINAL_ID, FAILING_TERMINAL_ID] as const;
  return demoMonth({ seed, fromMs: startMs, untilMs: endMs, timeZone, terminalIds, share }).filter(
    ({ terminalId, atMs }) => terminalId !== OFFLINE_TERMINAL_ID || atMs < endMs - OFFLINE_DAYS * DAY_MS,
  );
}

function days(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 366) program.error("--days: a whole number from 1 to 366");
  return count;
}

function customers(text: string): number {
  const percent = Number(text);
  if (!Number.isInteger(percent) || percent < 1 || percent > 100) program.error("--customers: a whole number from 1 to 100");
  return percent;
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
