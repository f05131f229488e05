import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpClient } from "../support/http-client.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { listOf, member, textMember } from "../support/matches.ts";
import { redisMissing } from "../support/redis.ts";
import { eventually } from "../support/within.ts";
import { startCluster } from "./cluster-world.ts";
import { callerOf, newShop } from "./portal-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** Not more often: a person's requests of a second are bounded. */
const LOOK_MS = 500;

describe("the logs of a merchant over two nodes", { skip: missing }, () => {
  it("have what each node wrote, at both; also what a node wrote that has ended since", async (test) => {
    const cluster = await startCluster(test, { nodes: 2 });
    const shop = await newShop(cluster);
    const at = (node: number): HttpClient => callerOf(cluster, () => node, { authorization: `Bearer ${shop.secretKey}` });
    const newEndpoint = async (node: number): Promise<string> => {
      const made = await at(node).post("/api/merchant/webhooks", { url: "http://127.0.0.1:1/hooks", events: ["*"] });
      assert.equal(made.status, 201, made.text);
      return textMember(made.body, "data", "endpoint", "id");
    };
    const sendTest = async (node: number, id: string): Promise<void> => {
      const sent = await at(node).post(`/api/merchant/webhooks/${id}/test`, {});
      assert.equal(sent.status, 200, sent.text);
    };
    const entriesAt = async (node: number, log: "workflow" | "calls") => {
      const answer = await shop.owner.at(node).send("GET", `/logs/${log}?limit=200`);
      assert.equal(answer.status, 200, answer.text);
      return listOf(member(answer.body, "data", "items"));
    };
    const objectsAt = async (node: number) => (await entriesAt(node, "workflow")).map((entry) => textMember(entry, "objectId")).sort();
    /** Of whom an entry's id tells who wrote it: a writer is a shard of a node and a start. */
    const writersAt = async (node: number) =>
      new Set((await entriesAt(node, "workflow")).map((entry) => textMember(entry, "id").replace(/^\d+-(.+)-\d+$/, "$1")));

    const ids: string[] = [];
    for (const node of [0, 1, 0, 1]) ids.push(await newEndpoint(node));
    for (const [index, id] of ids.entries()) await sendTest(index % 2, id);
    await eventually(
      async () => {
        for (const node of [0, 1]) {
          assert.deepEqual(await objectsAt(node), [...ids].sort());
          assert.equal((await entriesAt(node, "calls")).length, ids.length);
        }
      },
      30_000,
      LOOK_MS,
    );
    assert.equal((await writersAt(0)).size, 2);

    // What it has not written yet it writes before it ends.
    ids.push(await newEndpoint(1));
    cluster.nodes[1]?.signal("SIGTERM");
    assert.deepEqual(await cluster.nodes[1]?.exited, { code: 0, signal: null });
    await eventually(async () => assert.deepEqual(await objectsAt(0), [...ids].sort()), 30_000, LOOK_MS);
  });
});
