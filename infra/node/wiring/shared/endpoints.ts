import { sha256Hex } from "../../../../http/auth/digest.ts";
import { audited } from "../../../../http/endpoint/audited.ts";
import type { BoundEndpoint, Endpoint, RateLimit } from "../../../../http/endpoint/endpoint.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { buildOpenApi } from "../../../../http/endpoint/openapi.ts";
import { disputeFeedEndpoints } from "../../../../http/surfaces/admin/cases/endpoints.ts";
import { adminEndpoints } from "../../../../http/surfaces/admin/endpoints.ts";
import { adminSignInEndpoints } from "../../../../http/surfaces/admin/sign-in/endpoints.ts";
import { agentEndpoints } from "../../../../http/surfaces/agents/endpoints.ts";
import { appsEndpoints } from "../../../../http/surfaces/apps/endpoints.ts";
import { compatEndpoints } from "../../../../http/surfaces/compat/endpoints.ts";
import { compatPageEndpoints } from "../../../../http/surfaces/compat-pages/endpoints.ts";
import { demoEndpoints } from "../../../../http/surfaces/demo/endpoints.ts";
import { gatewayAdapterEndpoints } from "../../../../http/surfaces/gateway-adapter/endpoints.ts";
import { linkPageEndpoints } from "../../../../http/surfaces/link-pages/endpoints.ts";
import { linkEndpoints } from "../../../../http/surfaces/links/endpoints.ts";
import { agentCredentialEndpoints } from "../../../../http/surfaces/merchant/agent-credentials/endpoints.ts";
import { alertEndpoints } from "../../../../http/surfaces/merchant/alerts/endpoints.ts";
import { analyticsEndpoints } from "../../../../http/surfaces/merchant/analytics/endpoints.ts";
import { brandingEndpoints } from "../../../../http/surfaces/merchant/branding/endpoints.ts";
import { compatSettingsEndpoints } from "../../../../http/surfaces/merchant/compat-settings/endpoints.ts";
import { disputeEndpoints } from "../../../../http/surfaces/merchant/disputes/endpoints.ts";
import { exportEndpoints } from "../../../../http/surfaces/merchant/exports/endpoints.ts";
import { methodEndpoints } from "../../../../http/surfaces/merchant/methods/endpoints.ts";
import { openingHoursEndpoints } from "../../../../http/surfaces/merchant/opening-hours.ts";
import { paymentLinkEndpoints } from "../../../../http/surfaces/merchant/payment-links/endpoints.ts";
import { readEndpoints } from "../../../../http/surfaces/merchant/read-endpoints.ts";
import { reconciliationEndpoints } from "../../../../http/surfaces/merchant/reconciliation/endpoints.ts";
import { refundTransaction } from "../../../../http/surfaces/merchant/refund-transaction.ts";
import { searchMerchant } from "../../../../http/surfaces/merchant/search/search.ts";
import { signInEndpoints } from "../../../../http/surfaces/merchant/sign-in/endpoints.ts";
import { subscriptionEndpoints } from "../../../../http/surfaces/merchant/subscriptions/endpoints.ts";
import { teamEndpoints } from "../../../../http/surfaces/merchant/team/endpoints.ts";
import { webhookEndpoints } from "../../../../http/surfaces/merchant/webhooks/endpoints.ts";
import { partnerPortalEndpoints } from "../../../../http/surfaces/partner-portal/endpoints.ts";
import { partnerV1Endpoints } from "../../../../http/surfaces/partner-v1/endpoints.ts";
import { relayEnvelope } from "../../../../http/surfaces/parts/relay-envelope.ts";
import { asyncApiText } from "../../../../http/surfaces/parts/terminal-asyncapi.ts";
import { relayEndpoints } from "../../../../http/surfaces/relay/endpoints.ts";
import { subscriptionPageEndpoints } from "../../../../http/surfaces/subscription-pages/endpoints.ts";
import { rootEndpoints, systemEndpoints } from "../../../../http/surfaces/system/endpoints.ts";
import { docsEndpoints } from "../../../../http/web/docs-endpoints.ts";
import type { Audience, DocumentTexts } from "../../../../http/web/docs-files.ts";
import { scriptEndpoints } from "../../../../http/web/script-endpoints.ts";
import { operatorsEndpoints, portalEndpoints } from "../../../../http/web/web-app-endpoints.ts";
import { VERSION } from "../../boot/version.ts";
import { INTERFACE_TAGS } from "./interface-tags.ts";

export interface SurfaceOptions {
  openTerminalLogs: boolean;
  packageBytesMax: number;
  adapterContextPath?: string;
  /** Only the sandbox has demo pages and a page at its root. */
  mode?: "sandbox" | "production";
}

/** Returns all endpoints that a node serves, one list per surface. */
export function surfacesOf(options: SurfaceOptions) {
  return {
    relay: relayEndpoints(options),
    links: linkEndpoints,
    adapter: gatewayAdapterEndpoints({ contextPath: options.adapterContextPath ?? "" }),
    admin: adminEndpoints,
    adminDisputes: disputeFeedEndpoints,
    adminSignIn: adminSignInEndpoints,
    portal: partnerPortalEndpoints,
    apps: appsEndpoints(options),
    partnerV1: partnerV1Endpoints,
    agents: agentEndpoints,
    signIn: signInEndpoints,
    team: teamEndpoints,
    merchantReads: readEndpoints,
    merchantSearch: [searchMerchant],
    merchantAnalytics: analyticsEndpoints,
    merchantWebhooks: webhookEndpoints,
    merchantRefunds: [refundTransaction],
    paymentLinks: paymentLinkEndpoints,
    subscriptions: subscriptionEndpoints,
    merchantDisputes: disputeEndpoints,
    merchantAlerts: alertEndpoints,
    agentCredentials: agentCredentialEndpoints,
    merchantMethods: methodEndpoints,
    compatSettings: compatSettingsEndpoints,
    openingHours: openingHoursEndpoints,
    merchantBranding: brandingEndpoints,
    merchantExports: exportEndpoints,
    merchantReconciliation: reconciliationEndpoints,
    compat: compatEndpoints,
    pages: compatPageEndpoints,
    linkPages: linkPageEndpoints,
    subscriptionPages: subscriptionPageEndpoints,
    demo: options.mode === "sandbox" ? demoEndpoints : [],
    root: options.mode === "sandbox" ? [] : rootEndpoints,
    system: systemEndpoints,
    docs: docsEndpoints(relayEnvelope),
    scripts: scriptEndpoints(relayEnvelope),
    portalPages: portalEndpoints(relayEnvelope),
    operatorsPages: operatorsEndpoints(relayEnvelope),
  };
}

export type Surfaces = ReturnType<typeof surfacesOf>;

/** The operations of all these surfaces together. */
type OperationsOf<S> = (S extends readonly Endpoint<infer One>[] ? (operations: One) => void : never) extends (
  operations: infer All,
) => void
  ? All
  : never;

export type Operations = OperationsOf<Surfaces[keyof Surfaces]>;

export function bindSurfaces(surfaces: Surfaces, operations: Operations): BoundEndpoint[] {
  const endpoints: Endpoint<Operations>[] = Object.values(surfaces).flat();
  return audited(bind(endpoints, operations), operations.audit, operations.clock);
}

/**
 * Returns the rate limits that endpoints declare, each bucket once. Throws if two endpoints declare
 * a bucket differently.
 */
export function rateLimitsOf(surfaces: Surfaces): RateLimit[] {
  const limits = new Map<string, RateLimit>();
  for (const { rateLimit, name } of Object.values(surfaces).flat()) {
    if (rateLimit === undefined) continue;
    const known = limits.get(rateLimit.bucket) ?? rateLimit;
    if (known.perSecond !== rateLimit.perSecond || known.raisable !== rateLimit.raisable)
      throw new Error(`${name} gives bucket ${rateLimit.bucket} another limit`);
    limits.set(rateLimit.bucket, rateLimit);
  }
  return [...limits.values()];
}

/** Surfaces that the OpenAPI document omits: browsers load them, and guides describe them. */
export const UNDOCUMENTED: ReadonlySet<string> = new Set([
  "root",
  "docs",
  "scripts",
  "compat-pages",
  "link-pages",
  "subscription-pages",
  "demo",
  "portal-pages",
  "operators-pages",
]);

/**
 * Returns the OpenAPI document as text, of the whole interface or of an audience's calls. It is
 * equal for the same version and options.
 */
export function openApiText(surfaces: Surfaces, audience: Audience | null = null): string {
  const tags = INTERFACE_TAGS.filter((tag) => audience === null || tag.audience === audience).map(({ name, description }) => ({
    name,
    description,
  }));
  const names = new Set(tags.map(({ name }) => name));
  const documented = Object.values(surfaces)
    .flat()
    .filter(({ surface }) => !UNDOCUMENTED.has(surface.name))
    .filter((endpoint) => audience === null || (endpoint.tags ?? endpoint.surface.tags).some((tag) => names.has(tag)));
  const info = {
    title: audience === null ? "Terminal Relay" : `Terminal Relay: ${audience}`,
    version: VERSION,
    description:
      "Relays pay, scan and print commands to payment terminals and makes their results available. The descriptions contain the rules that the schemas cannot express. Responses have `Cache-Control: no-store`, unless another value is described, and `X-Content-Type-Options: nosniff`. The relay ignores members of a query or a body that an operation does not have, and names them in the header `Relay-Ignored`. It rejects them with 400 if ignoring one could change what is paid, who may do what, how far a change reaches, or which rows are shown: every list and report rejects a filter that it does not have. A member of a body that is null counts as absent, unless its schema accepts null: then null means what the member's description says, for example to remove the value. For a required member null is rejected. The relay compresses text of 1,400 bytes and more for clients that send `Accept-Encoding` with br or gzip. Errors are JSON. The HTTP library answers a few requests itself, in HTML, before the relay sees them: 400 for a request that violates HTTP/1.1 (a `Content-Length` that is not a number, no `Host`), 431 for more than 98 headers or for a request line and headers of more than 8,192 bytes together (from 4,097 on the relay answers 431 in JSON), and 505 for other versions of HTTP. [/asyncapi.json](/asyncapi.json) describes the messages between terminals and the relay over WebSocket.",
  };
  return JSON.stringify(buildOpenApi(documented, info, tags));
}

/** Returns the documents of a node with these settings. */
export function documentTexts(options: SurfaceOptions): DocumentTexts {
  const { openTerminalLogs, packageBytesMax, adapterContextPath = "" } = options;
  const surfaces = surfacesOf(options);
  return {
    variant: sha256Hex(JSON.stringify([openTerminalLogs, packageBytesMax, adapterContextPath])).slice(0, 12),
    text: (name) => (name === "asyncapi" ? asyncApiText(VERSION) : openApiText(surfaces, name === "openapi" ? null : name)),
  };
}
