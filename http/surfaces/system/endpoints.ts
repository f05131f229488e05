import { Type } from "@sinclair/typebox";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";

/** What the endpoints for operators use. */
export interface SystemOperations {
  /** Why this node does not accept requests, or null. */
  notReadyBecause(): string | null;
  /** All threads' metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  /** Whether an `Authorization` header (empty if there is none) permits reading them. */
  mayReadMetrics(authorization: string): boolean;
}

const system = surface<SystemOperations>()({ name: "system", tags: ["Monitoring"], envelope: relayEnvelope });

const live = system.endpoint({
  name: "live",
  method: "GET",
  path: "/health/live",
  summary: "Check liveness",
  auth: "none",
  responses: { 200: { description: "The process answers.", body: Type.Object({ status: Type.Literal("ok") }) } },
  handle: () => ({ status: 200 as const, body: { status: "ok" as const } }),
});

const ready = system.endpoint({
  name: "ready",
  method: "GET",
  path: "/health/ready",
  summary: "Check readiness",
  auth: "none",
  responses: {
    200: { description: "The node accepts requests.", body: Type.Object({ status: Type.Literal("ok") }) },
    503: { description: "The node is starting or draining, or cannot reach its store.", body: relayEnvelope.schema },
  },
  handle: ({ notReadyBecause }) => {
    const reason = notReadyBecause();
    if (reason === null) return { status: 200 as const, body: { status: "ok" as const } };
    return { status: 503 as const, body: { status: "error" as const, error: reason, message: reason } };
  },
});

const METRICS_REFUSED =
  "The metrics need the value of RELAY_METRICS_TOKEN as bearer. Without a token set RELAY_METRICS_PORT, a listener of their own.";

const metrics = system.endpoint({
  name: "metrics",
  method: "GET",
  path: "/metrics",
  summary: "Get metrics",
  description:
    "In production with `Authorization: Bearer` and the value of RELAY_METRICS_TOKEN, or without it on a listener of its own (RELAY_METRICS_PORT). In the sandbox anyone may read them, unless a token is set.",
  auth: "none",
  headers: Type.Object({ authorization: Type.Optional(Type.String({ description: "`Bearer` and the token." })) }),
  responses: {
    401: {
      description: "Not with this token, or there is none.",
      body: relayEnvelope.schema,
      headers: { "WWW-Authenticate": { description: "Bearer" } },
    },
    200: { description: "Prometheus text.", contentType: "text/plain; version=0.0.4; charset=utf-8", body: Type.String() },
    ...system.errors(503),
  },
  handle: async ({ metrics, mayReadMetrics }, { headers }) => {
    if (mayReadMetrics(headers.authorization ?? "")) return { status: 200, text: await metrics() };
    return {
      status: 401,
      headers: { "WWW-Authenticate": 'Bearer realm="metrics"' },
      body: { status: "error", error: METRICS_REFUSED, message: METRICS_REFUSED },
    };
  },
});

/** `/health/live`, `/health/ready` and `/metrics`. */
export const systemEndpoints: Endpoint<SystemOperations>[] = [live, ready, metrics];

/** What a node in production answers whoever opens its bare address: where the pages are. The sandbox has a page there. */
export const rootEndpoints: Endpoint<SystemOperations>[] = [
  surface<SystemOperations>()({ name: "root", tags: ["Root"], envelope: relayEnvelope }).endpoint({
    name: "root",
    method: "GET",
    path: "/",
    summary: "Get where the pages are",
    auth: "none",
    responses: {
      200: {
        description: "Their addresses.",
        body: Type.Object({ name: Type.String(), portal: Type.String(), documentation: Type.String() }),
      },
    },
    handle: () => ({ status: 200 as const, body: { name: "Terminal Relay", portal: "/portal", documentation: "/docs" } }),
  }),
];
