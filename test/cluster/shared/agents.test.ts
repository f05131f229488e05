import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Refusals } from "../../../bench/deployment/refusals.ts";
import { AGENT_REQUESTS_PER_SECOND } from "../../../http/auth/agent-rate.ts";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { newAgentCredential } from "../../support/people/new-agent.ts";
import { clusterOfSuite, type TestCluster } from "../cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const ORDER = { idempotencyKey: "order-1", amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday" };
const toolCall = (name: string, args: object) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

const AT_ONCE = 200;
const AMOUNT = 10;
const FIT = 150;

/** Callers of a node by a bearer token, each node from an address of its own. */
function callersOf(cluster: TestCluster, network: string): (node: number, token: string) => HttpClient {
  return (node, token) =>
    new HttpClient(() => cluster.nodes[node]?.url ?? "", { authorization: `Bearer ${token}` }, `${network}.${node + 1}`);
}

describe("AI agents at two nodes", { skip: missing }, () => {
  const twoNodes = clusterOfSuite({ nodes: 2, proxiedNode: null });

  it("a link that one node made the other one knows; revoked at one, a token opens nothing at the next call at the other; and both count what a credential asks", async () => {
    const at = callersOf(await twoNodes(), "127.8.1");
    const [first, second] = [at(0, SANDBOX_MERCHANT.keys.secret), at(1, SANDBOX_MERCHANT.keys.secret)];
    const { id: credentialId, token } = await newAgentCredential(first);
    const made = await at(0, token).post("/mcp", toolCall("create_payment_link", ORDER));
    assertMatches(made, { status: 200, body: { result: { structuredContent: { state: "PENDING" } } } });
    const again = await at(1, token).post("/mcp", toolCall("create_payment_link", ORDER));
    assert.deepEqual(again.body, made.body);
    const id = textMember(made.body, "result", "structuredContent", "id");
    const read = await at(1, token).post("/mcp", toolCall("get_payment_link", { id }));
    assertMatches(read.body, { result: { structuredContent: { id, amountMinor: 1_050 } } });

    // A second later its limit is whole again; one more of each node is what a limit of ten may be exceeded by.
    await delay(1_100);
    const seconds = new Refusals();
    const asked = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const sentMs = performance.now();
        const answer = await at(n % 2, token).post("/mcp", toolCall("get_payment_link", { id }));
        if (answer.status === 200) seconds.admitted({ sentMs, answeredMs: performance.now() });
        return answer;
      }),
    );
    const admitted = asked.filter(({ status }) => status === 200).length;
    assert.ok(admitted >= AGENT_REQUESTS_PER_SECOND / 2, `${admitted} were admitted`);
    // What a busy machine took more than a second for is of several.
    assert.ok(seconds.mostInWindow() <= AGENT_REQUESTS_PER_SECOND + 2, `${seconds.mostInWindow()} were admitted in a second`);
    assert.ok(asked.every(({ status }) => status === 200 || status === 429));

    await delay(1_100);
    const revoked = await second.send(`/api/merchant/agent-credentials/${credentialId}`, { method: "DELETE" });
    assert.equal(member(revoked.body, "data", "state"), "REVOKED", revoked.text);
    assertMatches(await at(0, token).post("/mcp", toolCall("get_payment_link", { id })), {
      status: 401,
      body: { error: { message: "This credential was revoked; ask the merchant for another one" } },
    });
  });

  it(`of ${AT_ONCE} links that are asked for at once ${FIT} fit, and all of those are made`, { timeout: 300_000 }, async () => {
    const at = callersOf(await twoNodes(), "127.8.2");
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
        if (member(link, "creator") === "agent" && member(link, "amountMinor") === AMOUNT) made.add(textMember(link, "id"));
      cursor = member(page.body, "data", "next");
    }
    assert.equal(made.size, FIT);
  });
});
