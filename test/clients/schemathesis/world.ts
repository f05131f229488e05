import assert from "node:assert/strict";
import { UNDOCUMENTED } from "../../../infra/node/wiring/shared/endpoints.ts";
import { type Caller, callersIn, type Headers } from "../../doors/callers.ts";
import { RESPOND_MS, requestOf, type Things } from "../../doors/requests.ts";
import { type AnyEndpoint, outcomeOf } from "../../doors/rules.ts";
import { DoorWorld } from "../../doors/world.ts";
import { member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";

/** How an operation is called: by one of these callers each time, and half of the time about things that are there. */
export interface KnownOperation {
  /** Sets of headers; one of nothing where nobody has to show anything. */
  readonly callers: readonly Headers[];
  /** One of these each time. */
  readonly path: readonly { readonly [name: string]: string }[];
  readonly query: { readonly [name: string]: string };
  readonly body: { readonly [name: string]: unknown };
}

/** What the hooks of schemathesis read. */
export interface Facts {
  readonly baseUrl: string;
  readonly signer: { readonly keyId: string; readonly secret: string };
  readonly operations: { readonly [operationId: string]: KnownOperation };
}

/** Members of bodies that name something that is there; everything else is as schemathesis makes it up. */
const NAMING: ReadonlySet<string> = new Set(["terminalId", "merId", "origTranId", "payment_intent", "endpointId", "topicDestination"]);

/** Who calls, where several may: each of these that is admitted, in turn. */
const CALLERS: ReadonlySet<string> = new Set([
  "the administrator",
  "the fleet",
  "the terminal",
  "the partner by password",
  "the partner by key",
  "the partner by its key for Partner API v1",
  "the merchant by its secret key",
  "an AI agent of the merchant",
  "an owner of the merchant",
  "an owner's session of the operators' pages",
  "the partner by signature",
]);

/** Operations that take away what their caller shows, or what others need of it: somebody else calls them, of whom nothing else is needed. */
const SOMEBODY_ELSE: { readonly [operationId: string]: string } = {
  regenerateOwnApiKey: "a partner whose rule does not name the terminal, by password",
  saveOwnGatewayCredentials: "a partner whose rule does not name the terminal, by password",
  saveOwnOrigins: "a partner whose rule does not name the terminal, by password",
  // After a few wrong codes, or wrong passwords, a session or its account has to wait.
  ...Object.fromEntries(["adminSecondFactor", "adminStepUp"].map((name) => [name, "the session of an administrator who may only look"])),
  ...Object.fromEntries(["portalSecondFactor", "portalStepUp"].map((name) => [name, "a viewer of the merchant"])),
  ...Object.fromEntries(
    ["confirmPortalTotp", "addPortalPasskey", "changeOwnPortalPassword"].map((name) => [name, "an owner of another partner's merchant"]),
  ),
  portalReplaceKeys: "an owner of another partner's merchant",
  merchantConfigurePaymentMethod: "an owner of another partner's merchant",
  merchantDisablePaymentMethod: "an owner of another partner's merchant",
  merchantEnablePaymentMethod: "an owner of another partner's merchant",
};

const OWN_PAGE: Headers = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };

/** Starts a relay with something of everything. */
export async function startFuzzedWorld(): Promise<{ facts: Facts; stop: () => Promise<void> }> {
  const world = await DoorWorld.start("sandbox", { RELAY_CLICKHOUSE_URL: "", RELAY_LOG_LEVEL: "error" });
  try {
    await world.relay.clickhouse();
    const victims = await makeVictims(world);
    const documented = world.endpoints.filter(({ surface }) => !UNDOCUMENTED.has(surface.name));
    const operations = Object.fromEntries(documented.map((endpoint) => [endpoint.name, known(world, endpoint, victims)]));
    const { merId, adapterSecret } = world.keys.partner;
    return { facts: { baseUrl: world.url, signer: { keyId: merId, secret: adapterSecret }, operations }, stop: () => world.stop() };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

function known(world: DoorWorld, endpoint: AnyEndpoint, victims: readonly Victim[]): KnownOperation {
  const ofPortal = endpoint.path.startsWith("/api/merchant/");
  const spent = victims.map((one) => (ofPortal ? { ...one, userId: one.colleagueId } : one));
  const things = SPENDING.test(endpoint.path) && endpoint.method !== "GET" ? spent : [world.things, ...spent];
  const request = world.request(endpoint);
  const url = new URL(request.path, world.url);
  const body: unknown = request.contentType === "application/json" && request.body !== undefined ? JSON.parse(String(request.body)) : {};
  const path = things.map((one) => pathOf(endpoint.path, new URL(requestOf(endpoint, one).path, world.url).pathname));
  return {
    callers: callersOf(endpoint).map((caller) => shownBy(caller.headers(world.keys, request, world.host))),
    // Whoever may not sign in any more calls nothing else.
    path: endpoint.name === "denyTerminal" ? [{ terminalId: "FUZZ-1" }] : path,
    query: Object.fromEntries(url.searchParams),
    body: Object.fromEntries(Object.entries(Object(body)).filter(([name]) => NAMING.has(name))),
  };
}

/** A signature is over what is sent in the end, so that it is made there. */
function shownBy(headers: Headers): Headers {
  return headers["authorization"]?.startsWith("Signature ") === true ? { authorization: "Signature" } : headers;
}

/** What others need is not changed there. */
const SPENDING = /\/(?:merchants|portal-users|users)\/\{/;

const VICTIMS = 4;

interface Victim extends Things {
  /** A user of the merchant whose owner calls. */
  colleagueId: string;
}

/** More of what operations are about, which may be changed, taken away and used up. */
async function makeVictims(world: DoorWorld): Promise<Victim[]> {
  const { keys } = world;
  const shop = { authorization: `Bearer ${keys.merchantKeys.secretKey}` };
  const partner = { authorization: `Bearer ${keys.partner.partnerApiKey}` };
  const administrator = { authorization: basic(keys.administrator.username, keys.administrator.password) };
  const make = async (headers: Headers, path: string, body?: unknown): Promise<unknown> => {
    const answer = await world.ask(headers, "POST", path, body, "who prepares");
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const victims: Victim[] = [];
  for (let number = 1; number <= VICTIMS; number += 1) {
    const merchantId = `fuzz-shop-${number}`;
    const account = { username: `fuzz-partner-${number}`, gwTml: "GW1", gwApiKey: "FUZZ", gwSecretKey: "..." };
    await make(partner, "/partner/api/v1/merchants", { merchantId });
    const email = `fuzz-${number}@example.com`;
    const user = await make(administrator, `/admin/api/merchants/${merchantId}/portal-users`, { email, role: "VIEWER" });
    const hook = { url: "https://door.example/hooks" };
    const order = { amount: 1_099, currency: "eur", ...(number % 2 === 0 ? { capture_method: "manual" } : {}) };
    const own = await make(shop, "/api/merchant/webhooks", { ...hook, events: ["payment_link.expired"] });
    const link = await make(shop, "/api/merchant/payment-links", { amountMinor: 1_050, description: "Fuzz" });
    const facts = { merchantId: world.things.merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
    const respondBy = new Date(Date.now() + RESPOND_MS).toISOString();
    const fed = { ...facts, network: "VISA", networkCaseId: `fuzz-${number}`, stage: "CHARGEBACK", reasonCode: "10.4", respondBy };
    const dispute = await make(administrator, "/admin/disputes", fed);
    const alert = await make(administrator, "/admin/alerts", { ...facts, source: "ETHOCA", networkRef: `fuzz-${number}`, respondBy });
    const plan = await make(shop, "/api/merchant/plans", { name: "Fuzz", amountMinor: 2_900, interval: "MONTH" });
    const customer = { name: "Ada", email: "fuzz@example.com" };
    const planId = textMember(plan, "data", "id");
    const subscription = await make(shop, "/api/merchant/subscriptions", { planId, customer });
    const agent = await make(shop, "/api/merchant/agent-credentials", { name: "Fuzz", scopes: ["links:read"] });
    const webhook = await make(partner, "/partner/api/v1/webhooks", { ...hook, events: ["*"], environment: "LIVE" });
    const version = await make(administrator, "/admin/app-versions", { versionCode: 100 + number, versionName: `${number}` });
    const versionId = Number(member(version, "data", "id"));
    const terminalId = `FUZZ-${number}`;
    const deployment = await make(administrator, `/admin/app-versions/${versionId}/deploy-terminal`, { terminalId });
    const byLink = await make({ "api-key": keys.partner.apiKey }, "/api/v1/paybylink", { amount: 12.34, reason: "Order 8" });
    // A seat is left for those who are invited by the requests.
    const colleague =
      number > 2
        ? undefined
        : await make(administrator, "/admin/api/merchants/door-shop/portal-users", { email: `c.${email}`, role: "VIEWER" });
    victims.push({
      ...world.things,
      ...{ merchantId, versionId, userId: textMember(user, "data", "userId") },
      colleagueId: colleague === undefined ? (victims[0]?.colleagueId ?? "") : textMember(colleague, "data", "userId"),
      txId: textMember(byLink, "txId"),
      intentId: textMember(await make(shop, "/v1/payment_intents", order), "id"),
      webhookId: textMember(webhook, "webhook", "webhookId"),
      merchantWebhookId: textMember(await make(shop, "/v1/webhook_endpoints", { ...hook, enabled_events: ["invoice.paid"] }), "id"),
      portalWebhookId: textMember(own, "data", "endpoint", "id"),
      paymentLinkId: textMember(link, "data", "id"),
      disputeId: textMember(dispute, "data", "id"),
      alertId: textMember(alert, "data", "id"),
      ...{ planId, subscriptionId: textMember(subscription, "data", "id") },
      agentCredentialId: textMember(agent, "data", "credential", "id"),
      partnerId: Number(member(await make(administrator, "/admin/api/partners", account), "data", "id")),
      administratorName: textMember(
        await make(administrator, "/admin/administrators", { username: `fuzz-${number}`, role: "operator" }),
        "data",
        "username",
      ),
      deploymentId: Number(member(deployment, "data", "id")),
    });
  }
  return victims;
}

const NOBODY: Caller = { who: "nobody", shows: {}, headers: () => ({}) };
const PAGE: Caller = { who: "nobody, from the relay's own page", shows: {}, headers: () => OWN_PAGE };

function callersOf(endpoint: AnyEndpoint): readonly Caller[] {
  const { auth, name } = endpoint;
  if (auth === "none" || auth === "optionalBasic") return [NOBODY];
  if (auth === "optionalPortalSession" || auth === "optionalAdminSession") return [PAGE];
  const other = SOMEBODY_ELSE[name];
  const callers = callersIn("sandbox").filter(({ who, shows }) => {
    const wanted = other === undefined ? CALLERS.has(who) : who === other;
    return wanted && outcomeOf(endpoint, shows) === "admitted";
  });
  assert.ok(callers.length > 0, `nobody calls ${name}`);
  // A session ends with much that is tried here.
  const lasting = callers.filter(({ who }) => who === "the administrator");
  return lasting.length > 0 && auth === "admin" ? lasting : callers;
}

function pathOf(template: string, path: string): { [name: string]: string } {
  const values = path.split("/");
  return Object.fromEntries(
    template.split("/").flatMap((part, index) => {
      const name = /^\{(.+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[name, values[index] ?? ""]];
    }),
  );
}
