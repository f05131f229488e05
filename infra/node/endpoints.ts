import { audited } from "../../http/endpoint/audited.ts";
import type { BoundEndpoint, Endpoint } from "../../http/endpoint/endpoint.ts";
import { bind } from "../../http/endpoint/endpoint.ts";
import { buildOpenApi } from "../../http/endpoint/openapi.ts";
import { adminEndpoints } from "../../http/surfaces/admin/endpoints.ts";
import type { AdminOperations } from "../../http/surfaces/admin/surface.ts";
import { appsEndpoints } from "../../http/surfaces/apps/endpoints.ts";
import type { AppsOperations } from "../../http/surfaces/apps/surface.ts";
import { gatewayAdapterEndpoints } from "../../http/surfaces/gateway-adapter/endpoints.ts";
import type { AdapterOperations } from "../../http/surfaces/gateway-adapter/surface.ts";
import { linkEndpoints } from "../../http/surfaces/links/endpoints.ts";
import type { LinkOperations } from "../../http/surfaces/links/surface.ts";
import { partnerPortalEndpoints } from "../../http/surfaces/partner-portal/endpoints.ts";
import type { PartnerPortalOperations } from "../../http/surfaces/partner-portal/surface.ts";
import { partnerV1Endpoints } from "../../http/surfaces/partner-v1/endpoints.ts";
import type { PartnerV1Operations } from "../../http/surfaces/partner-v1/surface.ts";
import { relayEndpoints } from "../../http/surfaces/relay/endpoints.ts";
import type { RelayOperations } from "../../http/surfaces/relay/surface.ts";
import { relayEnvelope } from "../../http/surfaces/relay-envelope.ts";
import { type SystemOperations, systemEndpoints } from "../../http/surfaces/system/endpoints.ts";
import { type DocsOperations, docsEndpoints } from "../../http/web/docs-endpoints.ts";

export interface Surfaces {
  relay: Endpoint<RelayOperations>[];
  links: Endpoint<LinkOperations>[];
  adapter: Endpoint<AdapterOperations>[];
  admin: Endpoint<AdminOperations>[];
  portal: Endpoint<PartnerPortalOperations>[];
  apps: Endpoint<AppsOperations>[];
  partnerV1: Endpoint<PartnerV1Operations>[];
  system: Endpoint<SystemOperations>[];
  docs: Endpoint<DocsOperations>[];
}

/** Every endpoint that a node serves. */
export function surfacesOf(options: { openTerminalLogs: boolean; packageBytesMax: number; adapterContextPath?: string }): Surfaces {
  return {
    relay: relayEndpoints(options),
    links: linkEndpoints,
    adapter: gatewayAdapterEndpoints({ contextPath: options.adapterContextPath ?? "" }),
    admin: adminEndpoints,
    portal: partnerPortalEndpoints,
    apps: appsEndpoints(options),
    partnerV1: partnerV1Endpoints,
    system: systemEndpoints,
    docs: docsEndpoints(relayEnvelope),
  };
}

/** What all surfaces use together. */
export type Operations = RelayOperations &
  LinkOperations &
  AdapterOperations &
  AdminOperations &
  PartnerPortalOperations &
  PartnerV1Operations &
  AppsOperations &
  SystemOperations &
  DocsOperations;

export function bindSurfaces(surfaces: Surfaces, operations: Operations): BoundEndpoint[] {
  const endpoints = [
    ...bind(surfaces.relay, operations),
    ...bind(surfaces.links, operations),
    ...bind(surfaces.adapter, operations),
    ...bind(surfaces.admin, operations),
    ...bind(surfaces.portal, operations),
    ...bind(surfaces.apps, operations),
    ...bind(surfaces.partnerV1, operations),
    ...bind(surfaces.system, operations),
    ...bind(surfaces.docs, operations),
  ];
  return audited(endpoints, operations.audit, operations.clock);
}

/** The rate limits that endpoints declare, each bucket once. Throws where two endpoints name different numbers for one bucket. */
export function rateLimitsOf(surfaces: Surfaces): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { rateLimit, name } of Object.values(surfaces).flat()) {
    if (rateLimit === undefined) continue;
    const known = limits.get(rateLimit.bucket);
    if (known !== undefined && known !== rateLimit.perSecond) throw new Error(`${name} gives bucket ${rateLimit.bucket} another limit`);
    limits.set(rateLimit.bucket, rateLimit.perSecond);
  }
  return limits;
}

/** The OpenAPI document as text; the same for the same version and options. */
export function openApiText(surfaces: Surfaces): string {
  const { docs: _, ...documented } = surfaces;
  const document = buildOpenApi(Object.values(documented).flat(), {
    title: "Terminal Relay",
    version: "1.0.0",
    description:
      "Relays pay, scan and print commands to payment terminals and their results to everyone who asks. Where the specification leaves room, the descriptions say what was chosen.",
  });
  return JSON.stringify(document);
}
