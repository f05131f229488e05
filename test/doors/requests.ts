import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Kind, OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import type { Method } from "../../http/endpoint/endpoint.ts";
import { image } from "../support/images/images.ts";
import { formOf, MULTIPART, packageBytes } from "../support/people/package-upload.ts";
import type { AnyEndpoint } from "./rules.ts";

/** A request with valid members, so that a refusal is for its caller. */
export interface ValidRequest {
  method: Method;
  /** With the query. */
  path: string;
  body: Buffer | undefined;
  contentType: string;
}

/** What requests are about, all of it there and the right callers' own. */
export interface Things {
  terminalId: string;
  uuid: string;
  /** A paid link of the partner. */
  txId: string;
  tranId: string;
  merchantId: string;
  /** A user of the merchant in the portal. */
  userId: string;
  /** The partner's endpoint for events. */
  webhookId: string;
  /** The merchant's, at the compatible API: a paid payment, its charge, another one's refund, an endpoint that gets nothing, and an event. */
  intentId: string;
  chargeId: string;
  refundId: string;
  merchantWebhookId: string;
  eventId: string;
  /** Its endpoint of the portal's format. */
  portalWebhookId: string;
  /** A payment by link of the merchant's, as a transaction. */
  linkUuid: string;
  /** A payment link of the merchant's that is to be paid. */
  paymentLinkId: string;
  /** A dispute of the merchant's that is to be answered, a file of it, and an alert. */
  disputeId: string;
  evidenceId: string;
  alertId: string;
  /** A plan of the merchant's, and a subscription to it whose first payment is asked for. */
  planId: string;
  subscriptionId: string;
  /** A credential of an AI agent of the merchant's. */
  agentCredentialId: string;
  /** A file of its payment links, made with its key. */
  exportId: string;
  /** Its `merId` at the gateway-protocol adapter, and its own `txId` of a payment there. */
  merId: string;
  orderId: string;
  /** A partner that administrators change and delete. */
  partnerId: number;
  /** An administrator that owners change and delete. */
  administratorName: string;
  versionId: number;
  deploymentId: number;
  packageName: string;
  groupName: string;
  machineName: string;
}

/** Things of the right form, for tests that call nothing. */
export const THINGS: Things = {
  ...{ terminalId: "T1", uuid: "00000000-0000-4000-8000-000000000000", txId: "00000000-0000-4000-8000-000000000001" },
  ...{ tranId: "1000000000000000001", merchantId: "shop", userId: "usr_0000000000000000000000", webhookId: `we_${"0".repeat(24)}` },
  ...{ intentId: `pi_${"0".repeat(24)}`, chargeId: `ch_${"0".repeat(24)}`, refundId: `re_${"0".repeat(24)}` },
  ...{ merchantWebhookId: `we_${"0".repeat(24)}`, eventId: `evt_${"0".repeat(24)}`, portalWebhookId: `we_${"0".repeat(24)}` },
  ...{ linkUuid: "pl_1.1", paymentLinkId: "pl_1", merId: "MER1", orderId: "order-1", partnerId: 1, administratorName: "anna" },
  ...{
    disputeId: "dp_1",
    evidenceId: "dpf_1",
    alertId: "al_1",
    planId: "plan_1",
    subscriptionId: "sub_1",
    agentCredentialId: "ac_1",
    exportId: "exp_1",
  },
  ...{ versionId: 1, deploymentId: 1, packageName: "app.apk", groupName: "group", machineName: "machine" },
};

/** A parameter by the end of the path up to it; the first that fits. */
const PARAMETERS: readonly [end: RegExp, value: (things: Things) => string | number][] = [
  [/\{terminalId\}$/, ({ terminalId }) => terminalId],
  // A payment by link is refunded without ClickHouse, and nothing of the merchant's is read there.
  [/\/api\/merchant\/transactions\/\{uuid\}$/, ({ linkUuid }) => linkUuid],
  [/\/api\/merchant\/payment-links\/\{id\}$/, ({ paymentLinkId }) => paymentLinkId],
  [/\/(?:api\/merchant|admin)\/disputes\/\{id\}$/, ({ disputeId }) => disputeId],
  [/\{fileId\}$/, ({ evidenceId }) => evidenceId],
  [/\/(?:api\/merchant|admin)\/alerts\/\{id\}$/, ({ alertId }) => alertId],
  [/\/api\/merchant\/plans\/\{id\}$/, ({ planId }) => planId],
  [/\/api\/merchant\/subscriptions\/\{id\}$/, ({ subscriptionId }) => subscriptionId],
  [/\/api\/merchant\/agent-credentials\/\{id\}$/, ({ agentCredentialId }) => agentCredentialId],
  [/\/api\/merchant\/exports\/\{id\}$/, ({ exportId }) => exportId],
  // A day that is not closed yet, of whomever it is.
  [/\/reconciliation\/\{day\}$/, () => "2148-01-15"],
  [/\/fleet\/actions\/\{actionId\}$/, () => "action-of-nobody"],
  [/\/logo\/\{id\}$/, () => "0".repeat(32)],
  [/\{uuid\}$/, ({ uuid }) => uuid],
  [/\{txId\}$/, ({ txId }) => txId],
  [/\/api\/payment\/.*\{id\}$/, ({ txId }) => txId],
  [/\/partners\/\{id\}$/, ({ partnerId }) => partnerId],
  [/\/admin\/attention\/\{id\}$/, () => "unknown/T1/item-of-nobody"],
  [/\/factors\/passkeys\/\{id\}$/, () => "passkey-of-nobody"],
  [/\/administrators\/\{username\}$/, ({ administratorName }) => administratorName],
  [/\/callbacks\/\{id\}$/, () => "callback-of-nobody"],
  [/\/v1\/payment_intents\/\{id\}$/, ({ intentId }) => intentId],
  [/\/v1\/charges\/\{id\}$/, ({ chargeId }) => chargeId],
  [/\/v1\/refunds\/\{id\}$/, ({ refundId }) => refundId],
  [/\/v1\/webhook_endpoints\/\{id\}$/, ({ merchantWebhookId }) => merchantWebhookId],
  [/\/v1\/events\/\{id\}$/, ({ eventId }) => eventId],
  [/\/api\/merchant\/webhooks\/\{id\}$/, ({ portalWebhookId }) => portalWebhookId],
  [/\/api\/merchant\/webhooks\/deliveries\/\{id\}$/, ({ portalWebhookId }) => `evt_${"0".repeat(24)}.${portalWebhookId}`],
  [/\/webhooks\/deliveries\/\{id\}$/, () => "delivery-of-nobody"],
  [/\/mails\/\{id\}$/, () => "mail-of-nobody"],
  [/\{deliveryId\}$/, () => "delivery-of-nobody"],
  [/\/webhooks\/endpoints\/\{id\}$|\{webhookId\}$/, ({ webhookId }) => webhookId],
  [/\{merchantId\}$|\/merchants\/\{id\}$/, ({ merchantId }) => merchantId],
  [/\{nodeId\}$/, () => "node-of-nobody"],
  [/\{service\}$/, () => "PAYPAL"],
  [/\{versionId\}$/, ({ versionId }) => versionId],
  [/\{deploymentId\}$/, ({ deploymentId }) => deploymentId],
  [/\{filename\}$/, ({ packageName }) => packageName],
  [/\{token\}$/, () => "token-of-nobody"],
  [/\{userId\}$/, ({ userId }) => userId],
  [/\/api\/merchant\/sessions\/\{id\}$/, () => "session-of-nobody"],
  [/\/me\/passkeys\/\{id\}$/, () => "passkey-of-nobody"],
  [/\{page\}$/, () => "transactions"],
  [/\/(?:portal|admin\/ui)\/.*\{id\}$/, () => "object-of-nobody"],
  [/\/(?:portal|docs|admin\/ui)\/.*\{file\}$/, () => "asset-of-nobody.js"],
  [/\{version\}$/, () => "0123456789abcdef"],
  [/\/js\/.*\{file\}$/, () => "compat.js"],
  [/\{routeId\}$/, () => "route-of-nobody"],
  [/\/machine-tokens\/\{name\}$/, ({ machineName }) => machineName],
  [/\/terminal-groups\/\{name\}$/, ({ groupName }) => groupName],
];

/** A list of the compatible API that begins behind one of its items is about that item: for others there is none. */
const ITEM_OF_LIST: { readonly [endpoint: string]: (things: Things) => string } = {
  compatListPaymentIntents: ({ intentId }) => intentId,
  compatListCharges: ({ chargeId }) => chargeId,
  compatListRefunds: ({ refundId }) => refundId,
  compatListWebhookEndpoints: ({ merchantWebhookId }) => merchantWebhookId,
  compatListEvents: ({ eventId }) => eventId,
};

/** What administrators bring in, or look at, of a merchant that is there. */
const FEED: ReadonlySet<string> = new Set(["adminReceiveDispute", "adminReceiveAlert", "adminListDisputes", "adminListAlerts"]);

/** Ahead also where the test's clock is. */
export const RESPOND_MS = 100 * 86_400_000;

type Members = { readonly [name: string]: () => unknown };

/** Members of bodies and queries by their name, wherever they are; what is not here is as in the declaration's example or schema. */
function membersOf({ name, surface }: AnyEndpoint, things: Things): Members {
  const terminalId = () => things.terminalId;
  return {
    terminalId,
    // A case is brought in without its payment.
    uuid: () => (FEED.has(name) ? undefined : randomUUID()),
    respondBy: () => new Date(Date.now() + RESPOND_MS).toISOString(),
    networkCaseId: () => randomUUID(),
    networkRef: () => randomUUID(),
    txId: () => (surface.name === "gatewayAdapter" ? things.orderId : things.txId),
    origTranId: () => things.tranId,
    merId: () => things.merId,
    // People of the portal join by their own addresses.
    ...(surface.name === "merchant" || surface.name === "partner-v1" || surface.name === "admin"
      ? { email: () => `made-${randomUUID().slice(0, 8)}@example.com` }
      : {}),
    username: () => `made-${randomUUID().slice(0, 8)}`,
    ...(name === "createMachineToken" ? { name: () => `made-${randomUUID().slice(0, 8)}` } : {}),
    // A terminal is configured for a merchant that is there.
    merchantId: () => (name === "saveCloudConfig" || FEED.has(name) ? things.merchantId : `made-${randomUUID().slice(0, 8)}`),
    versionCode: () => 1_000 + Math.floor(Math.random() * 1_000_000_000),
    authenticatedTerminalId: terminalId,
    payment_intent: () => things.intentId,
    starting_after: () =>
      ITEM_OF_LIST[name]?.(things) ?? assert.fail(`${name}: nothing is known for starting_after; add it to ITEM_OF_LIST`),
    endpointId: () => things.portalWebhookId,
    planId: () => things.planId,
    topicDestination: () => `/topic/terminal/${things.terminalId}`,
    // Routes of registers are of a partner and a terminal that are there: none is needed.
    routes: () => [],
    // What is switched stays on, for the requests that follow.
    active: () => true,
    // Nothing is sent out.
    callbackURL: () => undefined,
    notifyURL: () => undefined,
  };
}

/** Of optional members of a query only these are sent: they say what the request is about. */
const SUBJECTS: ReadonlySet<string> = new Set(["terminalId", "merId", "txId", "uuid", "starting_after"]);

export function requestOf(endpoint: AnyEndpoint, things: Things): ValidRequest {
  const { method, query, upload } = endpoint;
  const members = membersOf(endpoint, things);
  const path = pathOf(endpoint.path, things);
  const asked = query === undefined ? "" : queryOf(query, members);
  if (upload !== undefined) {
    const files: { readonly [endpoint: string]: readonly [name: string, content: string | Buffer] } = {
      addDisputeEvidence: ["proof.pdf", "%PDF-1.7 door"],
      merchantSaveLogo: ["logo.png", image("logo.png")],
    };
    const [fileName, content] = files[endpoint.name] ?? ["app.apk", packageBytes(1_000)];
    const form = formOf([{ name: upload.member, fileName, content }]);
    return { method, path: path + asked, body: form, contentType: MULTIPART };
  }
  const body = bodyOf(endpoint, members);
  return {
    method,
    path: path + asked,
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    contentType: "application/json",
  };
}

function pathOf(template: string, things: Things): string {
  return template.replace(/\{[^}]+\}/g, (name, at: number) => {
    const upToIt = template.slice(0, at) + name;
    const known = PARAMETERS.find(([end]) => end.test(upToIt));
    assert.ok(known, `${template}: nothing is known for ${name}; add it to PARAMETERS`);
    return encodeURIComponent(known[1](things));
  });
}

function queryOf(query: TObject, members: Members): string {
  const sent = new URLSearchParams();
  for (const [name, schema] of Object.entries(query.properties)) {
    if (schema[OptionalKind] !== undefined && !SUBJECTS.has(name)) continue;
    sent.set(name, String(members[name]?.() ?? smallest(schema)));
  }
  return sent.size === 0 ? "" : `?${sent}`;
}

function bodyOf({ body, bodyExample }: AnyEndpoint, members: Members): unknown {
  if (body === undefined) return undefined;
  if (bodyExample === undefined && body[OptionalKind] !== undefined) return undefined;
  const subject = body["properties"]?.["terminalId"] === undefined ? {} : { terminalId: null };
  return filled({ ...subject, ...Object(bodyExample ?? smallest(body)) }, members);
}

function filled(value: unknown, members: Members): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, (members[name] ?? (() => filled(inner, members)))()]));
}

/** The smallest value that the schema accepts, as far as the declarations need it. */
function smallest(schema: TSchema): unknown {
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["anyOf"])) return smallest(schema["anyOf"][0]);
  switch (schema["type"]) {
    case "object": {
      const members: [string, TSchema][] = Object.entries(schema["properties"] ?? {});
      const required = members.filter(([, member]) => member[OptionalKind] === undefined);
      return Object.fromEntries(required.map(([name, member]) => [name, smallest(member)]));
    }
    case "array":
      return [];
    case "string":
      return "x".repeat(Math.max(1, Number(schema["minLength"] ?? 1)));
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return true;
    default:
      return assert.fail(`no value is known for a schema of kind ${schema[Kind]}; give the endpoint a bodyExample`);
  }
}
