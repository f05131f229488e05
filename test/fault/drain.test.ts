import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { assertMatches } from "../support/http/matches.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { eventually } from "../support/within.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "./node-process.ts";

describe("POST /admin/cluster/nodes/{nodeId}/drain at a single node", () => {
  it("refuses to stop the only node until that is wanted; then the process drains and exits with 0", async (test) => {
    const environment = { ...NO_CLICKHOUSE, RELAY_NODE_ID: "node-1", RELAY_LOG_LEVEL: "info", RELAY_SHARDS: "2" };
    const node = startNodeProcess(test, { ...(await placeOf(test)), environment });
    await node.ready();
    const [administrator, partner, nobody] = (["administrator", "partner", "nobody"] as const).map(
      (credential, index) => new HttpClient(() => node.url, CREDENTIALS[credential], `127.8.2.${index}`),
    );
    assert.ok(administrator !== undefined && partner !== undefined && nobody !== undefined);
    const path = (name: string) => `/admin/cluster/nodes/${name}/drain`;
    for (const caller of [partner, nobody]) assert.equal((await caller.post(path("node-1"), { allowLast: true })).status, 401);
    assertMatches(await administrator.post(path("node-2"), { allowLast: true }), { status: 404 });
    assertMatches(await administrator.post(path("node-1"), undefined), { status: 409, body: { message: /only live node/ } });
    assertMatches(await administrator.post(path("node-1"), { allowLast: "yes" }), { status: 400 });
    assertMatches(await administrator.post(path("node-1"), { allow: true }), { status: 400 });
    assert.equal((await nobody.get("/health/ready")).status, 200);

    const terminal = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
    const answer = await administrator.post(path("node-1"), { allowLast: true });
    assertMatches(answer, { status: 202, body: { status: "ok", data: { nodeId: "node-1", state: "draining" } } });
    assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
    assert.equal((await terminal.closes.next()).code, 1_001);
    await eventually(() =>
      assert.match(node.output(), /"event":"stopping","signal":"drain requested"[\s\S]*"event":"stopped","unfinished":0/),
    );
  });
});
