import type { Admin, ITopicConfig } from "kafkajs";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { VALUE_BYTES_MAX } from "../../kv/limits.ts";
import { withDeadline } from "./kafka-client.ts";

/** Names of the topics and of the relay's consumer group; all nodes of a relay have the same. */
export interface FeedTopics {
  /** Rows of all types, keyed by terminal id, a merchant's things by its id. */
  rows: string;
  /** Messages of it that cannot be inserted into ClickHouse. */
  dead: string;
  group: string;
}

export const FEED_TOPICS: FeedTopics = { rows: "relay.transactions", dead: "relay.transactions.dead", group: "relay-clickhouse" };

/** The maximum number of consumers that can share the work; fixed, since a terminal's rows would change partition otherwise. */
const PARTITIONS = 12;

const DAY_MS = 86_400_000;
const ROWS_RETENTION_MS = 7 * DAY_MS;
const DEAD_RETENTION_MS = 30 * DAY_MS;

/** The largest value of the outbox, which JSON text in a record batch of its own makes little larger. */
const MESSAGE_BYTES_MAX = 2 * VALUE_BYTES_MAX;

const CREATE_TIMEOUT_MS = 10_000;

/** Creates the topics that do not exist; existing ones are left as operators have configured them. */
export async function ensureTopics(timers: Timers, admin: Admin, { rows, dead }: FeedTopics): Promise<void> {
  const topics = [topicOf(rows, PARTITIONS, ROWS_RETENTION_MS), topicOf(dead, 1, DEAD_RETENTION_MS)];
  const existing = new Set(await withDeadline(timers, "list topics", CREATE_TIMEOUT_MS, admin.listTopics()));
  const missing = topics.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  // Another node may be creating them at this moment; kafkajs then returns false.
  await withDeadline(timers, "create topics", 2 * CREATE_TIMEOUT_MS, admin.createTopics({ topics: missing, timeout: CREATE_TIMEOUT_MS }));
}

/** Replicas: as many as the brokers' `default.replication.factor` says. */
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
