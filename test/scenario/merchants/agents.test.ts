import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import type { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { callDone, callRefused, connectAgent, MCP_GENERATIONS } from "../../support/http/mcp-client.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { AGENT_LIMITS, newAgent, newAgentCredential } from "../../support/people/new-agent.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { eventually } from "../../support/within.ts";

/** Limits of requests count by the relay's clock, which tests move; a client that asks more often than that is told so. */
const nextSecond = (relay: Relay) => relay.advance(1_001);

describe("AI agents", () => {
  let gateway: TestGateway;
  let relay: Relay;
  let shop: HttpClient;

  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
    const path = `/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`;
    const raised = await relay.administrator().send(path, { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } });
    assert.equal(raised.status, 200, raised.text);
  });
  // From an address of its own for each: a fast machine would ask the portal's interface more than fifty times in a second.
  beforeEach(() => {
    shop = relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  /** A customer opens the link and pays. */
  async function pay(link: unknown): Promise<void> {
    const pressed = await relay.nobody().post(`${new URL(textMember(link, "url")).pathname}/pay`);
    assert.equal(pressed.status, 303, pressed.text);
    await gateway.act(`${textMember(link, "id")}.1`, "pay");
  }

  const becomesPaid = (client: Client, id: string) =>
    eventually(async () => {
      nextSecond(relay);
      const link = await callDone(client, "get_payment_link", { id });
      assert.equal(member(link, "state"), "PAID");
      return link;
    });

  for (const { version, mode } of MCP_GENERATIONS) {
    test(`an MCP client of ${version} creates a link and reads it paid`, async () => {
      const { id: credentialId, token } = await newAgentCredential(shop);
      nextSecond(relay);
      const client = await connectAgent(relay.node.url, token, mode);
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      const order = {
        idempotencyKey: relay.uuid(),
        amountMinor: 1_050,
        currency: "EUR",
        description: "Dinner on Thursday",
        reference: "T-7",
      };
      const made = await callDone(client, "create_payment_link", order);
      assertMatches(made, {
        id: /^pl_[0-9a-z]{24}$/,
        state: "PENDING",
        amountMinor: 1_050,
        description: "Dinner on Thursday",
        payments: [],
      });
      assert.deepEqual(await callDone(client, "create_payment_link", order), made);
      const id = textMember(made, "id");
      await pay(made);
      const paid = await becomesPaid(client, id);
      assertMatches(paid, {
        late: false,
        payments: [{ uuid: `${id}.1`, amountMinor: 1_050, currency: "EUR", last4: "1111", refund: "none" }],
      });

      nextSecond(relay);
      assertMatches(await callDone(client, "list_payment_links", { state: "PAID" }), { items: [{ id }], next: null });
      const transaction = await eventually(() => {
        nextSecond(relay);
        return callDone(client, "get_transaction", { uuid: `${id}.1` });
      });
      assertMatches(transaction, { uuid: `${id}.1`, status: "OK", method: "PAYBYLINK", amountMinor: 1_050, currency: "EUR" });
      nextSecond(relay);
      const listed = await callDone(client, "list_transactions", { method: "PAYBYLINK", limit: 5 });
      assert.ok(listOf(member(listed, "items")).some((item) => member(item, "uuid") === `${id}.1`));
      const totals = await callDone(client, "get_totals");
      assert.ok(
        listOf(member(totals, "totals")).some((sums) => member(sums, "currency") === "EUR" && Number(member(sums, "approved")) > 0),
      );
      assert.match(await callRefused(client, "cancel_payment_link", { id }), /The link is PAID/);

      // What it did stands in the portal.
      await eventually(async () => {
        nextSecond(relay);
        const shown = await shop.get(`/api/merchant/agent-credentials/${credentialId}`);
        const calls = listOf(member(shown.body, "data", "details", "calls"));
        assertMatches(calls[0], { tool: "cancel_payment_link", outcome: "refused", argumentsDigest: /^[0-9a-f]{64}$/ });
        assertMatches(member(shown.body, "data", "details", "usage"), { totalMinor: 1_050, links: 1 });
      });
      const link = await shop.get(`/api/merchant/payment-links/${id}`);
      assertMatches(link.body, { data: { state: "PAID", creator: "agent", customerEmail: null } });
      await client.close();
    });

    test(`of ${version}: limits refuse by their name, and a revoked token opens nothing more`, async () => {
      const { id: credentialId, token } = await newAgentCredential(shop, { scopes: ["links:create", "links:cancel"] });
      nextSecond(relay);
      const client = await connectAgent(relay.node.url, token, mode);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ["cancel_payment_link", "create_payment_link"]);
      const create = (amountMinor: number, currency = "EUR") => {
        nextSecond(relay);
        return { idempotencyKey: relay.uuid(), amountMinor, currency, description: "Dinner" };
      };
      const { perLinkMaxMinor, perDayMinor } = AGENT_LIMITS;
      assert.match(
        await callRefused(client, "create_payment_link", create(100, "USD")),
        /limit currency of this credential rejects this: .*must be in EUR/,
      );
      assert.match(await callRefused(client, "create_payment_link", create(perLinkMaxMinor + 1)), /limit perLinkMax .*50\.00 EUR \(5000/);
      const made = await callDone(client, "create_payment_link", create(perLinkMaxMinor));
      for (let more = 1; more < perDayMinor / perLinkMaxMinor; more += 1) {
        await callDone(client, "create_payment_link", create(perLinkMaxMinor));
      }
      assert.match(
        await callRefused(client, "create_payment_link", create(1)),
        /limit perDay .*200\.00 EUR together\. 0\.00 EUR \(0 in minor units\) remain\. More is available from 20/,
      );
      nextSecond(relay);
      const id = textMember(made, "id");
      assertMatches(await callDone(client, "cancel_payment_link", { id }), { id, state: "CANCELLED" });
      assertMatches(await callDone(client, "cancel_payment_link", { id }), { id, state: "CANCELLED" });
      assert.match(await callRefused(client, "get_payment_link", { id }), /lacks the scope links:read/);

      const revoked = await shop.send(`/api/merchant/agent-credentials/${credentialId}`, { method: "DELETE" });
      assert.equal(revoked.status, 200, revoked.text);
      nextSecond(relay);
      await assert.rejects(client.callTool({ name: "create_payment_link", arguments: create(1) }), /revoked|401|Unauthorized/i);
      await assert.rejects(connectAgent(relay.node.url, token, mode), /revoked|401|Unauthorized/i);
    });
  }

  test("a key is its credential's own, and holds for as many calls as come at once", async () => {
    const [one, other] = [await newAgent(relay, { key: shop }), await newAgent(relay, { key: shop })];
    const order = { idempotencyKey: "the-same", amountMinor: 100, currency: "EUR", description: "Dinner" };
    nextSecond(relay);
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => one.done("create_payment_link", order)));
    const ids = answers.flatMap((answer) => (answer.status === "fulfilled" ? [textMember(answer.value, "id")] : []));
    assert.ok(ids.length > 0 && new Set(ids).size === 1, ids.join(" "));
    nextSecond(relay);
    assert.match(await one.refused("create_payment_link", { ...order, amountMinor: 101 }), /used with other arguments/);
    const others = textMember(await other.done("create_payment_link", order), "id");
    assert.notEqual(others, ids[0]);
    assert.match(await other.refused("get_payment_link", { id: ids[0] ?? "" }), /no such payment link/);
    assertMatches(await one.done("list_payment_links", {}), { items: [{ id: ids[0] }], next: null });
  });

  test("a token counts while its merchant is in the environment in which it was made, and the key of that environment sees it all the while", async () => {
    const { merchantId, partner, secretKey } = await newMerchant(relay);
    const key = relay.client({ authorization: `Bearer ${secretKey}` });
    const { id, token } = await newAgentCredential(key);
    const agent = relay.client({ authorization: `Bearer ${token}` });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const moved = async (environment: "TEST" | "LIVE") => {
      const answer = await partner.call("PATCH", `/merchants/${merchantId}`, { environment });
      assert.equal(answer.status, 200, answer.text);
    };
    assert.equal((await agent.post("/mcp", list)).status, 200);
    await moved("LIVE");
    assert.equal((await key.get(`/api/merchant/agent-credentials/${id}`)).status, 200);
    assertMatches(await key.post("/api/merchant/agent-credentials", { name: "Another", scopes: ["links:read"] }), {
      status: 409,
      body: { code: "other_environment" },
    });
    assertMatches(await agent.post("/mcp", list), {
      status: 401,
      body: { error: { message: "This credential belongs to the merchant's other environment" } },
    });
    await moved("TEST");
    assert.equal((await agent.post("/mcp", list)).status, 200);
    assert.equal((await key.get(`/api/merchant/agent-credentials/${id}`)).status, 200);
    assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status, 200);
    assertMatches(await agent.post("/mcp", list), { status: 401, body: { error: { message: "Invalid token" } } });
  });

  test("what a key made goes on after a routine rotation, ends with the key that leaked, and is listed by both", async () => {
    const { merchantId, partner, secretKey } = await newMerchant(relay);
    assert.equal((await partner.call("POST", `/merchants/${merchantId}/services/IGFS/enable`)).status, 200);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const rotate = async (reason: string) => {
      const answer = await partner.call("POST", `/merchants/${merchantId}/keys`, { reason });
      assert.equal(answer.status, 200, answer.text);
      return { key: textMember(answer.body, "keys", "secretKey"), made: listOf(member(answer.body, "made")) };
    };
    const make = async (secret: string) => {
      const key = relay.client({ authorization: `Bearer ${secret}` });
      const { id, token } = await newAgentCredential(key);
      const order = { url: "https://shop.example/hooks", events: ["*"] };
      const portal = await key.post("/api/merchant/webhooks", order);
      const platform = await key.post("/v1/webhook_endpoints", { url: order.url, enabled_events: ["*"] });
      assert.deepEqual([portal.status, platform.status], [201, 200], portal.text + platform.text);
      const endpoints = [textMember(portal.body, "data", "endpoint", "id"), textMember(platform.body, "id")];
      return { ids: [id, ...endpoints], endpoints, agent: relay.client({ authorization: `Bearer ${token}` }) };
    };
    const first = await make(secretKey);
    const routine = await rotate("routine");
    assert.deepEqual(routine.made.map((item) => member(item, "id")).sort(), [...first.ids].sort());
    for (const item of routine.made) assertMatches(item, { ended: false, end: /^DELETE \/api\/merchant\// });
    assert.equal((await first.agent.post("/mcp", list)).status, 200);

    const second = await make(routine.key);
    const leaked = await rotate("leaked");
    assert.deepEqual(leaked.made.map((item) => member(item, "id")).sort(), [...second.ids].sort());
    for (const item of leaked.made) assertMatches(item, { ended: true, end: null });
    assertMatches(await second.agent.post("/mcp", list), {
      status: 401,
      body: { error: { message: "This credential was revoked; ask the merchant for another one" } },
    });
    assert.equal((await first.agent.post("/mcp", list)).status, 200);
    const key = relay.client({ authorization: `Bearer ${leaked.key}` });
    const shown = listOf(member((await key.get("/api/merchant/webhooks")).body, "data", "items"));
    for (const endpoint of shown) {
      const ended = second.endpoints.includes(textMember(endpoint, "id"));
      assertMatches(endpoint, { status: ended ? "disabled" : "enabled", disabledReason: ended ? "key_leaked" : null });
    }
    assert.equal(shown.length, 4);
    const revoked = await key.get(`/api/merchant/agent-credentials/${second.ids[0]}`);
    assertMatches(revoked.body, { data: { state: "REVOKED", details: { revokedBy: "Rotation of a leaked API key" } } });
    // What is listed is ended by the call that is named.
    for (const item of routine.made) {
      const path = textMember(item, "end").replace("DELETE ", "");
      assert.equal((await key.send(path, { method: "DELETE" })).status, 200, path);
    }
    assert.equal((await first.agent.post("/mcp", list)).status, 401);
  });

  test("a token opens the endpoint of agents and nothing else, and an expired one not even that", async () => {
    const { token } = await newAgentCredential(shop, { expiresInDays: 1 });
    const agent = relay.client({ authorization: `Bearer ${token}` });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    assert.equal((await agent.post("/mcp", list)).status, 200);
    for (const path of ["/api/merchant/payment-links", "/api/merchant/agent-credentials", "/v1/payment_intents", "/partner/api/v1/me"]) {
      assert.equal((await agent.get(path)).status, 401, path);
    }
    assert.equal((await shop.post("/mcp", list)).status, 401);
    relay.advance(86_400_000);
    assertMatches(await agent.post("/mcp", list), {
      status: 401,
      body: {
        error: { message: "This credential has expired; ask the merchant for another one" },
        id: null,
      },
    });
  });
});
