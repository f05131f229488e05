/** Two merchants of one installation, each with all that a merchant can have. */
import assert from "node:assert/strict";
import { SANDBOX_SECRET } from "../../infra/sandbox/gateway/options.ts";
import type { Answer, HttpClient } from "../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import type { TestGateway } from "../support/node/gateway.ts";
import type { Relay } from "../support/node/relay.ts";
import { bearer, type NewPartnerApi, newPartnerApi } from "../support/people/new-partner-api.ts";
import { formOf, MULTIPART } from "../support/people/package-upload.ts";
import { lastMailTo, PORTAL_API, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";

/** Of a payment link, at the end of its address. */
const TOKEN_LENGTH = 22;

/** What a request can name of a merchant, all of it there. */
export interface Things {
  merchantId: string;
  terminalId: string;
  uuid: string;
  /** Of a payment by link that was paid. */
  linkUuid: string;
  userId: string;
  invitedUserId: string;
  sessionId: string;
  passkeyId: string;
  email: string;
  authCode: string;
  last4: string;
  requestId: string;
  transactionsCursor: string;
  auditCursor: string;
  webhookId: string;
  deliveryId: string;
  /** What the delivery is about. */
  objectId: string;
  deliveriesCursor: string;
  paymentLinkId: string;
  paymentLinksCursor: string;
  /** The merchant's own word for a payment link, and its customer's address. */
  reference: string;
  customerEmail: string;
  logCursor: string;
  /** A file of its payment links, for which its owner has asked. */
  exportId: string;
  /** A dispute that is to be answered, with the network's number of it and a file, and an alert. */
  disputeId: string;
  networkCaseId: string;
  evidenceId: string;
  alertId: string;
  disputesCursor: string;
  planId: string;
  subscriptionId: string;
  subscriptionsCursor: string;
  agentCredentialId: string;
  agentCredentialsCursor: string;
}

export interface Merchant {
  things: Things;
  owner: PortalPerson;
  key: HttpClient;
  partner: NewPartnerApi;
  /** Texts that stand in nothing but what is this merchant's. */
  markers: readonly string[];
}

/** A merchant with a terminal that took payments, an owner who is signed in, somebody invited, and a log. */
export async function newMerchant(relay: Relay, gateway: TestGateway, name: string, last4: string): Promise<Merchant> {
  const partner = await newPartnerApi(relay, {}, SANDBOX_SECRET);
  const merchantId = `${name}-${relay.uuid()}`;
  const made = await partner.call("POST", "/merchants", { merchantId, merchantName: `Shop named ${name}` });
  assert.equal(made.status, 201, made.text);
  const administrator = relay.administrator();
  const limit = await administrator.send(`/admin/api/merchants/${merchantId}`, {
    method: "PATCH",
    body: { compatRequestsPerMinute: 10_000 },
  });
  assert.equal(limit.status, 200, limit.text);
  const terminalId = relay.terminalId();
  const config = { terminalId, merchantId, group: `group of ${name}` };
  assert.equal((await administrator.post("/admin/cloud-configs", config)).status, 200);

  const key = bearer(relay, textMember(made.body, "keys", "secretKey"));
  const clientId = `client of ${name}`;
  const configuration = { mode: "sandbox", clientId, clientSecret: `secret of ${name}` };
  const configured = await partner.call("PUT", `/merchants/${merchantId}/services/PAYPAL/config`, configuration);
  assert.equal(configured.status, 200, configured.text);
  const authCode = `A${name.toUpperCase()}`;
  const uuids = [await pay(relay, terminalId, { authCode, pan: `411111111111${last4}`, message: `message of ${name}` })];
  uuids.push(await pay(relay, terminalId, { authCode, pan: `411111111111${last4}`, message: `message of ${name}` }));

  const email = `owner-of-${name}.${relay.uuid()}@example.com`;
  const invited = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, locale: "en" });
  assert.equal(invited.status, 201, invited.text);
  const owner = new PortalPerson(relay, email);
  assert.equal((await owner.accept((await lastMailTo(relay, email)).token)).status, 200);
  await owner.enrol();
  const colleague = `colleague-of-${name}.${relay.uuid()}@example.com`;
  const invitation = await owner.send("POST", "/users", { email: colleague, role: "VIEWER" });
  assert.ok(invitation.status < 300, invitation.text);
  await owner.send("PATCH", "/me", { savedViews: [{ list: "transactions", name: `view of ${name}`, query: "status=KO" }] });

  const [reference, customerEmail] = [`reference of ${name}`, `customer-of-${name}.${relay.uuid()}@example.com`];
  const orders = [{ reference, customerEmail }, {}].map((members) => ({ amountMinor: 1_050, description: `link of ${name}`, ...members }));
  const links: unknown[] = [];
  for (const order of orders) {
    const link = await key.post(`${PORTAL_API}/payment-links`, order);
    assert.equal(link.status, 201, link.text);
    links.push(member(link.body, "data"));
  }
  const [linkIds, linkUrls] = [links.map((link) => textMember(link, "id")), links.map((link) => textMember(link, "url"))];
  const subscriptions = await newSubscriptions(key, name, customerEmail);
  const agents = await newAgents(key, name);
  const linkUuid = await paidLink(relay, gateway, key, { amountMinor: 990, description: `link of ${name}` });

  const disputed = await newDispute(relay, key, merchantId, name);

  const read = async (path: string) => dataOf(await owner.send("GET", path));
  const users = listOf(member(await read("/users"), "items"));
  const userOf = (address: string) =>
    textMember(
      users.find((user) => member(user, "email") === address),
      "userId",
    );
  const [session] = listOf(member(await read("/sessions"), "items"));
  const page = await eventually(async () => {
    const found = await read("/transactions?limit=1");
    assert.notEqual(member(found, "next"), null);
    return found;
  });
  const linkPage = await read("/payment-links?limit=1");
  const subscriptionPage = await read("/subscriptions?limit=1");
  const log = await read("/audit?limit=1");
  const [entry] = listOf(member(log, "items"));
  const webhooks = await newWebhook(owner, name);
  // Endpoints, payment links and what was posted for them have left entries in both logs.
  const steps = await eventually(async () => {
    const found = await read("/logs/workflow?limit=1");
    assert.notEqual(member(found, "next"), null);
    return found;
  });
  const exportId = await newExport(owner);
  const things: Things = {
    exportId,
    ...webhooks,
    ...disputed,
    ...{ planId: subscriptions.planId, subscriptionId: subscriptions.ids[0] ?? "" },
    subscriptionsCursor: textMember(subscriptionPage, "next"),
    ...{ agentCredentialId: agents.ids[0] ?? "", agentCredentialsCursor: agents.cursor },
    ...{ merchantId, terminalId, uuid: uuids[0] ?? "", linkUuid, email, authCode, last4, passkeyId: "passkey-of-nobody" },
    ...{ userId: userOf(email), invitedUserId: userOf(colleague), sessionId: textMember(session, "sessionId") },
    ...{ requestId: textMember(entry, "requestId") },
    ...{ logCursor: textMember(steps, "next") },
    ...{ transactionsCursor: textMember(page, "next"), auditCursor: textMember(log, "next") },
    ...{ paymentLinkId: linkIds[0] ?? "", paymentLinksCursor: textMember(linkPage, "next"), reference, customerEmail },
  };
  const markers = [
    ...[merchantId, terminalId, ...uuids, email, colleague, authCode, things.userId, things.invitedUserId, things.sessionId],
    ...[things.webhookId, things.objectId, `hooks-of-${name}`, exportId],
    ...[...linkIds, linkUuid, ...linkUrls.map((url) => url.slice(-TOKEN_LENGTH)), reference, customerEmail, `link of ${name}`],
    ...[disputed.disputeId, disputed.evidenceId, disputed.networkCaseId, disputed.alertId, `draft of ${name}`, `proof-of-${name}.pdf`],
    ...[subscriptions.planId, ...subscriptions.ids, ...subscriptions.tokens, `plan of ${name}`, `subscriber of ${name}`],
    ...[...agents.ids, `agent of ${name}`],
    ...[clientId, textMember(made.body, "keys", "publishableKey")],
    ...[`Shop named ${name}`, `group of ${name}`, `message of ${name}`, `view of ${name}`],
  ];
  return { things, owner, key, partner, markers };
}

/** A dispute with a draft and a file, another one, and an alert. */
async function newDispute(relay: Relay, key: HttpClient, merchantId: string, name: string) {
  const administrator = relay.administrator();
  const facts = { merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
  const respondBy = new Date(relay.nowMs() + 100 * 86_400_000).toISOString();
  const add = async (what: string, body: object) => {
    const added = await administrator.post(`/admin/${what}`, body);
    assert.equal(added.status, 201, added.text);
    return textMember(added.body, "data", "id");
  };
  const networkCaseId = `case-of-${name}`;
  const given = { ...facts, network: "VISA", stage: "CHARGEBACK", reasonCode: "10.4", respondBy };
  await add("disputes", { ...given, networkCaseId: `another-case-of-${name}` });
  const disputeId = await add("disputes", { ...given, networkCaseId });
  const alertId = await add("alerts", { ...facts, source: "ETHOCA", networkRef: `alert-of-${name}`, respondBy });
  const path = `${PORTAL_API}/disputes/${disputeId}`;
  const saved = await key.send(`${path}/draft`, { method: "PUT", body: { statement: `draft of ${name}` } });
  assert.equal(saved.status, 200, saved.text);
  const form = formOf([{ name: "file", fileName: `proof-of-${name}.pdf`, content: "%PDF-1.7" }]);
  const uploaded = await key.post(`${path}/evidence?category=OTHER`, form, { "content-type": MULTIPART });
  assert.equal(uploaded.status, 201, uploaded.text);
  const page = dataOf(await key.get(`${PORTAL_API}/disputes?limit=1`));
  const evidenceId = textMember(uploaded.body, "data", "fileId");
  return { disputeId, networkCaseId, evidenceId, alertId, disputesCursor: textMember(page, "next") };
}

/** A plan and two subscriptions to it, whose first payments are asked for. */
async function newSubscriptions(key: HttpClient, name: string, email: string) {
  const plan = await key.post(`${PORTAL_API}/plans`, { name: `plan of ${name}`, amountMinor: 2_900, interval: "MONTH" });
  assert.equal(plan.status, 201, plan.text);
  const planId = textMember(plan.body, "data", "id");
  const ids: string[] = [];
  const tokens: string[] = [];
  for (let made = 0; made < 2; made += 1) {
    const customer = { name: `subscriber of ${name}`, email };
    const { status, text, body } = await key.post(`${PORTAL_API}/subscriptions`, { planId, customer });
    assert.equal(status, 201, text);
    ids.push(textMember(body, "data", "id"));
    tokens.push(textMember(body, "data", "url").slice(-TOKEN_LENGTH));
  }
  return { planId, ids, tokens };
}

/** Two credentials of AI agents. */
async function newAgents(key: HttpClient, name: string) {
  const ids: string[] = [];
  const limits = { perLinkMaxMinor: 1_000, perDayMinor: 2_000, totalMinor: 3_000 };
  for (let made = 0; made < 2; made += 1) {
    const order = { name: `agent of ${name}`, scopes: ["links:create", "links:read"], limits };
    const { status, text, body } = await key.post(`${PORTAL_API}/agent-credentials`, order);
    assert.equal(status, 201, text);
    ids.push(textMember(body, "data", "credential", "id"));
  }
  const page = dataOf(await key.get(`${PORTAL_API}/agent-credentials?limit=1`));
  return { ids, cursor: textMember(page, "next") };
}

/** A file of payment links. */
async function newExport(owner: PortalPerson): Promise<string> {
  const columns = ["id", "description", "reference"];
  const made = await owner.send("POST", "/exports", { list: "payment-links", format: "CSV", columns });
  assert.equal(made.status, 201, made.text);
  const exportId = textMember(made.body, "data", "id");
  await eventually(async () => {
    assertMatches((await owner.send("GET", `/exports/${exportId}`)).body, { data: { state: "READY" } });
  });
  return exportId;
}

/** An endpoint of webhooks that nobody listens at, and deliveries to it. */
async function newWebhook(owner: PortalPerson, name: string) {
  const order = { url: `http://127.0.0.1:1/hooks-of-${name}`, events: ["*"], description: `endpoint of ${name}` };
  const made = await owner.send("POST", "/webhooks", order);
  assert.equal(made.status, 201, made.text);
  const webhookId = textMember(made.body, "data", "endpoint", "id");
  // Two steps of it, so that the first page of the log has a next one.
  const changed = await owner.send("PATCH", `/webhooks/${webhookId}`, { description: `the endpoint of ${name}` });
  assert.equal(changed.status, 200, changed.text);
  const tested = await owner.send("POST", `/webhooks/${webhookId}/test`);
  assert.equal(tested.status, 200, tested.text);
  const deliveryId = textMember(tested.body, "data", "id");
  const { createdAt, objectId } = {
    createdAt: textMember(tested.body, "data", "createdAt"),
    objectId: textMember(tested.body, "data", "objectId"),
  };
  const deliveriesCursor = Buffer.from(`${Date.parse(createdAt)}/${deliveryId}`).toString("base64url");
  return { webhookId, deliveryId, objectId, deliveriesCursor };
}

async function pay(relay: Relay, terminalId: string, result: object): Promise<string> {
  const [uuid, fleet] = [relay.uuid(), relay.fleet()];
  assert.equal((await fleet.pay(terminalId, { uuid })).status, 200);
  assert.equal((await fleet.take(terminalId)).status, 200);
  assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", ...result })).status, 200);
  return uuid;
}

export function dataOf(answer: Answer): unknown {
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

/** A payment link that somebody has paid; the uuid of the payment. */
async function paidLink(relay: Relay, gateway: TestGateway, key: HttpClient, order: object): Promise<string> {
  const made = await key.post(`${PORTAL_API}/payment-links`, order);
  assert.equal(made.status, 201, made.text);
  const pressed = await relay.client({}).post(`${new URL(textMember(made.body, "data", "url")).pathname}/pay`);
  assert.equal(pressed.status, 303, pressed.text);
  const id = textMember(made.body, "data", "id");
  await gateway.act(`${id}.1`, "pay");
  await eventually(async () => {
    const found = await key.get(`${PORTAL_API}/payment-links/${id}`);
    assertMatches(found.body, { data: { state: "PAID" } });
  });
  return `${id}.1`;
}

/** What its owner and its key read of everything: the same before and after others have asked. */
export async function seenBy({ owner, key, things }: Merchant): Promise<unknown> {
  const people: unknown[] = [];
  // One after the other: of lists and reports a merchant has two at once.
  for (const path of [
    ...["/users", "/me", "/transactions", `/transactions/${things.uuid}`, `/transactions/${things.linkUuid}`],
    ...["/disputes", `/disputes/${things.disputeId}`, "/alerts", "/alert-rules"],
    ...["/plans", "/subscriptions", `/subscriptions/${things.subscriptionId}`, "/dunning"],
    ...["/agent-credentials", `/agent-credentials/${things.agentCredentialId}`],
    ...["/webhooks", "/payment-links", "/payment-methods", "/keys", "/compatible-api", "/opening-hours", "/exports"],
  ]) {
    people.push(dataOf(await owner.send("GET", path)));
  }
  const sessions = listOf(member(dataOf(await owner.send("GET", "/sessions")), "items")).map((one) => member(one, "sessionId"));
  const terminals = listOf(member(dataOf(await key.get(`${PORTAL_API}/terminals`)), "items")).map((one) => member(one, "terminalId"));
  // What they have come to changes by itself.
  const deliveries = listOf(member(dataOf(await owner.send("GET", "/webhooks/deliveries")), "items")).map((one) => [
    ...[member(one, "id"), member(one, "objectId"), member(one, "endpointId")],
  ]);
  return { people, sessions, terminals, deliveries };
}

/** Its log, newest first. */
export async function logOf({ owner }: Merchant): Promise<unknown[]> {
  return listOf(member(dataOf(await owner.send("GET", "/audit?limit=200")), "items"));
}
