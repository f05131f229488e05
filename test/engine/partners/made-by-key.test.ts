import assert from "node:assert/strict";
import { test } from "node:test";
import { type LookAtKey, lookAtAll } from "../../../engine/access/made-by-key.ts";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import type { AgentCredentialRecord } from "../../../engine/agents/agent-credential.ts";
import { storeCredential } from "../../../engine/agents/agent-credential-queries.ts";
import { createCredentialsOfKey } from "../../../engine/agents/credentials-of-key.ts";
import { AGENT_DAYS_MAX } from "../../../engine/agents/words.ts";
import type { KeysOutcome, KeysReason } from "../../../engine/partners/replace-keys.ts";
import { createEndpointsOfKey } from "../../../engine/webhooks/endpoints-of-key.ts";
import type { WebhookMaker } from "../../../engine/webhooks/webhook-endpoint.ts";
import { credential, idOf } from "../agents/machine-world.ts";
import { credentialsOn } from "../agents/world.ts";
import { digest } from "../intents/world.ts";
import { event, order, turn, world as webhookWorld } from "../webhooks/webhook-world.ts";
import { grant, merchantWorld } from "./merchant-world.ts";

const PERSON = { type: "person", email: "mara@example.com" } as const;
const SHOP = { type: "merchant", merchantId: "shop" } as const;

/** A merchant whose key makes endpoints and credentials, all over one store. */
async function withThings() {
  const things: { look: LookAtKey } = { look: () => assert.fail("nothing is looked at yet") };
  const merchants = merchantWorld((key) => things.look(key));
  const { kv } = merchants;
  const webhooks = webhookWorld({ kv });
  const became: string[] = [];
  const credentials = credentialsOn(kv, undefined, { became, workflow: [] });
  const { endpoints: store, stops } = webhooks;
  things.look = lookAtAll([
    createCredentialsOfKey({ workflow: credentials.unguarded, usable: credentials.usable }),
    createEndpointsOfKey({ ...{ store, stops }, ended: () => {}, failed: (_what, error) => assert.fail(String(error)) }),
  ]);
  const created = await merchants.merchants.create(grant(), { merchantId: "shop" }, "op");
  assert.ok(created.type === "created");
  const grantOf = async (key: string): Promise<MerchantGrant> => {
    const found = await merchants.merchantByKey(key);
    assert.ok(found !== null && typeof found === "object", String(found));
    return found;
  };
  let made = 0;
  const endpoint = async (madeBy: WebhookMaker | null, more: { livemode?: boolean; proof?: MerchantGrant["proof"] } = {}) => {
    made += 1;
    const { livemode = false, proof } = more;
    const wanted = order(`https://shop.example/${made}`, { livemode, ...(madeBy === null ? {} : { madeBy }) });
    const outcome = await webhooks.webhookEndpoints.create(SHOP, wanted, `endpoint ${made}`, proof);
    assert.ok(outcome.type === "created");
    return outcome.endpoint.id;
  };
  const agent = async (createdBy: AgentCredentialRecord["createdBy"], proof?: MerchantGrant["proof"]) => {
    made += 1;
    const id = idOf(made);
    const record = credential({ id, merchantId: "shop", digest: digest(id), createdBy });
    assert.ok(await storeCredential(credentials, record, await credentials.usable.load(record), null, proof));
    return id;
  };
  const replace = async (reason: KeysReason, operationId = `keys ${reason}`): Promise<KeysOutcome & { type: "changed" }> => {
    const outcome = await merchants.ownMerchant.replaceKeys("shop", { operationId, by: PERSON, reason });
    assert.ok(outcome.type === "changed");
    return outcome;
  };
  const states = async (...ids: string[]) =>
    Promise.all(
      ids.map(async (id) =>
        id.startsWith("we_")
          ? (await webhooks.endpoints.load(id))?.record.disabledReason
          : (await credentials.store.load(id))?.record.state,
      ),
    );
  const { secret } = created.keys;
  return { ...merchants, webhooks, credentials, became, secret, grantOf, endpoint, agent, replace, states, things };
}

const marksOf = ({ made }: KeysOutcome & { type: "changed" }) =>
  made.map(({ id, ended, isCertain }) => `${id} ${ended ? "ended" : "goes on"}${isCertain ? "" : ", unsure"}`).sort();

test("a key that leaked takes with it what it made, and nothing of a person, another key, or the other environment", async () => {
  const { grantOf, secret, endpoint, agent, replace, states, became, notices } = await withThings();
  const { keyId } = await grantOf(secret);
  const ofKey = { type: "key", keyId } as const;
  const ofOther = { type: "key", keyId: "0123456789abcdef" } as const;
  const ended = [await endpoint(ofKey), await agent(ofKey)];
  const kept = [await endpoint({ type: "user" }), await endpoint(ofOther), await endpoint(ofKey, { livemode: true })];
  const agents = [await agent({ type: "user", userId: "usr_1" }), await agent(ofOther)];
  const outcome = await replace("leaked");
  assert.deepEqual(marksOf(outcome), ended.map((id) => `${id} ended`).sort());
  assert.deepEqual(await states(...ended), ["key_leaked", "REVOKED"]);
  assert.deepEqual(await states(...kept, ...agents), [null, null, null, "ACTIVE", "ACTIVE"]);
  assert.deepEqual(
    became.filter((outcome) => outcome !== "created"),
    ["revoked"],
  );
  assert.deepEqual(notices.at(-1)?.change, { type: "replaced", by: PERSON, environment: "TEST", first: false, made: outcome.made });
});

test("a routine rotation ends nothing and names all of it, also in its repetition", async () => {
  const { grantOf, secret, endpoint, agent, replace, states } = await withThings();
  const { keyId } = await grantOf(secret);
  const ids = [await endpoint({ type: "key", keyId }), await agent({ type: "key", keyId })];
  const first = await replace("routine");
  assert.deepEqual(marksOf(first), ids.map((id) => `${id} goes on`).sort());
  assert.deepEqual(await states(...ids), [null, "ACTIVE"]);
  assert.deepEqual((await replace("routine")).made, first.made);
  assert.deepEqual((await replace("routine", "another")).made, [], "the key that was replaced now has made nothing");
});

test("what was made before it was kept by whom is named: an endpoint goes on, and a key's credential ends with the key that leaked", async () => {
  const { endpoint, agent, replace, states } = await withThings();
  const [old, token] = [await endpoint(null), await agent({ type: "key" })];
  assert.deepEqual(marksOf(await replace("leaked")), [`${old} goes on, unsure`, `${token} ended, unsure`].sort());
  assert.deepEqual(await states(old, token), [null, "REVOKED"]);
});

test("an endpoint that a key has sent elsewhere, or whose secret it has replaced, ends with the key", async () => {
  const { grantOf, secret, endpoint, replace, states, webhooks } = await withThings();
  const withKey = await grantOf(secret);
  const [redirected, rolled, described] = [
    await endpoint({ type: "user" }),
    await endpoint({ type: "user" }),
    await endpoint({ type: "user" }),
  ];
  await webhooks.webhookEndpoints.change(SHOP, false, redirected, { url: "https://thief.example/", withKey });
  await webhooks.webhookEndpoints.rollSecret(SHOP, false, rolled, 0, "roll", withKey);
  await webhooks.webhookEndpoints.change(SHOP, false, described, { description: "a person's" });
  await replace("leaked");
  assert.deepEqual(await states(redirected, rolled, described), ["key_leaked", "key_leaked", null]);
});

test("nothing is made with a key that has leaked and was replaced while the request was under way", async () => {
  const { grantOf, secret, endpoint, agent, replace, webhooks, credentials } = await withThings();
  const withKey = await grantOf(secret);
  const { keyId, proof } = withKey;
  assert.ok(proof !== undefined);
  const own = await endpoint({ type: "user" });
  await replace("leaked");
  const refused = { code: "unauthorized", detail: "api_key_expired" };
  await assert.rejects(endpoint({ type: "key", keyId }, { proof }), refused);
  await assert.rejects(agent({ type: "key", keyId }, proof), refused);
  await assert.rejects(webhooks.webhookEndpoints.change(SHOP, false, own, { url: "https://thief.example/", withKey }), refused);
  assert.equal((await webhooks.endpoints.ofOwner(SHOP, null, 100)).endpoints.length, 1);
  assert.equal((await credentials.usable.load({ merchantId: "shop", livemode: false })).ids.length, 0);
});

test("what is made between the look and the commit of the rotation is ended too", async () => {
  const { grantOf, secret, endpoint, agent, replace, states, things } = await withThings();
  const { keyId, proof } = await grantOf(secret);
  assert.ok(proof !== undefined);
  const ofKey = { type: "key", keyId } as const;
  const { look } = things;
  const late: string[] = [];
  things.look = async (key) => {
    const found = await look(key);
    if (late.length === 0) late.push(await endpoint(ofKey, { proof }));
    else if (late.length === 1) late.push(await agent(ofKey, proof));
    return found;
  };
  await replace("leaked");
  assert.equal(late.length, 2);
  assert.deepEqual(await states(...late), ["key_leaked", "REVOKED"]);
});

test("what was not delivered to an endpoint that ended with its key can be sent again once it is enabled", async () => {
  const { grantOf, secret, endpoint, replace, webhooks } = await withThings();
  const { keyId } = await grantOf(secret);
  const id = await endpoint({ type: "key", keyId });
  webhooks.behaviour.answer = async () => ({ type: "answered", status: 500, answer: "", durationMs: 1 });
  const missed = event("a", 1, { merchantId: "shop" });
  await webhooks.happen(missed);
  await webhooks.tick();
  await replace("leaked");
  await turn();
  const merchant = { merchantId: "shop", partnerId: 7, livemode: false };
  const deliveryId = `${missed.id}.${id}`;
  assert.equal((await webhooks.merchantDeliveries.find(merchant, deliveryId))?.delivery.state, "canceled");
  await webhooks.webhookEndpoints.change(SHOP, false, id, { disabled: false });
  webhooks.behaviour.answer = async () => ({ type: "answered", status: 200, answer: "", durationMs: 1 });
  webhooks.advance(10_000);
  const resent = await webhooks.merchantDeliveries.resend(merchant, deliveryId);
  assert.ok(resent !== null && resent !== "endpoint_disabled");
  await webhooks.settle();
  assert.equal((await webhooks.merchantDeliveries.find(merchant, deliveryId))?.delivery.state, "delivered");
});

test("no token outlives the key that made it by more than ninety days", () => {
  assert.ok(AGENT_DAYS_MAX <= 90, "a token is made while its key counts, and for so many days at most");
});
