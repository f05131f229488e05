import type { Admin, ITopicConfig } from "kafkajs";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { VALUE_BYTES_MAX } from "../../kv/limits.ts";
import { withDeadline } from "./kafka-client.ts";

/**
 * Names of the topics and of the relay's consumer group. All nodes of a relay use the same names.
 */
export interface FeedTopics {
  /**
   * Rows of all types. The key is the terminal id, or the merchant id for objects of a merchant.
   */
  rows: string;
  /** Messages of `rows` that cannot be inserted into ClickHouse. */
  dead: string;
  group: string;
}

export const FEED_TOPICS: FeedTopics = { rows: "relay.transactions", dead: "relay.transactions.dead", group: "relay-clickhouse" };

/**
 * The maximum number of consumers that can share the work. It is fixed, because otherwise the rows
 * of a terminal would change partition.
 */
const PARTITIONS = 12;

const DAY_MS = 86_400_000;
const ROWS_RETENTION_MS = 7 * DAY_MS;
const DEAD_RETENTION_MS = 30 * DAY_MS;

/**
 * The size of the largest value in the outbox. As JSON text in a record batch of its own it is only
 * a little larger.
 */
const MESSAGE_BYTES_MAX = 2 * VALUE_BYTES_MAX;

const CREATE_TIMEOUT_MS = 10_000;

/** Creates missing topics. Existing ones stay as operators have configured them. */
export async function ensureTopics(timers: Timers, admin: Admin, { rows, dead }: FeedTopics): Promise<void> {
  const topics = [topicOf(rows, PARTITIONS, ROWS_RETENTION_MS), topicOf(dead, 1, DEAD_RETENTION_MS)];
  const existing = new Set(await withDeadline(timers, "list topics", CREATE_TIMEOUT_MS, admin.listTopics()));
  const missing = topics.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  // Another node may be creating them at this moment; kafkajs then returns false.
  await withDeadline(timers, "create topics", 2 * CREATE_TIMEOUT_MS, admin.createTopics({ topics: missing, timeout: CREATE_TIMEOUT_MS }));
}

/** The replication factor -1 uses the `default.replication.factor` of the brokers. */
function topicOf(topic: string, numPartitions: number, retentionMs: number): ITopicConfig {
  return {
    topic,
    numPartitions,
    replicationFactor: -1,
    configEntries: [
      { name: "cleanup.policy", value: "delete" },
      { name: "retention.ms", value: String(retentionMs) },
      { name: "max.message.bytes", value: String(MESSAGE_BYTES_MAX) },
    ],
  };
}
