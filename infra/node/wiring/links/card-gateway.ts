import type { CardGateway } from "../../../../engine/gateway/card-gateway.ts";
import type { GatewayAnswer, GatewayCredentials } from "../../../../engine/gateway/gateway.ts";
import { createGatewayClient, type GatewayClient } from "../../../../http/gateway/client.ts";
import type { Config } from "../../boot/config.ts";
import type { Log } from "../../observability/log.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";

export interface CardGatewayParts {
  config: Pick<Config, "gatewayUrl">;
  log: Pick<Log, "gatewayCircuit">;
  metrics: Pick<ShardMetrics, "gatewayCalled" | "gauge">;
}

/**
 * Creates a thread's client of the card gateway, with its own connections, circuit breaker and
 * limits. Dates of signatures come from this machine.
 */
export function createCardGateway({ config: { gatewayUrl }, log, metrics }: CardGatewayParts): GatewayClient {
  if (gatewayUrl === null) return { ...NO_GATEWAY, close: () => undefined };
  let circuitsOpen = 0;
  metrics.gauge(
    "relay_gateway_circuits_open",
    "Threads that currently do not call the card gateway, because calls to it failed.",
    () => circuitsOpen,
  );
  const client = createGatewayClient({
    url: gatewayUrl,
    nowMs: Date.now,
    circuit: (state) => {
      circuitsOpen = state === "open" ? 1 : 0;
      log.gatewayCircuit(state);
    },
  });

  /** Measures the caller's time, including repetitions and the wait for a free slot. */
  function measured<Request, Done>(
    operation: keyof CardGateway,
    call: (credentials: GatewayCredentials, request: Request) => Promise<GatewayAnswer<Done>>,
  ): typeof call {
    return async (credentials, request) => {
      const startedMs = performance.now();
      const answer = await call(credentials, request);
      metrics.gatewayCalled(operation, answer.type, performance.now() - startedMs);
      return answer;
    };
  }

  return {
    init: measured("init", client.init),
    verify: measured("verify", client.verify),
    capture: measured("capture", client.capture),
    reversal: measured("reversal", client.reversal),
    refund: measured("refund", client.refund),
    close: client.close,
  };
}

const unavailable = async () => ({ type: "unavailable", reason: "no card gateway is configured (RELAY_GATEWAY_URL)" }) as const;
const NO_GATEWAY: CardGateway = {
  init: unavailable,
  verify: unavailable,
  capture: unavailable,
  reversal: unavailable,
  refund: unavailable,
};
