/** Two merchants of one installation, each with all that a merchant can have. */
import assert from "node:assert/strict";
import type { Answer, HttpClient } from "../support/http-client.ts";
import { listOf, member, textMember } from "../support/matches.ts";
import { bearer, type NewPartnerApi, newPartnerApi } from "../support/new-partner-api.ts";
import { lastMailTo, PORTAL_API, PortalPerson } from "../support/portal-person.ts";
import type { Relay } from "../support/relay.ts";
import { eventually } from "../support/within.ts";

/** What a request can name of a merchant, all of it there. */
export interface Things {
  merchantId: string;
  terminalId: string;
  uuid: string;
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
export async function newMerchant(relay: Relay, name: string, last4: string): Promise<Merchant> {
  const partner = await newPartnerApi(relay);
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
  const log = await read("/audit?limit=1");
  const [entry] = listOf(member(log, "items"));
  const webhooks = await newWebhook(owner, name);
  const things: Things = {
    ...webhooks,
    ...{ merchantId, terminalId, uuid: uuids[0] ?? "", email, authCode, last4, passkeyId: "passkey-of-nobody" },
    ...{ userId: userOf(email), invitedUserId: userOf(colleague), sessionId: textMember(session, "sessionId") },
    ...{ requestId: textMember(entry, "requestId") },
    ...{ transactionsCursor: textMember(page, "next"), auditCursor: textMember(log, "next") },
  };
  const markers = [
    ...[merchantId, terminalId, ...uuids, email, colleague, authCode, things.userId, things.invitedUserId, things.sessionId],
    ...[things.webhookId, things.objectId, `hooks-of-${name}`],
    ...[`Shop named ${name}`, `group of ${name}`, `message of ${name}`, `view of ${name}`],
  ];
  return { things, owner, key, partner, markers };
}

/** An endpoint of webhooks that nobody listens at, and deliveries to it. */
async function newWebhook(owner: PortalPerson, name: string) {
  const order = { url: `http://127.0.0.1:1/hooks-of-${name}`, events: ["*"], description: `endpoint of ${name}` };
  const made = await owner.send("POST", "/webhooks", order);
  assert.equal(made.status, 201, made.text);
  const webhookId = textMember(made.body, "data", "endpoint", "id");
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

/** What its owner and its key read of everything: the same before and after others have asked. */
export async function seenBy({ owner, key, things }: Merchant): Promise<unknown> {
  const people = await Promise.all(
    ["/users", "/me", "/transactions", `/transactions/${things.uuid}`, "/webhooks"].map(async (path) =>
      dataOf(await owner.send("GET", path)),
    ),
  );
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
