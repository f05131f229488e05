/** Makes servers as they were at their start, for the next test that uses them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Redis } from "ioredis";
import type { Admin } from "kafkajs";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { kafkaClient } from "../../storage/feed/kafka/kafka-client.ts";
import { ADMIN } from "../storage/clickhouse/clickhouse-world.ts";
import { eventually } from "../support/within.ts";

const CLIENT_ID = "empty-servers";
const LEAVE_GROUP = 13;

/** Removes the keys of all databases, scripts and statistics. Waits until nobody else is connected, who could write again. */
export async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await eventually(async () => {
      const clients = String(await redis.client("LIST")).trim();
      assert.equal(clients.split("\n").length, 1, `the Redis of the last test is still in use:\n${clients}`);
    });
    await redis.flushall();
    await redis.script("FLUSH");
    await redis.function("FLUSH");
    await redis.config("RESETSTAT");
  } finally {
    redis.disconnect();
  }
}

/** Removes consumer groups, members that were killed included, and topics. */
export async function emptyKafka(brokers: readonly string[]): Promise<void> {
  const admin = kafkaClient({ brokers, clientId: CLIENT_ID }).admin();
  await admin.connect();
  try {
    const groupIds = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    if (groupIds.length > 0) {
      await eventually(async () => {
        const { groups } = await admin.describeGroups(groupIds);
        for (const { groupId, members } of groups)
          for (const { memberId } of members) await leaveGroup(brokers[0] ?? "", groupId, memberId);
        await admin.deleteGroups(groupIds);
      });
    }
    const topics = await topicsOf(admin);
    if (topics.length > 0) await admin.deleteTopics({ topics });
    await eventually(async () => assert.deepEqual(await topicsOf(admin), []));
  } finally {
    await admin.disconnect();
  }
}

/** Without those of Kafka itself. */
async function topicsOf(admin: Admin): Promise<string[]> {
  return (await admin.listTopics()).filter((topic) => !topic.startsWith("__"));
}

/** Ends the membership of a consumer that was killed, for which the broker would wait until its session expires; kafkajs has no call for it. */
async function leaveGroup(broker: string, groupId: string, memberId: string): Promise<void> {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([int16(bytes.length), bytes]);
  };
  const request = Buffer.concat([int16(LEAVE_GROUP), int16(0), int32(0), text(CLIENT_ID), text(groupId), text(memberId)]);
  const { hostname, port } = new URL(`tcp://${broker}`);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(Buffer.concat([int32(request.length), request]));
    await once(socket, "data");
  } finally {
    socket.destroy();
  }
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Removes all databases but those that ClickHouse has at its first start, which are empty afterwards. */
export async function emptyClickHouse(url: string): Promise<void> {
  const client = connectClickHouse({ url: new URL(url).origin, ...ADMIN });
  try {
    const own = "('system', 'INFORMATION_SCHEMA', 'information_schema')";
    const result = await client.query({ query: `SELECT name FROM system.databases WHERE name NOT IN ${own}`, format: "JSONEachRow" });
    for (const { name } of await result.json<{ name: string }>()) {
      // In one request: each begins with USE relay.
      const create = name === "relay" || name === "default" ? `; CREATE DATABASE ${name}` : "";
      await client.command({ query: `DROP DATABASE ${name} SYNC${create}` });
    }
  } finally {
    await client.close();
  }
}
