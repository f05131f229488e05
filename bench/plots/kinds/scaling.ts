import type { Bar, Panel } from "../../charts/panel.ts";
import { listOf, numberOf, textOf } from "../read.ts";
import { bar } from "./parts.ts";

const MICROSECONDS = "µs of Redis's processor";

/** What a terminal, a payment and a row take: of a node's memory, of Redis, and of ClickHouse's disk. */
export function scalingPanels(json: unknown): Panel[] {
  const session = bar("a terminal over STOMP that idles", numberOf(json, "memory", "session", "bytes"));
  return [
    bytes("Memory of a node", [...session, ...named(json, ["memory", "heap"], "what")]),
    bytes("Memory of Redis", named(json, ["redis", "records"], "what")),
    { kind: "bars", title: "A payment's whole life through the engine, by how many come at once", unit: MICROSECONDS, bars: lives(json) },
    bytes("A row on ClickHouse's disk, merged", named(json, ["rows", "tables"], "table")),
    bytes("A payment's whole life between two nodes", [
      ...bar("entries of Redis Streams", numberOf(json, "lives", "lives", "streamBytes")),
      ...bar("Kafka's disk", numberOf(json, "lives", "lives", "kafkaBytes")),
      ...bar("Redis's append-only file", numberOf(json, "lives", "lives", "redisLogBytes")),
    ]),
  ];
}

function bytes(title: string, bars: readonly Bar[]): Panel {
  return { kind: "bars", title, unit: "bytes", bars };
}

function named(json: unknown, path: readonly string[], name: string): Bar[] {
  return listOf(json, ...path).flatMap((one) => bar(textOf(one, name) ?? "", numberOf(one, "bytes")));
}

function lives(json: unknown): Bar[] {
  return listOf(json, "redis", "commits").flatMap((one) => {
    const callers = numberOf(one, "callers");
    return callers === null ? [] : bar(`${callers} at once`, numberOf(one, "redisMicrosPerLife"));
  });
}
