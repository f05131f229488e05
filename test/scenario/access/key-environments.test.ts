import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { takesMerchantKey } from "../../../http/endpoint/portal-auth.ts";
import { readConfig } from "../../../infra/node/boot/config.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { newAgentCredential } from "../../support/people/new-agent.ts";
import { ALL_SERVICES, bearer, callBy, type NewPartnerApi } from "../../support/people/new-partner-api.ts";
import { eventually } from "../../support/within.ts";
import { isOfPortal } from "../../tenancy/attempts.ts";

const BASE = "/api/merchant";
const LINKS = `${BASE}/payment-links`;
const ORDER = { amountMinor: 1_050, description: "Dinner" };
const PASSWORD = "a password of a partner's own";

const OTHER = { status: 409, body: { code: "other_environment" } };
const OTHER_V1 = { status: 409, body: { error: { code: "other_environment" } } };

/** What takes a key and is not kept apart by environment, with some id in the place of a parameter. */
const IN_NO_ENVIRONMENT = Object.values(surfacesOf(readConfig({})))
  .flat()
  .filter((endpoint) => isOfPortal(endpoint) && takesMerchantKey(endpoint.auth) && endpoint.apartByEnvironment !== true)
  .map(({ method, path }) => ({ method, path: path.replace("{service}", "PAYPAL").replace(/\{\w+\}/g, "T1") }));

describe("keys of TEST and LIVE", () => {
  let gateway: TestGateway;
  let relay: Relay;

  before(async () => {
    gateway = await TestGateway.start(undefined, ["LIVEMER1", "TESTMER1"]);
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  interface Shop {
    merchantId: string;
    partner: NewPartnerApi["call"];
    /** Sets the partner's account at the gateway by its own login. */
    account(body: object): Promise<{ status: number; text: string }>;
    key: HttpClient;
    move(environment: "TEST" | "LIVE"): Promise<void>;
    /** New keys of an environment; the client of the secret one. */
    keys(environment?: "TEST" | "LIVE"): Promise<HttpClient>;
  }

  async function newShop(): Promise<Shop> {
    const [username, merchantId] = [`partner-${relay.uuid()}`, `SHOP-${relay.uuid()}`];
    const made = await relay.administrator().post("/admin/api/partners", {
      ...{ username, password: PASSWORD, gwTml: "LIVE1", gwApiKey: "LIVEMER1", gwSecretKey: SANDBOX_GATEWAY_ACCOUNT.secret },
      partnerApi: { partnerCode: username, maxMerchants: 100, allowedServices: ALL_SERVICES },
    });
    assert.equal(made.status, 201, made.text);
    const partner = callBy(bearer(relay, textMember(made.body, "partnerApiKeys", "apiKey")));
    const created = await partner("POST", "/merchants", { merchantId });
    assert.equal(created.status, 201, created.text);
    assert.equal((await partner("POST", `/merchants/${merchantId}/services/IGFS/enable`)).status, 200);
    const authorization = `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString("base64")}`;
    return {
      ...{ merchantId, partner, key: bearer(relay, textMember(created.body, "keys", "secretKey")) },
      account: (body) => relay.client({ authorization }).post("/api/partner/gw-credentials", body),
      move: async (environment) => {
        const answer = await partner("PATCH", `/merchants/${merchantId}`, { environment });
        assertMatches(answer, { status: 200, body: { merchant: { environment }, keys: undefined } });
      },
      keys: async (environment) => {
        const answer = await partner("POST", `/merchants/${merchantId}/keys`, environment === undefined ? undefined : { environment });
        assertMatches(answer, { status: 200, body: { keysEnvironment: environment ?? "LIVE" } });
        return bearer(relay, textMember(answer.body, "keys", "secretKey"));
      },
    };
  }

  async function newLink(key: HttpClient): Promise<{ id: string; page: string }> {
    const made = await key.post(LINKS, ORDER);
    assert.equal(made.status, 201, made.text);
    return { id: textMember(made.body, "data", "id"), page: new URL(textMember(made.body, "data", "url")).pathname };
  }

  const idsOf = async (key: HttpClient, path: string) => {
    relay.advance(1_001);
    const answer = await key.get(path);
    assert.equal(answer.status, 200, answer.text);
    return listOf(member(answer.body, "data", "items")).map((item) => textMember(item, "id"));
  };

  async function paid(key: HttpClient, { id, page }: { id: string; page: string }): Promise<void> {
    assert.equal((await relay.nobody().post(`${page}/pay`)).status, 303);
    await gateway.act(`${id}.1`, "pay");
    await eventually(async () => {
      relay.advance(1_001);
      await relay.nobody().get(`${page}/return`);
      assertMatches(await key.get(`${LINKS}/${id}`), { body: { data: { state: "PAID" } } });
    });
  }

  test("a test key stays one when its merchant goes LIVE: it reads what is of TEST, and nothing of it reaches the live account", async () => {
    const { key, move, keys } = await newShop();
    const [open, done] = [await newLink(key), await newLink(key)];
    await paid(key, done);
    const hook = await key.post(`${BASE}/webhooks`, { url: "https://shop.example/hooks", events: ["*"] });
    const hookId = textMember(hook.body, "data", "endpoint", "id");
    const { id: agentId } = await newAgentCredential(key);
    const held = await key.post("/v1/payment_intents", {
      ...{ amount: 500, currency: "eur", capture_method: "manual", confirm: true, return_url: "https://shop.example/back" },
    });
    assert.equal(held.status, 200, held.text);
    const intent = textMember(held.body, "id");
    await gateway.act(`${intent}.1`, "pay");
    await eventually(async () => {
      relay.advance(5_001);
      assertMatches(await key.get(`/v1/payment_intents/${intent}`), { body: { status: "requires_capture" } });
    });

    await move("LIVE");
    assert.deepEqual((await idsOf(key, LINKS)).sort(), [open.id, done.id].sort());
    assert.deepEqual(await idsOf(key, `${BASE}/webhooks`), [hookId]);
    assertMatches(await key.get(`/v1/payment_intents/${intent}`), { status: 200, body: { livemode: false } });
    assertMatches(await key.post(LINKS, ORDER), OTHER);
    assertMatches(await key.post("/v1/payment_intents", { amount: 1, currency: "eur" }), OTHER_V1);
    assertMatches(await key.post(`/v1/payment_intents/${intent}/capture`), OTHER_V1);
    assertMatches(await key.post("/v1/refunds", { payment_intent: intent }), OTHER_V1);
    const pressed = await relay.nobody().post(`${open.page}/pay`);
    assert.equal(pressed.status, 200, "a link of before cannot be paid any more");
    await assert.rejects(gateway.act(`${open.id}.1`, "pay"), "the gateway knows nothing of it");

    const live = await keys();
    for (const path of [LINKS, `${BASE}/webhooks`, `${BASE}/agent-credentials`]) assert.deepEqual(await idsOf(live, path), [], path);
    assertMatches(await live.get(`/v1/payment_intents/${intent}`), { status: 404 });
    const sold = await newLink(live);
    assert.ok(!(await idsOf(key, LINKS)).includes(sold.id));
    assertMatches(await key.get(`${LINKS}/${sold.id}`), { status: 404 });
    assertMatches(await live.send(`${BASE}/webhooks/${hookId}`, { method: "DELETE" }), { status: 404 });
    // What the test key made is its own to end.
    assertMatches(await key.send(`${BASE}/webhooks/${hookId}`, { method: "DELETE" }), { status: 200 });
    assertMatches(await key.send(`${BASE}/agent-credentials/${agentId}`, { method: "DELETE" }), { body: { data: { state: "REVOKED" } } });
    assertMatches(await key.post(`/v1/payment_intents/${intent}/cancel`), { status: 200 });
  });

  test("what is in no environment is not the test key's of a merchant that is LIVE, at any endpoint", async () => {
    const { key, move } = await newShop();
    await move("LIVE");
    assert.ok(IN_NO_ENVIRONMENT.length > 20, "the list is there");
    for (const { method, path } of IN_NO_ENVIRONMENT) {
      relay.advance(60_001);
      const answer = await key.send(path, { method, ...(method === "GET" ? {} : { body: {} }) });
      assertMatches(answer, OTHER, `${method} ${path}: ${answer.text}`);
    }
  });

  test("with an account that the partner keeps for TEST a test key takes payments, which no report of LIVE has", async () => {
    const { key, move, keys, account, partner, merchantId } = await newShop();
    await move("LIVE");
    const secret = SANDBOX_GATEWAY_ACCOUNT.secret;
    const same = await account({ environment: "TEST", gwTml: "TEST1", gwApiKey: "LIVEMER1", gwSecretKey: secret });
    assertMatches(same, { status: 400 }, same.text);
    const kept = await account({ environment: "TEST", gwTml: "TEST1", gwApiKey: "TESTMER1", gwSecretKey: secret });
    assertMatches(kept, { status: 200, body: { data: { configured: true, gwTml: "TEST1" } } }, kept.text);
    assertMatches(await account({ gwApiKey: "TESTMER1" }), { status: 400 });
    const [tried, live] = [await newLink(key), await keys()];
    await paid(key, tried);
    const sold = await newLink(live);
    await paid(live, sold);
    await eventually(async () => {
      relay.advance(1_001);
      const answer = await live.get(`${BASE}/transactions`);
      const uuids = listOf(member(answer.body, "data", "items")).map((item) => textMember(item, "uuid"));
      assert.deepEqual(uuids, [`${sold.id}.1`]);
    });
    const made = await key.post("/v1/payment_intents", {
      ...{ amount: 500, currency: "eur", confirm: true, return_url: "https://shop.example/back" },
    });
    assert.equal(made.status, 200, made.text);
    const intent = textMember(made.body, "id");
    await gateway.act(`${intent}.1`, "pay");
    await eventually(async () => {
      relay.advance(5_001);
      assertMatches(await key.get(`/v1/payment_intents/${intent}`), { body: { status: "succeeded", livemode: false } });
    });
    assertMatches(await key.post("/v1/refunds", { payment_intent: intent }), { status: 200 });
    assert.equal((await partner("GET", `/merchants/${merchantId}`)).status, 200);
  });

  test("a live key of a merchant that went back to TEST takes nothing, and is one of LIVE again later", async () => {
    const { move, keys, key } = await newShop();
    await move("LIVE");
    const live = await keys();
    await move("TEST");
    assertMatches(await live.post(LINKS, ORDER), OTHER);
    assertMatches(await live.get(`${BASE}/transactions`), OTHER);
    await newLink(key);
    await move("LIVE");
    await newLink(live);
  });
});
