import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createShardMetrics, joinMetrics } from "../../../../../infra/node/observability/metrics.ts";
import { createCardGateway } from "../../../../../infra/node/wiring/links/card-gateway.ts";
import { type Behave, json, startGatewayStub } from "../../../../http/gateway/gateway-stub.ts";
import { eventually } from "../../../../support/within.ts";

const CREDENTIALS = { terminalId: "TML1", merchantId: "MERCHANT1", secret: "s3cret" };
const FOLLOW_UP = { txId: "op-1", origTranId: "tran-1", amount: "12.30", currency: "EUR" };

async function world(t: TestContext, behave: Behave) {
  const stub = await startGatewayStub(t, CREDENTIALS.secret, behave);
  const metrics = createShardMetrics("shard-0", { stats: null, commits: null, isRedisUp: null });
  metrics.gaugeByState("relay_callbacks", "Events of an unavailable store.", () => Promise.reject(new Error("away")));
  const gateway = createCardGateway({ config: { gatewayUrl: stub.url }, log: { gatewayCircuit: () => undefined }, metrics });
  t.after(gateway.close);
  const text = async () => joinMetrics([await metrics.collect()]);
  return { gateway, text, verify: () => gateway.verify(CREDENTIALS, { txId: "tx-secret-1", paymentId: null }) };
}

const head = (resultCode: string, txId: string) => ({ merId: CREDENTIALS.merchantId, txId, resultCode, errDescription: "no" });
const absent = { txHead: head("GW_30002", "tx-secret-1") };

test("counts calls to the gateway by operation and outcome, without an id or a secret", async (t) => {
  const { gateway, text, verify } = await world(t, ({ target }, response) =>
    target.includes("verify") ? json(response, 404, absent) : json(response, 400, { txHead: head("GW_30004", "op-1") }),
  );
  await verify();
  await verify();
  await gateway.refund(CREDENTIALS, FOLLOW_UP);
  await gateway.verify({ ...CREDENTIALS, merchantId: "no key id\n" }, { txId: "tx-secret-1", paymentId: null });
  const shown = await text();
  for (const [labels, count] of [
    ['operation="verify",outcome="done"', 2],
    ['operation="verify",outcome="unavailable"', 1],
    ['operation="refund",outcome="refused"', 1],
  ]) {
    assert.ok(shown.includes(`relay_gateway_call_duration_seconds_count{${labels}} ${count}\n`), `${labels} in ${shown}`);
  }
  assert.match(shown, /^relay_gateway_call_duration_seconds_bucket\{le="8",operation="verify",outcome="done"\} 2$/m);
  assert.match(shown, /^relay_gateway_circuits_open 0$/m);
  for (const secret of ["tx-secret-1", "MERCHANT1", "s3cret", "op-1", "tran-1"]) assert.ok(!shown.includes(secret), secret);
});

test("shows a gateway without calls, and all other metrics if the store cannot count callbacks", async (t) => {
  let healthy = false;
  const { text, verify } = await world(t, (_request, response) => (healthy ? json(response, 404, absent) : response.destroy()));
  for (let call = 0; call < 4; call += 1) await verify();
  const shown = await text();
  assert.match(shown, /^relay_gateway_circuits_open 1$/m);
  assert.doesNotMatch(shown, /^relay_callbacks\{/m);
  healthy = true;
  await eventually(async () => {
    await verify();
    assert.match(await text(), /^relay_gateway_circuits_open 0$/m);
  });
});
