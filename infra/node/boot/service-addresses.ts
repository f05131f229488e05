import { redisHosts } from "../../../storage/redis/sentinel-url.ts";
import type { ServiceAddresses } from "../observability/failure-log.ts";
import type { Config } from "./config.ts";

/** Where the services are that a node uses, as its log names them: without credentials. */
export function serviceAddresses({
  cluster,
  clickhouse,
  dataDirectory,
}: Pick<Config, "cluster" | "clickhouse" | "dataDirectory">): ServiceAddresses {
  return {
    store: cluster === null ? `${dataDirectory}/state` : redisHosts(cluster.redisUrl),
    clickhouse: clickhouse.type === "server" ? new URL(clickhouse.url).host : `${dataDirectory}/clickhouse`,
    ...(cluster === null ? {} : { kafka: cluster.kafkaBrokers.join(",") }),
  };
}
