import { setTimeout as delay } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";

const TIMEOUT_MS = 2_000;
const PAUSE_MS = 100;

/** Whether a broker on this loopback port answers and is a member of its cluster. Never quicker than 100 ms when it does not. */
export async function kafkaAnswers(port: number): Promise<boolean> {
  const kafka = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    return brokers.length > 0;
  } catch {
    await delay(PAUSE_MS);
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
