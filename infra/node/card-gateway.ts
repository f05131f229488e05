import type { CardGateway } from "../../engine/ports/card-gateway.ts";
import { createGatewayClient, type GatewayClient } from "../../http/gateway/client.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";

/** The card gateway of a thread: connections, circuit breaker and limits are its own. Dates of signatures are this machine's. */
export function createCardGateway({ gatewayUrl }: Config, log: Log): GatewayClient {
  if (gatewayUrl === null) return { ...NO_GATEWAY, close: () => undefined };
  return createGatewayClient({ url: gatewayUrl, nowMs: Date.now, circuit: log.gatewayCircuit });
}

const unavailable = async () => ({ type: "unavailable", reason: "no card gateway is configured (RELAY_GATEWAY_URL)" }) as const;
const NO_GATEWAY: CardGateway = {
  init: unavailable,
  verify: unavailable,
  capture: unavailable,
  reversal: unavailable,
  refund: unavailable,
};
