import assert from "node:assert/strict";
import { before } from "node:test";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

/** Not more often: a person's requests of a second are bounded. */
const LOOK_MS = 500;

/** What the log of steps and the log of calls have of a merchant, whichever node wrote it. */
export function merchantLogs(relay: Relay): void {
  before(() => relay.clickhouse());

  /** A shop with one terminal and its owner, signed in. */
  async function newShop() {
    const partner = await newPartnerApi(relay);
    const merchantId = `shop-${relay.uuid()}`;
    const made = await partner.call("POST", "/merchants", { merchantId, merchantName: "Bar Centrale" });
    assert.equal(made.status, 201, made.text);
    const terminalId = relay.terminalId();
    const assigned = await relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId });
    assert.equal(assigned.status, 200, assigned.text);
    const email = `anna.${relay.uuid()}@example.com`;
    const invited = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, locale: "en" });
    assert.equal(invited.status, 201, invited.text);
    const owner = new PortalPerson(relay, email);
    const accepted = await owner.accept((await lastMailTo(relay, email)).token);
    assert.equal(accepted.status, 200, accepted.text);
    await owner.enrol();
    // Callers of the shop come to the nodes in turn.
    const key = textMember(made.body, "keys", "secretKey");
    return { terminalId, owner, caller: () => relay.client({ authorization: `Bearer ${key}` }) };
  }

  type Shop = Awaited<ReturnType<typeof newShop>>;

  /** An endpoint at which nobody listens, and a test event to it: a step and a call. */
  async function newEndpoint({ caller }: Shop): Promise<string> {
    const made = await caller().post("/api/merchant/webhooks", { url: "http://127.0.0.1:1/hooks", events: ["*"] });
    assert.equal(made.status, 201, made.text);
    const id = textMember(made.body, "data", "endpoint", "id");
    const sent = await caller().post(`/api/merchant/webhooks/${id}/test`, {});
    assert.equal(sent.status, 200, sent.text);
    return id;
  }

  async function entriesOf({ owner }: Shop, log: "workflow" | "calls", query = ""): Promise<unknown[]> {
    const answer = await owner.send("GET", `/logs/${log}?limit=200${query}`);
    assert.equal(answer.status, 200, answer.text);
    return listOf(member(answer.body, "data", "items"));
  }

  test("each node's steps and calls are read at each, and there is nothing about payments at terminals", async () => {
    const [shop, other] = [await newShop(), await newShop()];
    const { terminalId } = shop;
    const fleet = relay.fleet();
    const uuids: string[] = [];
    for (const result of ["OK", "KO", "OK"]) {
      const uuid = relay.uuid();
      uuids.push(uuid);
      assert.equal((await fleet.pay(terminalId, { uuid })).status, 200);
      assert.equal((await fleet.take(terminalId)).status, 200);
      assert.equal((await fleet.receipt(terminalId, { uuid, result })).status, 200);
      // One that comes twice, and one for which there is no command.
      assert.equal((await fleet.receipt(terminalId, { uuid, result })).status, 200);
      await fleet.receipt(terminalId, { uuid: relay.uuid(), result });
    }
    const waiting = relay.uuid();
    assert.equal((await fleet.pay(terminalId, { uuid: waiting })).status, 200);
    // A shard hands its entries over in their order, so what payments had left would be there with these.
    const endpoints: string[] = [];
    for (let count = 0; count < 3; count += 1) endpoints.push(await newEndpoint(shop));

    await eventually(
      async () => {
        const steps = await entriesOf(shop, "workflow");
        assert.deepEqual(steps.map((step) => textMember(step, "objectId")).sort(), [...endpoints].sort());
        for (const step of steps)
          assertMatches(step, { objectType: "webhook_endpoint", event: "endpoint.created", from: null, to: "enabled", outcome: "done" });
        const calls = await entriesOf(shop, "calls");
        assert.equal(calls.length, endpoints.length);
        for (const call of calls)
          assertMatches(call, { target: "webhook", operation: "webhook.test", host: "127.0.0.1:1", httpStatus: null, outcome: "failed" });
      },
      30_000,
      LOOK_MS,
    );
    for (const uuid of [...uuids, waiting]) {
      for (const log of ["workflow", "calls"] as const) assert.deepEqual(await entriesOf(shop, log, `&objectId=${uuid}`), []);
    }
    for (const log of ["workflow", "calls"] as const) assert.deepEqual(await entriesOf(other, log), []);
  });
}
