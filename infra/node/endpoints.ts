import type { BoundEndpoint, Endpoint } from "../../http/endpoint/endpoint.ts";
import { bind } from "../../http/endpoint/endpoint.ts";
import { buildOpenApi } from "../../http/endpoint/openapi.ts";
import { adminEndpoints } from "../../http/surfaces/admin/endpoints.ts";
import type { AdminOperations } from "../../http/surfaces/admin/surface.ts";
import { relayEndpoints } from "../../http/surfaces/relay/endpoints.ts";
import type { RelayOperations } from "../../http/surfaces/relay/surface.ts";
import { relayEnvelope } from "../../http/surfaces/relay-envelope.ts";
import { type SystemOperations, systemEndpoints } from "../../http/surfaces/system/endpoints.ts";
import { type DocsOperations, docsEndpoints } from "../../http/web/docs-endpoints.ts";

export interface Surfaces {
  relay: Endpoint<RelayOperations>[];
  admin: Endpoint<AdminOperations>[];
  system: Endpoint<SystemOperations>[];
  docs: Endpoint<DocsOperations>[];
}

/** Every endpoint that a node serves. */
export function surfacesOf(options: { openTerminalLogs: boolean }): Surfaces {
  return { relay: relayEndpoints(options), admin: adminEndpoints, system: systemEndpoints, docs: docsEndpoints(relayEnvelope) };
}

export function bindSurfaces(
  surfaces: Surfaces,
  operations: RelayOperations & AdminOperations & SystemOperations & DocsOperations,
): BoundEndpoint[] {
  return [
    ...bind(surfaces.relay, operations),
    ...bind(surfaces.admin, operations),
    ...bind(surfaces.system, operations),
    ...bind(surfaces.docs, operations),
  ];
}

/** The rate limits that endpoints declare, each bucket once. Throws where two endpoints name different numbers for one bucket. */
export function rateLimitsOf({ relay, admin, system, docs }: Surfaces): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { rateLimit, name } of [...relay, ...admin, ...system, ...docs]) {
    if (rateLimit === undefined) continue;
    const known = limits.get(rateLimit.bucket);
    if (known !== undefined && known !== rateLimit.perSecond) throw new Error(`${name} gives bucket ${rateLimit.bucket} another limit`);
    limits.set(rateLimit.bucket, rateLimit.perSecond);
  }
  return limits;
}

/** The OpenAPI document as text; the same for the same version and options. */
export function openApiText(surfaces: Surfaces): string {
  const { relay, admin, system } = surfaces;
  const document = buildOpenApi([...relay, ...admin, ...system], {
    title: "Terminal Relay",
    version: "1.0.0",
    description:
      "Relays pay, scan and print commands to payment terminals and their results to everyone who asks. Where the specification leaves room, the descriptions say what was chosen.",
  });
  return JSON.stringify(document);
}
