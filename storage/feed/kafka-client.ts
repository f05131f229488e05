import { type Admin, Kafka, logLevel } from "kafkajs";
import type { Timer, Timers } from "../../engine/kernel/timers.ts";
import "./kafkajs-patch.ts";

/** Where Kafka is. */
export interface KafkaAddress {
  /** `host:port`, any of the cluster's brokers. */
  brokers: readonly string[];
  /** Shown in the broker's logs and metrics. */
  clientId: string;
}

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Short: whoever calls tries again with pauses of its own, and says so in its events. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 };

/** A client that connects when its producers and consumers do. Its own log is off: failures are reported by whoever asked. */
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

/** Kafka did not answer in time; what was asked may still happen. */
export class KafkaLate extends Error {
  constructor(what: string, timeoutMs: number) {
    super(`Kafka did not answer in ${timeoutMs} ms: ${what}`);
    this.name = "KafkaLate";
  }
}

/** Rejects with KafkaLate when `work` takes longer. The work itself cannot be called back. */
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

/** Ends a connection; one that does not end in time, or fails to, is left to the garbage collector. */
export async function disconnect(timers: Timers, connection: Pick<Admin, "disconnect">): Promise<void> {
  await withDeadline(timers, "disconnect", CONNECT_TIMEOUT_MS, connection.disconnect()).catch(() => undefined);
}

/** The name of the error that a broker answered with (`MESSAGE_TOO_LARGE`), wherever kafkajs has wrapped it; null where there is none. */
export function brokerErrorOf(error: unknown): string | null {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if ("type" in cause && typeof cause.type === "string") return cause.type;
    cause = cause.cause;
  }
  return null;
}
