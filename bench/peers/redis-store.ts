import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFile, link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort } from "../../infra/local/free-port.ts";
import { redisConfig } from "../../infra/local/redis.ts";
import { type Child, startProgram } from "../load/child.ts";

/** Where Redis keeps its log. */
const LOG_FOLDER = "appendonlydir";

/** Payments written in one piece, whose answers are then awaited. */
const PAYMENTS_AT_ONCE = 5_000;
const KEYS_PER_PAYMENT = 2;
const OK_BYTES = "+OK\r\n".length;

const REWRITE_MAX_MS = 120_000;
const LOOK_MS = 100;

/** A Redis makes its table twice as large at a power of two, which takes an eighth of its time while it lasts: a number of keys so near below one is too near. */
const NEAR = 1.25;
const BEYOND = 1.025;

export interface RunningRedis extends Child {
  readonly port: number;
}

/** A Redis as the relay itself would have it, which syncs its log before it answers. `settings` override lines. */
export async function startRedis(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
  wishedPort?: number,
): Promise<RunningRedis> {
  await mkdir(directory, { recursive: true });
  const port = wishedPort ?? (await freePort());
  const file = join(directory, "redis.conf");
  await writeFile(file, redisConfig(directory, port, settings));
  const { child } = await startProgram("redis-server", [file], {
    environment: process.env,
    ready: /Ready to accept connections/,
    folder: directory,
  });
  return { ...child, port };
}

/** How many ended payments to store for `wanted`, so that their keys are not just below a power of two. */
export function paymentsAwayFromRehash(wanted: number): number {
  const keys = wanted * KEYS_PER_PAYMENT;
  const power = 2 ** Math.ceil(Math.log2(keys));
  return power / keys < NEAR ? Math.ceil((power * BEYOND) / KEYS_PER_PAYMENT) : wanted;
}

/** Stores ended payments under random uuids as the peers keep them, once: a folder that is there is left as it is. */
export async function fillRedis(directory: string, wanted: number): Promise<void> {
  const there = await readdir(directory).catch(() => null);
  if (there !== null) return;
  const making = `${directory}.making`;
  await rm(making, { recursive: true, force: true });
  const redis = await startRedis(making, { appendonly: "no" });
  const client = new Redis({ host: "127.0.0.1", port: redis.port });
  try {
    await storePayments(redis.port, paymentsAwayFromRehash(wanted));
    // Its log begins with all that is there.
    await client.config("SET", "appendonly", "yes");
    await untilLogIsWritten(client);
  } finally {
    client.disconnect();
    await redis.stop();
  }
  await rename(making, directory);
}

/** Until Redis does not write its log anew any more. Rejects where that takes two minutes. */
export async function untilLogIsWritten(client: Redis): Promise<void> {
  const giveUpAt = performance.now() + REWRITE_MAX_MS;
  while (!/aof_rewrite_in_progress:0\r[\s\S]*aof_rewrite_scheduled:0\r/.test(await client.info("persistence"))) {
    if (performance.now() > giveUpAt) throw new Error("Redis does not write its log anew");
    await delay(LOOK_MS);
  }
}

/** A second one with the same content: the base of the log never changes once written, so it is shared. */
export async function copyRedis(from: string, to: string): Promise<void> {
  await mkdir(join(to, LOG_FOLDER), { recursive: true });
  for (const file of await readdir(join(from, LOG_FOLDER))) {
    const [source, target] = [join(from, LOG_FOLDER, file), join(to, LOG_FOLDER, file)];
    if (file.endsWith(".base.rdb")) await link(source, target);
    else await copyFile(source, target);
  }
}

/** How often its log was written anew since it started, which takes a process of its own for seconds. */
export async function logRewrites(port: number): Promise<number> {
  const client = new Redis({ host: "127.0.0.1", port });
  try {
    return Number(/aof_rewrites:(\d+)/.exec(await client.info("persistence"))?.[1] ?? 0);
  } finally {
    client.disconnect();
  }
}

async function storePayments(port: number, count: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let answered = 0;
  let told: () => void = () => {};
  socket.on("data", (bytes) => {
    if (bytes.includes("-")) socket.destroy(new Error("Redis refuses a payment"));
    answered += bytes.length;
    told();
  });
  const failed = once(socket, "close").then(() => Promise.reject(new Error("Redis refused a payment or ended")));
  failed.catch(() => {});
  for (let stored = 0; stored < count; stored += PAYMENTS_AT_ONCE) {
    const some = Array.from({ length: Math.min(PAYMENTS_AT_ONCE, count - stored) }, (_, index) => endedPayment(stored + index));
    const wanted = answered + some.length * KEYS_PER_PAYMENT * OK_BYTES;
    socket.write(some.join(""));
    while (answered < wanted) await Promise.race([failed, new Promise<void>((resolve) => (told = resolve))]);
  }
  socket.destroy();
}

function endedPayment(index: number): string {
  const uuid = randomUUID();
  const amount = 100 + (index % 20_000);
  const result = JSON.stringify({
    uuid,
    result: "OK",
    amount,
    authCode: "482913",
    stan: "000123",
    maskedPan: "************1234",
    brand: "VISA",
  });
  return setCommand(`u:${uuid}`, "done") + setCommand(`r:${uuid}`, result);
}

/** As Redis reads it; a day is what the peers keep. ASCII alone, so a character is a byte. */
function setCommand(key: string, value: string): string {
  const parts = ["SET", key, value, "EX", "86400"];
  return `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join("")}`;
}
