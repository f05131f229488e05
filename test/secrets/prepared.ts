import { TOTP } from "otpauth";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../infra/sandbox/gateway/options.ts";
import { type Answer, CREDENTIALS, type HttpClient } from "../support/http/http-client.ts";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { basic } from "../support/node/node.ts";
import { must, type Names, OWN_PAGE, type PlantWorld } from "./plant-world.ts";

/** What has to be there before requests can succeed: merchants, links, plans, disputes, people who are signed in, ... */

/** Who stands behind the parameters and logins. */
export interface Ids {
  /** Of one that is changed; another one logs in. */
  partnerId: string;
  partnerLogin: string;
  /** One that is changed; another one changes its own password. */
  administratorName: string;
  administratorLogin: string;
  bearer: string;
  /** The first is deployed, the second is changed. */
  versionId: string;
  changedVersionId: string;
  deploymentId: string;
  merchantId: string;
  webhookId: string;
  /** The secret key of another merchant, which is not changed. */
  merchantKey: string;
  /** That merchant's, at the compatible API. */
  intentId: string;
  merchantWebhookId: string;
  /** Of a merchant that has places for endpoints of its own, and one of them. */
  webhookKey: string;
  portalWebhookId: string;
  /** Of an AI agent of that merchant. */
  agentToken: string;
  /** Payment links of that merchant in the portal; the second is cancelled. */
  paymentLinkId: string;
  cancelledLinkId: string;
  /** A dispute and an alert of that merchant, which it answers, and those of which networks say something. */
  disputeId: string;
  alertId: string;
  fedDisputeId: string;
  fedAlertId: string;
  /** Plans of that merchant, those to be changed and removed apart, and subscriptions by the operation that uses one up. */
  planId: string;
  changedPlanId: string;
  removedPlanId: string;
  subscriptionId: string;
  exportId: string;
  cancelledSubscriptionId: string;
  agentCredentialId: string;
  pausedSubscriptionId: string;
  resumedSubscriptionId: string;
  txId: string;
  /** Of a command that waits. */
  commandUuid: string;
  /** Of an owner of the merchant that is not changed, who has just signed in to the portal. */
  portalCookie: string;
  /** Of an administrator that is not changed, who has just signed in to the operators' pages. */
  adminCookie: string;
  /** Where that person is. */
  portalMerchantId: string;
}

export async function prepare(world: PlantWorld, names: Names): Promise<Ids> {
  const administrator = world.caller(CREDENTIALS.administrator);
  const partnerCalled = (username: string) =>
    must(
      201,
      administrator.post("/admin/api/partners", {
        username,
        gwTml: "T",
        gwApiKey: names.next("K"),
        gwSecretKey: "a-secret-of-this-partner",
        partnerApi: { partnerCode: names.next("C"), maxMerchants: 1_000, allowedServices: ["IGFS", "PAYPAL", "SHIFT4"] },
      }),
    );
  const username = names.next("planted-partner-");
  const partner = await partnerCalled(username);
  const changed = await partnerCalled(names.next("planted-partner-"));
  const bearer = textMember(partner.body, "partnerApiKeys", "apiKey");
  const merchantId = names.next("merchant-");
  const ofPartner = world.caller({ authorization: `Bearer ${bearer}` });
  await must(201, ofPartner.post("/partner/api/v1/merchants", { merchantId }));
  const callingId = names.next("merchant-");
  const calling = await must(201, ofPartner.post("/partner/api/v1/merchants", { merchantId: callingId }));
  await must(200, ofPartner.post(`/partner/api/v1/merchants/${callingId}/services/IGFS/enable`));
  const webhook = await must(
    201,
    ofPartner.post("/partner/api/v1/webhooks", { url: "https://planted.example/hooks", events: ["*"], environment: "LIVE" }),
  );
  await must(200, administrator.send(`/admin/api/merchants/${callingId}`, { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } }));
  const merchantKey = textMember(calling.body, "keys", "secretKey");
  const shop = world.caller({ authorization: `Bearer ${merchantKey}` });
  const metadata = { note: `kept ${world.planted.control()}` };
  const intent = await must(200, shop.post("/v1/payment_intents", { amount: 1_099, currency: "eur", metadata }));
  // Nothing is sent to it.
  const endpoint = { url: "https://planted.example/hooks", enabled_events: ["invoice.paid"] };
  const ownWebhook = await must(200, shop.post("/v1/webhook_endpoints", endpoint));
  const portalEndpoint = { url: "https://planted.example/own-hooks", events: ["payment_link.expired"] };
  const hooked = await must(201, ofPartner.post("/partner/api/v1/merchants", { merchantId: names.next("merchant-") }));
  const hookedId = textMember(hooked.body, "merchant", "merchantId");
  await must(200, administrator.send(`/admin/api/merchants/${hookedId}`, { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } }));
  const webhookKey = textMember(hooked.body, "keys", "secretKey");
  const portalWebhook = await must(
    201,
    world.caller({ authorization: `Bearer ${webhookKey}` }).post("/api/merchant/webhooks", portalEndpoint),
  );
  const version = async (versionCode: number) => {
    const releaseNotes = `kept ${world.planted.control()}`;
    return must(200, administrator.post("/admin/app-versions", { versionCode, versionName: "9", releaseNotes, active: true }));
  };
  const [first, second] = [await version(9_000), await version(9_001)];
  const versionId = String(member(first.body, "data", "id"));
  const deployment = await must(200, administrator.post(`/admin/app-versions/${versionId}/deploy-terminal`, { terminalId: "TD1" }));
  await must(
    200,
    administrator.post("/admin/gw-credentials", {
      gwTml: "T",
      gwApiKey: SANDBOX_GATEWAY_ACCOUNT.merchantId,
      gwSecretKey: SANDBOX_GATEWAY_ACCOUNT.secret,
    }),
  );
  const administratorCalled = (username: string) => must(201, administrator.post("/admin/administrators", { username, role: "operator" }));
  const [administratorName, ownName] = [names.next("planted-administrator-"), names.next("planted-administrator-")];
  await administratorCalled(administratorName);
  const own = await administratorCalled(ownName);
  const commandUuid = names.next("planted-");
  await must(200, world.caller(CREDENTIALS.partner).pay(names.terminal(), { uuid: commandUuid }));
  const link = await must(
    200,
    world.caller(CREDENTIALS.partner).post("/api/v1/paybylink", { amount: 1, reason: `kept ${world.planted.control()}` }),
  );
  const paymentLink = async () =>
    textMember(
      (await must(201, shop.post("/api/merchant/payment-links", { amountMinor: 1, description: `kept ${world.planted.control()}` }))).body,
      ...["data", "id"],
    );
  const [paymentLinkId, cancelledLinkId] = [await paymentLink(), await paymentLink()];
  const limits = { perLinkMaxMinor: 1, perDayMinor: 1_000, totalMinor: 1_000, linksPerHour: 1_000 };
  const planter = await must(201, shop.post("/api/merchant/agent-credentials", { name: "Planter", scopes: ["links:create"], limits }));
  const fed = async (what: "disputes" | "alerts") => {
    const body = { ...(what === "disputes" ? feedDispute(names) : feedAlert(names)), merchantId: callingId };
    return textMember((await must(201, administrator.post(`/admin/${what}`, body))).body, "data", "id");
  };
  const [disputeId, fedDisputeId] = [await fed("disputes"), await fed("disputes")];
  const [alertId, fedAlertId] = [await fed("alerts"), await fed("alerts")];
  const plan = async (trialDays: number) => {
    const order = { name: `kept ${world.planted.control()}`, amountMinor: 100, interval: "MONTH", trialDays };
    return textMember((await must(201, shop.post("/api/merchant/plans", order))).body, "data", "id");
  };
  const [planId, trialPlanId, removedPlanId] = [await plan(0), await plan(7), await plan(0)];
  const subscription = async (id: string) => {
    const customer = { name: `kept ${world.planted.control()}`, email: "customer@planted.example" };
    return textMember((await must(201, shop.post("/api/merchant/subscriptions", { planId: id, customer }))).body, "data", "id");
  };
  const [subscriptionId, pausedId, resumedId] = [
    await subscription(planId),
    await subscription(trialPlanId),
    await subscription(trialPlanId),
  ];
  const cancelledSubscriptionId = await subscription(planId);
  await must(200, shop.post(`/api/merchant/subscriptions/${resumedId}/pause`));
  const agent = { name: `kept ${world.planted.control()}`, scopes: ["links:read"] };
  const credential = await must(201, shop.post("/api/merchant/agent-credentials", agent));
  const exported = await must(201, shop.post("/api/merchant/exports", { list: "payment-links", format: "CSV" }));
  const portalCookie = await signedInOwner(world, ofPartner, callingId);
  const adminCookie = await signedInAdministrator(world, names.next("planted-administrator-"));
  return {
    portalCookie,
    adminCookie,
    agentToken: textMember(planter.body, "data", "token"),
    paymentLinkId,
    cancelledLinkId,
    ...{ disputeId, alertId, fedDisputeId, fedAlertId },
    ...{ planId, changedPlanId: trialPlanId, removedPlanId },
    ...{ subscriptionId, pausedSubscriptionId: pausedId, resumedSubscriptionId: resumedId, cancelledSubscriptionId },
    agentCredentialId: textMember(credential.body, "data", "credential", "id"),
    exportId: textMember(exported.body, "data", "id"),
    portalMerchantId: callingId,
    partnerId: String(member(changed.body, "data", "id")),
    partnerLogin: basic(username, textMember(partner.body, "generatedPassword")),
    administratorName,
    administratorLogin: basic(ownName, textMember(own.body, "generatedPassword")),
    bearer,
    versionId,
    changedVersionId: String(member(second.body, "data", "id")),
    deploymentId: String(member(deployment.body, "data", "id")),
    merchantId,
    webhookId: textMember(webhook.body, "webhook", "webhookId"),
    merchantKey,
    intentId: textMember(intent.body, "id"),
    merchantWebhookId: textMember(ownWebhook.body, "id"),
    webhookKey,
    portalWebhookId: textMember(portalWebhook.body, "data", "endpoint", "id"),
    txId: textMember(link.body, "txId"),
    commandUuid,
  };
}

/** Invites the first owner of a merchant, who enrols an authenticator app; answers with the cookie of its session. */
async function signedInOwner(world: PlantWorld, partner: HttpClient, merchantId: string): Promise<string> {
  const administrator = world.caller(CREDENTIALS.administrator);
  await must(201, partner.post(`/partner/api/v1/merchants/${merchantId}/portal-users`, { email: "owner@planted.example" }));
  const [mail] = listOf(member((await must(200, administrator.get("/admin/mails"))).body, "data"));
  const { body } = await must(200, administrator.get(`/admin/mails/${textMember(mail, "id")}`));
  const token = /\/portal\/invitation\/(\S+)/.exec(textMember(body, "data", "text"))?.[1] ?? "";
  let cookie = "";
  const send = async (path: string, sent: unknown): Promise<Answer> => {
    const answer = await must(200, world.caller({ ...OWN_PAGE, cookie }).post(`/api/merchant${path}`, sent));
    cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? cookie;
    return answer;
  };
  await send(`/invitations/${token}/accept`, { password: "heron under a violet lamp" });
  const begun = await send("/me/totp", {});
  await send("/me/totp/confirm", { code: new TOTP({ secret: textMember(begun.body, "data", "secret") }).generate() });
  return cookie;
}

/** A new administrator, who enrols an authenticator app; answers with the cookie of its session. */
async function signedInAdministrator(world: PlantWorld, username: string): Promise<string> {
  const password = "heron under a violet lamp";
  await must(201, world.caller(CREDENTIALS.administrator).post("/admin/administrators", { username, password, role: "owner" }));
  let cookie = "";
  const send = async (path: string, sent: unknown): Promise<Answer> => {
    const answer = await must(200, world.caller({ ...OWN_PAGE, cookie }).post(`/admin${path}`, sent));
    cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? cookie;
    return answer;
  };
  await send("/session", { username, password });
  const begun = await send("/factors/totp", {});
  await send("/factors/totp/confirm", { code: new TOTP({ secret: textMember(begun.body, "data", "secret") }).generate() });
  return cookie;
}

/** How long after its receipt a dispute or an alert may be answered, ms. */
export const RESPOND_MS = 100 * 86_400_000;

/** What a network says, of a payment that is not known. */
export function feedDispute(names: Names): object {
  const facts = { merchantId: SANDBOX_MERCHANT.merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
  const respondBy = new Date(Date.now() + RESPOND_MS).toISOString();
  return { ...facts, network: "VISA", networkCaseId: names.next("case-"), stage: "CHARGEBACK", reasonCode: "10.4", respondBy };
}

export function feedAlert(names: Names): object {
  const facts = { merchantId: SANDBOX_MERCHANT.merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
  return { ...facts, source: "ETHOCA", networkRef: names.next("alert-"), respondBy: new Date(Date.now() + RESPOND_MS).toISOString() };
}
