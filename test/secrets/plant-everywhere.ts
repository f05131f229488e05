import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { TSchema } from "@sinclair/typebox";
import { TOTP } from "otpauth";
import { AGENT_REQUESTS_PER_SECOND } from "../../http/auth/agent-rate.ts";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { type Surfaces, surfacesOf } from "../../infra/node/wiring/endpoints.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../infra/sandbox/gateway/options.ts";
import { AdapterClient } from "../support/adapter-client.ts";
import { type Answer, CREDENTIALS, type HttpClient, type HttpRequest } from "../support/http-client.ts";
import { listOf, member, textMember } from "../support/matches.ts";
import { basic } from "../support/node.ts";
import { connectStomp } from "../support/stomp-terminal.ts";
import { type Planted, type TextPlace, textPlaces, withText } from "./planted.ts";

type AnyEndpoint = Surfaces[keyof Surfaces][number];

/** A relay to put card numbers into. */
export interface PlantWorld {
  url: string;
  planted: Planted;
  /** A caller with these headers, at an address of its own. */
  caller(headers: { [name: string]: string }): HttpClient;
  /** The latest part of the log. */
  log(): string;
}

export interface PlantOutcome {
  /** Every answer and frame that is nobody's own text, by who gave it. */
  answers: { about: string; text: string }[];
  /** Endpoints that took at least one number, with a 2xx. */
  taken: Set<string>;
  /** Endpoints with a body that takes a text. */
  takesText: Set<string>;
}

/** What is owed as it came: a payment's echo, what the terminal gets, and the question that was asked. */
const VERBATIM = new Set(["sendPayment", "sendPaymentByBody", "sendPaymentLegacy", "takeCommand", "testSubscriptionRule"]);
/** Endpoints that take a text and are not made to succeed here: what they would act on is a paid link, a package, or a deployment in another state. */
const NOT_TAKEN = [
  "finalizePayment",
  "cancelPayment",
  "refundPayment",
  "adapterCapture",
  "adapterReversal",
  "adapterRefund",
  "pauseDeployment",
  "resumeDeployment",
  "rollBackDeployment",
  "compatConfirmPaymentIntent",
  "compatCapturePaymentIntent",
  "compatCreateRefund",
  "compatUpdateRefund",
  "compatUpdateCharge",
  "compatRetryEvent",
  "refundMerchantTransaction",
  // Passwords, codes and answers of authenticators: what is planted is a wrong one.
  "portalSignIn",
  "portalSecondFactor",
  "portalPasskeySignIn",
  "portalStepUp",
  "changeOwnPortalPassword",
  "confirmPortalTotp",
  "addPortalPasskey",
  "adminSignIn",
  "adminSecondFactor",
  "adminPasskeySignIn",
  "adminStepUp",
  "confirmAdminTotp",
  "addAdminPasskey",
  "portalAcceptInvitation",
  "portalResetPassword",
  // Of a person who is not there.
  "resetPortalFactors",
];
/** What the portal's own page sends with every request. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
/** After some wrong codes they end the session. */
const STEP_UPS = new Set(["portalStepUp", "adminStepUp"]);
/** What they send waits for its terminal. */
const COMMANDS = new Set(["sendPayment", "sendPaymentByBody", "sendPaymentLegacy", "sendScan", "sendPrint", "sendAdministratorCommand"]);
/** Called as the terminal, by the fleet's login. */
const OF_TERMINALS = new Set(["takeCommand", "terminalSettings", "recordResult", "disconnect", "createTerminalLink"]);
const CHANGES_VERSION = new Set(["changeAppVersion", "switchAppVersion", "deleteAppVersion"]);
const LONG_TEXT_CHARS = 1_024;
const HEADERS = [
  "user-agent",
  "referer",
  "x-request-id",
  "idempotency-key",
  "origin",
  "x-forwarded-for",
  "accept-language",
  "content-type",
];

/** Who stands behind the parameters and logins. */
interface Ids {
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

/** Sends numbers into every endpoint that is declared and over STOMP, ends the commands that came of it, and reads what can be read. */
export async function plantEverywhere(world: PlantWorld): Promise<PlantOutcome> {
  const outcome: PlantOutcome = { answers: [], taken: new Set(), takesText: new Set() };
  const names = namesOf();
  const ids = await prepare(world, names);
  const endpoints: readonly AnyEndpoint[] = Object.values(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1_000_000 })).flat();
  const planter = createPlanter(world, outcome, names, ids);
  // What removes things comes last.
  const plant = async (endpoint: AnyEndpoint): Promise<void> => {
    await planter.plant(endpoint);
    await planter.endCommands();
    outcome.answers.push({ about: "the log", text: world.log() });
  };
  // After some wrong codes the person's session ends, and with new keys those that others are called with.
  const endings = ["portalReplaceKeys", ...STEP_UPS];
  const ending = endings.flatMap((wanted) => endpoints.filter(({ name }) => name === wanted));
  const others = endpoints.filter(({ name }) => !endings.includes(name));
  for (const endpoint of [...others, ...ending].filter(({ method }) => method !== "DELETE")) await plant(endpoint);
  await plantOverStomp(world, outcome, names);
  await readEverything(world, outcome, endpoints, planter.touched());
  for (const endpoint of endpoints.filter(({ method }) => method === "DELETE")) await plant(endpoint);
  return outcome;
}

/** Asserts that nobody was told one, and that every endpoint which takes a text took some. */
export function assertNotAnswered(planted: Planted, { answers, taken, takesText }: PlantOutcome): void {
  const found = answers.flatMap(({ about, text }) => planted.foundIn(text).map((where) => `${where}, in ${about}`));
  assert.deepEqual([...new Set(found)].sort(), []);
  assert.deepEqual([...takesText].filter((name) => !taken.has(name)).sort(), NOT_TAKEN.toSorted());
}

export function assertNotIn(planted: Planted, place: string, bytes: Buffer | string): void {
  assert.deepEqual(planted.foundIn(bytes), [], `found in ${place}`);
}

function namesOf() {
  let count = 0;
  const next = (prefix: string): string => {
    count += 1;
    return `${prefix}${count}`;
  };
  return {
    next,
    number: () => {
      count += 1;
      return count;
    },
    terminal: () => next("TP"),
  };
}

type Names = ReturnType<typeof namesOf>;

async function must(status: number, answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  if (found.status !== status) throw new Error(`${status} was expected, not ${found.status}: ${found.text}`);
  return found;
}

async function prepare(world: PlantWorld, names: Names): Promise<Ids> {
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

function createPlanter(world: PlantWorld, outcome: PlantOutcome, names: Names, ids: Ids) {
  const { planted } = world;
  const touched = new Set<string>();
  const waiting: string[] = [];

  async function send(
    endpoint: AnyEndpoint,
    request: { path: string; body?: unknown; headers?: { [name: string]: string } },
  ): Promise<void> {
    const { path, body, headers = {} } = request;
    const about = `${endpoint.method} ${endpoint.path}`;
    let answer: Answer;
    if (endpoint.auth === "signature") {
      const client = new AdapterClient(() => world.url);
      answer = endpoint.method === "GET" ? await client.get(path) : await client.post(path, body ?? {});
    } else {
      // Its limit is by the machine's own clock.
      if (endpoint.auth === "agent") await delay(1_000 / AGENT_REQUESTS_PER_SECOND + 5);
      const own: HttpRequest = { method: endpoint.method, headers, ...(body === undefined ? {} : { body }) };
      answer = await world.caller(headersFor(endpoint, ids)).send(path, own);
    }
    if (answer.status < 300) {
      outcome.taken.add(endpoint.name);
      const [terminalId] = /\bTP\d+\b/.exec(`${path} ${JSON.stringify(body)}`) ?? [];
      if (terminalId !== undefined && endpoint.method === "POST") touched.add(terminalId);
      if (terminalId !== undefined && COMMANDS.has(endpoint.name)) waiting.push(terminalId);
    }
    if (answer.status === 500) throw new Error(`${about} answered ${answer.status}: ${answer.text}`);
    if (!(VERBATIM.has(endpoint.name) && answer.status === 200)) outcome.answers.push({ about, text: answer.text });
    outcome.answers.push({ about: `headers of ${about}`, text: JSON.stringify(answer.headers) });
  }

  function pathOf(endpoint: AnyEndpoint, planting?: { name: string; text: string }, query?: { [name: string]: string }): string {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(planting?.name === name ? planting.text : paramOf(endpoint, name, names, ids)),
    );
    return query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
  }

  /** One that can be sent in a header. */
  function headerText(about: string): string {
    for (;;) {
      const text = planted.text(about);
      if (/^[ -~]*$/.test(text)) return text;
    }
  }

  async function plant(endpoint: AnyEndpoint): Promise<void> {
    const about = `${endpoint.method} ${endpoint.path}`;
    const { body: schema } = endpoint;
    const query = requiredQuery(endpoint, names);
    if (schema !== undefined) {
      for (const { path: place, lengthMax } of [...textPlaces(schema), ...(FREE_FORM_PLACES[endpoint.name] ?? [])]) {
        if (IDENTIFIERS.has(String(place.at(-1)))) continue;
        outcome.takesText.add(endpoint.name);
        const where = `${about} ${place.join(".")}`;
        const texts = [planted.text(where, lengthMax), planted.text(where, lengthMax)];
        if ((lengthMax ?? LONG_TEXT_CHARS) >= LONG_TEXT_CHARS) texts.push(planted.longText(where));
        for (const text of texts) {
          await send(endpoint, { path: pathOf(endpoint, undefined, query), body: withText(bodyOf(endpoint, names, ids), place, text) });
        }
      }
      const control = withText(bodyOf(endpoint, names, ids), ["message"], `kept ${planted.control()}`);
      await send(endpoint, { path: pathOf(endpoint, undefined, query), body: control });
      for (const [type, text] of [
        ["application/json", `{"note":"${planted.text(`${about} broken JSON`)}", `],
        ["text/plain", planted.longText(`${about} as text`)],
        [
          "application/x-www-form-urlencoded",
          `note[${planted.text(`${about} name in a form`)}]=${encodeURIComponent(planted.text(`${about} in a form`))}`,
        ],
      ] as const) {
        if (endpoint.auth === "signature") continue;
        await send(endpoint, { path: pathOf(endpoint, undefined, query), body: text, headers: { "content-type": type } });
      }
    }
    for (const [, name = ""] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
      await send(endpoint, { path: pathOf(endpoint, { name, text: planted.text(`${about} {${name}}`) }), ...bodyIfAny(endpoint) });
    }
    for (const name of [...Object.keys(endpoint.query?.["properties"] ?? {}), "unknown"]) {
      if (IDENTIFIERS.has(name)) continue;
      await send(endpoint, {
        path: pathOf(endpoint, undefined, { ...query, [name]: planted.text(`${about}?${name}`) }),
        ...bodyIfAny(endpoint),
      });
    }
    if (endpoint.auth === "signature") return;
    for (const name of [...Object.keys(endpoint.headers?.["properties"] ?? {}), ...HEADERS]) {
      await send(endpoint, {
        path: pathOf(endpoint, undefined, query),
        ...bodyIfAny(endpoint),
        headers: { [name]: headerText(`${about} header ${name}`) },
      });
    }
  }

  function bodyIfAny(endpoint: AnyEndpoint): { body?: unknown } {
    return endpoint.body === undefined ? {} : { body: bodyOf(endpoint, names, ids) };
  }

  /** Takes what waits and answers it, with numbers in the answers. */
  async function endCommands(): Promise<void> {
    for (const terminalId of waiting.splice(0)) {
      const fleet = world.caller(CREDENTIALS.fleet);
      const taken = await fleet.take(terminalId);
      if (taken.status !== 200) continue;
      const result = {
        uuid: textMember(taken.body, "uuid"),
        result: "OK",
        message: planted.text("a result's message"),
        receipt: { text: planted.longText("a result's receipt"), [planted.text("a name in a receipt")]: 1 },
        card: { pan: planted.text("a result's pan") },
        scannedValue: planted.text("a scanned value"),
        authCode: `kept ${planted.control()}`,
      };
      await must(200, fleet.receipt(terminalId, result));
      // The same again is the same; another is a conflict.
      await fleet.receipt(terminalId, { ...result, message: planted.text("a conflict's message") });
    }
  }

  return { plant, endCommands, touched: (): ReadonlySet<string> => touched };
}

/** Names of things, by which they are found again: they stay as they are (infra/docs/results.md). Their own endpoints refuse most texts in them. */
const IDENTIFIERS = new Set([
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
function bodyOf(endpoint: AnyEndpoint, names: Names, ids: Ids): unknown {
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

const RESPOND_MS = 100 * 86_400_000;

/** What a network says, of a payment that is not known. */
function feedDispute(names: Names): object {
  const facts = { merchantId: SANDBOX_MERCHANT.merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
  const respondBy = new Date(Date.now() + RESPOND_MS).toISOString();
  return { ...facts, network: "VISA", networkCaseId: names.next("case-"), stage: "CHARGEBACK", reasonCode: "10.4", respondBy };
}

function feedAlert(names: Names): object {
  const facts = { merchantId: SANDBOX_MERCHANT.merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
  return { ...facts, source: "ETHOCA", networkRef: names.next("alert-"), respondBy: new Date(Date.now() + RESPOND_MS).toISOString() };
}

/** Where free-form bodies have texts. */
const FREE_FORM_PLACES: { readonly [name: string]: readonly TextPlace[] } = {
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

function headersFor(endpoint: AnyEndpoint, ids: Ids): { [name: string]: string } {
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

function paramOf(endpoint: AnyEndpoint, name: string, names: Names, ids: Ids): string {
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

function requiredQuery(endpoint: AnyEndpoint, names: Names): { [name: string]: string } | undefined {
  const schema: TSchema | undefined = endpoint.query;
  const required: unknown = schema?.["required"];
  if (!Array.isArray(required) || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [String(name), name === "terminalId" ? names.terminal() : names.next("1")]));
}

async function plantOverStomp(world: PlantWorld, outcome: PlantOutcome, names: Names): Promise<void> {
  const { planted } = world;
  const terminalId = names.terminal();
  const administrator = world.caller(CREDENTIALS.administrator);
  const password = textMember((await must(200, administrator.get(`/admin/terminals/${terminalId}/credentials`))).body, "data", "password");
  const header = (about: string): string => planted.text(about).replaceAll(/[\n\t]/g, " ");
  const connectHeaders = Object.fromEntries(
    ["app-version", "device-model", "terminal-family", "device-serial", "android-version", "manufacturer", "device-fingerprint", "own"].map(
      (name) => [name, header(`CONNECT ${name}`)],
    ),
  );
  const connect = async () => {
    const terminal = await connectStomp(world.url, { login: terminalId, passcode: password, connectHeaders });
    outcome.answers.push({ about: "CONNECTED", text: JSON.stringify(terminal.connected.headers) });
    return terminal;
  };
  const terminal = await connect();
  const commands = await terminal.subscribe(terminalId, { own: header("SUBSCRIBE") });
  await must(
    200,
    world.caller(CREDENTIALS.partner).pay(terminalId, { uuid: names.next("planted-"), description: planted.text("a pushed payment") }),
  );
  const { command } = await commands.next();
  for (const body of [
    { uuid: command["uuid"], result: "OK", message: planted.longText("a result over STOMP"), pan: planted.text("a pan over STOMP") },
    { uuid: command["uuid"], result: "KO", message: planted.text("a conflict over STOMP") },
    { uuid: names.next("planted-"), result: "OK", message: planted.text("an unasked result over STOMP") },
  ]) {
    const answer = await terminal.result(terminalId, body);
    outcome.answers.push({ about: "RECEIPT", text: JSON.stringify(answer.headers) + answer.body });
  }
  await terminal.client.deactivate({ force: true });
  // What is refused ends its session.
  for (const { destination, body } of [
    {
      destination: `/app/terminal/${terminalId}/receipt`,
      body: `{"result":"?","message":"${planted.text("an unreadable result over STOMP")}"}`,
    },
    { destination: `/app/terminal/${terminalId}/receipt`, body: planted.longText("text over STOMP") },
    { destination: `/app/${header("a destination")}`, body: planted.text("a lost message over STOMP") },
  ]) {
    const refused = await connect();
    refused.client.publish({ destination, body });
    const error = await refused.errors.next();
    outcome.answers.push({ about: "ERROR", text: JSON.stringify(error.headers) + error.body });
    await refused.client.deactivate({ force: true });
  }
}

async function readEverything(
  world: PlantWorld,
  outcome: PlantOutcome,
  endpoints: readonly AnyEndpoint[],
  terminalIds: Iterable<string>,
): Promise<void> {
  const read = async (caller: HttpClient, path: string): Promise<void> => {
    const answer = await caller.get(path);
    outcome.answers.push({ about: `reading ${path}`, text: answer.text });
  };
  const readable = endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  for (const credentials of [CREDENTIALS.administrator, CREDENTIALS.partnerByPassword, CREDENTIALS.partner]) {
    for (const { path } of readable) await read(world.caller(credentials), path);
  }
  for (const list of ["attention", "audit", "terminals", "cloud-configs", "api/partners"]) {
    await read(world.caller(CREDENTIALS.administrator), `/admin/${list}?limit=500`);
  }
  for (const terminalId of terminalIds) {
    for (const path of ["status", "connection", "settings", "logs"]) {
      const caller = world.caller(path === "settings" ? CREDENTIALS.fleet : CREDENTIALS.partnerByPassword);
      outcome.answers.push({ about: `reading ${path}`, text: (await caller.get(`/api/v1/${terminalId}/${path}`)).text });
    }
    outcome.answers.push({
      about: "reading a terminal",
      text: (await world.caller(CREDENTIALS.administrator).get(`/admin/terminals/${terminalId}`)).text,
    });
  }
}
