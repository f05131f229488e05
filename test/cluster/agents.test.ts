import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Refusals } from "../../bench/deployment/refusals.ts";
import { AGENT_REQUESTS_PER_SECOND } from "../../http/auth/agent-rate.ts";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { HttpClient } from "../support/http-client.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches, member, textMember } from "../support/matches.ts";
import { newAgentCredential } from "../support/new-agent.ts";
import { redisMissing } from "../support/redis.ts";
import { startCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const ORDER = { idempotencyKey: "order-1", amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday" };
const toolCall = (name: string, args: object) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

describe("AI agents at two nodes", { skip: missing }, () => {
  it("a link that one node made the other one knows; revoked at one, a token opens nothing at the next call at the other; and both count what a credential asks", async (t) => {
    const cluster = await startCluster(t, { nodes: 2, proxiedNode: null });
    const at = (node: number, token: string) =>
      new HttpClient(() => cluster.nodes[node]?.url ?? "", { authorization: `Bearer ${token}` }, `127.8.1.${node + 1}`);
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
      body: { error: { message: "This credential was revoked" } },
    });
  });
});
