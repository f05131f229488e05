import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";

const TIMEOUT_MS = 1_000;
const PAUSE_MS = 20;

/** Whether a Redis on this loopback port answers and has loaded its data. Takes at least 20 ms when it does not. */
export async function redisAnswers(port: number): Promise<boolean> {
  const client = new Redis({
    port,
    host: "127.0.0.1",
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  // The rejection reports it too.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === "PONG";
  } catch {
    await delay(PAUSE_MS);
    return false;
  } finally {
    client.disconnect();
  }
}
