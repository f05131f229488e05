import type { TSchema } from "@sinclair/typebox";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { CREDENTIALS } from "../support/http/http-client.ts";
import { type AnyEndpoint, type Names, OWN_PAGE } from "./plant-world.ts";
import type { TextPlace } from "./planted.ts";
import { feedAlert, feedDispute, type Ids, RESPOND_MS } from "./prepared.ts";

/** A request that an endpoint takes: its path's parameters, query, headers and body, into which numbers are then put. */

/** Called as the terminal, by the fleet's login. */
const OF_TERMINALS = new Set(["takeCommand", "terminalSettings", "recordResult", "disconnect", "createTerminalLink"]);
const CHANGES_VERSION = new Set(["changeAppVersion", "switchAppVersion", "deleteAppVersion"]);

/** Names of things, by which they are found again: they stay as they are (infra/docs/results.md). Their own endpoints refuse most texts in them. */
export const IDENTIFIERS = new Set([
  "uuid",
  "terminalId",
  "terminalID",
  "txId",
  "merId",
  "paymentId",
  "origTranId",
  "networkCaseId",
  "networkRef",
]);

/** Members that have to be new, or of something that is there. */
export function bodyOf(endpoint: AnyEndpoint, names: Names, ids: Ids): unknown {
  const fresh: { [name: string]: () => unknown } = {
    uuid: () => names.next("planted-"),
    terminalId: () => names.terminal(),
    terminalID: () => names.terminal(),
    txId: () => (endpoint.name === "adapterInit" ? names.next("order-") : ids.txId),
    username: () => names.next("planted-"),
    email: () => `${names.next("person-")}@planted.example`,
    partnerCode: () => names.next("C"),
    adapterMerId: () => names.next("A"),
    versionCode: () => 10_000 + names.number(),
    merchantId: () => {
      if (endpoint.name === "portalChooseMerchant") return ids.portalMerchantId;
      return endpoint.name === "partnerApiCreateMerchant" ? names.next("merchant-") : SANDBOX_MERCHANT.merchantId;
    },
    name: () => names.next("group "),
    endpointId: () => ids.portalWebhookId,
    planId: () => ids.planId,
    gwApiKey: () => names.next("K"),
    idempotencyKey: () => names.next("key-"),
    respondBy: () => new Date(Date.now() + RESPOND_MS).toISOString(),
    networkCaseId: () => names.next("case-"),
    networkRef: () => names.next("alert-"),
  };
  const renew = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renew);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fresh[name]?.() ?? renew(inner)]));
  };
  if (endpoint.name === "adminReceiveDispute") return renew(feedDispute(names));
  if (endpoint.name === "adminReceiveAlert") return renew(feedAlert(names));
  return renew(EXAMPLES[endpoint.name] ?? endpoint.bodyExample ?? {});
}

/** Where free-form bodies have texts. */
export const FREE_FORM_PLACES: { readonly [name: string]: readonly TextPlace[] } = {
  callMcp: [
    { path: ["params", "arguments", "description"], lengthMax: 255 },
    { path: ["params", "arguments", "reference"], lengthMax: 255 },
    { path: ["params", "arguments", "more"] },
    { path: ["params", "name"] },
    { path: ["method"] },
    { path: ["more"] },
  ],
};

/** Bodies of those that declare no example, or one that leaves a choice open. */
const EXAMPLES: { readonly [name: string]: object } = {
  changeOwnPortalAccount: { locale: "en", savedViews: [{ list: "transactions", name: "Declined", query: "status=KO" }] },
  testSubscriptionRule: { authenticatedTerminalId: "T1", topicDestination: "/topic/terminal/T1" },
  saveZvtConfig: { enabled: true, routes: [{ id: "till-1", terminalId: "", partnerUsername: "demo", clients: ["10.1.2.0/24"] }] },
  callMcp: {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: {
      name: "create_payment_link",
      arguments: { idempotencyKey: "", amountMinor: 1, currency: "EUR", description: "Dinner", reference: "R-1" },
    },
  },
  sendPaymentByBody: { uuid: "", terminalId: "", amount: 1_050, service: "PAYCC" },
  sendPaymentLegacy: { uuid: "", terminalId: "", amount: 1_050, service: "PAYCC" },
};

export function headersFor(endpoint: AnyEndpoint, ids: Ids): { [name: string]: string } {
  switch (endpoint.auth) {
    case "none":
    case "optionalBasic":
    case "signature":
      return {};
    case "optionalPortalSession":
    case "optionalAdminSession":
      return OWN_PAGE;
    case "adminSession":
    case "fullAdminSession":
      return { ...OWN_PAGE, cookie: ids.adminCookie };
    case "portalSession":
    case "merchantUser":
      return { ...OWN_PAGE, cookie: ids.portalCookie };
    case "merchantUserOrKey":
    case "merchantUserOrAnyKey":
      return { authorization: `Bearer ${endpoint.path.startsWith("/api/merchant/webhooks") ? ids.webhookKey : ids.merchantKey}` };
    case "merchantKey":
    case "optionalMerchantKey":
      return { authorization: `Bearer ${ids.merchantKey}` };
    case "admin":
      return endpoint.name === "changeOwnAdministratorPassword" ? { authorization: ids.administratorLogin } : CREDENTIALS.administrator;
    case "partnerApi":
      return { authorization: `Bearer ${ids.bearer}` };
    case "agent":
      return { authorization: `Bearer ${ids.agentToken}` };
    case "apiKey":
      return CREDENTIALS.partner;
    case "basic":
    case "basicOrApiKey":
      if (endpoint.path.startsWith("/api/partner")) return { authorization: ids.partnerLogin };
      return OF_TERMINALS.has(endpoint.name) ? CREDENTIALS.fleet : CREDENTIALS.partnerByPassword;
  }
}

export function paramOf(endpoint: AnyEndpoint, name: string, names: Names, ids: Ids): string {
  switch (name) {
    case "routeId":
      return "sandbox";
    case "terminalId":
      return names.terminal();
    case "uuid":
      return endpoint.name === "cancelCommand" ? ids.commandUuid : names.next("planted-");
    case "versionId":
      return CHANGES_VERSION.has(endpoint.name) ? ids.changedVersionId : ids.versionId;
    case "deploymentId":
      return ids.deploymentId;
    case "merchantId":
      return ids.merchantId;
    case "webhookId":
      return ids.webhookId;
    case "service":
      return "PAYPAL";
    case "day":
      return "2026-01-15";
    case "txId":
      return ids.txId;
    case "username":
      return ids.administratorName;
    case "id":
      if (endpoint.path.startsWith("/admin/api/partners")) return ids.partnerId;
      if (endpoint.path.startsWith("/api/merchant/payment-links")) {
        return endpoint.name === "cancelPaymentLink" ? ids.cancelledLinkId : ids.paymentLinkId;
      }
      if (endpoint.path.startsWith("/api/merchant/disputes")) return ids.disputeId;
      if (endpoint.path.startsWith("/api/merchant/alerts")) return ids.alertId;
      if (endpoint.path.startsWith("/admin/disputes")) return ids.fedDisputeId;
      if (endpoint.path.startsWith("/admin/alerts")) return ids.fedAlertId;
      if (endpoint.name === "changePlan") return ids.changedPlanId;
      if (endpoint.path.startsWith("/api/merchant/plans")) return endpoint.name === "removePlan" ? ids.removedPlanId : ids.planId;
      if (endpoint.path.startsWith("/api/merchant/subscriptions")) return subscriptionFor(endpoint.name, ids);
      if (endpoint.path.startsWith("/api/merchant/agent-credentials")) return ids.agentCredentialId;
      if (endpoint.path.startsWith("/api/merchant/exports")) return ids.exportId;
      if (endpoint.path.startsWith("/v1/payment_intents")) return ids.intentId;
      if (endpoint.path.startsWith("/v1/webhook_endpoints")) return ids.merchantWebhookId;
      if (endpoint.path.startsWith("/api/merchant/webhooks/deliveries")) return `evt_${"0".repeat(24)}.${ids.portalWebhookId}`;
      if (endpoint.path.startsWith("/api/merchant/webhooks")) return ids.portalWebhookId;
      return endpoint.path.startsWith("/partner/") ? ids.merchantId : ids.txId;
    default:
      return names.next("name");
  }
}

function subscriptionFor(name: string, ids: Ids): string {
  switch (name) {
    case "cancelSubscription":
      return ids.cancelledSubscriptionId;
    case "pauseSubscription":
      return ids.pausedSubscriptionId;
    case "resumeSubscription":
      return ids.resumedSubscriptionId;
    default:
      return ids.subscriptionId;
  }
}

export function requiredQuery(endpoint: AnyEndpoint, names: Names): { [name: string]: string } | undefined {
  const schema: TSchema | undefined = endpoint.query;
  const required: unknown = schema?.["required"];
  if (!Array.isArray(required) || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [String(name), name === "terminalId" ? names.terminal() : names.next("1")]));
}
