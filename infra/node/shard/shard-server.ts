import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { Authenticator } from "../../../http/auth/authenticator.ts";
import type { SignatureAuthenticator } from "../../../http/auth/signature-authenticator.ts";
import type { BoundEndpoint } from "../../../http/endpoint/endpoint.ts";
import { createServer, type Server } from "../../../http/server/server.ts";
import { loadUws } from "../../../http/server/uws.ts";
import type { WebSocketMount } from "../../../http/server/websocket.ts";
import { mcpEnvelope } from "../../../http/surfaces/agents/json-rpc.ts";
import { MCP_PATH } from "../../../http/surfaces/agents/surface.ts";
import { COMPAT_FACES } from "../../../http/surfaces/compat/surface.ts";
import { ADAPTER_BASE } from "../../../http/surfaces/gateway-adapter/endpoints.ts";
import { adapterEnvelope } from "../../../http/surfaces/gateway-adapter/surface.ts";
import { merchantEnvelope } from "../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../http/surfaces/merchant/surface.ts";
import { partnerApiEnvelope } from "../../../http/surfaces/partner-v1/error-body.ts";
import { PARTNER_API_BASE } from "../../../http/surfaces/partner-v1/surface.ts";
import { relayEnvelope } from "../../../http/surfaces/parts/relay-envelope.ts";
import { isTlsOnly } from "../boot/config.ts";
import type { ShardBoot } from "../boot/shard-boot.ts";
import type { Log } from "../observability/log.ts";
import type { ShardMetrics } from "../observability/metrics.ts";
import { createRateLimits, type OtherNodes } from "../wiring/shared/rate-limits.ts";

export interface ShardServerParts {
  boot: ShardBoot;
  endpoints: BoundEndpoint[];
  mounts: WebSocketMount[];
  authenticator: Authenticator;
  signatures: SignatureAuthenticator;
  clock: Clock;
  machineClock: Clock;
  ids: Ids;
  /** Null for a single node. */
  others: OtherNodes | null;
  metrics: ShardMetrics;
  log: Log;
}

/** The listener of a shard, with the limits and the errors of what it serves. */
export async function createShardServer(parts: ShardServerParts): Promise<Server> {
  const { boot, endpoints, mounts, authenticator, signatures, clock, machineClock, ids, others, metrics, log } = parts;
  const { config, shards, rateLimits } = boot;
  const limits = createRateLimits(rateLimits, clock.monotonicMs, others);
  const server = createServer({
    uws: await loadUws(boot.uwsLibrary),
    endpoints,
    authenticator,
    signatures,
    rateLimit: limits.of,
    raisedRateLimit: limits.raised,
    clock: machineClock,
    ids,
    envelope: relayEnvelope,
    envelopes: [
      { under: PARTNER_API_BASE, envelope: partnerApiEnvelope },
      { under: MERCHANT_BASE, envelope: merchantEnvelope },
      { under: MCP_PATH, envelope: mcpEnvelope },
      ...COMPAT_FACES,
      { under: `${config.adapterContextPath}${ADAPTER_BASE}`, envelope: adapterEnvelope },
    ],
    webSockets: mounts,
    limits: { fileBytesPerSecond: config.downloadBytesPerSecond / shards.length },
    trustedProxies: config.trustedProxies,
    loopbackHostsOnly: config.mode === "sandbox",
    ...(config.servicePrefix === null ? {} : { servicePrefix: config.servicePrefix }),
    ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
    ...(config.tls === null ? {} : { tls: config.tls }),
    tlsOnly: isTlsOnly(config),
    observe: {
      answered: metrics.answered,
      aborted: metrics.aborted,
      refused: metrics.refused,
      rateLimited: metrics.rateLimited,
      rateLimitTableFull: (endpoint) => {
        metrics.rateLimitTableFull(endpoint);
        log.rateLimitTableFull(endpoint);
      },
      failed: log.requestFailed,
    },
  });
  metrics.gauge("relay_pending_requests", "HTTP requests under way.", () => server.pending());
  return server;
}
