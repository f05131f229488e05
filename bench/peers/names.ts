export const PEERS = ["fastify", "fastify-rows", "fastify-redis", "spring"] as const;
export type PeerName = (typeof PEERS)[number];

/** `relay-no-rows` is the relay with RELAY_ANALYTICS=off. */
export const RELAYS = ["relay", "relay-no-rows"] as const;
export type RelayName = (typeof RELAYS)[number];

export type ContenderName = RelayName | PeerName;

export const CONTENDER_LABELS: Record<ContenderName, string> = {
  relay: "relay",
  "relay-no-rows": "relay without analytics",
  fastify: "Fastify",
  "fastify-rows": "Fastify, rows in ClickHouse",
  "fastify-redis": "Fastify, limit in Redis",
  spring: "Spring Boot",
};

/** These contenders also write each result to ClickHouse. */
const WITH_ROWS: readonly ContenderName[] = ["relay", "fastify-rows"];

export function hasRows(name: ContenderName): boolean {
  return WITH_ROWS.includes(name);
}

/** Returns the relay that does the same job as this contender. */
export function relayLike(name: ContenderName): RelayName {
  return hasRows(name) ? "relay" : "relay-no-rows";
}
