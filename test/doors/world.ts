import assert from "node:assert/strict";
import { join } from "node:path";
import type { AdministratorRole } from "../../engine/access/administrator-role.ts";
import { MACHINE_RIGHTS } from "../../engine/access/machine-token.ts";
import { STEP_UP_MS } from "../../engine/accounts/session.ts";
import { WEBHOOK_OUTBOX } from "../../engine/webhooks/webhook-event-store.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { readConfig } from "../../infra/node/boot/config.ts";
import { surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../infra/sandbox/gateway/options.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import type { Answer, HttpClient, HttpRequest } from "../support/http/http-client.ts";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { basic } from "../support/node/node.ts";
import { type OnlineTerminal, Relay } from "../support/node/relay.ts";
import { AdminPerson } from "../support/people/admin-person.ts";
import { ALL_SERVICES } from "../support/people/new-partner-api.ts";
import { formOf, MULTIPART, packageBytes, upload } from "../support/people/package-upload.ts";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { type Headers, type Keys, type MerchantKeys, ORIGIN, type PartnerKeys } from "./callers.ts";
import { RESPOND_MS, requestOf, type Things, type ValidRequest } from "./requests.ts";
import type { AnyEndpoint } from "./rules.ts";

type Verb = NonNullable<HttpRequest["method"]>;

export const SERVICE_PREFIX = "till";

const SECRETS = {
  administrator: { username: "head-office", password: "an-administrator-password-of-this-test" },
  fleet: { username: "all-terminals", password: "a-fleet-password-of-this-test" },
  terminal: "a-terminal-secret-of-this-test",
};

export type Mode = "sandbox" | "production";

/** Credentials are the same in both, and none is one that the sandbox has by itself. */
const ENVIRONMENT = {
  // Nothing listens there: what is stored on the way to ClickHouse stays where it is seen.
  RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1",
  // It says at every start that there is no ClickHouse.
  RELAY_LOG_LEVEL: "fatal",
  RELAY_SERVICE_PREFIX: SERVICE_PREFIX,
  RELAY_ADMIN_USERNAME: SECRETS.administrator.username,
  RELAY_ADMIN_PASSWORD: SECRETS.administrator.password,
  RELAY_TERMINAL_USERNAME: SECRETS.fleet.username,
  RELAY_TERMINAL_PASSWORD: SECRETS.fleet.password,
  RELAY_TERMINAL_SECRET: SECRETS.terminal,
};

const MODES: Readonly<Record<Mode, { readonly [name: string]: string }>> = {
  sandbox: ENVIRONMENT,
  production: {
    ...ENVIRONMENT,
    RELAY_MODE: "production",
    RELAY_HOST: "127.0.0.1",
    RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
  },
};

/** What changes without a request, and when an agent's token was used last, be it by a page that is refused. */
const WORKED_OFF = [WEBHOOK_OUTBOX, "mail/", "due/mail/", "agent-use/"];

/** Ids of things that are not there, in the form of those that are. */
const ABSENT = {
  terminalId: "DOOR-NOBODY",
  uuid: "00000000-0000-4000-8000-000000000000",
  txId: "00000000-0000-4000-8000-000000000001",
  tranId: "1000000000000000001",
  merchantId: "door-no-shop",
  userId: "usr_0000000000000000000000",
  webhookId: "we_000000000000000000000000",
  intentId: "pi_000000000000000000000000",
  chargeId: "ch_000000000000000000000000",
  refundId: "re_000000000000000000000000",
  merchantWebhookId: "we_000000000000000000000001",
  eventId: "evt_000000000000000000000000",
  linkUuid: "pi_000000000000000000000000.1",
  paymentLinkId: "pl_000000000000000000000000",
  disputeId: "dp_000000000000000000000000",
  evidenceId: "dpf_000000000000000000000000",
  alertId: "al_000000000000000000000000",
  planId: "plan_000000000000000000000000",
  subscriptionId: "sub_000000000000000000000000",
  agentCredentialId: "ac_000000000000000000000000",
  exportId: "exp_000000000000000000000000",
};

/** A node with one of everything, and the credentials of everyone. */
export class DoorWorld {
  readonly endpoints: readonly AnyEndpoint[];
  readonly #relay: Relay;
  readonly #gateway: TestGateway;
  readonly #clients = new Map<string, HttpClient>();
  #keys: Keys | null = null;
  #things: Things | null = null;
  #head: AdminPerson | null = null;

  private constructor(relay: Relay, gateway: TestGateway, environment: { readonly [name: string]: string }) {
    this.#relay = relay;
    this.#gateway = gateway;
    this.endpoints = Object.values(surfacesOf(readConfig(environment))).flat();
  }

  /** `own`: RELAY_ names in the place of the usual ones; an empty one is not set. */
  static async start(mode: Mode, own: { readonly [name: string]: string } = {}): Promise<DoorWorld> {
    const gateway = await TestGateway.start();
    const named = { ...MODES[mode], RELAY_GATEWAY_URL: gateway.url, ...own };
    const environment = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== ""));
    const relay = new Relay({ shards: 1, environment });
    const world = new DoorWorld(relay, gateway, environment);
    try {
      await relay.start();
      await world.#furnish();
      return world;
    } catch (error) {
      // A node that is left keeps the test's process alive.
      await world.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#relay.leaveAll();
    await this.#relay.stop();
    await this.#gateway.stop();
  }

  get keys(): Keys {
    assert.ok(this.#keys, "the world is not furnished");
    return this.#keys;
  }

  get things(): Things {
    assert.ok(this.#things, "the world is not furnished");
    return this.#things;
  }

  get host(): string {
    return new URL(this.#relay.node.url).host;
  }

  /** A valid request, about what is there or about what is not. */
  request(endpoint: AnyEndpoint, about: "there" | "absent" = "there"): ValidRequest {
    return requestOf(endpoint, about === "there" ? this.things : { ...this.things, ...ABSENT });
  }

  /** Moves the node's clock on, so that no limit of requests in a second counts what was asked before. */
  nextSecond(): void {
    this.#relay.advance(1_001);
  }

  /** From an address of its own, since limits and failed logins are counted by address; `from` is whose address it is otherwise. */
  send(request: Omit<ValidRequest, "method"> & { method: Verb }, headers: Headers, from?: string): Promise<Answer> {
    const { method, path, body, contentType } = request;
    const type = body === undefined ? {} : { "content-type": contentType };
    return this.#client(from).send(path, { method, body, headers: { ...type, ...headers } });
  }

  #client(from: string | undefined): HttpClient {
    const known = from === undefined ? undefined : this.#clients.get(from);
    const client = known ?? this.#relay.client({});
    if (from !== undefined) this.#clients.set(from, client);
    return client;
  }

  ask(headers: Headers, method: Verb, path: string, body?: unknown, from?: string): Promise<Answer> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return this.send({ method, path, body: bytes, contentType: "application/json" }, headers, from);
  }

  /** The text with the names of what was asked for taken out, so that two answers can be compared. */
  withoutNames(text: string): string {
    const names = [...Object.values(ABSENT), ...Object.values(this.things)].filter((name) => typeof name === "string");
    return names.reduce((rest, name) => rest.replaceAll(name, "..."), text);
  }

  /** What no refused caller may be told, unless it said it itself. */
  confidential(): string[] {
    const { partner, stranger, viewer, disabled, deleted, bound, administrator, operator, readOnly, machine, readingMachine, fleet } =
      this.keys;
    const { merchantKeys, replacedMerchantKeys, otherMerchantKeys, agents, portal, admin } = this.keys;
    const { uuid, txId, tranId, merchantId, intentId, chargeId, refundId, eventId, linkUuid, paymentLinkId } = this.things;
    const { disputeId, evidenceId, alertId } = this.things;
    const { planId, subscriptionId, agentCredentialId, exportId } = this.things;
    return [
      ...[partner, stranger, viewer, disabled, deleted, bound, merchantKeys, replacedMerchantKeys, otherMerchantKeys].flatMap((keys) =>
        Object.values(keys),
      ),
      ...[
        operator.password,
        readOnly.password,
        machine.password,
        readingMachine.password,
        ...Object.values(agents),
        ...Object.values(portal),
        ...Object.values(admin),
      ],
      ...[administrator.username, administrator.password, fleet.username, fleet.password, SECRETS.terminal],
      ...[uuid, txId, tranId, merchantId, intentId, chargeId, refundId, eventId, linkUuid, paymentLinkId],
      ...[disputeId, evidenceId, alertId, planId, subscriptionId, agentCredentialId, exportId],
    ];
  }

  /**
   * Everything that is stored: stops the node, reads its store, and starts it again. Without what the node works off by itself at any time: the outbox of
   * events, beside which every event stands, and attempts at mails, each of which has its place in a list.
   */
  async stored(): Promise<Map<string, string>> {
    const stored = new Map<string, string>();
    await this.#relay.restart(async (directory) => {
      const kv = await openEmbeddedKv({ directory: join(directory, "state"), nowMs: Date.now });
      const limit = 10_000;
      const entries = await kv.scan({ from: "", to: "\u007f", limit });
      assert.ok(entries.length < limit, "the store is larger than what is read of it");
      for (const { key, value } of entries) if (!WORKED_OFF.some((prefix) => key.startsWith(prefix))) stored.set(key, value);
      await kv.close();
    });
    return stored;
  }

  get url(): string {
    return this.#relay.node.url;
  }

  /** For what a test needs beside the usual things. */
  get relay(): Relay {
    return this.#relay;
  }

  /** A terminal of its own that is connected, and its commands. */
  async online(terminalId: string): Promise<OnlineTerminal> {
    const session = await this.#relay.connect({ login: terminalId, passcode: terminalPassword(SECRETS.terminal, terminalId) });
    return { ...session, commands: await session.subscribe(terminalId) };
  }

  async #furnish(): Promise<void> {
    const keys = await this.#makePartners();
    const administrator = { authorization: basic(keys.administrator.username, keys.administrator.password) };
    const terminal = { authorization: basic(keys.terminalId, keys.terminalPassword(keys.terminalId)) };
    const partner = { "api-key": keys.partner.apiKey };
    const { terminalId } = keys;
    const groupName = "door-group";
    const group = { name: groupName, terminalIds: [terminalId], managerTerminalIds: [keys.managerId] };
    await this.#make(administrator, "POST", "/admin/terminal-groups", group);
    await this.#make(administrator, "POST", `/admin/terminals/${keys.deniedTerminalId}/deny`);

    const uuid = "d00d0000-0000-4000-8000-000000000001";
    await this.#make(partner, "POST", `/api/v1/${terminalId}/pay`, { uuid, amount: 10, service: "PAYCC" });
    await this.#make(terminal, "GET", `/api/v1/${terminalId}/get`);
    await this.#make(terminal, "POST", `/api/v1/${terminalId}/receipt`, { uuid, result: "OK", amount: 10 });
    await this.#make(terminal, "POST", `/api/v1/${terminalId}/logs`, { text: "a log" });

    const link = await this.#make(partner, "POST", "/api/v1/paybylink", { amount: 12.34, reason: "Order 7" });
    const txId = textMember(link, "txId");
    await this.#gateway.act(txId, "pay");
    assert.equal((await this.ask(partner, "POST", `/api/v1/payment/verify/${txId}`)).text, "SUCCESS");
    const paid = await this.#make(partner, "GET", `/api/v1/payment/status/${txId}`);

    const merchantId = "door-shop";
    const replacedMerchantKeys = await this.#makeMerchant(keys.partner, merchantId);
    await this.#make(administrator, "POST", "/admin/cloud-configs", { terminalId, merchantId, settings: { idleText: "Hello" } });
    const bearer = { authorization: `Bearer ${keys.partner.partnerApiKey}` };
    const merchantKeys = merchantKeysIn(await this.#make(bearer, "POST", `/partner/api/v1/merchants/${merchantId}/keys`));
    const otherMerchantKeys = await this.#makeMerchant(keys.stranger, "door-other-shop");

    const webhook = await this.#make(bearer, "POST", "/partner/api/v1/webhooks", {
      url: "https://door.example/hooks",
      events: ["*"],
      environment: "LIVE",
    });

    const version = await this.#make(administrator, "POST", "/admin/app-versions", { versionCode: 7, versionName: "7" });
    const versionId = Number(member(version, "data", "id"));
    const uploaded = await upload(this.#relay.client(administrator), versionId, packageBytes(1_000));
    assert.equal(uploaded.status, 200, uploaded.text);
    const listed = await this.#make(administrator, "GET", "/admin/app-versions");
    const packageName = /app\/download\/([^"?]+)/.exec(JSON.stringify(listed))?.[1];
    assert.ok(packageName, "the package has no address");
    const deployment = await this.#make(administrator, "POST", `/admin/app-versions/${versionId}/deploy-terminal`, {
      // Not the one that requests are about: their deployment would replace this one.
      terminalId: keys.otherTerminalId,
    });

    // More calls than a merchant usually makes in a minute.
    for (const id of [merchantId, "door-other-shop"]) {
      await this.#make(administrator, "PATCH", `/admin/api/merchants/${id}`, { compatRequestsPerMinute: 10_000 });
    }
    const agents = await this.#makeAgents({ authorization: `Bearer ${merchantKeys.secretKey}` });
    const ofMerchant = await this.#makePayments({ authorization: `Bearer ${merchantKeys.secretKey}` });

    const ofDisputes = await this.#makeDisputes(administrator, { authorization: `Bearer ${merchantKeys.secretKey}` }, merchantId);

    // The second factor of the first is no longer fresh when the others sign in.
    const readOnly = await this.#makeAdminPerson(administrator, "read-only");
    const { userId, portal } = await this.#makePeople(administrator, merchantId);
    const owner = await this.#makeAdminPerson(administrator, "owner");
    const unfinished = new AdminPerson(this.#relay, owner);
    assert.equal((await unfinished.begin()).status, 200);
    const admin = { owner: owner.token, readOnly: readOnly.token, ownerWithoutFactor: unfinished.token };
    this.#keys = { ...keys, merchantKeys, replacedMerchantKeys, otherMerchantKeys, agents, portal, admin };
    this.#things = {
      terminalId,
      uuid,
      txId,
      tranId: textMember(paid, "tranId"),
      merchantId,
      userId,
      webhookId: textMember(webhook, "webhook", "webhookId"),
      ...ofMerchant,
      ...ofDisputes,
      merId: keys.partner.merId,
      orderId: "door-order",
      partnerId: await this.#subject(administrator),
      machineName: (await this.#makeMachine(administrator, "subject", ["read"])).username,
      administratorName: (await this.#makeAdministrator(administrator, "operator", "subject")).username,
      versionId,
      deploymentId: Number(member(deployment, "data", "id")),
      packageName,
      groupName,
    };
  }

  /** Throws for a refusal: the right caller prepares. */
  async #make(headers: Headers, method: Verb, path: string, body?: unknown): Promise<unknown> {
    // From the addresses that it will call from, so that guesses of others from elsewhere do not hold it back.
    const from = headers["authorization"]?.startsWith("Basic") === true ? "the administrator" : undefined;
    const answer = await this.#answered(headers, method, path, body, from);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Where a password alone is not enough, the owner of the configuration asks with a session. */
  async #answered(...asked: [headers: Headers, method: Verb, path: string, body: unknown, from: string | undefined]): Promise<Answer> {
    const answer = await this.ask(...asked);
    const [, method, path, body] = asked;
    return /second_factor_required/.test(answer.text) ? this.#askAsHead(method, path, body) : answer;
  }

  /** By a session of the owner of the configuration, with a fresh second factor. */
  async #askAsHead(method: Verb, path: string, body?: unknown): Promise<Answer> {
    const head = this.#head ?? new AdminPerson(this.#relay, SECRETS.administrator);
    if (this.#head === null) {
      assert.equal((await head.begin()).status, 200);
      await head.enrol();
      this.#head = head;
    }
    const send = () => head.send(method, path.slice("/admin".length), body);
    const answer = await send();
    if (!/step_up_required/.test(answer.text)) return answer;
    assert.equal((await head.send("POST", "/session/step-up", { code: head.code() })).status, 200);
    return send();
  }

  /** A merchant that may take card payments. */
  async #makeMerchant(partner: PartnerKeys, merchantId: string): Promise<MerchantKeys> {
    const bearer = { authorization: `Bearer ${partner.partnerApiKey}` };
    const merchant = await this.#make(bearer, "POST", "/partner/api/v1/merchants", { merchantId });
    await this.#make(bearer, "POST", `/partner/api/v1/merchants/${merchantId}/services/IGFS/enable`);
    return merchantKeysIn(merchant);
  }

  /** AI agents of the merchant, of which one is revoked. */
  async #makeAgents(shop: Headers): Promise<Keys["agents"]> {
    const make = async (name: string, ipAllow: string[] = []) => {
      const order = { name, scopes: ["links:read"], ipAllow };
      const made = await this.#make(shop, "POST", "/api/merchant/agent-credentials", order);
      return { id: textMember(made, "data", "credential", "id"), token: textMember(made, "data", "token") };
    };
    const [own, revoked, elsewhere] = [await make("own"), await make("revoked"), await make("elsewhere", ["192.0.2.1"])];
    await this.#make(shop, "DELETE", `/api/merchant/agent-credentials/${revoked.id}`);
    return { own: own.token, revoked: revoked.token, elsewhere: elsewhere.token };
  }

  /** A paid payment at the compatible API, one that was refunded, an endpoint that gets nothing, and an event. */
  async #makePayments(
    shop: Headers,
  ): Promise<
    Pick<
      Things,
      | "intentId"
      | "chargeId"
      | "refundId"
      | "merchantWebhookId"
      | "portalWebhookId"
      | "eventId"
      | "linkUuid"
      | "paymentLinkId"
      | "planId"
      | "subscriptionId"
      | "agentCredentialId"
      | "exportId"
    >
  > {
    const pay = async () => {
      const order = { amount: 1_099, currency: "eur", confirm: true, return_url: "https://door.example/return" };
      const intentId = textMember(await this.#make(shop, "POST", "/v1/payment_intents", order), "id");
      await this.#gateway.act(`${intentId}.1`, "pay");
      const paid = await eventually(async () => {
        const shown = await this.#make(shop, "GET", `/v1/payment_intents/${intentId}`);
        assert.equal(member(shown, "status"), "succeeded");
        return shown;
      });
      return { intentId, chargeId: textMember(paid, "latest_charge") };
    };
    const refunded = await pay();
    const refund = await this.#make(shop, "POST", "/v1/refunds", { charge: refunded.chargeId });
    const endpoint = { url: "https://door.example/hooks", enabled_events: ["invoice.paid"] };
    const made = await this.#make(shop, "POST", "/v1/webhook_endpoints", endpoint);
    const own = { url: "https://door.example/own-hooks", events: ["payment_link.expired"] };
    const portalWebhookId = textMember(await this.#make(shop, "POST", "/api/merchant/webhooks", own), "data", "endpoint", "id");
    const paid = await pay();
    const [event] = await eventually(async () => {
      const events = listOf(member(await this.#make(shop, "GET", "/v1/events"), "data"));
      assert.ok(events.length > 0, "there is no event yet");
      return events;
    });
    const link = await this.#make(shop, "POST", "/api/merchant/payment-links", { amountMinor: 1_050, description: "Door" });
    const plan = await this.#make(shop, "POST", "/api/merchant/plans", { name: "Door", amountMinor: 2_900, interval: "MONTH" });
    const planId = textMember(plan, "data", "id");
    const customer = { name: "Ada Door", email: "customer-of-door@example.com" };
    const subscription = await this.#make(shop, "POST", "/api/merchant/subscriptions", { planId, customer });
    const limits = { perLinkMaxMinor: 1_000, perDayMinor: 2_000, totalMinor: 3_000 };
    const agent = { name: "Door", scopes: ["links:create"], limits };
    const credential = await this.#make(shop, "POST", "/api/merchant/agent-credentials", agent);
    const asked = await this.#make(shop, "POST", "/api/merchant/exports", { list: "payment-links", format: "CSV" });
    const exportId = textMember(asked, "data", "id");
    await eventually(async () => {
      const shown = await this.#make(shop, "GET", `/api/merchant/exports/${exportId}`);
      assert.equal(textMember(shown, "data", "state"), "READY");
    });
    return {
      ...paid,
      portalWebhookId,
      exportId,
      planId,
      agentCredentialId: textMember(credential, "data", "credential", "id"),
      subscriptionId: textMember(subscription, "data", "id"),
      refundId: textMember(refund, "id"),
      merchantWebhookId: textMember(made, "id"),
      eventId: textMember(event, "id"),
      linkUuid: `${(await pay()).intentId}.1`,
      paymentLinkId: textMember(link, "data", "id"),
    };
  }

  /** A dispute that was answered and is asked about again, so that it has a file that was submitted, and an alert. */
  async #makeDisputes(
    administrator: Headers,
    shop: Headers,
    merchantId: string,
  ): Promise<Pick<Things, "disputeId" | "evidenceId" | "alertId">> {
    const facts = { merchantId, category: "FRAUD", amountMinor: 1_050, currency: "EUR" };
    const respondBy = new Date(this.#relay.nowMs() + RESPOND_MS).toISOString();
    const given = { ...facts, network: "VISA", networkCaseId: "door-case", stage: "CHARGEBACK", reasonCode: "10.4", respondBy };
    const disputeId = textMember(await this.#make(administrator, "POST", "/admin/disputes", given), "data", "id");
    const path = `/api/merchant/disputes/${disputeId}`;
    const form = formOf([{ name: "file", fileName: "proof.pdf", content: "%PDF-1.7 door" }]);
    const uploaded = await this.#relay.client(shop).post(`${path}/evidence?category=OTHER`, form, { "content-type": MULTIPART });
    assert.equal(uploaded.status, 201, uploaded.text);
    await this.#make(shop, "POST", `${path}/respond`, { action: "CHALLENGE" });
    await eventually(async () => {
      const shown = await this.#make(shop, "GET", path);
      assert.ok(JSON.stringify(shown).includes('"taken"'), "the response is not brought yet");
    });
    await this.#make(administrator, "POST", `/admin/disputes/${disputeId}/refused`);
    const notice = { ...facts, source: "ETHOCA", networkRef: "door-alert", respondBy };
    const alertId = textMember(await this.#make(administrator, "POST", "/admin/alerts", notice), "data", "id");
    return { disputeId, evidenceId: textMember(uploaded.body, "data", "fileId"), alertId };
  }

  /** People of the merchants, with sessions of the portal; the user that requests are about is the viewer. */
  async #makePeople(administrator: Headers, merchantId: string): Promise<{ userId: string; portal: Keys["portal"] }> {
    const join = async (name: string, shop: string, role: string) => {
      const email = `door-${name}@example.com`;
      const invited = await this.#make(administrator, "POST", `/admin/api/merchants/${shop}/portal-users`, { email, role });
      const person = new PortalPerson(this.#relay, email);
      const { token } = await lastMailTo(this.#relay, email, {
        get: (path) => this.#answered(administrator, "GET", path, undefined, "the administrator"),
      });
      assert.equal((await person.accept(token)).status, 200);
      await person.enrol();
      return { person, userId: textMember(invited, "data", "userId") };
    };
    const viewer = await join("viewer", merchantId, "VIEWER");
    // Its second factor is no longer fresh; those of the others are.
    this.#relay.advance(STEP_UP_MS + 1_000);
    const owner = await join("owner", merchantId, "OWNER");
    const otherOwner = await join("other-owner", "door-other-shop", "OWNER");
    const unfinished = new PortalPerson(this.#relay, owner.person.email);
    const begun = await unfinished.send("POST", "/session", { email: unfinished.email, password: PORTAL_PASSWORD });
    assert.equal(begun.status, 200, begun.text);
    return {
      userId: viewer.userId,
      portal: {
        owner: owner.person.token,
        viewer: viewer.person.token,
        otherOwner: otherOwner.person.token,
        ownerWithoutFactor: unfinished.token,
      },
    };
  }

  /** An administrator with a browser of its own. */
  async #makeAdminPerson(administrator: Headers, role: AdministratorRole): Promise<AdminPerson> {
    const person = new AdminPerson(this.#relay, await this.#makeAdministrator(administrator, role, `page-${role}`));
    assert.equal((await person.begin()).status, 200);
    await person.enrol();
    return person;
  }

  async #subject(administrator: Headers): Promise<number> {
    const made = await this.#make(administrator, "POST", "/admin/api/partners", partnerDraft("subject", {}));
    return Number(member(made, "data", "id"));
  }

  async #makeAdministrator(owner: Headers, role: AdministratorRole, name: string = role): Promise<{ username: string; password: string }> {
    const username = `door-admin-${name}`;
    const made = await this.#make(owner, "POST", "/admin/administrators", { username, role });
    return { username, password: textMember(made, "generatedPassword") };
  }

  async #makeMachine(owner: Headers, name: string, rights: readonly string[]): Promise<{ username: string; password: string }> {
    const username = `door-machine-${name}`;
    const made = await this.#make(owner, "POST", "/admin/machine-tokens", { name: username, rights });
    return { username, password: textMember(made, "data", "token") };
  }

  async #makePartners(): Promise<
    Omit<Keys, "merchantKeys" | "replacedMerchantKeys" | "otherMerchantKeys" | "agents" | "portal" | "admin">
  > {
    const administrator = { authorization: basic(SECRETS.administrator.username, SECRETS.administrator.password) };
    const [terminalId, otherTerminalId] = ["DOOR-1", "DOOR-2"];
    const make = async (name: string, members: object = {}, partnerApi: object = {}, terminals = terminalId) => {
      const draft = partnerDraft(name, members, partnerApi, terminals);
      const made = await this.#make(administrator, "POST", "/admin/api/partners", draft);
      const keys: PartnerKeys = {
        username: draft.username,
        password: textMember(made, "generatedPassword"),
        apiKey: textMember(made, "data", "apiKey"),
        partnerApiKey: textMember(made, "partnerApiKeys", "apiKey"),
        partnerApiSecret: textMember(made, "partnerApiKeys", "secret"),
        merId: draft.adapterMerId,
        adapterSecret: draft.adapterSecret,
      };
      return { id: Number(member(made, "data", "id")), keys };
    };
    const [disabled, deleted] = [await make("disabled"), await make("deleted")];
    await this.#make(administrator, "PATCH", `/admin/api/partners/${disabled.id}/toggle`);
    await this.#make(administrator, "DELETE", `/admin/api/partners/${deleted.id}`);
    return {
      administrator: SECRETS.administrator,
      operator: await this.#makeAdministrator(administrator, "operator"),
      readOnly: await this.#makeAdministrator(administrator, "read-only"),
      machine: await this.#makeMachine(administrator, "all", MACHINE_RIGHTS),
      readingMachine: await this.#makeMachine(administrator, "reading", ["read"]),
      fleet: SECRETS.fleet,
      terminalPassword: (id) => terminalPassword(SECRETS.terminal, id),
      terminalId,
      managerId: "DOOR-MANAGER",
      otherTerminalId,
      deniedTerminalId: "DOOR-DENIED",
      partner: (await make("partner")).keys,
      stranger: (await make("stranger", {}, {}, otherTerminalId)).keys,
      viewer: (await make("viewer", {}, { role: "VIEWER" }, otherTerminalId)).keys,
      disabled: disabled.keys,
      deleted: deleted.keys,
      bound: (await make("bound", { allowedOrigins: { shop: ORIGIN } }, { ipWhitelist: ["192.0.2.1"] })).keys,
    };
  }
}

function merchantKeysIn(answer: unknown): MerchantKeys {
  return { publishableKey: textMember(answer, "keys", "publishableKey"), secretKey: textMember(answer, "keys", "secretKey") };
}

function partnerDraft(name: string, members: object, partnerApi: object = {}, terminals = "DOOR-1") {
  const { terminalId, merchantId, secret } = SANDBOX_GATEWAY_ACCOUNT;
  return {
    username: `door-${name}`,
    gwTml: terminalId,
    gwApiKey: merchantId,
    gwSecretKey: secret,
    terminalRule: { ruleType: "LIST", ruleValue: terminals },
    adapterMerId: `DOOR${name.toUpperCase()}`,
    adapterSecret: `an adapter secret of ${name}`,
    partnerApi: { partnerCode: name, maxMerchants: 100, allowedServices: ALL_SERVICES, ...partnerApi },
    ...members,
  };
}
