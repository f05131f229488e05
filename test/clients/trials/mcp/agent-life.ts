import assert from "node:assert/strict";
import { SANDBOX_MERCHANT } from "../../../../infra/node/boot/sandbox-names.ts";
import { assertMatches, listOf, member, textMember } from "../../../support/http/matches.ts";
import { TestGateway } from "../../../support/node/gateway.ts";
import { Relay } from "../../../support/node/relay.ts";
import { newAgentCredential } from "../../../support/people/new-agent.ts";
import { eventually } from "../../../support/within.ts";
import { shared } from "../shared.ts";
import type { McpCaller, McpQuestion } from "./mcp-call.ts";

const world = shared(async () => {
  const gateway = await TestGateway.start();
  const relay = new Relay({ shards: 1, environment: { RELAY_GATEWAY_URL: gateway.url } });
  await relay.start();
  return {
    relay,
    gateway,
    shop: relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` }),
    stop: async () => {
      await relay.stop();
      await gateway.stop();
    },
  };
});

/**
 * An agent with three scopes creates a link, twice under one key; a customer pays it; the agent reads that it is paid, cannot cancel it any more, and is refused what is beyond
 * its limits and its scopes. Revoked, it cannot connect.
 */
export async function agentLife(call: McpCaller, version: string): Promise<void> {
  const { relay, gateway, shop } = await world();
  const limits = { perLinkMaxMinor: 5_000, perDayMinor: 20_000, totalMinor: 100_000 };
  const { id: credentialId, token } = await newAgentCredential(shop, { scopes: ["links:create", "links:read", "links:cancel"], limits });
  const ask = (calls: McpQuestion["calls"]) => {
    // To connect and to call takes seven requests, of ten that a credential has in a second.
    relay.advance(1_001);
    return call({ url: `${relay.node.url}/mcp`, token, calls });
  };

  const order = { idempotencyKey: relay.uuid(), amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday" };
  const created = await ask([
    { name: "create_payment_link", arguments: order },
    { name: "create_payment_link", arguments: order },
    { name: "create_payment_link", arguments: { ...order, amountMinor: 5_001, idempotencyKey: relay.uuid() } },
  ]);
  const tools = ["create_payment_link", "get_payment_link", "list_payment_links", "cancel_payment_link"];
  assertMatches(created, {
    version,
    tools,
    results: [
      { structuredContent: { state: "PENDING", amountMinor: 1_050, currency: "EUR" } },
      { structuredContent: { state: "PENDING" } },
      { isError: true, content: [{ type: "text", text: /^The limit perLinkMax/ }] },
    ],
  });
  const [first, second] = listOf(member(created, "results")).map((result) => member(result, "structuredContent"));
  const id = textMember(first, "id");
  assert.equal(textMember(second, "id"), id);

  const pressed = await relay.nobody().post(`${new URL(textMember(first, "url")).pathname}/pay`);
  assert.equal(pressed.status, 303, pressed.text);
  await gateway.act(`${id}.1`, "pay");
  const read = await eventually(async () => {
    const found = await ask([
      { name: "get_payment_link", arguments: { id } },
      { name: "cancel_payment_link", arguments: { id } },
      { name: "list_transactions", arguments: {} },
      { name: "no_such_tool", arguments: {} },
    ]);
    assertMatches(found, { results: [{ structuredContent: { state: "PAID" } }, {}, {}, {}] });
    return found;
  });
  assertMatches(read, {
    results: [
      { structuredContent: { id, payments: [{ uuid: `${id}.1`, amountMinor: 1_050, currency: "EUR", refund: "none" }] } },
      { isError: true, content: [{ text: /^The link is PAID and cannot be cancelled/ }] },
      { isError: true, content: [{ text: /lacks the scope transactions:read/ }] },
      { error: /no tool with this name/ },
    ],
  });

  assert.equal((await shop.send(`/api/merchant/agent-credentials/${credentialId}`, { method: "DELETE" })).status, 200);
  assertMatches(await ask([]), { error: /401|revoked|[Uu]nauthorized/ });
}
