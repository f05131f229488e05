import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { HttpClient } from "../support/http-client.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches, listOf, member, textMember } from "../support/matches.ts";
import { newAgentCredential } from "../support/new-agent.ts";
import { redisMissing } from "../support/redis.ts";
import { startCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const AT_ONCE = 200;
const AMOUNT = 10;
const FIT = 150;

describe("what an agent may spend, at two nodes", { skip: missing }, () => {
  it(`of ${AT_ONCE} links that are asked for at once ${FIT} fit, and all of those are made`, { timeout: 300_000 }, async (t) => {
    const cluster = await startCluster(t, { nodes: 2, proxiedNode: null });
    const at = (node: number, token: string) =>
      new HttpClient(() => cluster.nodes[node]?.url ?? "", { authorization: `Bearer ${token}` }, `127.8.2.${node + 1}`);
    const shop = at(0, SANDBOX_MERCHANT.keys.secret);
    const total = FIT * AMOUNT;
    const limits = { perLinkMaxMinor: AMOUNT, perDayMinor: total, totalMinor: total, linksPerHour: 1_000 };
    const { id, token } = await newAgentCredential(shop, { scopes: ["links:create"], limits });
    const agents = [at(0, token), at(1, token)];

    /** Asks until it is told more than that it asks too often. */
    async function make(n: number): Promise<string> {
      const order = { idempotencyKey: `order-${n}`, amountMinor: AMOUNT, currency: "EUR", description: "Two nights" };
      const call = { jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "create_payment_link", arguments: order } };
      for (;;) {
        const answer = await agents[n % 2]?.post("/mcp", call);
        assert.ok(answer !== undefined);
        if (answer.status === 429) {
          await delay(Math.random() * 2_000);
          continue;
        }
        assert.equal(answer.status, 200, answer.text);
        const result = member(answer.body, "result");
        if (member(result, "isError") !== true) return textMember(member(result, "structuredContent"), "state");
        return textMember(listOf(member(result, "content"))[0], "text");
      }
    }

    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => make(n)));
    assert.equal(answers.filter((answer) => answer === "PENDING").length, FIT, [...new Set(answers)].join("\n"));
    const shown = await at(1, SANDBOX_MERCHANT.keys.secret).get(`/api/merchant/agent-credentials/${id}`);
    assertMatches(shown.body, { data: { state: "EXHAUSTED", details: { usage: { totalMinor: total, links: FIT } } } });
    const made = new Set<string>();
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await shop.get(`/api/merchant/payment-links?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
      for (const link of listOf(member(page.body, "data", "items")))
        if (member(link, "creator") === "agent") made.add(textMember(link, "id"));
      cursor = member(page.body, "data", "next");
    }
    assert.equal(made.size, FIT);
  });
});
