import { type Admin, Kafka, logLevel } from "kafkajs";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import "./kafkajs-patch.ts";

/** Address of Kafka. */
export interface KafkaAddress {
  /** `host:port`, any of the cluster's brokers. */
  brokers: readonly string[];
  /** Shown in the broker's logs and metrics. */
  clientId: string;
}

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Short: callers retry with pauses of their own, and report it in their events. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 };

/** A client that connects when its producers and consumers do. Its own log is off: callers report failures. */
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

/** The name of the error that a broker answered with (`MESSAGE_TOO_LARGE`), however kafkajs has wrapped it; null if there is none. */
export function brokerErrorOf(error: unknown): string | null {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if ("type" in cause && typeof cause.type === "string") return cause.type;
    cause = cause.cause;
  }
  return null;
}
