import { type Admin, Kafka, logLevel } from "kafkajs";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import "./kafkajs-patch.ts";

export interface KafkaAddress {
  /** `host:port` of any brokers of the cluster. */
  brokers: readonly string[];
  /** The broker shows it in its logs and metrics. */
  clientId: string;
}

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * The retries are short, because callers retry with their own pauses and report it in their events.
 */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 };

/**
 * Returns a client that connects when its producers and consumers do. Its own log is off, because
 * callers report failures.
 */
export function kafkaClient({ brokers, clientId }: KafkaAddress): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
    logLevel: logLevel.NOTHING,
  });
}

/** Kafka did not answer in time; the request may still be executed. */
export class KafkaLate extends Error {
  constructor(what: string, timeoutMs: number) {
    super(`Kafka did not answer in ${timeoutMs} ms: ${what}`);
    this.name = "KafkaLate";
  }
}

/** Rejects with KafkaLate when `work` takes longer. The work itself cannot be cancelled. */
export async function withDeadline<T>(timers: Timers, what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = timers.set(timeoutMs, () => reject(new KafkaLate(what, timeoutMs)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.clear();
  }
}

/** Closes a connection; if that fails or takes too long, it is left to the garbage collector. */
export async function disconnect(timers: Timers, connection: Pick<Admin, "disconnect">): Promise<void> {
  await withDeadline(timers, "disconnect", CONNECT_TIMEOUT_MS, connection.disconnect()).catch(() => undefined);
}

/**
 * Returns the name of the broker's error, for example `MESSAGE_TOO_LARGE`, however deep kafkajs has
 * wrapped it. Returns null if there is none.
 */
export function brokerErrorOf(error: unknown): string | null {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if ("type" in cause && typeof cause.type === "string") return cause.type;
    cause = cause.cause;
  }
  return null;
}
