import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches, member, textMember } from "../support/http/matches.ts";
import { callDone, connectAgent, MCP_GENERATIONS } from "../support/http/mcp-client.ts";
import { newAgentCredential } from "../support/people/new-agent.ts";
import { eventually } from "../support/within.ts";
import { enterCard, goToPay } from "./links.ts";
import { newShop, type PortalWorld } from "./portal-world.ts";

/** What AI agents do, by clients that somebody else wrote. */
export function mcp(world: PortalWorld): void {
  for (const { version, mode } of MCP_GENERATIONS) {
    test(`acceptance 14: an MCP client of ${version} creates a link, a customer pays it in a browser, and the client reads it paid`, {
      timeout: 180_000,
    }, async () => {
      const { relay } = world;
      const shop = await newShop(relay, `Teatro Carcano ${version}`);
      const { token } = await newAgentCredential(relay.client({ authorization: `Bearer ${shop.secretKey}` }));
      const client = await connectAgent(relay.node.url, token, mode);
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      const order = { idempotencyKey: relay.uuid(), amountMinor: 4_990, currency: "EUR", description: "Two tickets for Saturday" };
      const made = await callDone(client, "create_payment_link", order);
      assertMatches(made, { state: "PENDING", amountMinor: 4_990 });

      const customer = await world.visit({ faults: [] });
      await goToPay(customer, textMember(made, "url"));
      await enterCard(customer);
      await customer.page.getByRole("heading", { name: "Paid" }).waitFor();

      const id = textMember(made, "id");
      const paid = await eventually(async () => {
        const link = await callDone(client, "get_payment_link", { id });
        assert.equal(member(link, "state"), "PAID");
        return link;
      });
      assertMatches(paid, { payments: [{ uuid: `${id}.1`, amountMinor: 4_990, currency: "EUR", last4: "4242" }] });
      await client.close();
    });
  }
}
